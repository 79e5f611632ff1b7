"""Records put into coarser cells so that every cell in use holds at least k of them.

A record may go to one cell for each pattern (a set of keys to suppress). `dest[p, r]` is the cell of record r
under pattern p, -1 where it has none; cell c has the entries order[starts[c]:starts[c + 1]], each an index
into dest's flat form.
"""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel
from sdc.kernels.hash_table import find, slots_for

LOOK = 64
"""How many records of a cell are asked to help before another cell is tried."""


@kernel("u8[::1], i4[:, ::1], u8[::1], i4[::1], u8[::1], u8[::1], i8[::1]")
def destinations(
    prints: Array, codes: Array, observed: Array, pool: Array, patterns: Array, numbers: Array, offsets: Array
) -> tuple[Array, Array]:
    """The fingerprint of each pooled record under each pattern, and whether it counts.

    A cell that a record reaches by several patterns counts for the first only.
    """
    keys = np.zeros((len(patterns), len(pool)), dtype=np.uint64)
    counts = np.ones((len(patterns), len(pool)), dtype=np.bool_)
    for p in range(len(patterns)):
        for place in range(len(pool)):
            r = pool[place]
            key = prints[r]
            left = patterns[p] & observed[r]
            for a in range(codes.shape[1]):
                if (left >> np.uint64(a)) & np.uint64(1):
                    key -= numbers[offsets[a] + 1 + codes[r, a]]
            keys[p, place] = key
            if left != patterns[p]:
                for q in range(p):
                    if patterns[q] & observed[r] == left:
                        counts[p, place] = False
                        break
    return keys, counts


@kernel("u8[:, ::1], boolean[:, ::1]")
def cells_of(keys: Array, counts: Array) -> tuple[Array, Array, Array, Array]:
    """The cells, numbered in order of appearance, and the table that finds a cell by its fingerprint."""
    size = slots_for(keys.size)
    table = np.empty(size, dtype=np.uint64)
    places = np.full(size, -1, dtype=np.int32)
    dest = np.full(keys.shape, -1, dtype=np.int32)
    seen = 0
    for p in range(keys.shape[0]):
        for r in range(keys.shape[1]):
            if counts[p, r]:
                slot = find(table, places, keys[p, r])
                if places[slot] < 0:
                    table[slot] = keys[p, r]
                    places[slot] = seen
                    seen += 1
                dest[p, r] = places[slot]
    return dest, table, places, np.zeros(seen, dtype=np.int32)


@kernel("i4[::1], u8[::1], i4[::1], u8[::1]")
def count_residents(resident: Array, table: Array, places: Array, settled: Array) -> None:
    """Add to each cell the settled records (by fingerprint) that are in it already."""
    for position in range(len(settled)):
        slot = find(table, places, settled[position])
        if places[slot] >= 0:
            resident[places[slot]] += 1


@kernel
def affords(budget: Array, keys: np.uint64, records: int) -> bool:
    """Do the caps allow these keys to be suppressed in so many records?"""
    enough = True
    for a in range(len(budget)):
        if (keys >> np.uint64(a)) & np.uint64(1) and budget[a] < records:
            enough = False
    return enough


@kernel
def pay(budget: Array, keys: np.uint64, records: int) -> None:
    """Take the suppression of these keys in so many records off the caps."""
    for a in range(len(budget)):
        if (keys >> np.uint64(a)) & np.uint64(1):
            budget[a] -= records


@kernel("i4[:, ::1], i8[::1], i4[::1], i4[::1], i8, u8[::1], u8[::1], i8[::1]")
def fill(
    dest: Array,
    starts: Array,
    order: Array,
    resident: Array,
    k: int,
    patterns: Array,
    observed: Array,
    budget: Array,
) -> tuple[Array, Array]:
    """Open cells that reach k, the one with most waiting records first.

    Gives the pattern of each record, -1 where it still waits, and the records in each cell.
    """
    kinds, records = dest.shape
    cells = len(resident)
    placed = np.full(records, -1, dtype=np.int32)
    count = resident.copy()
    waiting = np.empty(cells, dtype=np.int64)
    most = 0
    for c in range(cells):
        waiting[c] = starts[c + 1] - starts[c]
        most = max(most, waiting[c])
    head = np.full(most + 1, -1, dtype=np.int32)
    following = np.empty(cells, dtype=np.int32)
    for c in range(cells - 1, -1, -1):
        if waiting[c] > 0 and waiting[c] + count[c] >= k:
            following[c] = head[waiting[c]]
            head[waiting[c]] = c
    for size in range(most, 0, -1):
        while head[size] >= 0:
            c = head[size]
            head[size] = following[c]
            if waiting[c] < size:
                if waiting[c] > 0 and waiting[c] + count[c] >= k:
                    following[c] = head[waiting[c]]
                    head[waiting[c]] = c
                continue
            for entry in range(starts[c], starts[c + 1]):
                p, r = order[entry] // records, order[entry] % records
                if placed[r] >= 0 or not affords(budget, patterns[p] & observed[r], 1):
                    continue
                placed[r] = p
                count[c] += 1
                pay(budget, patterns[p] & observed[r], 1)
                for q in range(kinds):
                    if dest[q, r] >= 0:
                        waiting[dest[q, r]] -= 1
            if count[c] < k:
                _empty(c, dest, starts, order, placed, count, resident, waiting, patterns, observed, budget)
    return placed, count


@kernel
def _empty(
    c: int,
    dest: Array,
    starts: Array,
    order: Array,
    placed: Array,
    count: Array,
    resident: Array,
    waiting: Array,
    patterns: Array,
    observed: Array,
    budget: Array,
) -> None:
    """Take back a cell that a cap on suppressions kept below k."""
    records = dest.shape[1]
    for entry in range(starts[c], starts[c + 1]):
        p, r = order[entry] // records, order[entry] % records
        if placed[r] == p:
            placed[r] = -1
            pay(budget, patterns[p] & observed[r], -1)
            for q in range(dest.shape[0]):
                if dest[q, r] >= 0:
                    waiting[dest[q, r]] += 1
    count[c] = resident[c]
