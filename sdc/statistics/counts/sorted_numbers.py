"""Counts, quantiles and gaps of numbers that are sorted already, without touching each of them again."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array

AT_ONCE = 2**20
"""So many numbers are compared at a time."""


def has_few_values(ordered: Array, most: int) -> bool:
    """Whether there are at most so many different numbers."""
    place = 0
    for _ in range(most):
        if place < ordered.size:
            place = int(np.searchsorted(ordered, ordered[place], side="right"))
    return place >= ordered.size


def count_of(ordered: Array, value: float) -> int:
    """How often a number occurs."""
    first, last = (int(np.searchsorted(ordered, value, side)) for side in ("left", "right"))
    return last - first


def frequent_values(ordered: Array, least: float) -> list[float]:
    """The numbers that occur so often, or more often, in order."""
    met = np.unique(ordered[:: max(int(least), 1)])
    return [value for value in met.tolist() if count_of(ordered, value) >= least]


def without_values(ordered: Array, values: list[float]) -> Array:
    """The numbers without all that are one of these."""
    if not values:
        return ordered
    ends = [
        place
        for value in sorted(values)
        for place in (np.searchsorted(ordered, value, "left"), np.searchsorted(ordered, value, "right"))
    ]
    return np.concatenate(np.split(ordered, ends)[::2])


def pooled_quantiles(first: Array, second: Array, shares: tuple[float, ...]) -> tuple[float, ...]:
    """Type-7 quantiles of two samples together, to the last bit those of numpy."""
    found = []
    for share in shares:
        place = (first.size + second.size - 1) * share
        rank = int(place)
        low = _ranked(first, second, rank)
        high = _ranked(first, second, min(rank + 1, first.size + second.size - 1))
        part = place - rank
        found.append(low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part))
    return tuple(found)


def _ranked(first: Array, second: Array, rank: int) -> float:
    """The number that has so many of both samples before it."""
    low, high = max(0, rank - second.size), min(rank, first.size)
    while low < high:
        middle = (low + high) // 2
        if first[middle] < second[rank - middle - 1]:
            low = middle + 1
        else:
            high = middle
    rest = [held[place] for held, place in ((first, low), (second, rank - low)) if place < held.size]
    return float(min(rest))


def furthest_apart(first: Array, second: Array) -> float:
    """The smallest number at which the distribution functions of two samples differ most."""
    largest, furthest = -1.0, 0.0
    for ordered in (first, second):
        for start in range(0, ordered.size, AT_ONCE):
            values = ordered[start : start + AT_ONCE]
            one, other = (np.searchsorted(held, values, side="right") / held.size for held in (first, second))
            gaps = np.abs(one - other)
            place = int(np.argmax(gaps))
            found, value = float(gaps[place]), float(values[place])
            if found > largest or (found == largest and value < furthest):
                largest, furthest = found, value
    return furthest
