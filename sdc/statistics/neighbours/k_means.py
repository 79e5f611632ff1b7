"""Clusters by k-means, which depend neither on the order of records nor on the number of threads."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.distances.ordering import key_order, lexicographic, ranked

SAMPLE = 10_000
PASSES = 25


def k_means(points: Array, clusters: int, rng: np.random.Generator) -> Array:
    """The cluster of each point, by Lloyd's algorithm from centres drawn far apart.

    Centres are found on at most 10,000 distinct points drawn at random, then every point goes to its nearest
    centre: equal points are always together.
    """
    from sdc.kernels.k_means import nearest

    places = _distinct(points)
    if places.size > SAMPLE:
        places = places[np.sort(rng.choice(places.size, SAMPLE, replace=False))]
    distinct = np.ascontiguousarray(points[places])
    centres = _spread(distinct, min(clusters, distinct.shape[0]), rng)
    for _ in range(PASSES):
        place = nearest(distinct, centres)
        size = np.bincount(place, minlength=centres.shape[0])
        moved = np.array([np.bincount(place, column, minlength=centres.shape[0]) for column in distinct.T]).T
        held = size > 0
        following = centres.copy()
        following[held] = moved[held] / size[held, None]
        if np.array_equal(following, centres):
            break
        centres = following
    clustered: Array = nearest(np.ascontiguousarray(points), centres)
    return clustered


def _distinct(points: Array) -> Array:
    """The place of each distinct point, in lexicographic order."""
    ranks: list[Array] = []
    for column in np.ascontiguousarray(points.T):
        ranks.append(ranked(column))
        if int(ranks[-1].max(initial=-1)) + 1 == column.size:
            break  # all values differ, so no later column decides
    key = lexicographic(np.array(ranks))
    order = key_order(key)
    ordered = key[order]
    places: Array = order[np.append(True, ordered[1:] != ordered[:-1])]
    return places


def _spread(points: Array, clusters: int, rng: np.random.Generator) -> Array:
    """Centres drawn one by one, a point with chances by its squared distance from those before it."""
    chosen = [int(rng.integers(points.shape[0]))]
    distance = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < clusters:
        chosen.append(int(np.searchsorted(np.cumsum(distance), rng.random() * distance.sum())))
        distance = np.minimum(distance, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    centres: Array = points[chosen]
    return centres
