"""Reads a table or a query of a DuckDB or SQLite file, in a database that reaches nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.data import sql
from sdc.ingest.readers.chunks import ROWS_AT_A_TIME, in_chunks
from sdc.ingest.readers.query import refuse_other_sources, single_select
from sdc.ingest.readers.room import CATALOGUE, room, table_of
from sdc.ingest.readers.typed_columns import described_columns, read_to_the_end

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Source


@reader(name="duckdb", suffixes=(".duckdb", ".ddb", ".db"), order=30, has_tables=True, begins=(b"DUCK",))
@contextmanager
def opened_duckdb(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """A table or a query, read in a database of its own that reaches no other file and no other table."""
    attach = f"ATTACH {sql.text(str(path))} AS {CATALOGUE} (READ_ONLY)"
    files = (path, Path(f"{path}.wal"))
    with (
        room(str(path), attach, cursor, scratch, why_closed=_why_closed, files=files) as made,
        _streamed(source, path, cursor, made) as opened,
    ):
        yield opened


@reader(
    name="sqlite",
    suffixes=(".sqlite", ".sqlite3"),
    order=31,
    has_tables=True,
    begins=(b"SQLite format 3\x00",),
)
@contextmanager
def opened_sqlite(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """A table or a query. SQLite keeps any value in any column: one of a type not declared is a fault."""
    attach = f"ATTACH {sql.text(str(path))} AS {CATALOGUE} (TYPE sqlite, READ_ONLY)"
    files = [Path(f"{path}{ending}") for ending in ("", "-wal", "-shm", "-journal")]
    with (
        room(
            str(path),
            attach,
            cursor,
            scratch,
            why_closed=lambda _: "this is no SQLite file, or one that is locked",
            extension="sqlite_scanner",
            files=files,
        ) as made,
        _streamed(source, path, cursor, made) as opened,
    ):
        yield opened


@contextmanager
def _streamed(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, made: duckdb.DuckDBPyConnection
) -> Iterator[OpenedSource]:
    statement = single_select(source.query, cursor) if source.query else None
    relation = selected(source, str(path), statement, made)
    with read_to_the_end(path):
        described_columns(made, path, relation, statement)
        batches = made.sql(f"SELECT * FROM {relation}").to_arrow_reader(ROWS_AT_A_TIME)
        with in_chunks(cursor, batches) as incoming:
            yield described_columns(cursor, path, incoming)


def selected(source: Source, place: str, statement: str | None, made: duckdb.DuckDBPyConnection) -> str:
    """What stands after FROM: the query or the table, where it reads nothing but tables of the source."""
    if statement:
        refuse_other_sources(statement, made, CATALOGUE)
        return f"({statement}\n)"
    relation = table_of(source, place, made)
    refuse_other_sources(f"SELECT * FROM {relation}", made, CATALOGUE, "source.table")
    return relation


def _why_closed(words: str) -> str:
    if "without a key" in words or "encrypt" in words:
        return "the file is encrypted"
    if "lock" in words:
        return "another program has the file open"
    return "this is no DuckDB file, or one of another version"
