"""Moments of the bootstrap of simple estimators, without resampling every record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array


@dataclass(frozen=True)
class Moments:
    """Mean and variance of an estimator over bootstrap samples."""

    mean: float
    variance: float

    def bias(self, truth: float) -> float:
        return self.mean - truth

    def mean_squared_error(self, truth: float) -> float:
        return self.variance + self.bias(truth) ** 2


def bootstrap_mean(values: Array) -> Moments:
    """Moments of the mean: exact, the limit of infinitely many samples."""
    return Moments(float(values.mean()), float(values.var()) / values.size)


def bootstrap_share_below(values: Array, point: float) -> Moments:
    """Moments of the distribution function at a point: exact."""
    share = np.count_nonzero(values <= point) / values.size
    return Moments(share, share * (1 - share) / values.size)


def bootstrap_median(ordered: Array, draws: int, rng: np.random.Generator) -> Moments:
    """Moments of the median of sorted values, over `draws` samples.

    The middle order statistics of a sample of n are drawn as those of n uniform numbers and looked up among
    the values, so a draw costs the same for ten records and ten million.
    """
    n = ordered.size
    low = (n + 1) // 2
    first = rng.beta(low, n - low + 1, draws)
    second = first if n % 2 else first + (1 - first) * rng.beta(1, n - low, draws)
    places = [np.minimum((draw * n).astype(np.int64), n - 1) for draw in (first, second)]
    medians = (ordered[places[0]] + ordered[places[1]]) / 2
    return Moments(float(medians.mean()), float(medians.var(ddof=1)) if draws > 1 else 0.0)
