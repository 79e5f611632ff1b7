"""The class nearest to a record, and the values that can be given back after suppression."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel
from sdc.kernels.hash_table import find, slots_for


@kernel("i4[:, ::1], i8[::1], i4[::1], f8[::1], i8, i8[::1]")
def nearest_class(
    rows: Array, sizes: Array, record: Array, costs: Array, k: int, budget: Array
) -> tuple[int, int, int]:
    """The class that a record joins at least cost, the keys to suppress (as bits), and the members to follow.

    A class of at least 2k - 1 gives k - 1 members; a smaller one gives all; one that misses the keys already
    gives none. Classes of size 0 are left out. (-1, 0, 0) means that the budget allows none.
    """
    best, chosen, keys, helpers = np.inf, -1, 0, 0
    for c in range(len(rows)):
        if sizes[c] == 0:
            continue
        differs, own, theirs = 0, 0.0, 0.0
        for a in range(rows.shape[1]):
            if rows[c, a] != record[a]:
                differs |= 1 << a
                own += costs[a] if record[a] >= 0 else 0.0
                theirs += costs[a] if rows[c, a] >= 0 else 0.0
        follow = 0 if theirs == 0 else (k - 1 if sizes[c] >= 2 * k - 1 else sizes[c])
        total = own + follow * theirs
        if total < best and _affordable(rows[c], record, differs, follow, budget):
            best, chosen, keys, helpers = total, c, differs, follow
    return chosen, keys, helpers


@kernel
def _affordable(row: Array, record: Array, differs: int, follow: int, budget: Array) -> bool:
    enough = True
    for a in range(len(row)):
        if (differs >> a) & 1 and (record[a] >= 0) + follow * (row[a] >= 0) > budget[a]:
            enough = False
    return enough


@kernel("i4[:, ::1], i4[:, ::1], u8[::1], u8[::1], i8[::1], i4[::1], i8, i8[::1], u8[::1], i8[::1]")
def restore(
    codes: Array,
    before: Array,
    prints: Array,
    class_prints: Array,
    sizes: Array,
    class_of: Array,
    k: int,
    order: Array,
    numbers: Array,
    offsets: Array,
) -> None:
    """Give values back, the most important key first, while both classes concerned keep k records."""
    slots = slots_for(len(class_prints))
    table = np.empty(slots, dtype=np.uint64)
    places = np.full(slots, -1, dtype=np.int32)
    for c in range(len(class_prints)):
        slot = find(table, places, class_prints[c])
        table[slot] = class_prints[c]
        places[slot] = c
    changed = True
    while changed:
        changed = False
        for r in range(len(codes)):
            for a in order:
                if codes[r, a] >= 0 or before[r, a] < 0 or sizes[class_of[r]] <= k:
                    continue
                print_there = prints[r] + numbers[offsets[a] + 1 + before[r, a]]
                there = places[find(table, places, print_there)]
                if there >= 0 and sizes[there] >= k:
                    sizes[class_of[r]] -= 1
                    sizes[there] += 1
                    class_of[r] = there
                    prints[r] = print_there
                    codes[r, a] = before[r, a]
                    changed = True
