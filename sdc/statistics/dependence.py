"""How strongly do two numbers go together?"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Any

import numpy as np

from sdc.statistics.ordering import plane_order, ranked

Array = np.ndarray[Any, Any]


class Correlation(StrEnum):
    """Which coefficient: of the values, of their ranks, or of the order of pairs (tau-b)."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    KENDALL = "kendall"


def covariance(x: Array, y: Array) -> float:
    """With n - 1; 0 for a single record."""
    if x.size < 2:
        return 0.0
    return float(((x - x.mean()) * (y - y.mean())).sum()) / (x.size - 1)


def correlation(x: Array, y: Array, kind: Correlation = Correlation.PEARSON) -> float:
    """Between -1 and 1; 0 where one of the two does not vary."""
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    if kind is Correlation.KENDALL:
        return _tau_b(x, y)
    if kind is Correlation.SPEARMAN:
        x, y = midranks(x), midranks(y)
    return _product(_unit(x), _unit(y))


def _unit(values: Array) -> Array:
    """Deviations from the mean, scaled to length one; zeros where nothing varies."""
    low = values.min()
    width = values.max() - low
    if width == 0:
        return np.zeros(values.size)
    moved: Array = (values - low) / width
    moved -= moved.mean()
    moved /= np.sqrt((moved * moved).sum())
    return moved


def _product(unit_x: Array, unit_y: Array) -> float:
    return max(-1.0, min(1.0, float((unit_x * unit_y).sum())))


def _tau_b(x: Array, y: Array) -> float:
    """Pairs in the same order less those in the opposite one, over the geometric mean of the pairs that differ in x and in y.

    In lexicographic order a pair is discordant where y falls: whoever is not at or below a point among those before it.

    Reference: Kendall (1945), doi:10.1093/biomet/33.3.239; Knight (1966), doi:10.1080/01621459.1966.10480879.
    """
    from sdc.statistics.dominance_kernels import sums_below_in_the_plane

    order, ranks, starts = plane_order(x, y)
    below = sums_below_in_the_plane(ranks, int(ranks.max()) + 1, np.ones(x.size, dtype=np.int32))
    pairs = x.size * (x.size - 1) // 2
    discordant = x.size * (x.size + 1) // 2 - int(below.sum(dtype=np.int64))
    along = x[order]
    equal_x = _equal_pairs(np.diff(np.flatnonzero(np.append(True, along[1:] != along[:-1])), append=x.size))
    equal_y, equal = _equal_pairs(np.bincount(ranks)), _equal_pairs(np.diff(starts, append=x.size))
    balance = pairs - equal_x - equal_y + equal - 2 * discordant
    return max(-1.0, min(1.0, balance / math.sqrt((pairs - equal_x) * (pairs - equal_y))))


def _equal_pairs(counts: Array) -> int:
    return int((counts.astype(np.int64) * (counts - 1) // 2).sum())


def midranks(values: Array) -> Array:
    """Ranks from 1, equal values sharing the mean of theirs."""
    place = ranked(values)[1]
    counts = np.bincount(place)
    last = np.cumsum(counts)
    ranks: Array = (last - (counts - 1) / 2)[place]
    return ranks


def correlation_matrix(columns: list[Array], kind: Correlation = Correlation.PEARSON) -> Array:
    """All correlations of the columns, ones on the diagonal."""
    matrix = np.eye(len(columns))
    held = columns
    if kind is not Correlation.KENDALL:
        held = [_unit(midranks(column) if kind is Correlation.SPEARMAN else column) for column in columns]
    for one in range(len(columns)):
        for other in range(one):
            found = correlation(held[one], held[other], kind) if kind is Correlation.KENDALL else _product(held[one], held[other])
            matrix[one, other] = matrix[other, one] = found
    return matrix
