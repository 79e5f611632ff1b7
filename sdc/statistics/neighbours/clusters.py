"""Clusters of records by average linkage or k-means, on a chosen scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sdc.arrays import Array
from sdc.statistics.neighbours.k_means import k_means
from sdc.statistics.neighbours.linkage import linked_clusters

Linkage = Literal["average", "kmeans"]
Distance = Literal["euclidean", "squared_euclidean"]
Scale = Literal["standard", "none"]

MOST_LINKED = 20_000


@dataclass(frozen=True)
class Clustering:
    """How records are put into so many clusters.

    Average linkage is exact up to 20,000 records; beyond, the clusters are those of k-means. On the scale
    `standard` numbers are in units of their standard deviation in both tables, on the scale `none` as they
    are.
    """

    number: int
    linkage: Linkage = "average"
    distance: Distance = "euclidean"
    scale: Scale = "standard"

    def links(self, records: int) -> bool:
        return self.linkage == "average" and records <= MOST_LINKED

    def of(self, points: Array, rng: np.random.Generator) -> Array:
        """The cluster of each point."""
        if self.links(len(points)):
            return linked_clusters(points, self.number, squared=self.distance == "squared_euclidean")
        return k_means(points, self.number, rng)
