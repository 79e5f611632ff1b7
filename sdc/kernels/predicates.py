"""The records that fulfil a predicate, a conjunction of conditions on single variables.

A condition is 1 (equal), 2 (at most) or 3 (at least); 0 asks nothing.
"""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel


@kernel
def _holds(value: float, condition: int, bound: float) -> bool:
    if condition == 1:
        return value == bound or (np.isnan(value) and np.isnan(bound))
    if condition == 2:
        return value <= bound
    return value >= bound


@kernel("f8[:, ::1], i1[:, ::1], f8[:, ::1], i8, i8[::1], i8[::1]")
def count_matches(
    points: Array, conditions: Array, bounds: Array, enough: int, counts: Array, first: Array
) -> None:
    """Count the records that fulfil each predicate, up to `enough`, and give the first (-1 for none)."""
    dimensions, n = points.shape
    for i in range(len(conditions)):
        counts[i], first[i] = 0, -1
        for row in range(n):
            holds = True
            for j in range(dimensions):
                if conditions[i, j] and not _holds(points[j, row], conditions[i, j], bounds[i, j]):
                    holds = False
                    break
            if holds:
                if counts[i] == 0:
                    first[i] = row
                counts[i] += 1
                if counts[i] >= enough:
                    break


@kernel("f8[:, ::1], i1[:, ::1], f8[:, ::1], i8[:, ::1], i8[::1], i8[::1]")
def narrow(
    points: Array, conditions: Array, bounds: Array, orders: Array, wanted: Array, used: Array
) -> None:
    """The number of conditions, at least `wanted` and in each predicate's own order, that leave one record.

    It is 0 where all of them leave more.
    """
    dimensions, n = points.shape
    left = np.empty(n, dtype=np.int64)
    for i in range(len(conditions)):
        count = n
        for place in range(n):
            left[place] = place
        used[i] = 0
        for step in range(dimensions):
            j = orders[i, step]
            kept = 0
            for place in range(count):
                if _holds(points[j, left[place]], conditions[i, j], bounds[i, j]):
                    left[kept] = left[place]
                    kept += 1
            count = kept
            if step + 1 >= wanted[i] and count == 1:
                used[i] = step + 1
                break
