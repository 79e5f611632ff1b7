"""Reads fixed-width text by a layout: which characters of a line are which column."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.readers.header import refuse_doubtful_names
from sdc.ingest.readers.opened import OpenedSource, SourceColumn
from sdc.ingest.readers.text_encoding import as_utf_8, codec, first_wrong_line
from sdc.spelling import counted

if TYPE_CHECKING:
    import duckdb

    from sdc.profile.plan import Source

UNUSED = "\x01"
HEADS = ("name", "start", "width")


@reader(name="fixed_width", suffixes=(".fwf", ".asc"), order=12, typed=False)
@contextmanager
def opened_fixed_width(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """Every column as text without blanks around it. A line that ends before its last column is a fault."""
    import duckdb

    if not source.layout:
        remedy = "layout: [{name: age, start: 1, width: 3}, …]; sdc draft takes it from a file by --layout"
        raise BadData(
            [Fault(str(path), "fixed-width text has no names: source.layout must tell them", remedy)]
        )
    refuse_doubtful_names(path, [column.name for column in source.layout])
    encoding = codec(path, source.encoding)
    if encoding == "utf-8-sig" and (line := first_wrong_line(path, encoding)):
        problem = f"this is not {source.encoding}: line {line} has bytes that are no characters in it"
        raise BadData([Fault(str(path), problem, "say which in source.encoding")])
    needed = max(column.start for column in source.layout)
    longest = max(column.start + column.width - 1 for column in source.layout)
    with as_utf_8(path, encoding, scratch) as readable:
        short, long = cursor.execute(
            f"SELECT count_if(length(line) < {needed}), count_if(length(rtrim(line)) > {longest})"
            f" FROM {_lines(readable)}"
        ).fetchall()[0]
    if short or long:
        one = (short or long) == 1
        problem = (
            f"{counted(short, 'line')} {'ends' if one else 'end'} before the last column begins"
            if short
            else f"{counted(long, 'line')} {'goes' if one else 'go'} on after the last column"
        )
        raise BadData([Fault(str(path), problem, "check source.layout")])
    try:
        with as_utf_8(path, encoding, scratch) as readable:
            columns = {
                column.name: SourceColumn(f"trim(substr(line, {column.start}, {column.width}))", "VARCHAR")
                for column in source.layout
            }
            yield OpenedSource(_lines(readable), columns)
    except (duckdb.InvalidInputException, UnicodeError):
        raise BadData([Fault(str(path), "the lines cannot be read to their end")]) from None


def _lines(path: Path) -> str:
    return (
        f"read_csv({sql.text(str(path))}, auto_detect = false, header = false, delim = {sql.text(UNUSED)},"
        " quote = '', escape = '', null_padding = false, columns = {'line': 'VARCHAR'})"
    )


def layout_of(path: Path) -> list[dict[str, str | int]]:
    """A layout from a CSV file with the columns name, start and width."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
        return [{"name": row["name"], "start": int(row["start"]), "width": int(row["width"])} for row in rows]
    except (OSError, UnicodeError, csv.Error, KeyError, TypeError, ValueError):
        problem = "this is no layout"
        raise BadData(
            [Fault(str(path), problem, f"a CSV file with the columns {', '.join(HEADS)}")]
        ) from None
