"""Counts combinations as runs of equal rows in sorted order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array


@dataclass(frozen=True)
class Runs:
    """Distinct rows in order, column by column, with their numbers and sums of weights.

    Everything is whole numbers, weights too: no order of adding can change their sum.
    """

    words: tuple[Array, ...]
    counts: Array
    weights: Array | None = None


def count_runs(words: Sequence[Array], counts: Array | None = None, weights: Array | None = None) -> Runs:
    """The distinct rows of some columns; a row counts once, or as often as `counts` says."""
    if len(words) == 1 and counts is None and weights is None:
        ordered: tuple[Array, ...] = (np.sort(words[0]),)
    else:
        order = np.lexsort(tuple(words)[::-1]) if len(words) > 1 else np.argsort(words[0])
        ordered = tuple(word[order] for word in words)
        counts, weights = (None if each is None else each[order] for each in (counts, weights))
    starts = run_starts(ordered)
    totals = np.diff(starts, append=ordered[0].size) if counts is None else run_sums(counts, starts)
    return Runs(
        tuple(word[starts] for word in ordered),
        totals,
        None if weights is None else run_sums(weights, starts),
    )


def merge_runs(parts: Sequence[Runs]) -> Runs:
    """The runs of all the rows together."""
    if len(parts) == 1:
        return parts[0]
    words = [np.concatenate(word) for word in zip(*(part.words for part in parts), strict=True)]
    weights = [part.weights for part in parts if part.weights is not None]
    return count_runs(
        words, np.concatenate([part.counts for part in parts]), np.concatenate(weights) if weights else None
    )


def run_starts(words: Sequence[Array]) -> Array:
    """Where each run of equal rows begins."""
    changes = np.zeros(words[0].size, dtype=bool)
    changes[:1] = True
    for word in words:
        changes[1:] |= word[1:] != word[:-1]
    return np.flatnonzero(changes)


def run_sums(numbers: Array, starts: Array) -> Array:
    """The sum of each run."""
    return np.add.reduceat(numbers, starts) if starts.size else np.zeros(0, dtype=np.int64)
