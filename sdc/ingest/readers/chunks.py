"""Records that come in chunks, as something to select from: a large file never has to fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_NUMBERS = count()
ROWS_AT_A_TIME = 100_000


@contextmanager
def in_chunks(cursor: duckdb.DuckDBPyConnection, batches: pa.RecordBatchReader) -> Iterator[str]:
    """The name to select from, on this cursor. The records can be read once."""
    name = f"source_rows_{next(_NUMBERS)}"
    cursor.register(name, batches)
    try:
        yield name
    finally:
        cursor.unregister(name)


@contextmanager
def spooled(cursor: duckdb.DuckDBPyConnection, query: str) -> Iterator[str]:
    """All records in a temporary table: they are read to their end before anything is said of them."""
    name = f"spooled_rows_{next(_NUMBERS)}"
    cursor.execute(f"CREATE TEMP TABLE {name} AS {query}")
    try:
        yield f"temp.{name}"
    finally:
        cursor.execute(f"DROP TABLE IF EXISTS temp.{name}")
