"""Orders and ranks read off sorted whole numbers, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def packed(values, low, scale, bits):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Each number rounded down to a whole one, and so many bits behind it for its place."""
    keys = np.empty(values.size, dtype=np.int64)
    for i in range(values.size):
        keys[i] = np.int64((values[i] - low) * scale) << bits | i
    return keys


@njit(cache=True, nogil=True)
def ranks_along(keys, bits, values, ranks):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Write down the ranks among the distinct values from sorted keys; whether the keys had the values in order.

    Values are looked at only where two fell on the same whole number.
    """
    mask, rank, before = (1 << bits) - 1, -1, 0
    for i in range(keys.size):
        place = keys[i] & mask
        if i == 0 or keys[i] >> bits != keys[i - 1] >> bits or values[place] > values[before]:
            rank += 1
        elif values[place] < values[before]:
            return False
        ranks[place] = rank
        before = place
    return True


@njit(cache=True, nogil=True)
def points_along(keys, bits, value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Of each distinct point the second rank, the records there, and the sum of the values of their tables.

    Keys come in order: a rank, so many bits of the second one, a bit for the table.
    """
    ranks, times, sums = np.empty(keys.size, dtype=np.int32), np.empty(keys.size, dtype=np.int32), np.empty(keys.size, dtype=value.dtype)
    mask, points = (1 << bits) - 1, 0
    for i in range(keys.size):
        if i == 0 or keys[i] >> 1 != keys[i - 1] >> 1:
            ranks[points], times[points], sums[points] = keys[i] >> 1 & mask, 0, 0
            points += 1
        times[points - 1] += 1
        sums[points - 1] += value[keys[i] & 1]
    return ranks[:points], times[:points], sums[:points]


@njit(cache=True, nogil=True)
def mix_in(mixes, values):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Stir another number of each record into its mix: equal numbers alike, and all missing ones."""
    bits = values.view(np.uint64)
    for i in range(values.size):
        held = bits[i] if values[i] == values[i] else np.uint64(1)
        if values[i] == 0:
            held = np.uint64(0)
        mixed = (mixes[i] ^ held) * np.uint64(0x9E3779B97F4A7C15)
        mixes[i] = mixed ^ mixed >> np.uint64(29)
