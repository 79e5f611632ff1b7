"""Reads a Parquet file, whose columns come with types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.files import plainly_named
from sdc.ingest.readers.header import refuse_doubtful_names
from sdc.ingest.readers.opened import OpenedSource
from sdc.ingest.readers.typed_columns import described_columns, read_to_the_end

if TYPE_CHECKING:
    import duckdb

    from sdc.profile.plan import Source


@reader(name="parquet", suffixes=(".parquet", ".pq"), order=20)
@contextmanager
def opened_parquet(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """Every column with its type."""
    del source
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as file:
            names = pq.ParquetFile(file).schema_arrow.names
    except pa.ArrowException:
        raise BadData(
            [Fault(str(path), "this is no Parquet file", "say what it is in source.format")]
        ) from None
    refuse_doubtful_names(path, names)
    with plainly_named(path, scratch) as named, read_to_the_end(path):
        yield described_columns(cursor, path, f"read_parquet({sql.text(str(named))})")
