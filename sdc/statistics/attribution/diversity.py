"""How diverse a sensitive variable is within each class: distinct, entropy and recursive l."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.segments import largest, spread, sums

USUAL_C = 2.0
"""The c of recursive diversity, in the measure and in the method, where none is given."""


def distinct_l(count: Array, offsets: Array) -> Array:
    """The number of values in each class."""
    return sums((count > 0).astype(np.int64), offsets)


def entropy_l(count: Array, offsets: Array) -> Array:
    """The exponential of the Shannon entropy of each class.

    It is the number of equally frequent values that would be as diverse.
    """
    share = count / spread(sums(count, offsets), offsets)
    terms = np.where(count > 0, -share * np.log(np.where(count > 0, share, 1.0)), 0.0)
    # Equal values in every order of the terms: sorted before they are added.
    order = np.lexsort((terms, spread(np.arange(offsets.size - 1), offsets)))
    diversity = np.exp(sums(terms[order], offsets))
    # Three equally frequent values are 3, not 2.9999999999999996.
    whole = np.rint(diversity)
    return np.where(np.abs(diversity - whole) < 1e-12 * whole, whole, diversity)


def recursive_l(count: Array, offsets: Array, c: float) -> Array:
    """The largest l of each class with r1 < c (r_l + ... + r_m), r being the counts in descending order.

    It is 1 where there is none.
    """
    order = np.lexsort((-count, spread(np.arange(offsets.size - 1), offsets)))
    descending = count[order]
    before = np.cumsum(descending) - descending
    tail = spread(sums(count, offsets), offsets) - (
        before - spread(before[np.minimum(offsets[:-1], before.size - 1)], offsets)
    )
    holds = (spread(largest(count, offsets), offsets) < c * tail) & (descending > 0)
    return np.maximum(sums(holds.astype(np.int64), offsets), 1)
