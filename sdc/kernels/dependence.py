"""Covariances, ranks and ties of the records that have both of two values.

Records that miss one are passed over; nothing is copied.
"""

from __future__ import annotations

import numpy as np

from sdc.kernels.compiled import READ_ONLY, kernel

BLOCK = 1024
"""So many records are summed by themselves first, so that rounding errors stay small in long columns."""


@kernel
def _measured(x, y):
    """The number of records that have both values; lowest value, width and mean of x, then of y.

    A mean is the distance from the lowest value in units of the width.
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


@kernel(
    "f8[::1], f8[::1]",
    "f8[:], f8[:]",
    f"{READ_ONLY}, {READ_ONLY}",
    f"{READ_ONLY}, f8[::1]",
    f"f8[::1], {READ_ONLY}",
)
def together(x, y):
    """Covariance (n - 1) and correlation of two numbers over the records that have both; NaN is missing.

    Both are 0 where one number does not vary. Values are brought to the unit interval first, so that large
    ones do not overflow.
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


@kernel("i4[::1], i4[::1], i8")
def midranks(places, beside, size):
    """Ranks from 1 among the records that have both values, ties sharing their mean rank; NaN for the others.

    `places` are places among `size` distinct values, -1 where missing.
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


@kernel("i4[::1], i8")
def equal_pairs(places, size):
    """The number of pairs of records that have the same place."""
    counts, pairs = np.zeros(size, dtype=np.int32), 0
    for i in range(places.size):
        pairs += counts[places[i]]
        counts[places[i]] += 1
    return pairs


@kernel("i8[::1], i8")
def taken_apart(both, bits):
    """The places in y of sorted keys, the number of pairs equal in x, and of those equal in both.

    The last `bits` of a key are the place in y, the others that in x.
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
