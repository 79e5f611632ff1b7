"""Every column with its declared type, and a mark where a value could not be read as that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.roles import LEFT_BEHIND, VariableType
from sdc.data.table import NUMERIC_TYPES, WHOLE_TYPES
from sdc.ingest.readers.opened import OpenedSource, SourceColumn
from sdc.ingest.source_parts import PartReading, put_together
from sdc.profile.plan import Source, VariablePlan

if TYPE_CHECKING:
    import duckdb

KEPT_WHOLE = tuple(kind for kind in WHOLE_TYPES if kind not in ("HUGEINT", "UBIGINT"))
STAGED_AS = {
    VariableType.NUMERIC: "DOUBLE",
    VariableType.DATE: "DATE",
    VariableType.CATEGORICAL: "VARCHAR",
    VariableType.ORDINAL: "VARCHAR",
}
WRITTEN_AS = {"boolean": "BOOLEAN", "time": "TIME", "datetime": "TIMESTAMP"}
"""What the text of a variable is read as, to check it and to spell it in one way."""
NEVER = "FALSE"
EXACT = 2.0**53
UNFIT = "lists, structures, or numbers too large to be held exactly (2^53 or more)"
WRONG_TYPE = {
    VariableType.NUMERIC: (
        "values that are not numbers",
        "add their code to missing_codes, or declare another type",
    ),
    VariableType.DATE: (
        "values that are not days written YYYY-MM-DD",
        "add their code to missing_codes, or declare another type",
    ),
    VariableType.CATEGORICAL: (UNFIT, "spread them over columns or write them as text, by a query"),
    VariableType.ORDINAL: (UNFIT, "spread them over columns or write them as text, by a query"),
}
NESTED = ("STRUCT", "MAP", "UNION", "BLOB")

WRONG_WRITTEN = {
    "boolean": ("values that are neither true nor false", "list them with allowed: instead"),
    "time": ("values that are not times written HH:MM or HH:MM:SS", "add their code to missing_codes"),
    "datetime": (
        "values that are not moments written YYYY-MM-DD HH:MM:SS",
        "add their code to missing_codes",
    ),
}


def wrong_type(plan: VariablePlan) -> tuple[str, str]:
    """What is wrong with values that cannot be read as declared, and what would be right."""
    return WRONG_WRITTEN.get(plan.written) or WRONG_TYPE[plan.type]


@dataclass(frozen=True)
class StagedColumn:
    """A variable in a staged table.

    Its value and whether it was unreadable, in SQL, whatever the variable is called.
    """

    name: str
    plan: VariablePlan
    place: int
    type: str
    unreadable: str

    @property
    def value(self) -> str:
        return f'"v{self.place}"'

    @property
    def text(self) -> str:
        return sql.as_text(self.value, self.type)


@dataclass(frozen=True)
class Staged:
    """A source's records in a temporary table, in the order of the file.

    Not in the warehouse, and gone with the cursor.
    """

    path: Path
    table: str
    columns: tuple[StagedColumn, ...]
    rows: int
    row: str = "rowid"
    """The number of a record in its file, in SQL."""
    left_out: int = 0
    """Records of the file that were not selected."""

    def __getitem__(self, name: str) -> StagedColumn:
        return next(column for column in self.columns if column.name == name)

    @property
    def released(self) -> tuple[StagedColumn, ...]:
        return tuple(column for column in self.columns if column.plan.role not in LEFT_BEHIND)


def stage(
    cursor: duckdb.DuckDBPyConnection,
    opened: OpenedSource,
    source: Source,
    path: Path,
    wanted: Sequence[tuple[str, VariablePlan]],
    table: str,
    digests: Sequence[tuple[Path, str]] = (),
    elsewhere: PartReading | None = None,
) -> Staged:
    """Read the wanted columns once: here, or `elsewhere` where a folder has parts of these digests."""
    columns, chosen = [], []
    for place, (name, plan) in enumerate(wanted):
        held = opened.columns[name]
        kind, value, unreadable = read_as(
            plan, without_missing(opened, source, plan, held), (held.source or source).decimal
        )
        chosen.append(f'{value} AS "v{place}"')
        if unreadable != NEVER:
            chosen.append(f'{unreadable} AS "u{place}"')
        columns.append(StagedColumn(name, plan, place, kind, NEVER if unreadable == NEVER else f'"u{place}"'))
    if opened.row:
        chosen.append(f'{opened.row} AS "row"')
    listed = ", ".join(chosen)
    if elsewhere is not None and len(opened.parts) > 1:
        put_together(cursor, opened, table, listed, dict(digests), elsewhere)
    else:
        cursor.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {listed} FROM {opened.relation}")
    rows = cursor.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
    left_out = 0 if opened.read is None else opened.read - rows
    return Staged(path, table, tuple(columns), rows, '"row"' if opened.row else "rowid", left_out)


def without_missing(
    opened: OpenedSource, source: Source, plan: VariablePlan, held: SourceColumn
) -> SourceColumn:
    """The column with its missing codes taken out."""
    nulls = frozenset[str]() if held.source else opened.nulls
    codes = {*(held.source or source).missing_codes, *plan.missing_codes} - nulls
    if held.type != "VARCHAR":
        codes -= {""}
    if not codes:
        return held
    listed = ", ".join(map(sql.text, sorted(codes)))
    return SourceColumn(
        f"CASE WHEN {_text_of(held)} IN ({listed}) THEN NULL ELSE {held.expression} END", held.type
    )


def _text_of(held: SourceColumn) -> str:
    """A value as a missing code would be written; not-a-number included."""
    if held.type in ("FLOAT", "DOUBLE"):
        return f"coalesce({sql.as_text(held.expression, held.type)}, CAST({held.expression} AS VARCHAR))"
    return sql.as_text(held.expression, held.type)


def read_as(
    plan: VariablePlan, held: SourceColumn, decimal: str, *, whatever_role: bool = False
) -> tuple[str, str, str]:
    """The type a column is staged with, its value in SQL, and whether a value could not be read.

    A column that is left behind is text, unless it is to be read `whatever_role` it has.
    """
    if held.type.startswith(NESTED) or held.type.endswith("]"):
        kind = STAGED_AS[plan.type]
        return kind, f"CAST(NULL AS {kind})", f"({held.expression} IS NOT NULL)"
    if whatever_role or plan.role not in LEFT_BEHIND:
        if plan.type is VariableType.NUMERIC:
            return "DOUBLE", *_number(held, decimal)
        if plan.type is VariableType.DATE:
            return "DATE", *_date(held)
        if plan.written in WRITTEN_AS:
            return "VARCHAR", *_written(held, WRITTEN_AS[plan.written])
    kind, value = _as_held(held)
    inexact = held.type in ("FLOAT", "DOUBLE") and plan.role not in LEFT_BEHIND
    return (
        kind,
        value,
        f"coalesce(abs({held.expression}) >= {sql.number(EXACT)}, FALSE)" if inexact else NEVER,
    )


def _as_held(held: SourceColumn) -> tuple[str, str]:
    if held.type in ("VARCHAR", "BOOLEAN"):
        return held.type, held.expression
    if held.type in KEPT_WHOLE:
        return "BIGINT", f"CAST({held.expression} AS BIGINT)"
    return "VARCHAR", sql.as_text(held.expression, held.type)


def _written(held: SourceColumn, kind: str) -> tuple[str, str]:
    """Truth values, times and moments, in one spelling."""
    text = sql.as_text(held.expression, held.type)
    value = f"CAST(TRY_CAST({text} AS {kind}) AS VARCHAR)"
    return value, f"({held.expression} IS NOT NULL AND {value} IS NULL)"


def _number(held: SourceColumn, decimal: str) -> tuple[str, str]:
    if held.type == "VARCHAR":
        # Where the decimal sign is a comma, a point must not pass for one.
        text = (
            held.expression
            if decimal == "."
            else f"translate({held.expression}, {sql.text(decimal + '.')}, {sql.text('.' + decimal)})"
        )
        value = f"TRY_CAST({text} AS DOUBLE)"
        return (
            value,
            f"({held.expression} IS NOT NULL AND ({value} IS NULL OR contains({held.expression}, '_')))",
        )
    if held.type.startswith((*NUMERIC_TYPES, "BOOLEAN")):
        return f"CAST({held.expression} AS DOUBLE)", NEVER
    return "CAST(NULL AS DOUBLE)", f"({held.expression} IS NOT NULL)"


def _date(held: SourceColumn) -> tuple[str, str]:
    if held.type == "VARCHAR":
        value = f"TRY_CAST({held.expression} AS DATE)"
        written = f"CAST({value} AS VARCHAR) = {held.expression} AND isfinite({value})"
        return value, f"({held.expression} IS NOT NULL AND NOT coalesce({written}, FALSE))"
    if held.type == "DATE":
        return held.expression, f"({held.expression} IS NOT NULL AND NOT isfinite({held.expression}))"
    if held.type.startswith("TIMESTAMP"):
        return (
            f"CAST({held.expression} AS DATE)",
            f"coalesce({held.expression} <> date_trunc('day', {held.expression}), FALSE)",
        )
    return "CAST(NULL AS DATE)", f"({held.expression} IS NOT NULL)"
