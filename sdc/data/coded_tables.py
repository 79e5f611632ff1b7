"""The tables of a release and their columns, coded so that they can be compared, each made once."""

from __future__ import annotations

import math
import threading
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from sdc.catalogue.measurement import NotAssessed
from sdc.data.classes import Classed, RecordClasses
from sdc.data.label_lookup import Containment, containment
from sdc.data.roles import MissingRule, Roles
from sdc.data.table import Table
from sdc.statistics.counts.equivalence import classes_of_records
from sdc.statistics.distances.quantiles import quantiles

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import numpy as np
    import pandas as pd

    from sdc.catalogue.protection import Step
    from sdc.data.release_pair import EarlierRelease

    Array = np.ndarray[Any, Any]

Made = TypeVar("Made")


class Side(StrEnum):
    """Which table of a pair."""

    ORIGINAL = "original"
    CANDIDATE = "candidate"
    HOLDOUT = "holdout"
    POPULATION = "population"


def _not_looked_for() -> NotAssessed:
    return NotAssessed("it is not known what was released earlier from this source")


class CodedTables:
    """Original, candidate and what else belongs to a release, with their columns as numbers and codes.

    Everything asked for is made once and shared, whichever thread asks first.
    """

    def __init__(
        self,
        original: Table,
        candidate: Table,
        roles: Roles,
        *,
        holdout: Table | None = None,
        population: Table | None = None,
        aligned: bool = False,
        missing: MissingRule = MissingRule.OWN_CATEGORY,
        steps: Sequence[Step] = (),
        syntheses: Sequence[Table] = (),
        earlier: Callable[[], Sequence[EarlierRelease] | NotAssessed] = _not_looked_for,
    ) -> None:
        self.original, self.candidate, self.holdout, self.population = (
            original,
            candidate,
            holdout,
            population,
        )
        self.roles = roles.as_held(
            filter(original.is_numeric, original.columns), filter(original.is_date, original.columns)
        )
        self.aligned = aligned
        self.missing = missing
        self.steps = tuple(steps)
        self.syntheses = tuple(syntheses) or (candidate,)
        self._earlier = earlier
        self._made: dict[Hashable, Any] = {}
        self._locks: dict[Hashable, threading.Lock] = {}
        self._guard = threading.Lock()

    def table(self, side: Side) -> Table:
        table: Table | None = getattr(self, side.value)
        if table is None:
            message = f"this pair has no {side.value}"
            raise LookupError(message)
        return table

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives, made by the first who asks under this key and shared with all others."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._made:
                self._made[key] = make()
            made: Made = self._made[key]
            return made

    @property
    def earlier(self) -> Sequence[EarlierRelease] | NotAssessed:
        """What was released before from the same source, oldest first; or why that is not known."""
        return self.once("earlier", self._earlier)

    # Columns, coded

    def numbers(self, column: str, side: Side) -> Array:
        """A numeric column as float64 in row order, NaN where missing. Not to be written to."""
        return self.once(("numbers", column, side), lambda: _frozen(self.table(side).numbers(column)))

    def codes(self, column: str, side: Side) -> Array:
        """A column as int32 codes in row order, -1 where missing, on the levels of `levels(column)`."""
        return self.once(("codes", column, side), lambda: self._pooled_codes(column)[side])

    def levels(self, column: str) -> tuple[str, ...]:
        """The values of a column in original and candidate together.

        In declared order, else in byte order.
        """
        return self.once(("levels", column), lambda: self._levels(column))

    def _levels(self, column: str) -> tuple[str, ...]:
        seen: set[str] = set()
        for table in (self.original, self.candidate):
            if column in table.columns:
                seen.update(self._own_codes(column, table)[1])
        order = self.roles[column].order if column in self.roles else ()
        return (*(level for level in order if level in seen), *sorted(seen - set(order), key=str.encode))

    def _own_codes(self, column: str, table: Table) -> tuple[Array, list[str]]:
        return self.once(("own_codes", column, table.name), lambda: table.codes(column))

    def _pooled_codes(self, column: str) -> dict[Side, Array]:
        import numpy as np

        position = {level: code for code, level in enumerate(self.levels(column))}
        pooled = {}
        for side in (Side.ORIGINAL, Side.CANDIDATE):
            if column not in self.table(side).columns:
                continue
            codes, levels = self._own_codes(column, self.table(side))
            places = np.array([*(position[level] for level in levels), -1], dtype=np.int32)
            pooled[side] = _frozen(places[codes])
        return pooled

    def frame(self, columns: Sequence[str], side: Side) -> pd.DataFrame:
        """Columns as pandas in row order, typed by role (see Table.frame). A fresh frame each time."""
        return self.table(side).frame(columns, self.roles)

    def places(self, column: str | Classed, side: Side) -> Array:
        """The class of each record's value, in row order, -1 where missing.

        Comparable between the tables, by containment where generalised.
        """
        return self.once(("places", column, side), lambda: self._places(column, side))

    def _places(self, column: str | Classed, side: Side) -> Array:
        import numpy as np

        if isinstance(column, Classed):
            numbers = self.numbers(column.name, side)
            places: Array = np.where(
                np.isnan(numbers), -1, np.searchsorted(column.edges, numbers, side="right")
            )
            if column.limits is not None:
                beyond = len(column.edges) + 1 + (side is not Side.ORIGINAL)
                places = np.where((numbers < column.limits[0]) | (numbers > column.limits[1]), beyond, places)
            return _frozen(places.astype(np.int32))
        codes, levels = self._own_codes(column, self.table(side))
        position = {level: code for code, level in enumerate(self._matched_levels(column))}
        matched = [position.setdefault(level, len(position)) for level in self._matched(column, side, levels)]
        return _frozen(np.array([*matched, -1], dtype=np.int32)[codes])

    def record_classes(self, keys: Sequence[str], side: Side = Side.CANDIDATE) -> RecordClasses:
        """The class of each record on the keys, in row order; a missing key is a value of its own."""
        columns = [self._own_codes(key, self.table(side))[0] for key in keys]
        return self.once(
            ("record_classes", tuple(keys), side), lambda: RecordClasses(*classes_of_records(columns))
        )

    def grouping(self, column: str, side: Side = Side.CANDIDATE) -> Array:
        """Which records have the same value: a number from 0 on for each, -1 where missing."""
        import pandas as pd

        if not self.table(side).is_numeric(column):
            return self._own_codes(column, self.table(side))[0]
        return self.once(
            ("grouping", column, side), lambda: _frozen(pd.factorize(self.numbers(column, side))[0])
        )

    def _matched(self, column: str, side: Side, levels: Sequence[str]) -> Sequence[str]:
        generalised = self.containment(column)
        return (
            levels
            if generalised is None or generalised.problem or side is Side.CANDIDATE
            else generalised.labels(levels)
        )

    def _matched_levels(self, column: str) -> tuple[str, ...]:
        def made() -> tuple[str, ...]:
            sides = [side for side in (Side.CANDIDATE, Side.ORIGINAL) if column in self.table(side).columns]
            texts = [
                self._matched(column, side, self._own_codes(column, self.table(side))[1]) for side in sides
            ]
            return tuple(dict.fromkeys(text for side in texts for text in side))

        return self.once(("matched_levels", column), made)

    # Classes of numeric columns

    def classed(
        self,
        column: str,
        *,
        bins: int = 5,
        equal_frequency: bool = True,
        edges: Sequence[float] = (),
        closed: bool = False,
    ) -> Classed:
        """Classes of a numeric column from original and candidate pooled, or by the edges given, the last class with its border.

        Values beyond the edges are in an open class below or above; or, where the classes are `closed`, in
        none. Closed classes that are not given by edges are those of the candidate alone.
        """
        if edges:
            borders = tuple(sorted({float(edge) for edge in edges}))
            if closed:
                return Classed(column, borders[1:-1], (borders[0], borders[-1]))
            return Classed(column, (*borders[:-1], math.nextafter(borders[-1], math.inf)))
        made = ("classed", column, bins, equal_frequency, closed)
        return self.once(
            made, lambda: self._classed(column, bins, equal_frequency=equal_frequency, closed=closed)
        )

    def _classed(self, column: str, bins: int, *, equal_frequency: bool, closed: bool) -> Classed:
        import numpy as np

        held = np.concatenate(
            [
                self.numbers(column, side)
                for side in ((Side.CANDIDATE,) if closed else (Side.ORIGINAL, Side.CANDIDATE))
            ]
        )
        held = held[~np.isnan(held)]
        if held.size == 0:
            return Classed(column, ())
        shares = np.linspace(0, 1, bins + 1)
        borders = (
            quantiles(held, shares) if equal_frequency else held.min() + shares * (held.max() - held.min())
        )
        distinct = [float(edge) for edge in np.unique(borders)]
        return Classed(column, tuple(distinct[1:-1]), (distinct[0], float(held.max())) if closed else None)

    # Generalised columns

    def containment(self, column: str) -> Containment | None:
        """How a column was generalised: which label of the candidate holds an original value."""
        return self.once(
            ("containment", column),
            lambda: containment(column, self.original, self.candidate, self.roles, self.steps),
        )

    def incomparable(self, columns: Sequence[str], *, overlap: bool = False) -> NotAssessed | None:
        """Why original values cannot be matched with the candidate's labels, if they cannot.

        With `overlap`, ranges may overlap.
        """
        found = [
            one
            for column in columns
            if (one := self.containment(column)) is not None and not (overlap and one.overlapping)
        ]
        return next((NotAssessed(problem) for one in found if (problem := one.problem)), None)


def _frozen(array: Array) -> Array:
    array.setflags(write=False)
    return array
