"""Do clusters of like records hold original and candidate in equal measure?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.complete_records import complete_records
from sdc.statistics.neighbours.clusters import Clustering, Distance, Linkage, Scale
from sdc.statistics.neighbours.linkage import share_deviation, standardised

MOST_SHOWN = 100


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.SQUARED_SHARE,
    against="0: nothing done; 0.25: no cluster holds both tables",
    bounds=(0, 0.25),
    needs=(Need.NUMERIC,),
    parts=(
        "hu karr clusters average_linkage variables original_records candidate_records original.TEXT"
        " candidate.TEXT"
    ),
    variants=({"linkage": "kmeans", "clusters": 4},),
)
def cluster_utility(
    pair: ReleasePair,
    *,
    clusters: Annotated[int, Field(ge=1, le=10_000)] = 20,
    linkage: Linkage = "average",
    distance: Distance = "euclidean",
    scale: Scale = "standard",
    variables: list[Column] | None = None,
    rng: np.random.Generator,
) -> Measurement | NotAssessed:
    """The mean squared deviation of a cluster's share of original records from their share of all.

    The mean is over all records. Both tables under each other are put into `clusters` by their numeric
    variables, each in units of its standard deviation in both tables or, with `scale: none`, as it is. Unless
    named, the variables are those of which both tables have at least half of the values; records with a
    missing value are left out. `hu` is the value over the number of clusters G, `karr` the value times the
    number of records N: the scalings of the literature. Average linkage is exact up to 20,000 records;
    beyond, the clusters are those of k-means, and the part `average_linkage` is 0 instead of 1. `clusters`
    counts the clusters found: fewer than requested where fewer records are distinct. For up to a hundred
    clusters, the largest first, the parts `original.cluster_N` and `candidate.cluster_N` count the records of
    each table. Identical tables give 0; no p-value is given, since the candidate is made from the original.

    Formula: (1 / N) Σ_g n_g (o_g / n_g − c)², with o_g original records of the n_g in cluster g, c = n / N.

    Reference: Woo, Reiter, Oganian and Karr (2009), doi:10.29012/jpc.v1i1.568.
    """
    records = complete_records(pair, variables)
    if isinstance(records, NotAssessed):
        return records
    points = np.concatenate([records.original, records.candidate])
    clustering = Clustering(clusters, linkage, distance, scale)
    cluster = clustering.of(standardised(points) if scale == "standard" else points, rng)
    original, candidate = (_counts(labels, cluster) for labels in np.split(cluster, [len(records.original)]))
    value, held = share_deviation(original, candidate), int(np.count_nonzero(original + candidate))
    parts = {
        "hu": value / held,
        "karr": value * len(points),
        "clusters": held,
        "average_linkage": clustering.links(len(points)),
    }
    return Measurement(value, {**parts, **records.parts(), **_sizes(original, candidate)})


def _sizes(original: Array, candidate: Array) -> dict[str, float]:
    """Records of each table in each cluster, the largest first; empty where there are too many to look at."""
    order = [
        place
        for place in np.lexsort((-original, -(original + candidate))).tolist()
        if original[place] + candidate[place]
    ]
    if len(order) > MOST_SHOWN:
        return {}
    tables = (("original", original), ("candidate", candidate))
    return {
        f"{name}.cluster_{number}": float(counts[place])
        for number, place in enumerate(order, start=1)
        for name, counts in tables
    }


def _counts(labels: Array, cluster: Array) -> Array:
    counts: Array = np.bincount(labels, minlength=int(cluster.max()) + 1)
    return counts
