"""The overlap of two confidence intervals, and the overlap to expect."""

from __future__ import annotations

import math

import numpy as np

from sdc.arrays import Array


def reach(level: float) -> float:
    """The normal quantile that a two-sided interval of this level reaches to."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def overlap(first: Array, first_half: Array, second: Array, second_half: Array) -> Array:
    """The mean of the shares that two intervals have in common, from their centres and half lengths.

    It is negative where they lie apart.
    """
    common = np.minimum(first + first_half, second + second_half) - np.maximum(
        first - first_half, second - second_half
    )
    return np.minimum((common / (2 * first_half) + common / (2 * second_half)) / 2, 1.0)


def expected_overlap(level: float, ratio: float, spread: float) -> float:
    """The mean overlap of intervals whose centres differ by chance alone.

    In units of the first one's standard error the difference is normal with standard deviation `spread`, and
    the second interval is `ratio` times as long as the first.
    """
    from scipy.special import ndtr

    half = reach(level)
    shorter, excess = 2 * half * min(ratio, 1.0), half * abs(ratio - 1)
    density = math.exp(-((excess / spread) ** 2) / 2) / math.sqrt(2 * math.pi)
    lost = 2 * (spread * density - excess * float(ndtr(-excess / spread)))
    return (shorter - lost) * (1 + 1 / ratio) / (4 * half)
