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
        except duckdb.OutOfMemoryException:
            raise
        except (duckdb.Error, BadData) as error:
            line = _first_wrong_line(path)
            if line is None:
                raise
            del error
            problem = f"line {line} is no JSON object"
            raise BadData([Fault(str(path), problem, "write one object a line")]) from None


def _plain(held: SourceColumn) -> SourceColumn:
    """Values of several types are texts without their quotes."""
    if held.type != "JSON":
        return held
    return replace(held, expression=f"({held.expression} ->> '$')", type="VARCHAR")


def _first_wrong_line(path: Path) -> int | None:
    import json

    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                if line.strip() and not isinstance(json.loads(line), dict):
                    return number
            except ValueError:
                return number
    return None
