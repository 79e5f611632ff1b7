"""Quantiles of many numbers, from their counts where the distinct ones are few."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.distances.ordering import few_distinct


def quantiles(values: Array, shares: Array) -> Array:
    """Type-7 quantiles: linear between the two order statistics around share (n - 1)."""
    if not few_distinct(values):
        interpolated: Array = np.quantile(values, shares)
        return interpolated
    import pandas as pd

    place, distinct = pd.factorize(values)
    order = np.argsort(distinct)
    reached = np.cumsum(np.bincount(place)[order])
    position = shares * (values.size - 1)
    lower = np.floor(position)
    below, above = (
        distinct[order][np.searchsorted(reached, np.minimum(rank, values.size - 1), side="right")]
        for rank in (lower, lower + 1)
    )
    return np.asarray(below + (above - below) * (position - lower))
