"""Sums over the records that have both of two values, compiled.

A missing one is passed over where it stands, and nothing is copied.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 1024
"""Records summed by themselves before they join the whole.

What is rounded off stays small however many there are.
"""


@njit(cache=True, nogil=True)
def _measured(x, y):
    """How many records have both values.

    Lowest value, width and mean of x, then of y, means in units of the width from the lowest.
    """
    n, low_x, high_x, low_y, high_y = 0, np.inf, -np.inf, np.inf, -np.inf
    for i in range(x.size):
        if x[i] == x[i] and y[i] == y[i]:
            n += 1
            low_x, high_x = min(low_x, x[i]), max(high_x, x[i])
            low_y, high_y = min(low_y, y[i]), max(high_y, y[i])
    width_x, width_y, mean_x, mean_y = high_x - low_x, high_y - low_y, 0.0, 0.0
    if n == 0 or width_x == 0 or width_y == 0:
        return n, low_x, 0.0, 0.0, low_y, 0.0, 0.0
    for start in range(0, x.size, BLOCK):
        of_x, of_y = 0.0, 0.0
        for i in range(start, min(start + BLOCK, x.size)):
            if x[i] == x[i] and y[i] == y[i]:
                of_x += (x[i] - low_x) / width_x
                of_y += (y[i] - low_y) / width_y
        mean_x, mean_y = mean_x + of_x, mean_y + of_y
    return n, low_x, width_x, mean_x / n, low_y, width_y, mean_y / n


@njit(cache=True, nogil=True)
def together(x, y):
    """Covariance (n - 1) and correlation of two numbers over the records that have both, NaN being missing.

    0 where one does not vary.

    Both are brought to the unit interval first, so that no size of the values overflows on the way.
    """
    n, low_x, width_x, mean_x, low_y, width_y, mean_y = _measured(x, y)
    if width_x == 0:
        return 0.0, 0.0
    xx, yy, xy = 0.0, 0.0, 0.0
    for start in range(0, x.size, BLOCK):
        of_xx, of_yy, of_xy = 0.0, 0.0, 0.0
        for i in range(start, min(start + BLOCK, x.size)):
            if x[i] == x[i] and y[i] == y[i]:
                from_x, from_y = (x[i] - low_x) / width_x - mean_x, (y[i] - low_y) / width_y - mean_y
                of_xx += from_x * from_x
                of_yy += from_y * from_y
                of_xy += from_x * from_y
        xx, yy, xy = xx + of_xx, yy + of_yy, xy + of_xy
    return xy / (n - 1) * width_x * width_y, max(-1.0, min(1.0, xy / np.sqrt(xx * yy)))


@njit(cache=True, nogil=True)
def midranks(places, beside, size):
    """Ranks from 1 among the records that have both values, equal ones sharing the mean of theirs.

    NaN for the others.

    `places` are the values' among the distinct ones, so many, and -1 where missing.
    """
    counts, ranks = np.zeros(size, dtype=np.int32), np.empty(places.size)
    for i in range(places.size):
        if places[i] >= 0 and beside[i] >= 0:
            counts[places[i]] += 1
    middle, below = np.empty(size), 0
    for place in range(size):
        middle[place] = below + (counts[place] + 1) / 2
        below += counts[place]
    for i in range(places.size):
        ranks[i] = middle[places[i]] if places[i] >= 0 and beside[i] >= 0 else np.nan
    return ranks


@njit(cache=True, nogil=True)
def equal_pairs(places, size):
    """How many pairs of records have the same place."""
    counts, pairs = np.zeros(size, dtype=np.int32), 0
    for i in range(places.size):
        pairs += counts[places[i]]
        counts[places[i]] += 1
    return pairs


@njit(cache=True, nogil=True)
def taken_apart(both, bits):
    """Of keys in order, a place in x above so many bits of a place in y.

    The places in y, and the pairs equal in x and equal in both.
    """
    along, mask = np.empty(both.size, dtype=np.int32), (1 << bits) - 1
    equal_x, equal, run_x, run = 0, 0, 0, 0
    for i in range(both.size):
        along[i] = both[i] & mask
        same_x = i > 0 and both[i] >> bits == both[i - 1] >> bits
        run_x = run_x + 1 if same_x else 0
        run = run + 1 if same_x and both[i] == both[i - 1] else 0
        equal_x, equal = equal_x + run_x, equal + run
    return along, equal_x, equal
