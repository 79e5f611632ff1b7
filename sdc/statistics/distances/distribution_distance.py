"""Distances between two samples of one number."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sdc.arrays import Array


def kolmogorov_smirnov(x: Array, y: Array) -> float:
    """The largest difference of the two empirical distribution functions; exact, ties included.

    Samples come in order.
    """
    from sdc.kernels.distribution_gaps import gaps_along

    return float(gaps_along(x, y)[0]) / (x.size * y.size)


def critical_distance(n: int, m: int, level: float = 0.05) -> float:
    """The Kolmogorov-Smirnov distance that two samples of one law exceed with probability `level` at most."""
    return math.sqrt(-math.log(level / 2) * (1 + m / n) / (2 * m))


def wasserstein(x: Array, y: Array) -> float:
    """The area between the two empirical distribution functions, in the variable's own unit.

    Samples come in order.
    """
    from sdc.kernels.distribution_gaps import gaps_along

    return float(gaps_along(x, y)[1]) / (x.size * y.size)


def varying(x: Array, y: Array) -> Array:
    """The values whose spread is the unit of every change: the original's.

    Where the original's do not vary, they are those of both tables.
    """
    return x if np.ptp(x) > 0 else np.concatenate([x, y])


def scale_of(x: Array, y: Array) -> float:
    """The standard deviation (n - 1) of these values.

    It is 1 where not even both tables together vary: then nothing changed.
    """
    varied = varying(x, y)
    return float(np.std(varied, ddof=1)) if np.ptp(varied) > 0 else 1.0


def one_sample_distance(values: Array, distribution: Callable[[Array], Array]) -> float:
    """The largest difference of the empirical distribution function from a continuous one."""
    ordered = np.sort(values)
    below = distribution(ordered)
    steps = np.arange(ordered.size + 1) / ordered.size
    return float(max((steps[1:] - below).max(), (below - steps[:-1]).max()))
