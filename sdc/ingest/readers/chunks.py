"""Records that come in chunks, as something to select from: a large file never has to fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

INCOMING = "source_rows"
ROWS_AT_A_TIME = 100_000


@contextmanager
def in_chunks(cursor: duckdb.DuckDBPyConnection, batches: pa.RecordBatchReader) -> Iterator[str]:
    """The name to select from, on this cursor. The records can be read once."""
    cursor.register(INCOMING, batches)
    try:
        yield INCOMING
    finally:
        cursor.unregister(INCOMING)
