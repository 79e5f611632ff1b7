"""Cells for records that still wait, with records that other cells can spare.

The arrays are those of `suppression_cells`. Every attempt is carried out and logged, and taken back where a
cell in use would end with fewer than k records.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel
from sdc.kernels.suppression_cells import LOOK, affords, pay


@kernel("i4[:, ::1], i8[::1], i4[::1], i4[::1], i4[::1], i4[::1], i8, u8[::1], u8[::1], i8[::1], i8")
def exchange(
    dest: Array,
    starts: Array,
    order: Array,
    resident: Array,
    count: Array,
    placed: Array,
    k: int,
    patterns: Array,
    observed: Array,
    budget: Array,
    rounds: int,
) -> None:
    """Let waiting records join an open cell, or open one with others, until a round changes nothing."""
    records = dest.shape[1]
    log = np.empty((2, 2 * records + 2), dtype=np.int32)
    state = (dest, starts, order, resident, count, placed, patterns, observed, budget)
    for _ in range(rounds):
        changed = False
        for r in range(records):
            if placed[r] < 0 and (_join(r, k, state) or _open(r, k, state, log)):
                changed = True
        if not changed:
            return


@kernel
def _shift(r: int, p: int, state: Any) -> None:
    """Move a record to its cell under pattern p; -1 lets it wait."""
    dest, _, _, _, count, placed, patterns, observed, budget = state
    before = placed[r]
    if before >= 0:
        count[dest[before, r]] -= 1
        pay(budget, patterns[before] & observed[r], -1)
    if p >= 0:
        count[dest[p, r]] += 1
        pay(budget, patterns[p] & observed[r], 1)
    placed[r] = p


@kernel
def _logged(r: int, p: int, state: Any, log: Array, used: int) -> int:
    """Move a record and log where it was; give the length of the log."""
    log[0, used] = r
    log[1, used] = state[5][r]
    _shift(r, p, state)
    return used + 1


@kernel
def _back(state: Any, log: Array, used: int, until: int) -> int:
    """Take the last moves of the log back."""
    while used > until:
        used -= 1
        _shift(log[0, used], log[1, used], state)
    return used


@kernel
def _join(r: int, k: int, state: Any) -> bool:
    """Put a waiting record into a cell that is open already."""
    dest, _, _, _, count, _, patterns, observed, budget = state
    for p in range(dest.shape[0]):
        c = dest[p, r]
        if c >= 0 and count[c] >= k and affords(budget, patterns[p] & observed[r], 1):
            _shift(r, p, state)
            return True
    return False


@kernel
def _open(r: int, k: int, state: Any, log: Array) -> bool:
    """Open one of the cells of a waiting record.

    Records come from those that wait, then from cells of more than k, then from cells of k that are
    dissolved.
    """
    dest, count, budget = state[0], state[4], state[8]
    for p in range(dest.shape[0]):
        c = dest[p, r]
        if c < 0:
            continue
        used = _gather_waiting(c, state, log)
        used = _gather_spared(c, k, state, log, used)
        used = _gather_dissolving(c, k, state, log, used)
        if count[c] >= k and budget.min() >= 0:
            return True
        _back(state, log, used, 0)
    return False


@kernel
def _gather_waiting(c: int, state: Any, log: Array) -> int:
    dest, starts, order, _, _, placed = state[:6]
    records = dest.shape[1]
    used = 0
    for entry in range(starts[c], starts[c + 1]):
        p, r = order[entry] // records, order[entry] % records
        if placed[r] < 0:
            used = _logged(r, p, state, log, used)
    return used


@kernel
def _gather_spared(c: int, k: int, state: Any, log: Array, used: int) -> int:
    dest, starts, order, _, count, placed = state[:6]
    records = dest.shape[1]
    for entry in range(starts[c], min(starts[c + 1], starts[c] + LOOK)):
        if count[c] >= k:
            break
        p, r = order[entry] // records, order[entry] % records
        home = dest[placed[r], r]
        if home != c and count[home] > k:
            used = _logged(r, p, state, log, used)
    return used


@kernel
def _gather_dissolving(c: int, k: int, state: Any, log: Array, used: int) -> int:
    dest, starts, order, resident, count, placed = state[:6]
    records = dest.shape[1]
    for entry in range(starts[c], min(starts[c + 1], starts[c] + LOOK)):
        if count[c] >= k:
            break
        p, r = order[entry] // records, order[entry] % records
        home = dest[placed[r], r]
        if (
            home == c
            or resident[home] > 0
            or starts[home + 1] - starts[home] > 4 * LOOK
            or used + count[home] >= log.shape[1]
        ):
            continue
        if count[home] > k:
            used = _logged(r, p, state, log, used)
            continue
        mark = used
        used = _logged(r, p, state, log, used)
        for other in range(starts[home], starts[home + 1]):
            q, mate = order[other] // records, order[other] % records
            if placed[mate] == q:
                refuge = _refuge(mate, home, c, k, state)
                if refuge < 0:
                    used = _back(state, log, used, mark)
                    break
                used = _logged(mate, refuge, state, log, used)
    return used


@kernel
def _refuge(r: int, home: int, c: int, k: int, state: Any) -> int:
    """The pattern by which a record can go to the cell being opened or to another open one; -1 for none."""
    dest, count = state[0], state[4]
    for p in range(dest.shape[0]):
        if dest[p, r] == c:
            return p
    for p in range(dest.shape[0]):
        there = dest[p, r]
        if there >= 0 and there != home and count[there] >= k:
            return p
    return -1
