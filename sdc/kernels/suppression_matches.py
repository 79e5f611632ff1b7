"""Suppression where a missing key matches every value: matches of rows, and groups made to match."""

from __future__ import annotations

import heapq

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel
from sdc.kernels.hash_table import find, slots_for
from sdc.kernels.suppression_cells import pay

FREE = 1e-9
"""Added to every price, so that ratios stay finite."""


@kernel
def projected(codes: Array, row: int, keys: np.uint64, numbers: Array, offsets: Array) -> np.uint64:
    """The fingerprint of a row on some keys."""
    total = np.uint64(0)
    for a in range(codes.shape[1]):
        if (keys >> np.uint64(a)) & np.uint64(1):
            total += numbers[offsets[a] + 1 + codes[row, a]]
    return total


@kernel("i4[:, ::1], i4[:, ::1], i8[::1], u8, u8[::1], i8[::1], i8[::1]")
def add_matches(
    asking: Array, asked: Array, counts: Array, keys: np.uint64, numbers: Array, offsets: Array, total: Array
) -> None:
    """Add to the total of each asking row the counts of all asked rows that agree with it on the keys."""
    size = slots_for(len(asking))
    table = np.empty(size, dtype=np.uint64)
    places = np.full(size, -1, dtype=np.int32)
    group = np.empty(len(asking), dtype=np.int32)
    seen = 0
    for row in range(len(asking)):
        print_ = projected(asking, row, keys, numbers, offsets)
        slot = find(table, places, print_)
        if places[slot] < 0:
            table[slot] = print_
            places[slot] = seen
            seen += 1
        group[row] = places[slot]
    found = np.zeros(seen, dtype=np.int64)
    for row in range(len(asked)):
        slot = find(table, places, projected(asked, row, keys, numbers, offsets))
        if places[slot] >= 0:
            found[places[slot]] += counts[row]
    for row in range(len(asking)):
        total[row] += found[group[row]]


@kernel("u8[::1], i4[:, ::1], u8[::1], i8[::1], u8[::1], u8[::1], i8[::1], u8[::1], i4[::1], i8")
def group_sizes(
    prints: Array,
    codes: Array,
    observed: Array,
    counts: Array,
    patterns: Array,
    numbers: Array,
    offsets: Array,
    table: Array,
    places: Array,
    groups: int,
) -> tuple[Array, Array, Array]:
    """The records that fall into each group once a pattern's keys are left out.

    Gives their number, the most frequent of their rows, and the pattern of that row.
    """
    sizes = np.zeros(groups, dtype=np.int64)
    donor = np.full(groups, -1, dtype=np.int32)
    under = np.full(groups, -1, dtype=np.int32)
    for row in range(len(prints)):
        for p in range(len(patterns)):
            left = patterns[p] & observed[row]
            twice = False
            if left != patterns[p]:
                for q in range(p):
                    twice = twice or patterns[q] & observed[row] == left
            if twice:
                continue
            slot = find(table, places, prints[row] - projected(codes, row, left, numbers, offsets))
            group = places[slot]
            if group >= 0:
                sizes[group] += counts[row]
                if donor[group] < 0 or counts[donor[group]] < counts[row]:
                    donor[group], under[group] = row, p
    return sizes, donor, under


@kernel
def _match(here: Array, there: Array) -> bool:
    a = 0
    while a < len(here) and (here[a] == there[a] or here[a] < 0 or there[a] < 0):
        a += 1
    return a == len(here)


