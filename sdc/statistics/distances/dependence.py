"""Covariance and correlation of two numbers: Pearson's, Spearman's and Kendall's."""

from __future__ import annotations

import math
from enum import StrEnum
from itertools import combinations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.distances.ordering import places


class Correlation(StrEnum):
    """Which coefficient: of the values, of their ranks, or of the order of pairs (tau-b)."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    KENDALL = "kendall"


def covariance(x: Array, y: Array) -> float:
    """The covariance with n - 1, over the records that have both values (NaN is missing).

    It is 0 where one of the two does not vary.
    """
    return together(x, y)[0]


def correlation(x: Array, y: Array, kind: Correlation = Correlation.PEARSON) -> float:
    """A number between -1 and 1, over the records that have both values; 0 where one does not vary."""
    if kind is Correlation.PEARSON:
        return together(x, y)[1]
    found = places(x), places(y)
    return (
        kendall(*found)
        if kind is Correlation.KENDALL
        else correlation(midranks(*found), midranks(*found[::-1]))
    )


def together(x: Array, y: Array) -> tuple[float, float]:
    """Covariance and Pearson's correlation."""
    from sdc.kernels import dependence as dependence_kernels

    found: tuple[float, float] = dependence_kernels.together(x, y)
    return found


def midranks(values: Array, beside: Array) -> Array:
    """Ranks from 1 among the records that have both values, given by their places; NaN for the others."""
    from sdc.kernels import dependence as dependence_kernels

    ranks: Array = dependence_kernels.midranks(values, beside, int(values.max(initial=-1)) + 1)
    return ranks


def kendall(x: Array, y: Array) -> float:
    """Tau-b over the records that have both values, given by their places.

    It is 0 where one of the two does not vary.

    Pairs in the same order less those in the opposite one, over the geometric mean of the pairs that differ
    in x and in y. In lexicographic order a pair is discordant where y falls: whoever is not at or below a
    point among those before it.

    Reference: Kendall (1945), doi:10.1093/biomet/33.3.239; Knight (1966), doi:10.1080/01621459.1966.10480879.
    """
    from sdc.kernels.dependence import equal_pairs, taken_apart
    from sdc.kernels.dominance import sums_below_in_the_plane

    size = int(y.max(initial=-1)) + 1
    bits = size.bit_length()
    keys = x.astype(np.int64)
    keys <<= bits
    keys |= y
    keys.sort()
    # A missing place is -1, with all bits set: whichever is missing, the key is below 0.
    keys = keys[np.searchsorted(keys, 0) :]
    along, equal_x, equal = taken_apart(keys, bits)
    equal_y, n = equal_pairs(along, size), along.size
    pairs = n * (n - 1) // 2
    if pairs in (equal_x, equal_y):
        return 0.0
    below = sums_below_in_the_plane(along, size, np.ones(n, dtype=np.int32))
    discordant = n * (n + 1) // 2 - int(below.sum(dtype=np.int64))
    balance = pairs - equal_x - equal_y + equal - 2 * discordant
    return max(-1.0, min(1.0, balance / math.sqrt((pairs - equal_x) * (pairs - equal_y))))


def correlation_matrix(columns: list[Array], *, of_ranks: bool = False) -> Array:
    """All correlations of the columns or of their ranks, ones on the diagonal; no value may be missing."""
    if of_ranks:
        columns = [midranks(found, found) for found in map(places, columns)]
    matrix = np.eye(len(columns))
    for one, other in combinations(range(len(columns)), 2):
        matrix[one, other] = matrix[other, one] = correlation(columns[one], columns[other])
    return matrix
