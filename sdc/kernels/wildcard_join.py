"""Sums over the combinations that agree on the keys both observe, through a table of the smaller set."""

from __future__ import annotations

from typing import Any

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel
from sdc.kernels.hash_table import find, slots_for

SET = "Tuple((i4[:, ::1], i8[::1]))"
"""Codes of combinations, and the rows of them that are meant."""
JOINED_ON = "UniTuple(i8[::1], 2)"
"""The keys that both sets observe, and the number of levels of every key."""


@kernel
def _key(codes: Array, row: int, shared: Array, sizes: Array) -> Any:
    """The number of a combination among all combinations of the shared keys."""
    key = np.int64(0)
    for column in shared:
        key = key * sizes[column] + codes[row, column]
    return np.uint64(key)


@kernel
def _table(codes: Array, rows: Array, shared: Array, sizes: Array) -> Any:
    """A table of the combinations of some rows; slots with a combination have the place 0."""
    keys = np.empty(slots_for(rows.size), dtype=np.uint64)
    places = np.full(keys.size, -1, dtype=np.int32)
    for row in rows:
        key = _key(codes, row, shared, sizes)
        slot = find(keys, places, key)
        keys[slot], places[slot] = key, 0
    return keys, places


@kernel
def _add_up(codes: Array, rows: Array, joined_on: Any, table: Any, totals: Array) -> Any:
    """The sum of the totals of some rows for each slot of the table."""
    (shared, sizes), (keys, places) = joined_on, table
    summed = np.zeros((keys.size, totals.shape[1]), dtype=totals.dtype)
    for row in rows:
        slot = find(keys, places, _key(codes, row, shared, sizes))
        if places[slot] >= 0:
            for column in range(totals.shape[1]):
                summed[slot, column] += totals[row, column]
    return summed


@kernel(f"{SET}, {SET}, i8[:, ::1], {JOINED_ON}, i8[:, ::1]")
def add_joined(ours: Any, others: Any, totals: Array, joined_on: Any, matched: Array) -> None:
    """Add to `matched` of each of mine the totals of those of theirs that are equal on the shared keys."""
    (codes, mine), (their_codes, theirs), (shared, sizes) = ours, others, joined_on
    if theirs.size <= mine.size:
        keys, places = _table(their_codes, theirs, shared, sizes)
    else:
        keys, places = _table(codes, mine, shared, sizes)
    summed = _add_up(their_codes, theirs, joined_on, (keys, places), totals)
    for row in mine:
        slot = find(keys, places, _key(codes, row, shared, sizes))
        if places[slot] >= 0:
            for column in range(totals.shape[1]):
                matched[row, column] += summed[slot, column]