@kernel
def _plan(
    c: int,
    k: int,
    dest: Array,
    starts: Array,
    order: Array,
    codes: Array,
    matched: Array,
    donor: Array,
    donors: int,
    room: tuple[Array, Array, Array],
) -> tuple[int, int, int]:
    """Choose the records to suppress so that no record of a group matches fewer than k.

    The record that lacks most is taken first: it then matches the whole group, and each that it did not match
    gains one. Where all that still lack match one another, some of the `donors` records of the row `donor`
    can be cheaper. Gives the number of records of the group that lack, the number taken (the first in `room`)
    and the number of donors.
    """
    records = dest.shape[1]
    lacking, now, entry_of = room
    count = 0
    for entry in range(starts[c], starts[c + 1]):
        r = order[entry] % records
        if matched[r] < k:
            lacking[count], now[count], entry_of[count] = r, matched[r], entry
            count += 1
    resolved, taken = count, 0
    while True:
        worst, least = -1, k
        for place in range(taken, count):
            if now[place] < least:
                worst, least = place, now[place]
        if worst < 0:
            return resolved, taken, 0
        alike, short = 0, 0
        for place in range(taken, count):
            if now[place] < k:
                short += 1
                alike += _match(codes[lacking[worst]], codes[lacking[place]]) and not _match(
                    donor, codes[lacking[place]]
                )
        if alike == short and k - least < short and k - least <= donors:
            return resolved, taken, k - least
        lacking[taken], lacking[worst] = lacking[worst], lacking[taken]
        now[taken], now[worst] = now[worst], now[taken]
        entry_of[taken], entry_of[worst] = entry_of[worst], entry_of[taken]
        for place in range(taken + 1, count):
            if not _match(codes[lacking[taken]], codes[lacking[place]]):
                now[place] += 1
        taken += 1


@kernel(
    "i4[:, ::1], i8[::1], i4[::1], i8[::1], i4[:, ::1], i4[::1], u8[::1], i8[::1], "
    "i4[:, ::1], i8[::1], f8[::1], i8, u8[::1], u8[::1], i8[::1]",
)
def cover(
    dest: Array,
    starts: Array,
    order: Array,
    sizes: Array,
    rows: Array,
    donor: Array,
    donor_keys: Array,
    donors: Array,
    codes: Array,
    matched: Array,
    costs: Array,
    k: int,
    patterns: Array,
    observed: Array,
    budget: Array,
) -> tuple[Array, Array]:
    """Choose groups by records helped per cost, until none is left that helps.

    Gives the pattern of each record, -1 for none, and the donors of each group. `matched` is raised to the
    matches that are certain. Groups smaller than k do not help.
    """
    records = dest.shape[1]
    pattern_of = np.full(records, -1, dtype=np.int32)
    given_by = np.zeros(len(sizes), dtype=np.int32)
    room = (
        np.empty(records, dtype=np.int32),
        np.empty(records, dtype=np.int64),
        np.empty(records, dtype=np.int64),
    )
    waiting = [(-np.float64(starts[c + 1] - starts[c]) / FREE, c) for c in range(len(sizes)) if sizes[c] >= k]
    heapq.heapify(waiting)
    while len(waiting) > 0:
        _, c = heapq.heappop(waiting)
        resolved, taken, given = _plan(
            c, k, dest, starts, order, codes, matched, rows[donor[c]], donors[c], room
        )
        if resolved == 0:
            continue
        price = given * _price(donor_keys[c], costs) + FREE
        for place in range(taken):
            price += _price(patterns[order[room[2][place]] // records] & observed[room[0][place]], costs)
        ratio = -resolved / price
        if len(waiting) > 0 and ratio > waiting[0][0]:
            heapq.heappush(waiting, (ratio, c))
            continue
        if not _payable(taken, given, donor_keys[c], dest, order, room, patterns, observed, budget):
            continue
        for place in range(resolved):
            matched[room[0][place]] = k
        for place in range(taken):
            pattern_of[room[0][place]] = order[room[2][place]] // records
        given_by[c] = given
    return pattern_of, given_by


@kernel
def _price(keys: np.uint64, costs: Array) -> float:
    total = 0.0
    for a in range(len(costs)):
        if (keys >> np.uint64(a)) & np.uint64(1):
            total += costs[a]
    return total


@kernel
def _payable(
    taken: int,
    given: int,
    donor_keys: np.uint64,
    dest: Array,
    order: Array,
    room: tuple[Array, Array, Array],
    patterns: Array,
    observed: Array,
    budget: Array,
) -> bool:
    """Pay for a plan if the caps allow it, else pay nothing; give which."""
    records = dest.shape[1]
    for place in range(taken):
        pay(budget, patterns[order[room[2][place]] // records] & observed[room[0][place]], 1)
    if given > 0:
        pay(budget, donor_keys, given)
    if budget.min() >= 0:
        return True
    for place in range(taken):
        pay(budget, patterns[order[room[2][place]] // records] & observed[room[0][place]], -1)
    if given > 0:
        pay(budget, donor_keys, -given)
    return False
