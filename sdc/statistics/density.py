"""What does a cloud of points look like as a smooth density on a grid?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

BLOCK = 20_000


def reference_bandwidth(values: Array) -> float:
    """Scott's normal reference rule with the smaller of standard deviation and scaled interquartile range."""
    low, high = np.quantile(values, [0.25, 0.75])
    spread = float(np.std(values, ddof=1))
    narrow = float(high - low) / 1.34
    return float(1.06 * (min(spread, narrow) if narrow > 0 else spread) * values.size**-0.2)


def grid_density(x: Array, y: Array, grid: tuple[Array, Array], bandwidths: tuple[float, float]) -> Array:
    """Gaussian product kernel density at the points of a grid, scaled to sum one."""
    density = np.zeros((grid[0].size, grid[1].size))
    for start in range(0, x.size, BLOCK):
        kernels = [
            np.exp(-0.5 * ((values[start : start + BLOCK, None] - points) / width) ** 2)
            for values, points, width in zip((x, y), grid, bandwidths, strict=True)
        ]
        density += kernels[0].T @ kernels[1]
    total = math.fsum(density.ravel())
    return density / total if total else density
