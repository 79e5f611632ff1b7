"""A smooth density of points on a grid."""

from __future__ import annotations

import math

import numpy as np

from sdc.arrays import Array

FINER = 8
"""Steps of the grid on which points are counted, to one step of the grid of the density."""


def reference_bandwidth(values: Array) -> float:
    """Scott's normal reference rule with the smaller of standard deviation and scaled interquartile range."""
    low, high = np.quantile(values, [0.25, 0.75])
    spread = float(np.std(values, ddof=1))
    narrow = float(high - low) / 1.34
    return float(1.06 * (min(spread, narrow) if narrow > 0 else spread) * values.size**-0.2)


def grid_density(x: Array, y: Array, grid: tuple[Array, Array], bandwidths: tuple[float, float]) -> Array:
    """Gaussian product kernel density at the points of an even grid that holds all values, scaled to sum one.

    Each point is shared out to the corners of its cell on a grid eight times as fine (linear binning), so the
    work hardly grows with the number of points; bandwidths are at least a step of the grid, and the error far
    below it.
    """
    axes = [np.linspace(points[0], points[-1], FINER * (points.size - 1) + 1) for points in grid]
    counts = _shared_out(x, y, axes)
    kernels = [
        np.exp(-0.5 * ((points[:, None] - axis) / width) ** 2)
        for points, axis, width in zip(grid, axes, bandwidths, strict=True)
    ]
    density: Array = kernels[0] @ counts @ kernels[1].T
    total = math.fsum(density.ravel())
    return density / total if total else density


def _shared_out(x: Array, y: Array, axes: list[Array]) -> Array:
    """Counts at the points of a grid, each value divided between its neighbours by nearness."""
    size = [axis.size for axis in axes]
    low, part = [], []
    for values, axis in zip((x, y), axes, strict=True):
        place = (values - axis[0]) / (axis[-1] - axis[0]) * (axis.size - 1)
        low.append(np.clip(place.astype(np.int64), 0, axis.size - 2))
        part.append(place - low[-1])
    counts = np.zeros(size[0] * size[1])
    for right in (0, 1):
        for up in (0, 1):
            weight = (part[0] if right else 1 - part[0]) * (part[1] if up else 1 - part[1])
            counts += np.bincount((low[0] + right) * size[1] + low[1] + up, weight, minlength=counts.size)
    return counts.reshape(size)
