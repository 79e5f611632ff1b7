"""How far apart are two samples' joint distribution functions?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdc.statistics.distribution_distance import merged
from sdc.statistics.ordering import key_order, lexicographic, ranked

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
    gaps, times = (_gaps_on_a_line if original.shape[1] == 1 else _gaps_in_space)(original, candidate)
    differences = np.abs(gaps) / (n * m)
    return DistributionDistance(float(differences.max()), float((times * differences**2).sum()), n + m)


def _gaps_on_a_line(original: Array, candidate: Array) -> tuple[Array, Array]:
    """At each distinct point: n m times the difference of the distribution functions, a whole number, and the records there."""
    points, gaps = merged(original[:, 0], candidate[:, 0])
    last = np.flatnonzero(np.append(points[1:] != points[:-1], True))
    return gaps[last], np.diff(last, prepend=-1)


def _gaps_in_space(original: Array, candidate: Array) -> tuple[Array, Array]:
    """The same in two dimensions or more."""
    ranks = np.array([ranked(np.concatenate(columns))[1] for columns in zip(original.T, candidate.T, strict=True)])
    key = lexicographic(ranks)
    order = key_order(key)
    starts = np.flatnonzero(np.append(True, np.diff(key[order]) != 0))
    of_original = np.add.reduceat((order < len(original)).astype(np.int64), starts)
    times = np.diff(np.append(starts, order.size))
    # In the plane the order of the points tells the first coordinate.
    held = ranks[:, order[starts]] if len(ranks) > 2 else ranks[1][order[starts]][None, :]
    return _gaps(np.ascontiguousarray(held), of_original, times - of_original), times


def _gaps(ranks: Array, original: Array, candidate: Array) -> Array:
    """N m times the difference of the distribution functions, a whole number: at distinct points, in lexicographic order.

    `original` and `candidate` count the records at each point; in the plane `ranks` are only those of the second coordinate.
    """
    from sdc.statistics.dominance_kernels import counts_below, sums_below_in_the_plane

    n, m = int(original.sum()), int(candidate.sum())
    sizes = ranks.max(axis=1).astype(np.int64) + 1
    if ranks.shape[0] == 1:
        common = math.gcd(n, m)
        values = original * (m // common) - candidate * (n // common)
        # Half the memory where the numbers are small: for tables of the same size they are differences of counts.
        small = n * m // common < 2**31
        return common * sums_below_in_the_plane(ranks[0], sizes[0], values.astype(np.int32) if small else values).astype(np.int64)
    # Where both have as many records, those at the same point make no difference.
    shared = np.minimum(original, candidate) if n == m else np.zeros_like(original)
    places = np.arange(original.size)
    of_original, of_candidate = (counts_below(ranks, sizes, np.repeat(places, counts - shared)) for counts in (original, candidate))
    return m * of_original - n * of_candidate
