"""Links the records of two released tables that are the same person, as an outsider would.

An outsider has the tables themselves: the order of the records, numbers of households that were kept, and
values that no step changed in either release.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sdc.arrays import Array
from sdc.data.release_pair import EarlierRelease, ReleasePair
from sdc.statistics.counts.alignment import agrees_in_place
from sdc.statistics.counts.equivalence import packed

if TYPE_CHECKING:
    from sdc.data.table import Table


TELLING = 0.5
"""A variable links records by itself where at least this share of them have a value of their own."""


def outsider_places(pair: ReleasePair, release: EarlierRelease) -> Array | None:
    """For each original record the released record that an outsider takes for the same person, -1 where none.

    It is None where nobody is found. The candidate's records are the original's, in its order.
    """
    if not pair.aligned or pair.candidate.rows != pair.original.rows or not release.table.rows:
        return None
    if _in_same_order(pair, release):
        return np.arange(pair.original.rows)
    places = np.full(pair.original.rows, -1)
    for columns in _linking(pair, release):
        found = _matched(pair.candidate, release.table, columns)
        taken = np.isin(found, places[places >= 0])
        places = np.where((places < 0) & ~taken, found, places)
    return places if (places >= 0).any() else None


def _in_same_order(pair: ReleasePair, release: EarlierRelease) -> bool:
    """Whether the records are in the same order.

    There are as many records, and each original value has one label, or most columns agree far beyond chance.
    """
    if release.table.rows != pair.original.rows:
        return False
    keys = [key for key in pair.roles.quasi_identifiers if key in release.table.columns]
    if keys and all(_one_label(pair.original, release.table, key) for key in keys):
        return True
    told = [
        agrees
        for column in _common(pair, release)
        if (agrees := _agrees(pair.candidate, release.table, column)) is not None
    ]
    return bool(told) and 2 * sum(told) > len(told)


def _one_label(original: Table, table: Table, key: str) -> bool:
    values, codes = original.codes(key)[0], table.codes(key)[0]
    shown = codes >= 0
    pairs = np.unique(np.column_stack([values[shown], codes[shown]]), axis=0)
    return pairs.shape[0] == np.unique(pairs[:, 0]).size and not (values[shown] < 0).any()


def _agrees(one: Table, other: Table, column: str) -> bool | None:
    if one.is_numeric(column) and other.is_numeric(column):
        return agrees_in_place(one.numbers(column), other.numbers(column))
    return agrees_in_place(*_coded_alike(one, other, column))


def _coded_alike(one: Table, other: Table, column: str) -> tuple[Array, Array]:
    """A column of two tables as codes of one list of texts, -1 where missing."""
    (mine, levels), (theirs, labels) = one.codes(column), other.codes(column)
    position = {text: place for place, text in enumerate(dict.fromkeys([*levels, *labels]))}
    first, second = (np.array([*(position[text] for text in texts), -1]) for texts in (levels, labels))
    return first[mine], second[theirs]


def _common(pair: ReleasePair, release: EarlierRelease) -> list[str]:
    return [column for column in pair.candidate.columns if column in release.table.columns]


def _linking(pair: ReleasePair, release: EarlierRelease) -> list[list[str]]:
    """Sets of variables that may link records.

    First all variables that no step changed, then single ones that nearly name a person.
    """
    changed = frozenset().union(*(step.touched for step in (*pair.steps, *release.steps)))
    household = pair.roles.household
    unchanged = [column for column in _common(pair, release) if column not in changed and column != household]
    if household in _common(pair, release) and _numbers_kept(pair.candidate, release.table, household):
        unchanged.append(household)
    telling = [
        column
        for column in unchanged
        if all(_share_alone(table, column) >= TELLING for table in (pair.candidate, release.table))
    ]
    return [columns for columns in (unchanged, *([column] for column in telling)) if columns]


def _share_alone(table: Table, column: str) -> float:
    codes = table.codes(column)[0]
    shown = codes[codes >= 0]
    return float((np.bincount(shown) == 1).sum() / table.rows) if shown.size else 0.0


def _numbers_kept(one: Table, other: Table, household: str) -> bool:
    """Whether households of the same number have the same size far more often than by chance."""
    mine, theirs = _coded_alike(one, other, household)
    most = int(max(mine.max(initial=-1), theirs.max(initial=-1))) + 1
    first, second = (np.bincount(codes[codes >= 0], minlength=most) for codes in (mine, theirs))
    both = (first > 0) & (second > 0)
    return agrees_in_place(first[both], second[both]) is True


def _matched(one: Table, other: Table, columns: Sequence[str]) -> Array:
    """For each record of one table the one record of the other with the same values, unique in both."""
    coded = [_coded_alike(one, other, column) for column in columns]
    key = packed([np.concatenate(pair) for pair in coded])
    distinct, place = np.unique(key, return_inverse=True)
    mine, theirs = place[: one.rows], place[one.rows :]
    first, second = np.bincount(mine, minlength=distinct.size), np.bincount(theirs, minlength=distinct.size)
    holder = np.full(distinct.size, -1)
    holder[theirs] = np.arange(other.rows)
    blank = np.all([codes < 0 for codes, _ in coded], axis=0)
    return np.where(blank, -1, np.where((first == 1) & (second == 1), holder, -1)[mine])
