"""Draws from a distribution on finitely or infinitely many points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sdc.arrays import Array


def linear_search(cumulative: Sequence[float], level: float) -> tuple[int, int]:
    """The first place whose cumulative probability reaches the level, and the comparisons it took."""
    last = len(cumulative) - 1
    place = next((place for place, reached in enumerate(cumulative) if level <= reached), last)
    return place, place + 1


def binary_search(cumulative: Sequence[float], level: float) -> tuple[int, int]:
    """The same place by halving: the middle is compared until one place remains."""
    low, high, comparisons = 0, len(cumulative) - 1, 0
    while low < high:
        middle = (low + high) // 2
        comparisons += 1
        low, high = (low, middle) if level <= cumulative[middle] else (middle + 1, high)
    return low, comparisons


def discrete_quantile(cumulative: Array, levels: Array) -> Array:
    """For each level u the place min{i : F_i >= u}, by binary search.

    The quantile function is continuous from the left: a level equal to a cumulative probability belongs to
    the lower point.
    """
    places: Array = np.minimum(np.searchsorted(cumulative, levels, side="left"), len(cumulative) - 1)
    return places


def finite(probabilities: Array, rows: int, rng: np.random.Generator) -> Array:
    """Places drawn with these probabilities, which need not add up to one.

    A point of probability 0 is never drawn.

    Reference: Devroye (1986), doi:10.1007/978-1-4613-8643-8, section III.2.
    """
    cumulative = np.cumsum(probabilities, dtype=np.float64)
    # 1 - U lies in (0, 1]: level 0 would belong to a first point of no probability.
    return discrete_quantile(cumulative, (1.0 - rng.random(rows)) * cumulative[-1])


def infinite(mass: Callable[[int], float], rows: int, rng: np.random.Generator, *, start: int = 0) -> Array:
    """Whole numbers from `start` on, drawn with the probabilities that `mass` gives.

    Probabilities are summed until they exceed the largest level drawn, so only as many points are visited as
    are needed.

    Reference: Devroye (1986), doi:10.1007/978-1-4613-8643-8, section III.2.
    """
    levels = 1.0 - rng.random(rows)
    # The sum of the tail may stay below 1 by rounding; no level can lie above what the points add up to.
    highest = min(float(levels.max(initial=0.0)), 1.0 - 1e-15)
    cumulative = [float(mass(start))]
    while cumulative[-1] < highest:
        reached = cumulative[-1] + float(mass(start + len(cumulative)))
        if reached == cumulative[-1] and reached > 0.5:
            break
        cumulative.append(reached)
    return start + discrete_quantile(np.array(cumulative), levels)
