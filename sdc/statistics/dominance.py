"""How far apart are two samples' joint distribution functions?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdc.statistics.distribution_distance import merged
from sdc.statistics.ordering import key_order, lexicographic, plane_order, ranked

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class DistributionDistance:
    """Of two empirical distribution functions at all points of both samples: the largest difference and the sum of squares."""

    largest: float
    squares: float
    points: int

    @property
    def mean_square(self) -> float:
        return self.squares / self.points


def joint_distance(original: Array, candidate: Array) -> DistributionDistance:
    """Exact, with ties; a row is a point, a column a coordinate, and a point counts as often as it is there.

    The work is of the order N log N in one or two dimensions; in more it grows with the square of the number of distinct
    points, but 64 of them are compared at a time.
    """
    n, m = original.shape[0], candidate.shape[0]
    found = {1: _gaps_on_a_line, 2: _gaps_in_the_plane}.get(original.shape[1], _gaps_in_space)
    gaps, times = found(original, candidate)
    differences = np.abs(gaps) / (n * m)
    return DistributionDistance(float(differences.max()), float((times * differences**2).sum()), n + m)


def _gaps_on_a_line(original: Array, candidate: Array) -> tuple[Array, Array]:
    """At each distinct point: n m times the difference of the distribution functions, a whole number, and the records there."""
    points, gaps = merged(original[:, 0], candidate[:, 0])
    last = np.flatnonzero(np.append(points[1:] != points[:-1], True))
    return gaps[last], np.diff(last, prepend=-1)


def _gaps_in_the_plane(original: Array, candidate: Array) -> tuple[Array, Array]:
    """The same in two dimensions."""
    from sdc.statistics.dominance_kernels import sums_below_in_the_plane

    n, m = len(original), len(candidate)
    order, ranks, starts = plane_order(*(np.concatenate(columns) for columns in zip(original.T, candidate.T, strict=True)))
    common = math.gcd(n, m)
    # Half the memory where the numbers are small: for tables of the same size they are differences of counts.
    kind = np.int32 if n * m // common < 2**31 else np.int64
    values = np.where(order < n, kind(m // common), kind(-(n // common)))
    times = np.ones(order.size, dtype=np.int32)
    if starts.size < order.size:
        values, times, ranks = np.add.reduceat(values, starts, dtype=kind), np.diff(starts, append=order.size), ranks[starts]
    return common * sums_below_in_the_plane(ranks, int(ranks.max()) + 1, values).astype(np.int64), times


def _gaps_in_space(original: Array, candidate: Array) -> tuple[Array, Array]:
    """The same in three dimensions or more."""
    ranks = np.array([ranked(np.concatenate(columns))[1] for columns in zip(original.T, candidate.T, strict=True)])
    key = lexicographic(ranks)
    order = key_order(key)
    starts = np.flatnonzero(np.append(True, np.diff(key[order]) != 0))
    of_original = np.add.reduceat((order < len(original)).astype(np.int64), starts)
    times = np.diff(starts, append=order.size)
    return _gaps(np.ascontiguousarray(ranks[:, order[starts]]), of_original, times - of_original), times


def _gaps(ranks: Array, original: Array, candidate: Array) -> Array:
    """N m times the difference of the distribution functions, a whole number: at distinct points, in lexicographic order.

    `original` and `candidate` count the records at each point.
    """
    from sdc.statistics.dominance_kernels import counts_below

    n, m = int(original.sum()), int(candidate.sum())
    sizes = ranks.max(axis=1).astype(np.int64) + 1
    # Where both have as many records, those at the same point make no difference.
    shared = np.minimum(original, candidate) if n == m else np.zeros_like(original)
    places = np.arange(original.size)
    of_original, of_candidate = (counts_below(ranks, sizes, np.repeat(places, counts - shared)) for counts in (original, candidate))
    return m * of_original - n * of_candidate
