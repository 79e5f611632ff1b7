"""How far apart are two samples of one number?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def merged(x: Array, y: Array) -> tuple[Array, Array]:
    """The points of two samples in order, and after each the difference of the distribution functions, times both sizes.

    Of equal points only the last has that difference. A stable sort merely merges samples that are in order already.
    """
    points = np.concatenate([x, y])
    order = np.argsort(points, kind="stable")
    return points[order], np.cumsum(np.where(order < x.size, y.size, -x.size))


def kolmogorov_smirnov(x: Array, y: Array) -> float:
    """The largest difference of the two empirical distribution functions; exact, ties included."""
    points, gaps = merged(x, y)
    gaps[:-1][points[1:] == points[:-1]] = 0
    return float(max(gaps.max(), -gaps.min())) / (x.size * y.size)


def critical_distance(n: int, m: int, level: float = 0.05) -> float:
    """The Kolmogorov-Smirnov distance two independent samples of one law exceed with probability `level` at most."""
    return math.sqrt(-math.log(level / 2) * (1 + m / n) / (2 * m))


def wasserstein(x: Array, y: Array) -> float:
    """The area between the two empirical distribution functions, in the variable's own unit."""
    points, gaps = merged(x, y)
    return float((np.abs(gaps[:-1]) * np.diff(points)).sum()) / (x.size * y.size)


def scale_of(x: Array, y: Array) -> float:
    """The standard deviation (n - 1) of the original's values; of both samples where they do not vary; else 1."""
    varied = x if np.ptp(x) > 0 else np.concatenate([x, y])
    return float(np.std(varied, ddof=1)) if np.ptp(varied) > 0 else 1.0


def one_sample_distance(values: Array, distribution: Callable[[Array], Array]) -> float:
    """The largest difference of the empirical distribution function from a continuous one."""
    ordered = np.sort(values)
    below = distribution(ordered)
    steps = np.arange(ordered.size + 1) / ordered.size
    return float(max((steps[1:] - below).max(), (below - steps[:-1]).max()))
