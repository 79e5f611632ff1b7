"""Orders and ranks read off sorted whole numbers, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

FEW = 64
"""Values with the same first bits that are put in order one by one."""


@njit(cache=True, nogil=True)
def packed(values, low, bits):
    """How far each number is from the lowest, as a whole number with the last bits given to its place.

    The bits of numbers from 0 on are in the order of the numbers, and the first of them tell sizes of any
    kind apart.
    """
    keys = (values - low).view(np.int64)
    for i in range(keys.size):
        keys[i] = keys[i] >> bits << bits | i
    return keys


@njit(cache=True, nogil=True)
def ranks_along(keys, bits, values, ranks):
    """Write down the ranks among the distinct values from sorted keys; whether that was possible.

    Values are looked at only where several have the same first bits. A few of them are put in order there.
    """
    mask, rank, start = (1 << bits) - 1, -1, 0
    while start < keys.size:
        end = start + 1
        while end < keys.size and keys[end] >> bits == keys[start] >> bits:
            end += 1
        for i in range(start + 1, end):
            key, back = keys[i], i
            while back > start and values[keys[back - 1] & mask] > values[key & mask]:
                if end - start > FEW:
                    return False
                keys[back] = keys[back - 1]
                back -= 1
            keys[back] = key
        rank += 1
        ranks[keys[start] & mask] = rank
        for i in range(start + 1, end):
            rank += values[keys[i] & mask] > values[keys[i - 1] & mask]
            ranks[keys[i] & mask] = rank
        start = end
    return True


@njit(cache=True, nogil=True)
def points_along(keys, bits, value):
    """Of each distinct point the second rank, the records there, and the sum of the values of their tables.

    Keys come in order: a rank, so many bits of the second one, a bit for the table.
    """
    ranks, times, sums = (
        np.empty(keys.size, dtype=np.int32),
        np.empty(keys.size, dtype=np.int32),
        np.empty(keys.size, dtype=value.dtype),
    )
    mask, points = (1 << bits) - 1, 0
    for i in range(keys.size):
        if i == 0 or keys[i] >> 1 != keys[i - 1] >> 1:
            ranks[points], times[points], sums[points] = keys[i] >> 1 & mask, 0, 0
            points += 1
        times[points - 1] += 1
        sums[points - 1] += value[keys[i] & 1]
    return ranks[:points], times[:points], sums[:points]


@njit(cache=True, nogil=True)
def mix_in(mixes, codes):
    """Stir another code of each record into its mix."""
    for i in range(codes.size):
        mixed = (mixes[i] ^ np.uint64(codes[i] + 1)) * np.uint64(0x9E3779B97F4A7C15)
        mixes[i] = mixed ^ mixed >> np.uint64(29)
