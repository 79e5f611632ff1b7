"""The records behind a source, as a run would read them."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.database import Database
from sdc.errors import BadData, Fault
from sdc.ingest.readers.csv_file import opened_csv
from sdc.ingest.readers.database_file import opened_duckdb, opened_parquet
from sdc.run.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    import duckdb

    from sdc.data.table import Table
    from sdc.ingest.readers.opened import Opened
    from sdc.profile.plan import Source

MOST_RECORDS = 1_000_000


@contextmanager
def opened(source: Source) -> Iterator[Table]:
    """The first records of a source in memory, enough for guesses."""
    database = Database.in_memory()
    with scratch(Path(tempfile.gettempdir())) as place:
        cursor = database.cursor()
        cursor.execute(f"SET temp_directory = {sql.text(str(place))}")
        try:
            with _readable(source, cursor, place) as found:
                columns = ", ".join(
                    f"{held.expression} AS {sql.name(name)}" for name, held in found.columns.items()
                )
                cursor.execute(
                    f"CREATE TABLE memory.main.data AS SELECT {columns} FROM {found.relation} LIMIT"
                    f" {MOST_RECORDS}"
                )
            data = database.table("data")
            if not data.rows:
                raise BadData(
                    [Fault(str(source.path), "there are no records", "a draft needs some to count")]
                )
            yield data
        finally:
            database.close()


def _readable(
    source: Source, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> AbstractContextManager[Opened]:
    if source.format == "parquet":
        return opened_parquet(source.path, cursor, scratch)
    if source.format == "duckdb":
        return opened_duckdb(source, source.path, cursor, scratch)
    return opened_csv(source, source.path, cursor, scratch)
