"""Tests whether two columns agree record by record far more than in another order."""

from __future__ import annotations

from math import sqrt

import numpy as np

from sdc.arrays import Array

FAR = 6.0
"""Standard deviations above what a random order would give."""


def agrees_in_place(left: Array, right: Array) -> bool | None:
    """Whether far more values are equal, or ranks far more correlated, than in a random order.

    It is None where that cannot be decided: a column has one value only, or there are no common values and no
    numbers.

    Numbers are float64 with NaN for missing, others codes of the same list of values with -1. Pairs with a
    missing value are left out. Mean and variance of the number of matches are exact over all orders.
    """
    numbers = left.dtype.kind == "f" and right.dtype.kind == "f"
    held = ~(np.isnan(left) | np.isnan(right)) if numbers else (left >= 0) & (right >= 0)
    scores = [
        _matches(left[held], right[held]),
        _rank_correlation(left[held], right[held]) if numbers else None,
    ]
    told = [score for score in scores if score is not None]
    return max(told) > FAR if told else None


def _matches(left: Array, right: Array) -> float | None:
    """Equal values in place, in standard deviations above their expectation over all orders of `right`."""
    n = len(left)
    if n < 2:
        return None
    values, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
    a, b = (np.bincount(part, minlength=len(values)).astype(float) for part in (codes[:n], codes[n:]))
    both = float(np.sum(a * b))
    twice = both**2 - float(np.sum((a * b) ** 2)) + float(np.sum(a * (a - 1) * b * (b - 1)))
    variance = both / n + twice / (n * (n - 1)) - (both / n) ** 2
    if variance <= 1e-12 * max(1.0, both / n) ** 2:
        return None
    return (int(np.count_nonzero(left == right)) - both / n) / sqrt(variance)


def _rank_correlation(left: Array, right: Array) -> float | None:
    """Spearman's correlation over its standard deviation among random orders, 1 / sqrt(n - 1)."""
    if len(left) < 2 or np.ptp(left) == 0 or np.ptp(right) == 0:
        return None
    return float(np.corrcoef(_mean_ranks(left), _mean_ranks(right))[0, 1]) * sqrt(len(left) - 1)


def _mean_ranks(values: Array) -> Array:
    """Ranks from 1 on; equal values have their mean rank. scipy.stats would take longer to import."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Array = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    return ranks
