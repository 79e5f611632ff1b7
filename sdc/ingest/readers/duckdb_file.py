"""Reads a table or a query of a DuckDB file, in a database of its own that reaches nothing else."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.readers.chunks import ROWS_AT_A_TIME, in_chunks
from sdc.ingest.readers.opened import OpenedSource
from sdc.ingest.readers.query import refuse_other_sources, single_select
from sdc.ingest.readers.typed_columns import described_columns, read_to_the_end

if TYPE_CHECKING:
    import duckdb

    from sdc.profile.plan import Source

CATALOGUE = "source"


@reader(name="duckdb", suffixes=(".duckdb", ".ddb", ".db"), order=30, has_tables=True)
@contextmanager
def opened_duckdb(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """A table or a query, read in a database of its own that reaches no other file and no other table."""
    statement = single_select(source.query, cursor) if source.query else None
    with _room(path, cursor, scratch) as room:
        relation = f"({statement}\n)" if statement else _table(source, path, room)
        if statement:
            refuse_other_sources(statement, room, CATALOGUE)
        else:
            refuse_other_sources(f"SELECT * FROM {relation}", room, CATALOGUE, "source.table")
        with read_to_the_end(path):
            described_columns(room, path, relation, statement)
            batches = room.sql(f"SELECT * FROM {relation}").to_arrow_reader(ROWS_AT_A_TIME)
            with in_chunks(cursor, batches) as incoming:
                yield described_columns(cursor, path, incoming)


@contextmanager
def _room(
    path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The file attached read-only to a database without anything else.

    It may use as much of the machine as the cursor. Where the cursor encrypts what it spills to disk, nothing
    is spilled here.
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


def _why_closed(words: str) -> str:
    if "without a key" in words or "encrypt" in words:
        return "the file is encrypted"
    if "lock" in words:
        return "another program has the file open"
    return "this is no DuckDB file, or one of another version"
