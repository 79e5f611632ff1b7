"""The tables of a release and their columns, coded so that they can be compared, each made once."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import NotAssessed
from sdc.data.classes import Classed, RecordClasses
from sdc.data.label_lookup import Containment, containment
from sdc.data.roles import MissingRule, Roles
from sdc.data.sharing import Sharing, shared
from sdc.data.table import Table
from sdc.statistics.counts.equivalence import classes_of_records
from sdc.statistics.distances.quantiles import quantiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from sdc.arrays import Array
    from sdc.catalogue.protection import Step
    from sdc.data.release_pair import EarlierRelease


class Side(StrEnum):
    """Which table of a pair."""

    ORIGINAL = "original"
    CANDIDATE = "candidate"
    HOLDOUT = "holdout"
    POPULATION = "population"


def not_looked_for() -> NotAssessed:
    return NotAssessed("it is not known what was released earlier from this source")


class CodedTables(Sharing):
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
        leaving: Sequence[Table] = (),
        earlier: Callable[[], Sequence[EarlierRelease] | NotAssessed] = not_looked_for,
        room: int | None = None,
    ) -> None:
        super().__init__(room)
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
        self.leaving = tuple(leaving) or self.syntheses
        """The syntheses that would leave, the candidate first: all of them unless the profile says less."""
        self._earlier = earlier

    def table(self, side: Side) -> Table:
        table: Table | None = getattr(self, side.value)
        if table is None:
            message = f"this pair has no {side.value}"
            raise LookupError(message)
        return table

    @property
    @shared
    def earlier(self) -> Sequence[EarlierRelease] | NotAssessed:
        """What was released before from the same source, oldest first; or why that is not known."""
        return self._earlier()

    # Columns, coded

    @shared
    def numbers(self, column: str, side: Side) -> Array:
        """A numeric column as float64 in row order, NaN where missing. Not to be written to."""
        return _frozen(self.table(side).numbers(column))

    @shared
    def codes(self, column: str, side: Side) -> Array:
        """A column as written: int32 codes in row order, -1 where missing, on `levels(column)`."""
        codes, levels = self._own_codes(column, side)
        return _renumbered(codes, levels, {level: code for code, level in enumerate(self.levels(column))})

    @shared
    def levels(self, column: str) -> tuple[str, ...]:
        """The values of a column as written in both tables: in declared order, else in byte order."""
        written = [self._own_codes(column, side)[1] for side in self._held(column)]
        return self.in_order(column, {level for levels in written for level in levels})

    def _held(self, column: str) -> list[Side]:
        return [side for side in (Side.ORIGINAL, Side.CANDIDATE) if column in self.table(side).columns]

    def in_order(self, column: str, seen: set[str]) -> tuple[str, ...]:
        """Values of a column in declared order, else in byte order."""
        order = self.roles[column].order if column in self.roles else ()
        return (*(level for level in order if level in seen), *sorted(seen - set(order), key=str.encode))

    @shared
    def _own_codes(self, column: str, side: Side) -> tuple[Array, list[str]]:
        return self.table(side).codes(column)

    def frame(self, columns: Sequence[str], side: Side) -> pd.DataFrame:
        """Columns as pandas in row order, typed by role (see Table.frame). A fresh frame each time."""
        return self.table(side).frame(columns, self.roles)

    @shared
    def places(self, column: str | Classed, side: Side) -> Array:
        """A column as it can be compared between the tables: int32 codes in row order, -1 where missing.

        Of a classed column they are its classes, of another they are on `labels(column)`. A value that
        neither original nor candidate has gets a code of its own behind these.
        """
        if isinstance(column, Classed):
            return _frozen(column.places(self.numbers(column.name, side), side is Side.ORIGINAL))
        codes, levels = self._own_codes(column, side)
        position = {label: code for code, label in enumerate(self.labels(column))}
        return _renumbered(codes, self._matched(column, side, levels), position)

    @shared
    def labels(self, column: str) -> tuple[str, ...]:
        """What the places of a column stand for: in declared order, else in byte order.

        Where the candidate is coarser, original values go by the candidate's label that holds them.
        """
        held = self._held(column)
        matched = [self._matched(column, side, self._own_codes(column, side)[1]) for side in held]
        return self.in_order(column, {label for labels in matched for label in labels})

    @shared
    def record_classes(self, keys: Sequence[str], side: Side = Side.CANDIDATE) -> RecordClasses:
        """The class of each record on the keys, in row order; a missing key is a value of its own."""
        return RecordClasses(*classes_of_records([self._own_codes(key, side)[0] for key in keys]))

    @shared
    def grouping(self, column: str, side: Side = Side.CANDIDATE) -> Array:
        """Which records have the same value: a number from 0 on for each, -1 where missing."""
        import numpy as np
        import pandas as pd

        if not self.table(side).is_numeric(column):
            return self._own_codes(column, side)[0]
        return _frozen(pd.factorize(self.numbers(column, side))[0].astype(np.int32))

    def _matched(self, column: str, side: Side, levels: Sequence[str]) -> Sequence[str]:
        generalised = self.containment(column)
        return (
            levels
            if generalised is None or generalised.problem or side is Side.CANDIDATE
            else generalised.labels(levels)
        )

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
        """Classes of a numeric column: of original and candidate pooled, or by the edges given.

        The last class includes its border. Values beyond the edges are in an open class below or above; or,
        where the classes are `closed`, in none. Closed classes that are not given by edges are those of the
        candidate alone.
        """
        if edges:
            borders = tuple(sorted({float(edge) for edge in edges}))
            if closed:
                return Classed(column, borders[1:-1], (borders[0], borders[-1]))
            return Classed(column, (*borders[:-1], math.nextafter(borders[-1], math.inf)))
        return self._classed(column, bins, equal_frequency=equal_frequency, closed=closed)

    @shared
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

    @shared
    def containment(self, column: str) -> Containment | None:
        """How a column was generalised: which label of the candidate holds an original value."""
        return containment(column, self.original, self.candidate, self.roles, self.steps)

    def incomparable(self, columns: Sequence[str], *, overlap: bool = False) -> NotAssessed | None:
        """Why original values cannot be matched with the candidate's labels; None where they can.

        With `overlap`, ranges may overlap.
        """
        found = [
            one
            for column in columns
            if (one := self.containment(column)) is not None and not (overlap and one.overlapping)
        ]
        return next((NotAssessed(problem) for one in found if (problem := one.problem)), None)


def _renumbered(codes: Array, texts: Sequence[str], position: dict[str, int]) -> Array:
    """Codes on the texts as codes on their positions; a text that has none gets the next one."""
    import numpy as np

    places = [position.setdefault(text, len(position)) for text in texts]
    if places == list(range(len(places))):
        return _frozen(codes)
    return _frozen(np.array([*places, -1], dtype=np.int32)[codes])


def _frozen(array: Array) -> Array:
    array.setflags(write=False)
    return array
