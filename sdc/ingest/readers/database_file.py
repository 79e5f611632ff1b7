"""Parquet and DuckDB files: what they hold comes with types."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.files import plainly_named
from sdc.ingest.readers.header import refuse_doubtful_names
from sdc.ingest.readers.opened import Held, Opened
from sdc.ingest.readers.query import refuse_other_sources, single_select

if TYPE_CHECKING:
    import duckdb

    from sdc.profile.plan import Source

CATALOGUE = "source"
INCOMING = "source_rows"
ROWS_AT_A_TIME = 100_000


@contextmanager
def opened_parquet(path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path) -> Iterator[Opened]:
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
    with plainly_named(path, scratch) as named, _readable(path):
        yield _described(cursor, path, f"read_parquet({sql.text(str(named))})")


@contextmanager
def opened_duckdb(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[Opened]:
    """A table or a query of a DuckDB file, read in a database of its own that reaches no other file and no other table."""
    statement = single_select(source.query, cursor) if source.query else None
    with _room(path, cursor, scratch) as room:
        relation = f"({statement}\n)" if statement else _table(source, path, room)
        if statement:
            refuse_other_sources(statement, room, CATALOGUE)
        else:
            refuse_other_sources(f"SELECT * FROM {relation}", room, CATALOGUE, "source.table")
        with _readable(path):
            _described(room, path, relation, statement)
            cursor.register(INCOMING, room.sql(f"SELECT * FROM {relation}").to_arrow_reader(ROWS_AT_A_TIME))
            try:
                yield _described(cursor, path, INCOMING)
            finally:
                cursor.unregister(INCOMING)


@contextmanager
def _room(
    path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The file attached read-only to a database without anything else, which may use as much of the machine as the cursor.

    Where the cursor encrypts what it spills to disk, nothing is spilled here.
    """
    import duckdb

    settings = ("memory_limit", "threads", "temp_file_encryption", "TimeZone")
    memory, threads, encrypts, zone = cursor.execute(
        f"SELECT {', '.join(f'current_setting({sql.text(name)})' for name in settings)}"
    ).fetchall()[0]
    with tempfile.TemporaryDirectory(dir=scratch, prefix="query-") as private:
        room = duckdb.connect(
            ":memory:", config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        )
        try:
            room.execute(
                f"SET memory_limit = {sql.text(memory)}; SET threads = {threads}; SET TimeZone ="
                f" {sql.text(zone)}"
            )
            room.execute(
                f"SET temp_directory = {sql.text('' if encrypts else private)}; SET preserve_insertion_order"
                " = true"
            )
            try:
                room.execute(f"ATTACH {sql.text(str(path))} AS {CATALOGUE} (READ_ONLY)")
            except duckdb.Error as error:
                raise BadData([Fault(str(path), _why_closed(str(error)))]) from None
            room.execute(
                f"SET allowed_directories = [{sql.text(private)}]; SET allowed_paths ="
                f" [{sql.text(str(path))}, {sql.text(f'{path}.wal')}]"
            )
            room.execute("SET enable_external_access = false; SET lock_configuration = true")
            room.execute(f"USE {CATALOGUE}")
            yield room
        finally:
            room.close()


def _table(source: Source, path: Path, cursor: duckdb.DuckDBPyConnection) -> str:
    """The table or view by its name, with or without its schema; the only one where none is named."""
    listed = (
        f"SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = '{CATALOGUE}'"
    )
    found = cursor.execute(listed).fetchall()
    match = [(schema, name) for schema, name in found if source.table in (None, name, f"{schema}.{name}")]
    if len(match) == 1:
        return f"{sql.name(match[0][0])}.{sql.name(match[0][1])}"
    if source.table and not match:
        raise BadData([Fault(str(path), f"the file holds no table {source.table!r}")])
    raise BadData(
        [
            Fault(
                str(path),
                f"the file holds {len(match)} tables to choose from",
                "say which in source.table, or give a source.query",
            )
        ]
    )


def _described(
    cursor: duckdb.DuckDBPyConnection, path: Path, relation: str, statement: str | None = None
) -> Opened:
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
    return Opened(relation, {row[0]: Held(sql.name(row[0]), row[1]) for row in described})


@contextmanager
def _readable(path: Path) -> Iterator[None]:
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


def _why_closed(words: str) -> str:
    if "without a key" in words or "encrypt" in words:
        return "the file is encrypted"
    if "lock" in words:
        return "another program has the file open"
    return "this is no DuckDB file, or one of another version"
