"""Reads a CSV file: its header, how DuckDB is to read it, and what is wrong where it cannot."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.readers.csv_dialect import guess_dialect
from sdc.ingest.readers.header import refuse_doubtful_names
from sdc.ingest.readers.opened import OpenedSource, SourceColumn
from sdc.ingest.readers.text_encoding import as_utf_8, codec, first_wrong_line

if TYPE_CHECKING:
    import duckdb

    from sdc.profile.plan import Source

RAGGED = ("MISSING COLUMNS", "TOO MANY COLUMNS")
MOST_REJECTS = 1_000_000
NEVER = "\x01\x02\x03"


@reader(name="csv", suffixes=(".csv", ".tsv", ".txt"), order=10, typed=False, guess=guess_dialect)
@contextmanager
def opened_csv(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """Every column as text. BadData, with lines and counts, where a query of it fails because of the file."""
    import duckdb

    encoding = codec(path, source.encoding)
    header = _header(source, path, encoding)
    refuse_doubtful_names(path, header)
    columns = {name: SourceColumn(f'"c{place}"', "VARCHAR") for place, name in enumerate(header)}
    try:
        with as_utf_8(path, encoding, scratch) as readable:
            yield OpenedSource(
                _read_csv(source, readable, len(header)), columns, frozenset(source.missing_codes)
            )
    except (duckdb.InvalidInputException, UnicodeError):
        raise BadData(_diagnosis(source, path, encoding, len(header), cursor, scratch)) from None


def _header(source: Source, path: Path, encoding: str) -> list[str]:
    problem = "the first line cannot be read as column names"
    try:
        with path.open(encoding=encoding, newline="") as file:
            return next(csv.reader(file, delimiter=source.separator, quotechar=source.quote, strict=True))
    except StopIteration:
        raise BadData([Fault(str(path), "the file is empty")]) from None
    except UnicodeError:
        raise BadData([_wrong_encoding(source, path, first_wrong_line(path, encoding) or 1)]) from None
    except (csv.Error, TypeError, ValueError):
        # Marks of several characters are refused by their type, or by their value.
        raise BadData([Fault(str(path), problem, "check separator and quote")]) from None


def _read_csv(source: Source, path: Path, width: int, more: str = "") -> str:
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(width))
    nulls = ", ".join(map(sql.text, source.missing_codes or (NEVER,)))
    told = (
        f"delim = {sql.text(source.separator)}, quote = {sql.text(source.quote)}, escape ="
        f" {sql.text(source.quote)}, nullstr = [{nulls}]"
    )
    return (
        f"read_csv({sql.text(str(path))}, auto_detect = false, header = true, {told}, columns ="
        f" {{{columns}}}{more})"
    )


def _wrong_encoding(source: Source, path: Path, line: int) -> Fault:
    return Fault(
        str(path),
        f"this is not {source.encoding}: line {line} has bytes that are no characters in it",
        "say which in source.encoding",
    )


def _diagnosis(
    source: Source, path: Path, encoding: str, width: int, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> list[Fault]:
    line = first_wrong_line(path, encoding)
    if line is not None:
        return [_wrong_encoding(source, path, line)]
    rejected = _rejected(source, path, encoding, width, cursor, scratch)
    ragged = [line for line, kind in rejected if kind in RAGGED]
    others = [line for line, kind in rejected if kind not in RAGGED]
    faults = []
    if ragged:
        faults.append(
            Fault(
                str(path),
                f"{_lines(ragged)} not have {width} fields as the header has, the first is line"
                f" {min(ragged)}",
                "mend the file",
            )
        )
    if others:
        faults.append(
            Fault(
                str(path),
                f"{_lines(others)} not end as they should, the first is line {min(others)}",
                "check quotes, and source.quote",
            )
        )
    if not faults and _mixes_line_endings(path):
        faults.append(
            Fault(
                str(path), "some lines end in CR LF and some in LF", "write it with one kind of line ending"
            )
        )
    return faults or [Fault(str(path), "this cannot be read as CSV", "check separator and quote")]


def _lines(lines: list[int]) -> str:
    count = len(set(lines))
    if count >= MOST_REJECTS:
        return f"{MOST_REJECTS} lines or more do"
    return "1 line does" if count == 1 else f"{count} lines do"


def _rejected(
    source: Source, path: Path, encoding: str, width: int, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> list[tuple[int, str]]:
    """Line and kind of each line DuckDB cannot take. Its tables of rejects quote the lines.

    They are dropped at once.
    """
    import duckdb

    tables = {"rejects_scan": "csv_scans", "rejects_table": "csv_rejects"}
    stored = f", store_rejects = true, rejects_limit = {MOST_REJECTS}" + "".join(
        f", {option} = '{name}'" for option, name in tables.items()
    )
    try:
        with as_utf_8(path, encoding, scratch) as readable:
            every = ", ".join(f'count("c{place}")' for place in range(width))
            cursor.execute(f"SELECT {every} FROM {_read_csv(source, readable, width, stored)}").fetchall()
        rows: list[tuple[int, str]] = cursor.execute(
            "SELECT line, CAST(error_type AS VARCHAR) FROM csv_rejects"
        ).fetchall()
    except duckdb.Error:
        return []
    else:
        return rows
    finally:
        for name in tables.values():
            cursor.execute(f"DROP TABLE IF EXISTS {name}")


def _mixes_line_endings(path: Path) -> bool:
    both, bare = 0, 0
    with path.open("rb") as file:
        for line in file:
            both += line.endswith(b"\r\n")
            bare += line.endswith(b"\n") and not line.endswith(b"\r\n")
    return both > 0 and bare > 0
