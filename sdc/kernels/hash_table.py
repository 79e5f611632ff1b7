"""A hash table of 64-bit keys that other kernels look up row by row, and numbering and grouping by it."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel

SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def slots_for(count: int) -> int:
    """A size that keys fill to at most seven tenths."""
    return 16 + count + 3 * count // 7


@kernel
def find(keys: Array, places: Array, key: np.uint64) -> int:
    """The slot that holds the key, or the empty one where it belongs; `places` is -1 where empty."""
    size = len(keys)
    mixed = key * SPREAD
    mixed = (mixed ^ (mixed >> np.uint64(29))) * SPREAD
    slot: int = np.int64(((mixed >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32))  # type: ignore[assignment]
    while places[slot] >= 0 and keys[slot] != key:
        slot += 1
        if slot == size:
            slot = 0
    return slot


@kernel("u8[::1]")
def numbered(values: Array) -> tuple[Array, Array]:
    """Number values in the order in which they first appear, and give the positions where they do."""
    size = slots_for(len(values))
    keys = np.empty(size, dtype=np.uint64)
    places = np.full(size, -1, dtype=np.int32)
    numbers = np.empty(len(values), dtype=np.int32)
    first = np.empty(len(values), dtype=np.int32)
    seen = 0
    for position in range(len(values)):
        slot = find(keys, places, values[position])
        if places[slot] < 0:
            keys[slot] = values[position]
            places[slot] = seen
            first[seen] = position
            seen += 1
        numbers[position] = places[slot]
    return numbers, first[:seen].copy()


@kernel("i4[::1], i8")
def grouped(numbers: Array, groups: int) -> tuple[Array, Array]:
    """Positions sorted by number: those of number g are order[starts[g]:starts[g + 1]], in ascending order.

    Positions with the number -1 are left out.
    """
    starts = np.zeros(groups + 1, dtype=np.int64)
    for position in range(len(numbers)):
        if numbers[position] >= 0:
            starts[numbers[position] + 1] += 1
    for group in range(groups):
        starts[group + 1] += starts[group]
    filled = starts[:-1].copy()
    order = np.empty(starts[-1], dtype=np.int32)
    for position in range(len(numbers)):
        group = numbers[position]
        if group >= 0:
            order[filled[group]] = position
            filled[group] += 1
    return starts, order


@kernel("i8[::1], i8, i8")
def first_of_each(numbers: Array, groups: int, most: int) -> Array:
    """Which positions are among the first `most` of their number."""
    seen = np.zeros(groups, dtype=np.int32)
    among = np.empty(len(numbers), dtype=np.bool_)
    for position in range(len(numbers)):
        among[position] = seen[numbers[position]] < most
        if among[position]:
            seen[numbers[position]] += 1
    return among
