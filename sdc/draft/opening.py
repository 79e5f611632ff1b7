"""The records of a file that nobody has described, read as a run would read them."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader_of
from sdc.data import sql
from sdc.data.database import Database
from sdc.errors import BadData, Fault
from sdc.ingest.files import Fingerprint
from sdc.profile.plan import Source
from sdc.run.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sdc.data.table import Table
    from sdc.ingest.readers.opened import ColumnMetadata

MOST_RECORDS = 1_000_000


def described_source(path: Path, table: str | None = None, query: str | None = None) -> Source:
    """The source as a profile would describe it; BadData where there is nothing to read."""
    Fingerprint.of(path)
    reader = reader_of(path, of_tables=bool(table or query))
    guessed = reader.guess(path) if reader.guess else {}
    chosen = {"table": table, "query": query} if reader.has_tables else {}
    return Source(path=path, format=reader.name, **guessed, **chosen)


@contextmanager
def opened(source: Source) -> Iterator[tuple[Table, Mapping[str, ColumnMetadata]]]:
    """The first records of a source in memory, enough for guesses, and what the file says of its columns."""
    database = Database.in_memory()
    with scratch(Path(tempfile.gettempdir())) as place:
        cursor = database.cursor()
        cursor.execute(f"SET temp_directory = {sql.text(str(place))}")
        try:
            with reader_of(source.path, source.format).opened(source, source.path, cursor, place) as found:
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
            yield data, {name: held.metadata for name, held in found.columns.items()}
        finally:
            database.close()
