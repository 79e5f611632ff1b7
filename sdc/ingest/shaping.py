"""The records of a source as a profile asks for them: selected by `where`, with the columns of `derived`.

Expressions see the declared variables: numbers as numbers, days as days, everything else as text, missing
codes as missing. The whole source is read, so that what was left out is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.expressions import RecordExpression
from sdc.errors import BadData, Fault
from sdc.ingest.readers.opened import OpenedSource, SourceColumn
from sdc.ingest.staging import NEVER, read_as, without_missing, wrong_type
from sdc.profile.expressions import seen_as
from sdc.spelling import counted

if TYPE_CHECKING:
    import duckdb

    from sdc.profile.plan import Source, VariablePlan

TABLE = "temp.shaped_records"
ROW = '"row of the file"'
KEPT = '"is selected"'


@dataclass(frozen=True)
class _Seen:
    """A variable as expressions see it: its value in SQL, and whether a value could not be read."""

    name: str
    value: str
    unreadable: str


@contextmanager
def shaped(
    opened: OpenedSource,
    source: Source,
    variables: Mapping[str, VariablePlan],
    path: Path,
    cursor: duckdb.DuckDBPyConnection,
) -> Iterator[OpenedSource]:
    """The opened source with its derived columns, without the records that are not selected."""
    if not source.where and not source.derived:
        yield opened
        return
    _refuse_names_taken(opened, source, path)
    try:
        yield _materialised(opened, source, variables, path, cursor)
    finally:
        cursor.execute(f"DROP TABLE IF EXISTS {TABLE}")


def with_columns_asked_for(opened: OpenedSource, source: Source, path: Path) -> OpenedSource:
    """The opened file with the columns that its source lists, or all; BadData where it lacks one."""
    if absent := [name for name in source.columns if name not in opened.columns]:
        raise BadData(
            [
                Fault(f"{path}, column {name!r}", "columns asks for it and the data do not have it")
                for name in absent
            ]
        )
    listed = {name: opened.columns[name] for name in opened.columns if name in source.columns}
    return replace(opened, columns=listed) if source.columns else opened


def _refuse_names_taken(opened: OpenedSource, source: Source, path: Path) -> None:
    folded = {name.casefold() for name in opened.columns}
    if taken := [name for name in source.derived if name.casefold() in folded]:
        raise BadData(
            [
                Fault(
                    f"{path}, column {name!r}",
                    "it is derived, and the data have it too",
                    "give it another name",
                )
                for name in taken
            ]
        )


def _materialised(
    opened: OpenedSource,
    source: Source,
    variables: Mapping[str, VariablePlan],
    path: Path,
    cursor: duckdb.DuckDBPyConnection,
) -> OpenedSource:
    import duckdb

    held = ", ".join(f'{each.expression} AS "c{place}"' for place, each in enumerate(opened.columns.values()))
    raw = {
        name: replace(each, expression=f'"c{place}"')
        for place, (name, each) in enumerate(opened.columns.items())
    }
    cursor.execute(f"CREATE OR REPLACE TEMP TABLE raw_records AS SELECT {held} FROM {opened.relation}")
    try:
        read = int(cursor.execute("SELECT count(*) FROM raw_records").fetchall()[0][0])
        seen = list(_seen(replace(opened, columns=raw), source, variables))
        _refuse_unreadable(seen, variables, path, cursor)
        derived = ", ".join(f'({text}\n) AS "d{place}"' for place, text in enumerate(source.derived.values()))
        visible = ", ".join(f"{each.value} AS {sql.name(each.name)}" for each in seen)
        inner = f"SELECT rowid AS {ROW}{', ' if visible else ''}{visible} FROM raw_records"
        computed = (
            f"SELECT {ROW} AS row, ({source.where or 'TRUE'}\n) AS {KEPT}"
            f"{', ' if derived else ''}{derived} FROM ({inner})"
        )
        columns = ", ".join(
            [
                *(each.expression for each in raw.values()),
                *(f'"d{place}"' for place in range(len(source.derived))),
            ]
        )
        cursor.execute(
            f"CREATE OR REPLACE TEMP TABLE shaped_records AS SELECT row, {columns} FROM ({computed}) AS made"
            f" JOIN raw_records ON raw_records.rowid = made.row WHERE {KEPT} ORDER BY row"
        )
    except duckdb.Error as error:
        raise BadData(
            [
                Fault(
                    f"{path}",
                    f"where or derived fails on some record ({type(error).__name__})",
                    "use TRY_CAST, or say what is missing",
                )
            ]
        ) from None
    finally:
        cursor.execute("DROP TABLE IF EXISTS temp.raw_records")
    types = {row[0]: row[1] for row in cursor.execute(f"DESCRIBE SELECT * FROM {TABLE}").fetchall()}
    made = {
        name: SourceColumn(f'"d{place}"', types[f"d{place}"]) for place, name in enumerate(source.derived)
    }
    return replace(opened, relation=TABLE, columns={**raw, **made}, row="row", read=read, parts={})


def _seen(opened: OpenedSource, source: Source, variables: Mapping[str, VariablePlan]) -> Iterator[_Seen]:
    """The variables that some expression reads."""
    texts = [*([source.where] if source.where else []), *source.derived.values()]
    named = {name.casefold() for text in texts for name in RecordExpression.of(text).names}
    for name, plan in variables.items():
        if name.casefold() in named and name in opened.columns:
            held = without_missing(opened, source, plan, opened.columns[name])
            decimal = (opened.columns[name].source or source).decimal
            kind, value, unreadable = read_as(plan, held, decimal, whatever_role=True)
            seen = seen_as(plan)
            yield _Seen(
                name, value if kind == seen else f"CAST({sql.as_text(value, kind)} AS {seen})", unreadable
            )


def _refuse_unreadable(
    seen: list[_Seen], variables: Mapping[str, VariablePlan], path: Path, cursor: duckdb.DuckDBPyConnection
) -> None:
    """A value that cannot be read would be taken for missing, and its record left out without a word."""
    doubtful = [each for each in seen if each.unreadable != NEVER]
    if not doubtful:
        return
    asked = ", ".join(f"count_if({each.unreadable})" for each in doubtful)
    counts = cursor.execute(f"SELECT {asked} FROM raw_records").fetchall()[0]
    faults = [
        Fault(
            f"{path}, column {each.name!r}",
            f"{wrong_type(variables[each.name])[0]} in {counted(count, 'record')}",
            wrong_type(variables[each.name])[1],
        )
        for each, count in zip(doubtful, counts, strict=True)
        if count
    ]
    if faults:
        raise BadData(faults)
