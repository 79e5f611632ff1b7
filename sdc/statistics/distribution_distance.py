"""How far apart are two samples of one number?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def kolmogorov_smirnov(x: Array, y: Array) -> float:
    """The largest difference of the two empirical distribution functions; exact, ties included."""
    x, y = np.sort(x), np.sort(y)
    points = np.concatenate([x, y])
    below_x, below_y = np.searchsorted(x, points, side="right"), np.searchsorted(y, points, side="right")
    return float(np.abs(below_x * y.size - below_y * x.size).max()) / (x.size * y.size)


def critical_distance(n: int, m: int, level: float = 0.05) -> float:
    """The Kolmogorov-Smirnov distance two independent samples of one law exceed with probability `level` at most."""
    return math.sqrt(-math.log(level / 2) * (1 + m / n) / (2 * m))
