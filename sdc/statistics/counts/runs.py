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
    # Each column is let go of once it is in its next form: together they may fill the memory.
    held = list(words)
    del words
    if len(held) == 1 and counts is None and weights is None:
        held[0] = np.sort(held[0])
    else:
        order = np.lexsort(tuple(held)[::-1]) if len(held) > 1 else np.argsort(held[0])
        _each(held, order)
        counts = None if counts is None else counts[order]
        weights = None if weights is None else weights[order]
        del order
    starts = run_starts(held)
    counts = np.diff(starts, append=held[0].size) if counts is None else run_sums(counts, starts)
    weights = None if weights is None else run_sums(weights, starts)
    _each(held, starts)
    return Runs(tuple(held), counts, weights)


def _each(columns: list[Array], rows: Array) -> None:
    for place in range(len(columns)):
        columns[place] = columns[place][rows]


def merge_runs(parts: Sequence[Runs]) -> Runs:
    """The runs of all the rows together."""
    if len(parts) == 1:
        return parts[0]
    weights = [part.weights for part in parts if part.weights is not None]
    return count_runs(
        [np.concatenate(word) for word in zip(*(part.words for part in parts), strict=True)],
        np.concatenate([part.counts for part in parts]),
        np.concatenate(weights) if weights else None,
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
