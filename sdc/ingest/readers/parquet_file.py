"""Reads a Parquet file, or a folder of parts, whose columns come with types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.files import parts_of, plainly_named
from sdc.ingest.readers.header import refuse_doubtful_names
from sdc.ingest.readers.typed_columns import described_columns, read_to_the_end

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Source

SUFFIXES = (".parquet", ".pq")


@reader(name="parquet", suffixes=SUFFIXES, order=20, begins=(b"PAR1",), folders=True)
@contextmanager
def opened_parquet(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """Every column with its type. Parts of a folder come in the order of their names.

    Folders named `region=north` give a column of text.
    """
    del source
    parts = parts_of(path) if path.is_dir() else [path]
    first = _names(parts[0])
    for part in parts:
        if (names := _names(part)) != first:
            problem = f"it has {len(names)} columns, and not those of the first part, in their order"
            raise BadData([Fault(str(part), problem, "write all parts with one schema")])
    refuse_doubtful_names(path, first)
    if path.is_dir():
        if set(str(path)) & set("*?["):
            raise BadData([Fault(str(path), "the name of the folder has a *, ? or [", "rename it")])
        listed = ", ".join(sql.text(str(part)) for part in parts)
        relation = f"read_parquet([{listed}], hive_partitioning = true, hive_types_autocast = false)"
        with read_to_the_end(path):
            yield described_columns(cursor, path, relation)
        return
    with plainly_named(path, scratch) as named, read_to_the_end(path):
        relation = f"read_parquet({sql.text(str(named))}, hive_partitioning = false)"
        yield described_columns(cursor, path, relation)


def _names(part: Path) -> list[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with part.open("rb") as file:
            names: list[str] = pq.ParquetFile(file).schema_arrow.names
    except pa.ArrowException:
        raise BadData(
            [Fault(str(part), "this is no Parquet file", "say what it is in source.format")]
        ) from None
    return names
