"""Records between a record and one of its nearest neighbours."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.sampling.bootstrap import bootstrap
from sdc.statistics.sampling.shares_of_a_gap import Shares, uniform


def nearest_neighbours(points: Array, neighbours: int) -> Array:
    """For each point the places of its nearest others by Euclidean distance, nearest first; ties by place."""
    from scipy.spatial import cKDTree

    count = len(points)
    wanted = min(neighbours, count - 1)
    _, found = cKDTree(points).query(points, k=wanted + 1)
    found = np.atleast_2d(found.reshape(count, -1))
    own = found == np.arange(count)[:, None]
    # Of many equal points the own one may not be among those found: then the last found is left out.
    own[~own.any(axis=1), -1] = True
    return found[~own].reshape(count, wanted)


def between(point: Array, neighbour: Array, share: Array | float) -> Array:
    """The point that lies this share of the way to the neighbour."""
    made: Array = np.asarray(point) + share * (np.asarray(neighbour) - np.asarray(point))
    return made


def smote(
    points: Array, rows: int, neighbours: int, rng: np.random.Generator, shares: Shares = uniform
) -> tuple[Array, Array, Array]:
    """For each new record: a record, one of its nearest neighbours, and the share of the way to it.

    Records are drawn with replacement, the neighbour evenly among the nearest, the share uniformly or by
    `shares`. A record without others is its own neighbour.

    Reference: Chawla, Bowyer, Hall, Kegelmeyer (2002), doi:10.1613/jair.953.
    """
    chosen = bootstrap(len(points), rows, rng)
    share = shares(rows, rng)
    if len(points) < 2:
        return chosen, chosen, share
    found = nearest_neighbours(points, neighbours)
    pick = np.floor(rng.random(rows) * found.shape[1]).astype(np.int64)
    return chosen, found[chosen, pick], share
