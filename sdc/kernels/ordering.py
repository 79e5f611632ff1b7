"""Orders and ranks, read from sorted whole numbers."""

from __future__ import annotations

import numpy as np

from sdc.kernels.compiled import READ_ONLY, kernel

FEW = 64
"""At most so many values with the same first bits are put in order one by one."""


@kernel("f8[::1], f8, i8", f"{READ_ONLY}, f8, i8")
def packed(values, low, bits):
    """A whole number for each value: the first bits of its distance from the lowest, then its place.

    Read as whole numbers, floating-point numbers from 0 on keep their order.
    """
    keys = (values - low).view(np.int64)
    for i in range(keys.size):
        keys[i] = keys[i] >> bits << bits | i
    return keys


@kernel("i8[::1], i8, f8[::1], i4[::1]", f"i8[::1], i8, {READ_ONLY}, i4[::1]")
def ranks_along(keys, bits, values, ranks):
    """Write the ranks among the distinct values, read from sorted keys; give whether that was possible.

    Values are looked at only where several have the same first bits. It fails where these are too many.
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


@kernel("i8[::1], i8, i4[::1]", "i8[::1], i8, i8[::1]")
def points_along(keys, bits, value):
    """The second rank of each distinct point, its records, and the sum of the values of their tables.

    Keys are sorted. A key has the first rank, `bits` of the second one, and one bit for the table.
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


@kernel("u8[::1], i4[::1]")
def mix_in(mixes, codes):
    """Mix another code into the hash of each record."""
    for i in range(codes.size):
        mixed = (mixes[i] ^ np.uint64(codes[i] + 1)) * np.uint64(0x9E3779B97F4A7C15)
        mixes[i] = mixed ^ mixed >> np.uint64(29)
