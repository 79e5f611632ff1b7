"""Sizes of classes when several tables about the same people are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.equivalence import classes_of_records, joined
from sdc.statistics.counts.wildcard import matching_records


@dataclass(frozen=True)
class Before:
    """An earlier table seen from the records of the latest: their labels there as codes, and who is in it.

    `own` are the keys of its own records and `places` whose these are, -1 where that is not known: then the
    class is counted among the records of the latest table.
    """

    columns: Sequence[Array]
    joined: Array
    own: Sequence[Array]
    places: Array

    def alone(self, *, wildcard: bool) -> Array:
        """The size of each record's class in this table."""
        if not self.columns:
            return np.full(self.joined.size, np.iinfo(np.int64).max)
        by_label = sizes(self.columns, wildcard=wildcard)[1]
        linked = self.places >= 0
        if not linked.any():
            return by_label
        return np.where(linked, sizes(self.own, wildcard=wildcard)[1][np.maximum(self.places, 0)], by_label)


@dataclass(frozen=True)
class Join:
    """For each record the size of its class in all tables together, and the smallest it has in a single one.

    `place` numbers the joint classes.
    """

    place: Array
    together: Array
    alone: Array

    @classmethod
    def of(cls, now: Sequence[Array], before: Sequence[Before], *, wildcard: bool) -> Join:
        """The join of the keys of the latest table (codes, -1 where missing) with those of earlier tables.

        A person who is not in an earlier table has a label of its own there; one who is in none is in the
        join with all of the class.
        """
        alone = sizes(now, wildcard=wildcard)[1]
        for table in before:
            alone = np.where(table.joined, np.minimum(alone, table.alone(wildcard=wildcard)), alone)
        columns = [
            np.where(table.joined, column, int(column.max(initial=0)) + 1)
            for table in before
            for column in table.columns
        ]
        place, together = sizes([*now, *columns], wildcard=wildcard)
        known = (
            np.any([table.joined for table in before if table.columns], axis=0)
            if before
            else np.ones(place.size, dtype=bool)
        )
        return cls(place, np.where(known, together, alone), alone)

    def below(self, k: int) -> Array:
        """The records in classes of fewer than k together, but of k or more in every table alone."""
        return (self.together < k) & (self.alone >= k)

    def classes(self, records: Array) -> int:
        return int(np.unique(self.place[records]).size)


def sizes(columns: Sequence[Array], *, wildcard: bool) -> tuple[Array, Array]:
    place, codes, count = classes_of_records(columns)
    return place, (matching_records(codes, count) if wildcard else count)[place]


def small_changes(one: Array, other: Array, k: int) -> int:
    """Classes that two tables both have (rows of codes) whose counts differ, by less than k."""
    mine, theirs, classes = joined(one, other)
    first, second = np.bincount(mine, minlength=classes), np.bincount(theirs, minlength=classes)
    change = np.abs(first - second)
    return int(((first > 0) & (second > 0) & (change > 0) & (change < k)).sum())
