"""Counts the records of each combination in every table that some of the keys span."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.equivalence import numbered


@dataclass(frozen=True)
class KeyTable:
    """The table that some keys span: the cell of each combination and the records in each cell.

    It also says which combinations miss a key.
    """

    keys: tuple[int, ...]
    place: Array
    records: Array
    missing: Array


def key_tables(codes: Array, count: Array, largest: int) -> Iterator[KeyTable]:
    """The tables of all sets of up to `largest` keys.

    Combinations are rows of codes (-1 missing) with their numbers of records.

    A set's cells are numbered from those of the set without its last key, so each table is one pass over the
    combinations.
    """
    levels = codes.max(axis=0, initial=-1) + 2
    start = KeyTable(
        (),
        np.zeros(codes.shape[0], dtype=np.int64),
        np.array([count.sum()]),
        np.zeros(codes.shape[0], dtype=bool),
    )
    waiting = [start]
    while waiting:
        table = waiting.pop()
        if table.keys:
            yield table
        if len(table.keys) < largest:
            following = range(table.keys[-1] + 1 if table.keys else 0, codes.shape[1])
            waiting.extend(
                _with_key(table, key, codes[:, key], int(levels[key]), count) for key in reversed(following)
            )


def _with_key(table: KeyTable, key: int, column: Array, levels: int, count: Array) -> KeyTable:
    packed = table.place * levels + column + 1
    if table.records.size * levels <= 8 * packed.size + 1024:
        seen = np.bincount(packed) > 0
        place = (np.cumsum(seen) - 1)[packed]
    else:
        place = numbered(packed)[1]
    return KeyTable(
        (*table.keys, key), place, np.bincount(place, count).astype(np.int64), table.missing | (column < 0)
    )
