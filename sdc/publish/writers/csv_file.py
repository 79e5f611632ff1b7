"""Writes CSV: UTF-8, commas, empty cells where missing."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from sdc.catalogue.writers import writer
from sdc.data import sql
from sdc.data.spreadsheet_cells import escaped_value, unescaped_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sdc.publish.leaving_table import LeavingTable

WRITTEN = "FORMAT csv, HEADER true, DELIM ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''"
READ = (
    "header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false,"
    " auto_detect = false, comment = ''"
)
"""One dialect, twice: a missing value is an empty cell, an empty text a quoted one."""


def read_csv(table: LeavingTable, place: Path) -> str:
    plan = table.plan
    _check_header(table, place)
    types = {column.name: "VARCHAR" if plan.is_text(column.name) else column.held for column in table.columns}
    columns = ", ".join(f"{sql.text(column)}: {sql.text(kind)}" for column, kind in types.items())
    read = f"read_csv({sql.text(str(place))}, {READ}, columns = {{{columns}}})"
    if plan.profile.publish.formulas != "escape":
        return read
    return f"(SELECT {each_text(table, lambda column: unescaped_value(sql.name(column)))} FROM {read})"


@writer(
    name="csv",
    suffix=".csv",
    media_type="text/csv",
    words="the data as text (UTF-8, commas, empty cells where missing)",
    read_back=read_csv,
    order=10,
)
def write_csv(table: LeavingTable, place: Path) -> None:
    """If the profile says so, texts that a spreadsheet would run are escaped."""
    table.reader.execute(
        f"COPY (SELECT {_cells(table)} FROM {table.relation}) TO {sql.text(str(place))} ({WRITTEN})"
    )


def _cells(table: LeavingTable) -> str:
    if table.plan.profile.publish.formulas != "escape":
        return each_text(table, lambda column: f"CAST({sql.name(column)} AS VARCHAR)")
    return each_text(table, lambda column: escaped_value(f"CAST({sql.name(column)} AS VARCHAR)"))


def _check_header(table: LeavingTable, place: Path) -> None:
    with place.open(encoding="utf-8", newline="") as file:
        header: Sequence[str] = next(csv.reader(file))
    if tuple(header) != table.stored.part.columns:
        raise table.fail(place, "has other columns than the candidate")


def each_text(table: LeavingTable, written: Callable[[str], str]) -> str:
    """All columns, those of texts as `written` has them, in SQL."""
    selected = {
        column: written(column) if table.plan.is_text(column) else sql.name(column)
        for column in table.stored.part.columns
    }
    return ", ".join(f"{value} AS {sql.name(column)}" for column, value in selected.items())
