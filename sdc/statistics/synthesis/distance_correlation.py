"""Distance correlation: any dependence between two groups of variables."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array


def distance_correlation(first: Array, second: Array) -> float:
    """The bias-corrected squared distance correlation of two matrices with one row for each record.

    It is about 0 where they are independent, and 0 where one of them is constant. At least four records are
    needed.

    Reference: Székely, Rizzo (2014), doi:10.1214/14-AOS1255.
    """
    one, two = _centred(first), _centred(second)
    scale = float(np.sqrt((one * one).sum() * (two * two).sum()))
    return float((one * two).sum()) / scale if scale > 0 else 0.0


def log_chance_of_distances(first: Array, second: Array) -> float:
    """Log p-value of independence by distance correlation; 0 where nothing can be tested.

    Reference: Shen, Panda, Vogelstein (2022), doi:10.1080/10618600.2021.1938585.
    """
    from scipy.special import log_ndtr

    records = len(first)
    if records < 4 or not first.shape[1] or not second.shape[1]:
        return 0.0
    statistic = max(records * distance_correlation(first, second) + 1.0, 0.0)
    # The tail of chi-square with one degree of freedom is twice that of the normal distribution.
    return float(np.log(2.0) + log_ndtr(-np.sqrt(statistic)))


def _centred(values: Array) -> Array:
    """Distances between all records, centred by rows and columns in the way that makes products unbiased."""
    from scipy.spatial.distance import pdist, squareform

    held = squareform(pdist(values))
    count = len(held)
    sums = held.sum(axis=0)
    centred = (
        held
        - sums[:, None] / (count - 2)
        - sums[None, :] / (count - 2)
        + sums.sum() / ((count - 1) * (count - 2))
    )
    np.fill_diagonal(centred, 0.0)
    return np.asarray(centred)
