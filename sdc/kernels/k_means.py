"""Compiled passes of k-means, in row order: the same clusters on any number of threads."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def nearest(points, centres):
    """The place of each point's nearest centre by Euclidean distance, the first of equals."""
    places = np.zeros(points.shape[0], dtype=np.int64)
    for i in range(points.shape[0]):
        best = np.inf
        for j in range(centres.shape[0]):
            distance = 0.0
            for k in range(points.shape[1]):
                gap = points[i, k] - centres[j, k]
                distance += gap * gap
                if distance >= best:
                    break
            if distance < best:
                best = distance
                places[i] = j
    return places
