"""Classes of records that are alike on their keys, numbered in the order of their codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sdc.arrays import Array

WORD = 2**62
AT_ONCE = 2**20


def packed(columns: Iterable[Array]) -> Array:
    """One whole number for each record, equal where all columns are.

    Columns are codes from -1 on; the numbers are in lexicographic order of the columns, which are asked for
    one after the other.
    """
    key, size = None, 1
    for column in columns:
        key = np.zeros(column.shape[0], dtype=np.int64) if key is None else key
        levels = int(column.max()) + 2 if column.size else 1
        if size * levels > WORD:
            key, size = _dense(key)
        # In place: a long column has no room beside it.
        key *= levels
        key += column
        key += 1
        size *= levels
    if key is None:
        message = "no columns to pack"
        raise ValueError(message)
    return key


def _dense(key: Array) -> tuple[Array, int]:
    """The same classes numbered from 0 without gaps, in order."""
    distinct, place = numbered(key)
    return place, max(distinct.size, 1)


def numbered(key: Array) -> tuple[Array, Array]:
    """The distinct whole numbers in order, and the place of each record's number among them."""
    import pandas as pd

    place, distinct = pd.factorize(key)
    del key
    order = np.argsort(distinct, kind="stable")
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.arange(order.size)
    # In place and a part at a time: a long column has no room beside it.
    for first in range(0, place.size, AT_ONCE):
        some = slice(first, first + AT_ONCE)
        place[some] = ranks[place[some]]
    return distinct[order], place


def alike(columns: Iterable[Array]) -> tuple[Array, int]:
    """A number from 0 on for each record, equal where all columns are, and how many there are.

    The numbers are in no particular order.
    """
    import pandas as pd

    key = packed(columns)
    size = int(key.max(initial=-1)) + 1
    if size <= 4 * key.size:
        return key, size
    place, distinct = pd.factorize(key)
    return place, int(distinct.size)


def narrow(numbers: Array, largest: int) -> Array:
    """Whole numbers up to a largest one in half the bytes, where that is enough for it."""
    return numbers.astype(np.int32) if largest < 2**31 else numbers


def classes_of_records(columns: Sequence[Array]) -> tuple[Array, Array, Array]:
    """The class of each record, the codes of each class (a row for each), and its number of records."""
    distinct, place = numbered(packed(columns))
    some = np.empty(distinct.size, dtype=np.int64)
    some[place] = np.arange(place.size)
    return (
        place,
        np.column_stack([column[some] for column in columns]),
        np.bincount(place, minlength=distinct.size),
    )


def classes_in_parts(parts: Iterable[Array]) -> tuple[Array, Array]:
    """The distinct rows of tables of codes that lie below each other, and how many records have each."""
    rows, counts = [np.empty((0, 0), dtype=np.int32)], [np.empty(0, dtype=np.int64)]
    waiting = 0
    for codes in parts:
        _, mine, sizes = classes_of_records(list(codes.T))
        rows, counts = [*rows, mine] if rows[0].size else [mine], [*counts, sizes]
        waiting += len(mine)
        # What waits is merged when it is as much as what is held: each row is merged a few times only.
        if waiting > len(rows[0]):
            (rows, counts), waiting = _merged(rows, counts), 0
    rows, counts = _merged(rows, counts)
    return rows[0], counts[0]


def _merged(rows: list[Array], counts: list[Array]) -> tuple[list[Array], list[Array]]:
    together, each = np.concatenate(rows), np.concatenate(counts)
    if not together.size:
        return [together], [each]
    place, distinct, _ = classes_of_records(list(together.T))
    summed = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(summed, place, each)
    return [distinct], [summed]


def joined(mine: Array, theirs: Array) -> tuple[Array, Array, int]:
    """Rows of two tables of codes numbered together.

    It gives the number of each row of mine, of theirs, and how many there are.
    """
    if mine.shape[1] == 0:
        return np.zeros(mine.shape[0], dtype=np.int64), np.zeros(theirs.shape[0], dtype=np.int64), 1
    distinct, place = numbered(packed(list(np.vstack([mine, theirs]).T)))
    return place[: mine.shape[0]], place[mine.shape[0] :], int(distinct.size)
