"""Distances between the joint distribution functions of two samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.distances.ordering import key_order, lexicographic, ranked


@dataclass(frozen=True)
class DistributionDistance:
    """The largest difference and the sum of squares of two distribution functions, over all points.

    The points are those of both samples.
    """

    largest: float
    squares: float
    points: int

    @property
    def mean_square(self) -> float:
        return self.squares / self.points


def joint_distance(original: Array, candidate: Array) -> DistributionDistance:
    """The exact distance of two samples; a row is a point, a column a coordinate, and ties count.

    A point counts as often as it occurs. The work is of the order N log N in one or two dimensions; in more
    it grows with the square of the number of distinct points, but 64 of them are compared at a time.
    """
    if original.shape[1] == 1:
        return line_distance(np.sort(original[:, 0]), np.sort(candidate[:, 0]))
    n, m = original.shape[0], candidate.shape[0]
    gaps, times = (_gaps_in_the_plane if original.shape[1] == 2 else _gaps_in_space)(original, candidate)
    differences = np.abs(gaps) / (n * m)
    return DistributionDistance(float(differences.max()), float((times * differences**2).sum()), n + m)


def line_distance(x: Array, y: Array) -> DistributionDistance:
    """The exact distance of two samples of one number, in order."""
    from sdc.kernels.distribution_gaps import gaps_along

    largest, _, squares = gaps_along(x, y)
    both = x.size * y.size
    return DistributionDistance(largest / both, squares / (float(both) * both), x.size + y.size)


def _gaps_in_the_plane(original: Array, candidate: Array) -> tuple[Array, Array]:
    """The difference of the distribution functions at each distinct point, times n m, and the records there.

    The product is a whole number.
    """
    from sdc.kernels.dominance import sums_below_in_the_plane
    from sdc.kernels.ordering import points_along

    n, m = len(original), len(candidate)
    x, y = (ranked(np.concatenate(columns)) for columns in zip(original.T, candidate.T, strict=True))
    size = int(y.max()) + 1
    bits = size.bit_length()
    keys = x.astype(np.int64)
    keys <<= bits
    keys |= y
    keys <<= 1
    keys[n:] |= 1
    keys.sort()
    common = math.gcd(n, m)
    # Half the memory where the numbers are small: for tables of the same size they are differences of counts.
    kind = np.int32 if n * m // common < 2**31 else np.int64
    ranks, times, values = points_along(keys, bits, np.array([m // common, -(n // common)], dtype=kind))
    return common * sums_below_in_the_plane(ranks, size, values).astype(np.int64), times


def _gaps_in_space(original: Array, candidate: Array) -> tuple[Array, Array]:
    """The same gaps in three dimensions or more."""
    ranks = np.array(
        [ranked(np.concatenate(columns)) for columns in zip(original.T, candidate.T, strict=True)]
    )
    key = lexicographic(ranks)
    order = key_order(key)
    starts = np.flatnonzero(np.append(True, np.diff(key[order]) != 0))
    of_original = np.add.reduceat((order < len(original)).astype(np.int64), starts)
    times = np.diff(starts, append=order.size)
    return _gaps(np.ascontiguousarray(ranks[:, order[starts]]), of_original, times - of_original), times


def _gaps(ranks: Array, original: Array, candidate: Array) -> Array:
    """The difference of the distribution functions at distinct points, times n m: a whole number.

    Points are in lexicographic order. `original` and `candidate` count the records at each point.
    """
    from sdc.kernels.dominance import counts_below

    n, m = int(original.sum()), int(candidate.sum())
    sizes = ranks.max(axis=1).astype(np.int64) + 1
    # Where both have as many records, those at the same point make no difference.
    shared = np.minimum(original, candidate) if n == m else np.zeros_like(original)
    places = np.arange(original.size)
    of_original, of_candidate = (
        counts_below(ranks, sizes, np.repeat(places, counts - shared)) for counts in (original, candidate)
    )
    return m * of_original - n * of_candidate
