"""What counting gives back: class sizes, cells of two tables side by side, a target within classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.data.table import ROWS_AT_ONCE

if TYPE_CHECKING:
    from sdc.arrays import Array


@dataclass(frozen=True)
class Classed:
    """A numeric column seen through classes [a, b): `edges` are the inner borders.

    The outer classes are open; or they end at the `limits`, the last one with its upper limit in it, and a
    value beyond them is in no class: it is like no value of another table.
    """

    name: str
    edges: tuple[float, ...]
    limits: tuple[float, float] | None = None

    def places(self, numbers: Array, of_original: bool) -> Array:
        """The class of each number, -1 where it is missing.

        Beyond the limits the original has one class and every other table another: they are never alike.
        """
        import numpy as np

        places = np.empty(numbers.size, dtype=np.int32)
        for begin in range(0, numbers.size, ROWS_AT_ONCE):
            rows = slice(begin, begin + ROWS_AT_ONCE)
            places[rows] = self._places(numbers[rows], of_original)
        return places

    def _places(self, numbers: Array, of_original: bool) -> Array:
        import numpy as np

        places: Array = np.where(np.isnan(numbers), -1, np.searchsorted(self.edges, numbers, side="right"))
        if self.limits is None:
            return places
        beyond = len(self.edges) + (1 if of_original else 2)
        return np.where((numbers < self.limits[0]) | (numbers > self.limits[1]), beyond, places)

    def label(self, code: int) -> str:
        """A class by its borders."""
        last = len(self.edges)
        if code > last:
            return "beyond"
        low = self.edges[code - 1] if code else self.limits[0] if self.limits else None
        high = self.edges[code] if code < last else self.limits[1] if self.limits else None
        if low is None or high is None:
            return "all" if low is high else f"below {high:g}" if low is None else f"{low:g} and over"
        return f"[{low:g}, {high:g}{']' if code == last else ')'}"


@dataclass(frozen=True)
class ClassSizes:
    """How many classes, and how many records, have each size. Sizes ascend.

    With missing keys as wildcards the size of a class is the number of records its combination matches.
    """

    size: Array
    classes: Array
    records: Array

    @classmethod
    def of(cls, records: Array) -> ClassSizes:
        """From the number of records of each class."""
        import numpy as np

        size, classes = np.unique(records, return_counts=True)
        return cls(size, classes, size * classes)

    @property
    def smallest(self) -> int:
        return int(self.size[0]) if self.size.size else 0

    @property
    def total_classes(self) -> int:
        return int(self.classes.sum())

    @property
    def total_records(self) -> int:
        return int(self.records.sum())

    def classes_of(self, size: int) -> int:
        return int(self.classes[self.size == size].sum())

    def records_below(self, size: int) -> int:
        return int(self.records[self.size < size].sum())


@dataclass(frozen=True)
class Combinations:
    """Every combination of the keys that occurs, coded by column (-1 missing), with its number of records.

    `weights` is the sum of survey weights of the combination, where the table has them.
    """

    keys: tuple[str, ...]
    codes: Array
    levels: tuple[tuple[str, ...], ...]
    count: Array
    weights: Array | None = None


@dataclass(frozen=True)
class PairedSizes:
    """How many classes have `first` records in one table and `second` in another.

    A count is 0 where a table has none of the class.
    """

    first: Array
    second: Array
    classes: Array

    @classmethod
    def of(cls, first: Array, second: Array) -> PairedSizes:
        """From the two counts of each class."""
        import numpy as np

        width = int(second.max(initial=0)) + 1
        sizes, classes = np.unique(first * width + second, return_counts=True)
        return cls(sizes // width, sizes % width, classes)


@dataclass(frozen=True)
class TargetCounts:
    """Counts of a target within classes of keys, of one table.

    Class i has the cells offsets[i]:offsets[i + 1].

    `target` indexes `levels`; records with a missing target are left out. `records` are those of the class
    itself; with missing keys as wildcards the cells of a class are those of all combinations it matches.
    """

    offsets: Array
    target: Array
    levels: tuple[str, ...]
    count: Array
    records: Array

    def observed(self) -> TargetCounts:
        """Without the classes whose own records all miss the target."""
        import numpy as np

        known = self.records > 0
        sizes = np.diff(self.offsets)
        cells = np.repeat(known, sizes)
        offsets = np.concatenate([[0], np.cumsum(sizes[known])])
        return TargetCounts(offsets, self.target[cells], self.levels, self.count[cells], self.records[known])


@dataclass(frozen=True)
class RecordClasses:
    """The class of each record.

    `place` indexes the rows of `codes` (classes in order, -1 missing) and `count`.
    """

    place: Array
    codes: Array
    count: Array


@dataclass(frozen=True)
class Cells:
    """Every cell of a table over some columns that occurs in either table, with both counts."""

    columns: tuple[str, ...]
    codes: Array
    levels: tuple[tuple[str, ...], ...]
    original: Array
    candidate: Array


@dataclass(frozen=True)
class Crosstab:
    """Counts of a target within classes of keys, of both tables.

    Class i has the cells offsets[i]:offsets[i + 1].

    `target` indexes `levels`; -1 is a missing target. Classes and cells come in the order of their codes.
    """

    offsets: Array
    target: Array
    levels: tuple[str, ...]
    original: Array
    candidate: Array
