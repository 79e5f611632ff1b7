"""How strongly do two numbers go together?"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np

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
    unit_x, unit_y = (_unit(values) for values in (x, y))
    return max(-1.0, min(1.0, float((unit_x * unit_y).sum())))


def _unit(values: Array) -> Array:
    """Deviations from the mean, scaled to length one."""
    moved = (values - values.min()) / np.ptp(values)
    centred = moved - moved.mean()
    unit: Array = centred / np.sqrt((centred * centred).sum())
    return unit


def midranks(values: Array) -> Array:
    """Ranks from 1, equal values sharing the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Array = (last - (counts - 1) / 2)[place]
    return ranks


def correlation_matrix(columns: list[Array], kind: Correlation = Correlation.PEARSON) -> Array:
    """All correlations of the columns, ones on the diagonal."""
    matrix = np.eye(len(columns))
    held = columns if kind is not Correlation.SPEARMAN else [midranks(column) for column in columns]
    own = kind if kind is not Correlation.SPEARMAN else Correlation.PEARSON
    for one in range(len(columns)):
        for other in range(one):
            matrix[one, other] = matrix[other, one] = correlation(held[one], held[other], own)
    return matrix
