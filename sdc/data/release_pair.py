"""The measures' only window on the data: original and candidate side by side, counted and coded once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.data.classes import Cells, Classed, ClassSizes, Combinations, Crosstab, PairedSizes, TargetCounts
from sdc.data.coded_tables import CodedTables, Side, not_looked_for
from sdc.data.coding import Coding
from sdc.data.counting import Tally, class_sizes, tally, tally_of_codes, target_counts
from sdc.data.roles import MissingRule, Roles
from sdc.data.sharing import shared
from sdc.data.table import Table, in_normal_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from sdc.arrays import Array
    from sdc.catalogue.protection import Budget, Step
    from sdc.data.database import Database


__all__ = ["EarlierRelease", "ReleasePair", "Side"]

AT_HAND = 2**21
"""Up to so many records are counted on codes that other measures need too; DuckDB counts more."""


@dataclass(frozen=True, eq=False)
class EarlierRelease:
    """A table released before from the same source.

    `places`: a column `place` with, for each record of the original, the record of `table` that is the same
    person, -1 where there is none; None where that is not known. `steps` made it, as far as is known;
    `budget` is the guarantee proved for the variables in `covered`, if any.
    """

    table: Table
    name: str
    places: Table | None = None
    steps: tuple[Step, ...] = ()
    budget: Budget | None = None
    covered: frozenset[str] = frozenset()


class ReleasePair(CodedTables):
    """Original and candidate of one release, with all a measure may ask about them.

    Everything asked for is made once and shared by all measures, whichever thread asks first. `earlier` is
    asked for only when a measure wants to know what was released before from the same source.
    """

    @classmethod
    def from_frames(
        cls,
        original: pd.DataFrame,
        candidate: pd.DataFrame,
        roles: Roles,
        *,
        holdout: pd.DataFrame | None = None,
        population: pd.DataFrame | None = None,
        aligned: bool = False,
        missing: MissingRule = MissingRule.OWN_CATEGORY,
        steps: Sequence[Step] = (),
        syntheses: Sequence[pd.DataFrame] = (),
        earlier: Sequence[pd.DataFrame | tuple[pd.DataFrame, Sequence[Step]]] | None = None,
    ) -> ReleasePair:
        """A pair for a notebook or a test: no warehouse, no files.

        An earlier release may be given with the steps that made it.
        """
        import pyarrow as pa

        from sdc.data.database import Database

        database = Database.in_memory()

        def held(name: str, frame: pd.DataFrame | None) -> Table | None:
            return (
                None
                if frame is None
                else database.write(name, in_normal_form(pa.Table.from_pandas(frame, preserve_index=False)))
            )

        originals, candidates = held("original", original), held("candidate", candidate)
        assert originals is not None
        assert candidates is not None
        further = [held(f"synthesis_{number}", frame) for number, frame in enumerate(syntheses, start=1)]
        before = [
            _earlier(database, number, *(given if isinstance(given, tuple) else (given, ())))
            for number, given in enumerate(earlier or (), start=1)
        ]
        return cls(
            originals,
            candidates,
            roles,
            holdout=held("holdout", holdout),
            population=held("population", population),
            aligned=aligned,
            missing=missing,
            steps=steps,
            syntheses=[table for table in further if table is not None],
            earlier=not_looked_for if earlier is None else lambda: before,
        )

    @shared
    def of_synthesis(self, number: int) -> ReleasePair:
        """The same with one of the syntheses that leave in the candidate's place, numbered from 1 on."""
        table = self.leaving[number - 1]
        if table.is_same(self.candidate):
            return self
        return ReleasePair(
            self.original,
            table,
            self.roles,
            holdout=self.holdout,
            population=self.population,
            aligned=self.aligned,
            missing=self.missing,
            steps=self.steps,
            syntheses=self.syntheses,
            leaving=(table,),
            earlier=self._earlier,
            room=self.room,
        )

    # Counts, in DuckDB

    def class_sizes(
        self, keys: Sequence[str], side: Side = Side.CANDIDATE, missing: MissingRule | None = None
    ) -> ClassSizes:
        """Sizes of the classes on the keys, under the pair's missing rule or the one given."""
        return self._class_sizes(tuple(keys), side, missing or self.missing)

    @shared
    def _class_sizes(self, keys: tuple[str, ...], side: Side, rule: MissingRule) -> ClassSizes:
        import numpy as np

        from sdc.statistics.counts.wildcard import matching_records

        if rule is not MissingRule.WILDCARD and not self.table(side).in_parts:
            return class_sizes(self.table(side), keys)
        if rule is not MissingRule.WILDCARD:
            return ClassSizes.of(*self.counts(keys, side))
        combinations = self.combinations(keys, side)
        size = matching_records(combinations.codes, combinations.count)
        distinct, place = np.unique(size, return_inverse=True)
        classes = np.bincount(place, minlength=distinct.size)
        records = np.bincount(place, combinations.count, minlength=distinct.size).astype(np.int64)
        return ClassSizes(distinct, classes, records)

    @shared
    def paired_sizes(
        self, keys: Sequence[str | Classed], first: Side = Side.ORIGINAL, second: Side = Side.CANDIDATE
    ) -> PairedSizes:
        """Sizes of the same classes in two tables; a missing key is a value of its own."""
        return PairedSizes.of(*self._tally(keys, first, second).counts)

    @shared
    def combinations(self, keys: Sequence[str], side: Side = Side.CANDIDATE) -> Combinations:
        """Every combination of the keys in one table, in order, with records and, if it has them, weights."""
        weight = self.roles.weight if self.roles.weight in self.table(side).columns else None
        counted = tally([self.table(side)], [self._coding(key, side) for key in keys], weight)
        return Combinations(tuple(keys), counted.codes(), counted.levels, counted.counts[0], counted.weights)

    @shared
    def cells(self, columns: Sequence[str | Classed], against: Side = Side.ORIGINAL) -> Cells:
        """Cells over the columns in the original (or another table) and the candidate, in order.

        A missing value is a cell of its own (code -1).
        """
        counted = self._tally(columns, against, Side.CANDIDATE)
        labels = tuple(column if isinstance(column, str) else column.name for column in columns)
        return Cells(labels, counted.codes(), counted.levels, *counted.counts)

    @shared
    def counts(self, columns: Sequence[str | Classed], *sides: Side) -> tuple[Array, ...]:
        """How many records each table has in every combination that occurs in one of them, in order."""
        return self._tally(columns, *sides).counts

    @shared
    def crosstab(self, keys: Sequence[str | Classed], target: str | Classed) -> Crosstab:
        """The target within the classes of the keys, in both tables and in order."""
        counted = self._tally((*keys, target), Side.ORIGINAL, Side.CANDIDATE)
        return Crosstab(*counted.last_within(), counted.codings[-1].texts, *counted.counts)

    def target_counts(
        self,
        keys: Sequence[str],
        target: str | Classed,
        side: Side = Side.CANDIDATE,
        missing: MissingRule | None = None,
    ) -> TargetCounts:
        """The target within the classes of the keys in one table, by the rule given or that of the pair."""
        return self._target_counts(
            tuple(keys), target, side, (missing or self.missing) is MissingRule.WILDCARD
        )

    @shared
    def _target_counts(
        self, keys: tuple[str, ...], target: str | Classed, side: Side, wildcard: bool
    ) -> TargetCounts:
        columns = (*keys, target)
        held = self.table(side)
        if held.in_parts or held.rows > AT_HAND or isinstance(target, Classed) or target in keys:
            return target_counts(self._tally(columns, side), wildcard=wildcard)
        coded = {str(column): self._own_codes(str(column), side) for column in columns}
        return target_counts(tally_of_codes(coded), wildcard=wildcard)

    def _tally(self, columns: Sequence[str | Classed], *sides: Side) -> Tally:
        return tally(
            [self.table(side) for side in sides], [self._coding(column, *sides) for column in columns]
        )

    @shared
    def _coding(self, column: str | Classed, *sides: Side) -> Coding:
        """A column on codes the sides share."""
        tables = [self.table(side) for side in sides]
        return Coding.of(column, tables, [self._label(column, side, sides) for side in sides])

    def _label(self, column: str | Classed, side: Side, sides: Sequence[Side]) -> str:
        """The SQL of the text that a value counts as.

        Where the candidate is compared, it is the label of the candidate that holds the value.
        """
        if isinstance(column, Classed):
            return ""
        generalised = self.containment(column) if len(sides) > 1 and side is not Side.CANDIDATE else None
        return (
            self.table(side).text(column)
            if generalised is None or generalised.problem
            else generalised.expression(self.table(side))
        )


def _earlier(database: Database, number: int, frame: pd.DataFrame, steps: Sequence[Step]) -> EarlierRelease:
    import pyarrow as pa

    from sdc.catalogue.protection import composed, covered

    table = database.write(
        f"earlier_{number}", in_normal_form(pa.Table.from_pandas(frame, preserve_index=False))
    )
    return EarlierRelease(table, str(number), None, tuple(steps), composed(steps), covered(steps))
