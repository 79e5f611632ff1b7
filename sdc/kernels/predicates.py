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


@kernel("f8[:, ::1], i1[:, ::1], f8[:, ::1], i4[:, ::1], i8[::1], i8[::1], i8[::1], i8, i8[::1], i8[::1]")
def count_matches(
    points: Array,
    conditions: Array,
    bounds: Array,
    ascending: Array,
    within: Array,
    start: Array,
    end: Array,
    enough: int,
    counts: Array,
    last: Array,
) -> None:
    """Count the records that fulfil each predicate, up to `enough`, and give the last counted (-1 for none).

    Row j of `ascending` has the records in order of variable j. All records that fulfil predicate i are
    between its start and end in the order of variable `within[i]`.
    """
    for i in range(len(conditions)):
        counts[i], last[i] = 0, -1
        for place in range(start[i], end[i]):
            row = ascending[within[i], place]
            holds = True
            for j in range(len(points)):
                if conditions[i, j] and not _holds(points[j, row], conditions[i, j], bounds[i, j]):
                    holds = False
                    break
            if holds:
                last[i] = row
                counts[i] += 1
                if counts[i] >= enough:
                    break


@kernel("f8[:, ::1], i1[:, ::1], f8[:, ::1], i8[:, ::1], i4[:, ::1], i8[::1], i8[::1], i8[::1], i8[::1]")
def narrow(
    points: Array,
    conditions: Array,
    bounds: Array,
    orders: Array,
    ascending: Array,
    start: Array,
    end: Array,
    wanted: Array,
    used: Array,
) -> None:
    """The number of conditions, at least `wanted` and in each predicate's own order, that leave one record.

    It is 0 where all of them leave more. The records that fulfil the first condition of predicate i are those
    between its start and end in the order of that variable.
    """
    dimensions, n = points.shape
    left = np.empty(n, dtype=np.int64)
    for i in range(len(conditions)):
        count = end[i] - start[i]
        for place in range(count):
            left[place] = ascending[orders[i, 0], start[i] + place]
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
