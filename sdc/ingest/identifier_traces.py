"""Finds released columns that say who a record is: they equal a direct identifier or stand for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.roles import LEFT_BEHIND, Role
from sdc.errors import BadData
from sdc.ingest.recoded_identifiers import first_row, recoded_values
from sdc.ingest.reopened import reopened
from sdc.ingest.staging import Staged, StagedColumn, stage
from sdc.statistics.counts.coverage import TINY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb

    from sdc.arrays import Array
    from sdc.data.table import Table
    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Profile


BEYOND_CHANCE = 0.05
"""Equal values may make up so much of a column beyond chance."""


@dataclass(frozen=True)
class Trace:
    """What is known of one direct identifier.

    Hashes of its values, and the released columns that follow it record by record.

    `density` is the share of whole numbers between its smallest and its largest that are values of it: 1 for
    running numbers, which every count resembles. `shared` is the share of each released column's values in
    the source that are values of it.
    """

    name: str
    values: Array
    density: float
    shared: Mapping[str, float]
    copied_by: frozenset[str]
    recoded_by: Mapping[str, Array]
    identifies: bool = True
    """Did the producer say that it identifies? Else it is a column that is dropped."""

    def found_in(self, column: str, values: Array, records: Array) -> str:
        """In which way a candidate's column still has the identifier.

        Hashes of its values, and how many records have each.
        """
        if values.size <= TINY and column not in self.copied_by:
            return ""
        known = _among(values, self.values)
        share = _share(known, records)
        if column in self.copied_by and share > BEYOND_CHANCE:
            return f"{column!r} has the values of {self.name!r}"
        if share > max(self.density, self.shared[column]) + BEYOND_CHANCE and known.sum() > TINY:
            return f"{column!r} has values of {self.name!r}"
        if (
            column in self.recoded_by
            and _share(_among(values, self.recoded_by[column]), records) > BEYOND_CHANCE
        ):
            return f"{column!r} stands for {self.name!r}"
        return ""


def identifier_traces(profile: Profile, base: Path, sha256: str, scratch: Path) -> tuple[Trace, ...] | None:
    """Traces of the direct identifiers, and of dropped columns as far as others equal them.

    The source is read once more; None where it is gone or no longer the one that was read.

    Only hashes are kept, in memory. `scratch` is a private place; it is empty again afterwards.
    """
    if not profile.roles.direct_identifiers and not profile.roles.dropped:
        return ()

    def read(cursor: duckdb.DuckDBPyConnection, opened: OpenedSource, path: Path) -> Staged:
        wanted = [
            (name, plan)
            for name, plan in profile.variables.items()
            if name in opened.columns and plan.role is not Role.HOUSEHOLD
        ]
        return stage(cursor, opened, profile.source, path, wanted, "traced")

    try:
        with reopened(profile, base, sha256, scratch, read) as (cursor, staged):
            return tuple(_traces(cursor, _folded(cursor, staged)))
    except BadData:
        return None


def copies_of_identifiers(traces: Sequence[Trace], candidate: Table) -> list[str]:
    """Every released column that still has an identifier, in words with the names of both."""
    return _found([trace for trace in traces if trace.identifies], candidate)


def copies_of_dropped(traces: Sequence[Trace], candidate: Table) -> list[str]:
    """Every released column that equals a dropped one record by record, in words with the names of both."""
    return _found([trace for trace in traces if not trace.identifies], candidate)


def _found(traces: Sequence[Trace], candidate: Table) -> list[str]:
    found = []
    followed = {column for trace in traces for column in trace.shared if column in candidate.columns}
    for column in (name for name in candidate.columns if name in followed):
        values, records = _counted(candidate, column)
        found += [told for trace in traces if (told := trace.found_in(column, values, records))]
    return found


def _counted(table: Table, column: str) -> tuple[Array, Array]:
    text = sql.folded(table.text(column), table.types[column])
    rows = table.arrow(
        f'SELECT hash("v") AS "h", count(*) AS "c" FROM (SELECT {text} AS "v" FROM {sql.name(table.name)})'
        ' WHERE "v" IS NOT NULL GROUP BY "h"'
    )
    return rows.column("h").to_numpy(), rows.column("c").to_numpy()


def _among(values: Array, known: Array) -> Array:
    """Which of the hashes are among those known, which are in order."""
    import numpy as np

    if not known.size:
        return np.zeros(values.size, dtype=bool)
    places = np.minimum(np.searchsorted(known, values), known.size - 1)
    among: Array = known[places] == values
    return among


def _share(chosen: Array, records: Array) -> float:
    return float(records[chosen].sum() / records.sum()) if records.sum() else 0.0


def _folded(cursor: duckdb.DuckDBPyConnection, staged: Staged) -> Staged:
    """The staged table with folded texts in place of its values, which share their names."""
    texts = ", ".join(
        f"{sql.folded(column.text, column.type)} AS {column.value}" for column in staged.columns
    )
    cursor.execute(f"CREATE OR REPLACE TEMP TABLE folded AS SELECT {texts} FROM {staged.table}")
    cursor.execute(f"DROP TABLE {staged.table}")
    return Staged(staged.path, "folded", staged.columns, staged.rows)


def _traces(cursor: duckdb.DuckDBPyConnection, staged: Staged) -> Iterator[Trace]:
    counts = {column.name: _counts(cursor, staged, column) for column in staged.columns}
    for identifier in staged.columns:
        values = counts[identifier.name][0]
        if identifier.plan.role not in LEFT_BEHIND or values.size <= TINY:
            continue
        identifies = identifier.plan.role is Role.DIRECT_IDENTIFIER
        equal = _equal(cursor, staged, identifier)
        copied = frozenset(
            column.name
            for column in staged.released
            if _follows(cursor, staged, identifier, column, *equal[column.name])
        )
        shared = {
            column.name: _share(_among(counts[column.name][0], values), counts[column.name][1])
            for column in staged.released
        }
        if not identifies:
            yield Trace(identifier.name, values, 1.0, shared, copied, {}, identifies=False)
            continue
        recoded = {
            column.name: told
            for column in staged.released
            if (told := recoded_values(cursor, staged, identifier, column, counts)) is not None
        }
        yield Trace(identifier.name, values, _density(cursor, staged, identifier), shared, copied, recoded)


def _counts(cursor: duckdb.DuckDBPyConnection, staged: Staged, column: StagedColumn) -> tuple[Array, Array]:
    """Hashes of the values of a column, in order, and how many records have each."""
    query = (
        f'SELECT hash({column.value}) AS "h", count(*) AS "c" FROM {staged.table} WHERE {column.value} IS NOT'
        ' NULL GROUP BY "h" ORDER BY "h"'
    )
    rows = cursor.sql(query).to_arrow_table()
    return rows.column("h").to_numpy(), rows.column("c").to_numpy()


def _equal(
    cursor: duckdb.DuckDBPyConnection, staged: Staged, identifier: StagedColumn
) -> dict[str, tuple[int, int]]:
    """For each released column, in how many records it equals the identifier, and how many have both."""
    one = identifier.value
    asked = ", ".join(
        f"count(*) FILTER ({one} = {column.value}), count(*) FILTER ({column.value} IS NOT NULL)"
        for column in staged.released
    )
    row = iter(first_row(cursor, f"SELECT {asked or 0} FROM {staged.table} WHERE {one} IS NOT NULL"))
    return {column.name: (next(row), next(row)) for column in staged.released}


def _follows(
    cursor: duckdb.DuckDBPyConnection,
    staged: Staged,
    identifier: StagedColumn,
    column: StagedColumn,
    equal: int,
    records: int,
) -> bool:
    """Are the two equal in more records than the frequencies of their values explain?

    These explain the sum of n(a) n(b) / n.
    """
    if equal <= BEYOND_CHANCE * records:
        return False
    one, other = identifier.value, column.value
    both = f"FROM {staged.table} WHERE {one} IS NOT NULL AND {other} IS NOT NULL"
    counts = [f'(SELECT {each} AS "v", count(*) AS "c" {both} GROUP BY "v")' for each in (one, other)]
    (chance,) = first_row(
        cursor,
        f'SELECT coalesce(sum("a"."c"::DOUBLE * "b"."c"), 0) FROM {counts[0]} AS "a" JOIN {counts[1]} AS "b"'
        ' ON "a"."v" = "b"."v"',
    )
    return bool(equal - chance / records > BEYOND_CHANCE * records)


def _density(cursor: duckdb.DuckDBPyConnection, staged: Staged, identifier: StagedColumn) -> float:
    number = f"TRY_CAST({identifier.value} AS HUGEINT)"
    asked = f"count(DISTINCT {number}), max({number})::DOUBLE - min({number})::DOUBLE + 1"
    values, span = first_row(
        cursor, f"SELECT {asked} FROM {staged.table} WHERE regexp_full_match({identifier.value}, '\\d+')"
    )
    return min(1.0, values / span) if values else 0.0
