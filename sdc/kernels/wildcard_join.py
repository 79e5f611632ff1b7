"""Compiled loops that join two sets of combinations on the keys both observe, through a table of the smaller set."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

Array = np.ndarray[Any, Any]


@njit(cache=True)
def _key(codes: Array, row: int, shared: Array, sizes: Array) -> Any:
    key = np.int64(0)
    for column in shared:
        key = key * sizes[column] + codes[row, column]
    return key


@njit(cache=True)
def _slot(key: int, keys: Array, used: Array) -> Any:
    """Where a key is, or would be, in an open table whose size is a power of two."""
    mask = keys.size - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(20)) & mask
    while used[slot] and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@njit(cache=True)
def _capacity(number: int) -> int:
    capacity = 8
    while capacity < 2 * number:
        capacity *= 2
    return capacity


@njit(cache=True)
def add_from_few(
    ours: tuple[Array, Array],
    others: tuple[Array, Array],
    totals: Array,
    joined_on: tuple[Array, Array],
    matched: Array,
) -> None:
    """Add to `matched` of each of mine the totals of those of theirs equal on the shared keys.

    Theirs are the fewer.

    `ours` and `others` are codes and the rows of them meant, `joined_on` the shared keys and the number of
    levels of every key.
    """
    (codes, mine), (their_codes, theirs), (shared, sizes) = ours, others, joined_on
    capacity = _capacity(theirs.size)
    keys = np.zeros(capacity, dtype=np.int64)
    used = np.zeros(capacity, dtype=np.bool_)
    summed = np.zeros((capacity, totals.shape[1]), dtype=totals.dtype)
    for row in theirs:
        key = _key(their_codes, row, shared, sizes)
        slot = _slot(key, keys, used)
        keys[slot] = key
        used[slot] = True
        for column in range(totals.shape[1]):
            summed[slot, column] += totals[row, column]
    for row in mine:
        slot = _slot(_key(codes, row, shared, sizes), keys, used)
        if used[slot]:
            for column in range(totals.shape[1]):
                matched[row, column] += summed[slot, column]


@njit(cache=True)
def add_to_few(
    ours: tuple[Array, Array],
    others: tuple[Array, Array],
    totals: Array,
    joined_on: tuple[Array, Array],
    matched: Array,
) -> None:
    """The same where mine are the fewer."""
    (codes, mine), (their_codes, theirs), (shared, sizes) = ours, others, joined_on
    capacity = _capacity(mine.size)
    keys = np.zeros(capacity, dtype=np.int64)
    used = np.zeros(capacity, dtype=np.bool_)
    summed = np.zeros((capacity, totals.shape[1]), dtype=totals.dtype)
    for row in mine:
        key = _key(codes, row, shared, sizes)
        slot = _slot(key, keys, used)
        keys[slot] = key
        used[slot] = True
    for row in theirs:
        slot = _slot(_key(their_codes, row, shared, sizes), keys, used)
        if used[slot]:
            for column in range(totals.shape[1]):
                summed[slot, column] += totals[row, column]
    for row in mine:
        slot = _slot(_key(codes, row, shared, sizes), keys, used)
        for column in range(totals.shape[1]):
            matched[row, column] += summed[slot, column]
