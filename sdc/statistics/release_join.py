"""How small do classes become when several tables about the same people are put side by side?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdc.statistics.equivalence import classes_of_records, joined
from sdc.statistics.wildcard import matching_records

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Join:
    """For each record the size of its class in all tables together, and the smallest it has in a single one; `place` numbers the joint classes."""

    place: Array
    together: Array
    alone: Array

    @classmethod
    def of(cls, tables: Sequence[Sequence[Array]], *, wildcard: bool) -> Join:
        """From the keys of each table as codes of the same records, -1 where missing."""
        alone = np.min([_sizes(columns, wildcard=wildcard)[1] for columns in tables], axis=0)
        place, together = _sizes([column for columns in tables for column in columns], wildcard=wildcard)
        return cls(place, together, alone)

    def below(self, k: int) -> Array:
        """The records in classes of fewer than k together, but of k or more in every table alone."""
        return (self.together < k) & (self.alone >= k)

    def classes(self, records: Array) -> int:
        return int(np.unique(self.place[records]).size)


def _sizes(columns: Sequence[Array], *, wildcard: bool) -> tuple[Array, Array]:
    place, codes, count = classes_of_records(columns)
    return place, (matching_records(codes, count) if wildcard else count)[place]


def small_changes(one: Array, other: Array, k: int) -> int:
    """Classes that two tables both have (rows of codes) whose counts differ, by less than k."""
    mine, theirs, classes = joined(one, other)
    first, second = np.bincount(mine, minlength=classes), np.bincount(theirs, minlength=classes)
    change = np.abs(first - second)
    return int(((first > 0) & (second > 0) & (change > 0) & (change < k)).sum())
