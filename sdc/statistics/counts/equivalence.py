"""Classes of records that are alike on their keys, numbered in the order of their codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc.arrays import Array

WORD = 2**62


def packed(columns: Sequence[Array]) -> Array:
    """One whole number for each record, equal where all columns are.

    Columns are codes from -1 on; the numbers are in lexicographic order of the columns.
    """
    if not columns:
        message = "no columns to pack"
        raise ValueError(message)
    key = np.zeros(columns[0].shape[0], dtype=np.int64)
    size = 1
    for column in columns:
        levels = int(column.max()) + 2 if column.size else 1
        if size * levels > WORD:
            key, size = _dense(key)
        key = key * levels + column + 1
        size *= levels
    return key


def _dense(key: Array) -> tuple[Array, int]:
    """The same classes numbered from 0 without gaps, in order."""
    distinct, place = numbered(key)
    return place, max(distinct.size, 1)


def numbered(key: Array) -> tuple[Array, Array]:
    """The distinct whole numbers in order, and the place of each record's number among them."""
    import pandas as pd

    place, distinct = pd.factorize(key)
    order = np.argsort(distinct, kind="stable")
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.arange(order.size)
    return distinct[order], ranks[place]


def alike(columns: Sequence[Array]) -> tuple[Array, int]:
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


def joined(mine: Array, theirs: Array) -> tuple[Array, Array, int]:
    """Rows of two tables of codes numbered together.

    It gives the number of each row of mine, of theirs, and how many there are.
    """
    if mine.shape[1] == 0:
        return np.zeros(mine.shape[0], dtype=np.int64), np.zeros(theirs.shape[0], dtype=np.int64), 1
    distinct, place = numbered(packed(list(np.vstack([mine, theirs]).T)))
    return place[: mine.shape[0]], place[mine.shape[0] :], int(distinct.size)
