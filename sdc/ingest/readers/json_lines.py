"""Reads JSON lines: an object in every line, its keys are the columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.files import plainly_named
from sdc.ingest.readers.opened import OpenedSource, SourceColumn
from sdc.ingest.readers.typed_columns import described_columns

if TYPE_CHECKING:
    import duckdb

    from sdc.profile.plan import Source

LARGEST_LINE = 1 << 24


@reader(name="jsonl", suffixes=(".jsonl", ".ndjson"), order=15)
@contextmanager
def opened_json_lines(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """Numbers, truth values and texts as they are written. A column of several types comes as text."""
    del source
    import duckdb

    with plainly_named(path, scratch) as named:
        options = (
            "format = 'newline_delimited', sample_size = -1, map_inference_threshold = -1,"
            f" maximum_object_size = {LARGEST_LINE}, dateformat = '%Y-%m-%d'"
        )
        try:
            found = described_columns(cursor, path, f"read_json({sql.text(str(named))}, {options})")
            yield replace(found, columns={name: _plain(held) for name, held in found.columns.items()})
        except (duckdb.IOException, duckdb.OutOfMemoryException):
            raise
        except (duckdb.Error, BadData) as error:
            wrong = _first_wrong_line(path)
            if wrong is None and isinstance(error, BadData):
                raise
            # What DuckDB says repeats the record.
            problem = wrong or f"the records cannot be read to their end ({type(error).__name__})"
            raise BadData([Fault(str(path), problem, "write one object a line")]) from None


def _plain(held: SourceColumn) -> SourceColumn:
    """Values of several types are texts without their quotes."""
    if held.type != "JSON":
        return held
    return replace(held, expression=f"({held.expression} ->> '$')", type="VARCHAR")


class _TwiceError(Exception):
    """An object has a key twice."""


def _first_wrong_line(path: Path) -> str | None:
    import json

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise _TwiceError
        return dict(pairs)

    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                if line.strip() and not isinstance(json.loads(line, object_pairs_hook=once), dict):
                    return f"line {number:,} is no JSON object"
            except (ValueError, RecursionError):
                return f"line {number:,} is no JSON object"
            except _TwiceError:
                return f"line {number:,} has a key twice"
    return None
