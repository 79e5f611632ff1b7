"""How far apart are two samples' joint distribution functions?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

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
    return DistributionDistance(float(differences.max()), math.fsum(times * differences**2), n + m)


def _gaps_on_a_line(original: Array, candidate: Array) -> tuple[Array, Array]:
    """At each distinct point: n m times the difference of the distribution functions, a whole number, and the records there."""
    x, y = np.sort(original[:, 0]), np.sort(candidate[:, 0])
    points, times = np.unique(np.concatenate([x, y]), return_counts=True)
    return np.searchsorted(x, points, side="right") * y.size - np.searchsorted(y, points, side="right") * x.size, times


def _gaps_in_space(original: Array, candidate: Array) -> tuple[Array, Array]:
    """The same in two dimensions or more."""
    ranks = np.array([_ranks(np.concatenate(columns)) for columns in zip(original.T, candidate.T, strict=True)])
    key = _lexicographic(ranks)
    order = np.argsort(key)
    starts = np.flatnonzero(np.append(True, np.diff(key[order]) != 0))
    of_original = np.add.reduceat((order < len(original)).astype(np.int64), starts)
    times = np.diff(np.append(starts, order.size))
    return _gaps(np.ascontiguousarray(ranks[:, order[starts]]), of_original, times - of_original), times


def _ranks(values: Array) -> Array:
    """The place of each value among the distinct ones."""
    order = np.argsort(values)
    ranks = np.empty(values.size, dtype=np.int32)
    ranks[order] = np.append(0, np.cumsum(np.diff(values[order]) != 0))
    return ranks


def _lexicographic(ranks: Array) -> Array:
    """A number for each point that ascends with its first rank, among equals with its second, and so on."""
    key = ranks[0].astype(np.int64)
    for further in ranks[1:]:
        if int(key.max() + 1) * (int(further.max()) + 1) >= 2**63:
            key = _ranks(key).astype(np.int64)
        key = key * (int(further.max()) + 1) + further
    return key


def _gaps(ranks: Array, original: Array, candidate: Array) -> Array:
    """N m times the difference of the distribution functions, a whole number: at distinct points, in lexicographic order.

    `original` and `candidate` count the records at each point.
    """
    from sdc.statistics.dominance_kernels import counts_below, sums_below_in_the_plane

    n, m = int(original.sum()), int(candidate.sum())
    sizes = ranks.max(axis=1).astype(np.int64) + 1
    if ranks.shape[0] == 2:
        common = math.gcd(n, m)
        values = original * (m // common) - candidate * (n // common)
        # Half the memory where the numbers are small: for tables of the same size they are differences of counts.
        small = n * m // common < 2**31
        return common * sums_below_in_the_plane(ranks[1], sizes[1], values.astype(np.int32) if small else values).astype(np.int64)
    # Where both have as many records, those at the same point make no difference.
    shared = np.minimum(original, candidate) if n == m else np.zeros_like(original)
    places = np.arange(original.size)
    of_original, of_candidate = (counts_below(ranks, sizes, np.repeat(places, counts - shared)) for counts in (original, candidate))
    return m * of_original - n * of_candidate
