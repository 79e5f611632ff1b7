"""Columns that come with types, as DuckDB describes what it can select from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.readers.header import refuse_doubtful_names
from sdc.ingest.readers.opened import OpenedSource, SourceColumn

if TYPE_CHECKING:
    import duckdb


def described_columns(
    cursor: duckdb.DuckDBPyConnection, path: Path, relation: str, statement: str | None = None
) -> OpenedSource:
    import duckdb

    try:
        # Only the statement itself shows that two of its columns have one name.
        described = cursor.execute(f"DESCRIBE {statement or f'SELECT * FROM {relation}'}").fetchall()
    except duckdb.IOException:
        raise
    except duckdb.Error as error:
        raise BadData(
            [Fault(str(path), f"the table or query cannot be read ({type(error).__name__})")]
        ) from None
    refuse_doubtful_names(path, [row[0] for row in described])
    return OpenedSource(relation, {row[0]: SourceColumn(sql.name(row[0]), row[1]) for row in described})


@contextmanager
def read_to_the_end(path: Path) -> Iterator[None]:
    """A file that breaks off, or a query that fails on some value, is a fault of the data."""
    import duckdb

    try:
        yield
    except (duckdb.IOException, duckdb.OutOfMemoryException):
        raise
    except duckdb.Error as error:
        raise BadData(
            [
                Fault(
                    str(path),
                    f"the records cannot be read to their end ({type(error).__name__})",
                    "is the file whole?",
                )
            ]
        ) from None
