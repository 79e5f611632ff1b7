"""Counts the records that a combination matches where a missing key matches every value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.equivalence import joined

COMPILED_FROM = 50_000
"""Combinations from which on it pays to load the compiled loop."""


@dataclass(frozen=True)
class _Pattern:
    """Combinations that miss the same keys."""

    observed: Array
    rows: Array


def matching_records(codes: Array, count: Array, among: tuple[Array, Array] | None = None) -> Array:
    """For each combination (a row of `codes`, -1 missing) the sum of `count` over those it matches.

    Two combinations match when they agree on every key that neither is missing. `among` are the combinations
    to be matched and their counts, by default the same ones. `count` may have several columns. Work is by
    pairs of missingness patterns, each joined on the keys both observe: no pair of records is ever compared.
    """
    others, counts = (codes, count) if among is None else among
    matched = np.zeros((codes.shape[0], *counts.shape[1:]), dtype=counts.dtype)
    totals = counts.reshape(others.shape[0], 1 if counts.ndim == 1 else counts.shape[1])
    sizes = np.maximum(codes.max(axis=0, initial=-1), others.max(axis=0, initial=-1)).astype(np.int64) + 1
    compiled = codes.shape[0] > COMPILED_FROM and float(np.prod(sizes.astype(float))) < 2.0**62
    target = matched.reshape(codes.shape[0], totals.shape[1])
    for mine, theirs, shared in _pairs(codes, others):
        if compiled:
            _add_compiled((codes, mine), (others, theirs), totals, (shared, sizes), target)
        else:
            place, group, groups = joined(codes[np.ix_(mine, shared)], others[np.ix_(theirs, shared)])
            summed = np.zeros((groups, totals.shape[1]), dtype=counts.dtype)
            np.add.at(summed, group, totals[theirs])
            target[mine] += summed[place]
    return matched


def pooled_cells(codes: Array, offsets: Array, target: Array, count: Array) -> tuple[Array, Array, Array]:
    """The cells of each combination together with those of all combinations it matches.

    Combination i has the cells offsets[i]:offsets[i + 1]; what comes back is again offsets, targets and
    counts.
    """
    from scipy import sparse

    width = int(target.max(initial=-1)) + 1
    cells = sparse.csr_array((count, target, offsets), shape=(codes.shape[0], width))
    pooled = sparse.csr_array(cells.shape, dtype=count.dtype)
    for mine, theirs, shared in _pairs(codes, codes):
        place, group, groups = joined(codes[np.ix_(mine, shared)], codes[np.ix_(theirs, shared)])
        summed = (
            sparse.csr_array((np.ones_like(group), (group, theirs)), shape=(groups, codes.shape[0])) @ cells
        )
        chosen = sparse.csr_array((np.ones_like(place), (mine, place)), shape=(codes.shape[0], groups))
        pooled = pooled + chosen @ summed
    pooled = sparse.csr_array(pooled)
    pooled.sort_indices()
    return pooled.indptr.astype(np.int64), pooled.indices.astype(np.int64), pooled.data


def _pairs(codes: Array, others: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Rows of one missingness pattern, rows of another, and the keys both observe."""
    for mine, theirs in product(_patterns(codes), _patterns(others)):
        yield mine.rows, theirs.rows, np.flatnonzero(mine.observed & theirs.observed)


def _patterns(codes: Array) -> list[_Pattern]:
    if not codes.shape[0]:
        return []
    packed = (codes >= 0) @ (1 << np.arange(codes.shape[1], dtype=np.int64))
    order = np.argsort(packed, kind="stable")
    starts = np.flatnonzero(np.diff(packed[order], prepend=-1))
    return [_Pattern(codes[rows[0]] >= 0, rows) for rows in np.split(order, starts[1:])]


def _add_compiled(
    mine: tuple[Array, Array],
    theirs: tuple[Array, Array],
    totals: Array,
    shared: tuple[Array, Array],
    matched: Array,
) -> None:
    from sdc.kernels.wildcard_join import add_joined

    add_joined(mine, theirs, totals, shared, matched)
