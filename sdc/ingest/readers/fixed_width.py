"""Reads fixed-width text by a layout: which characters of a line are which column."""

from __future__ import annotations

import csv
from collections import Counter
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
LONGEST_LINE = 1 << 21
UNREADABLE = "the lines cannot be read to their end"
EMPTY = ("is empty", "are empty")
SHORT = ("ends before the last column does", "end before the last column does")
LONG = ("goes on after the last column", "go on after the last column")
OTHER_END = ("has another end than line 1", "have another end than line 1")


@reader(name="fixed_width", suffixes=(".fwf", ".asc"), order=12, typed=False)
@contextmanager
def opened_fixed_width(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """Every column as text without blanks around it.

    A line that does not reach the end of the last column is a fault: it may have been cut within a number.
    """
    del cursor
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
    _refuse_lines(path, encoding, max(column.start + column.width - 1 for column in source.layout))
    try:
        with as_utf_8(path, encoding, scratch) as readable:
            columns = {
                column.name: SourceColumn(f"trim(substr(line, {column.start}, {column.width}))", "VARCHAR")
                for column in source.layout
            }
            yield OpenedSource(_lines(readable), columns)
    except (duckdb.InvalidInputException, UnicodeError):
        raise BadData([Fault(str(path), UNREADABLE)]) from None


def _refuse_lines(path: Path, encoding: str, longest: int) -> None:
    """BadData where lines do not fit the layout or end in several ways, with their count and the first."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], int] = {}
    ending = None
    try:
        with path.open(encoding=encoding, newline="") as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), 1):
                text = line.rstrip("\r\n")
                ending = ending or line[len(text) :]
                for problem in _problems(text, line[len(text) :], ending, longest):
                    counts[problem] += 1
                    first.setdefault(problem, number)
    except UnicodeError:
        raise BadData([Fault(str(path), UNREADABLE)]) from None
    if counts:
        remedy = f"check source.layout; every line has {longest:,} characters, blanks where a value is absent"
        raise BadData(
            [
                Fault(
                    str(path),
                    f"{counted(count, 'line')} {problem[count > 1]}, line {first[problem]:,} first",
                    "write the file anew with one kind of line end" if problem == OTHER_END else remedy,
                )
                for problem, count in counts.items()
            ]
        )


def _problems(text: str, end: str, usual: str, longest: int) -> Iterator[tuple[str, str]]:
    if not text:
        yield EMPTY
    elif len(text) < longest:
        yield SHORT
    elif len(text.rstrip(" ")) > longest:
        yield LONG
    if end not in ("", usual):
        yield OTHER_END


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
