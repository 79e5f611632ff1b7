"""The nearest centre of each point, for k-means."""

from __future__ import annotations

import numpy as np

from sdc.kernels.compiled import kernel

BLOCK = 64
"""Points that are compared with a centre at the same time."""


@kernel("f8[:, ::1], f8[:, ::1]")
def nearest(points, centres):
    """The place of each point's nearest centre by Euclidean distance, the first of equals.

    A block of points is laid out coordinate by coordinate, so that the processor compares several points at a
    time. The terms of each distance are added in the order of coordinates.
    """
    rows, dimensions = points.shape
    nearest_centre = np.zeros(rows, dtype=np.int64)
    block, distance, best = np.zeros((dimensions, BLOCK)), np.empty(BLOCK), np.empty(BLOCK)
    place = np.empty(BLOCK, dtype=np.int64)
    for start in range(0, rows, BLOCK):
        size = min(BLOCK, rows - start)
        for i in range(size):
            for k in range(dimensions):
                block[k, i] = points[start + i, k]
        best[:] = np.inf
        place[:] = 0
        for j in range(centres.shape[0]):
            distance[:] = 0
            for k in range(dimensions):
                centre, values = centres[j, k], block[k]
                for i in range(BLOCK):
                    gap = values[i] - centre
                    distance[i] += gap * gap
            for i in range(BLOCK):
                nearer = distance[i] < best[i]
                place[i] = j if nearer else place[i]
                best[i] = distance[i] if nearer else best[i]
        nearest_centre[start : start + size] = place[:size]
    return nearest_centre
