"""Draws from data that fill the gaps between observed values."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def linear_one(values: Array, lowest: float, rows: int, rng: np.random.Generator) -> Array:
    """A value is drawn from the data, then a uniform one between its predecessor and it; `lowest` precedes the smallest.

    That is the inverse transformation of the empirical distribution function joined by straight lines.

    Reference: Banks (1988), doi:10.1093/biomet/75.4.673.
    """
    points = np.unique(values)
    return _between(np.concatenate([[lowest], points]), 1 + np.searchsorted(points, _drawn(values, rows, rng)), rng)


def linear_two(values: Array, rows: int, rng: np.random.Generator) -> Array:
    """The same without a point below the data: draws of the smallest value fall between it and the next.

    The first gap so has the probability of two values, and no draw leaves the range of the data.
    """
    points = np.unique(values)
    if points.size == 1:
        return np.full(rows, points[0])
    return _between(points, np.maximum(np.searchsorted(points, _drawn(values, rows, rng)), 1), rng)


def boxes(points: Array, rows: int, rng: np.random.Generator) -> Array:
    """Several variables: a record is drawn, then a uniform point of the box between its values and their predecessors.

    In each dimension the gap is that below the record's own rank, as in `linear_two`, so that ranks of different
    variables hang together as observed.
    """
    chosen = np.floor(rng.random(rows) * len(points)).astype(np.int64)
    drawn = np.empty((rows, points.shape[1]))
    for place, column in enumerate(np.asarray(points, dtype=np.float64).T):
        held = np.unique(column)
        rank = np.searchsorted(held, column[chosen])
        drawn[:, place] = _between(held, np.maximum(rank, 1), rng) if held.size > 1 else held[0]
    return drawn


def _drawn(values: Array, rows: int, rng: np.random.Generator) -> Array:
    drawn: Array = np.asarray(values)[np.floor(rng.random(rows) * len(values)).astype(np.int64)]
    return drawn


def _between(points: Array, upper: Array, rng: np.random.Generator) -> Array:
    low, high = points[upper - 1], points[upper]
    drawn: Array = low + rng.random(upper.size) * (high - low)
    return drawn
