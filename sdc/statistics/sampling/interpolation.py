"""Draws from data that fill the gaps between observed values."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.sampling.bootstrap import bootstrap
from sdc.statistics.sampling.shares_of_a_gap import Shares, uniform


def linear_one(
    values: Array, lowest: float, rows: int, rng: np.random.Generator, shares: Shares = uniform
) -> Array:
    """A value is drawn from the data, then one between its predecessor and it, uniformly or by `shares`.

    `lowest` precedes the smallest value.

    If uniform, this is the inverse transformation of the empirical distribution function joined by straight
    lines.

    Reference: Banks (1988), doi:10.1093/biomet/75.4.673.
    """
    points = np.unique(values)
    return below(
        np.concatenate([[lowest], points]),
        1 + np.searchsorted(points, _drawn(values, rows, rng)),
        rng,
        shares,
    )


def linear_two(values: Array, rows: int, rng: np.random.Generator, shares: Shares = uniform) -> Array:
    """As `linear_one`, without a point below the data: the smallest value falls between it and the next.

    The first gap thus has the probability of two values, and no draw leaves the range of the data.
    """
    return below_own_rank(values, _drawn(values, rows, rng), rng, shares)


def boxes(points: Array, rows: int, rng: np.random.Generator, shares: Shares = uniform) -> Array:
    """For several variables: a record is drawn, then a point of the box between its values and those below.

    In each dimension the gap is that below the record's own rank, as in `linear_two`, so that ranks of
    different variables depend on each other as observed.
    """
    chosen = bootstrap(len(points), rows, rng)
    held = np.asarray(points, dtype=np.float64)
    return np.column_stack([below_own_rank(column, column[chosen], rng, shares) for column in held.T])


def below_own_rank(values: Array, drawn: Array, rng: np.random.Generator, shares: Shares = uniform) -> Array:
    """For each of some values drawn from the data, one between it and its predecessor.

    The smallest falls between it and the next.
    """
    points = np.unique(values)
    if points.size == 1:
        return np.full(drawn.size, points[0])
    return below(points, np.maximum(np.searchsorted(points, drawn), 1), rng, shares)


def below(points: Array, upper: Array, rng: np.random.Generator, shares: Shares = uniform) -> Array:
    """Points of the gaps that end at these places of the ordered points."""
    low, high = points[upper - 1], points[upper]
    drawn: Array = low + shares(upper.size, rng) * (high - low)
    return drawn


def _drawn(values: Array, rows: int, rng: np.random.Generator) -> Array:
    drawn: Array = np.asarray(values)[bootstrap(len(values), rows, rng)]
    return drawn
