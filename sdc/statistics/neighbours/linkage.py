"""Clusters of records joined step by step by the mean distance between groups."""

from __future__ import annotations

import math

import numpy as np

from sdc.arrays import Array


def standardised(points: Array) -> Array:
    """Columns with mean 0 and standard deviation (n - 1) 1; those that do not vary are left out."""
    size = np.abs(points).max(axis=0, initial=0)
    scaled = points[:, size > 0] / size[size > 0]
    spread = scaled.std(axis=0, ddof=1) if len(scaled) > 1 else np.zeros(scaled.shape[1])
    varies = np.ptp(scaled, axis=0) > 0
    return (scaled[:, varies] - scaled[:, varies].mean(axis=0)) / spread[varies]


def linked_clusters(points: Array, clusters: int, *, squared: bool = False) -> Array:
    """The cluster of each point when average linkage has left so many.

    There are fewer where there are fewer distinct points.

    Distances are Euclidean, or their squares. The order of the points makes no difference.
    """
    from sdc.kernels.linkage import average_linkage

    distinct, place, times = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    merges, heights = average_linkage(np.ascontiguousarray(distinct.T), times, squared)
    done = merges[np.argsort(heights, kind="stable")[: max(len(distinct) - clusters, 0)]]
    return _joined(done, len(distinct))[place.ravel()]


def _joined(merges: Array, points: int) -> Array:
    """The group of each point after these merges, numbered from 0 on."""
    group = list(range(points))

    def root(point: int) -> int:
        while group[point] != point:
            group[point] = group[group[point]]
            point = group[point]
        return point

    for one, other in merges.tolist():
        group[root(one)] = root(other)
    return np.unique([root(point) for point in range(points)], return_inverse=True)[1]


def share_deviation(original: Array, candidate: Array) -> float:
    """The mean squared deviation of a cluster's share of original records, computed from counts by cluster.

    The mean is over all records; the deviation is from the share of original records in all clusters
    together.
    """
    records = original + candidate
    held = records > 0
    c = original.sum() / records.sum()
    return math.fsum(records[held] * (original[held] / records[held] - c) ** 2) / float(records.sum())
