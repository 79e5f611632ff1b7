"""How strongly do two numbers go together?"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np

from sdc.statistics.ordering import ranked

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
        from scipy.stats import kendalltau

        return float(kendalltau(x, y).statistic)
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
