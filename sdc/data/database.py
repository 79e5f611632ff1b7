"""One DuckDB handle for a process, and a cursor of its own for every thread that asks."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb
    import pyarrow as pa


class Database:
    """A DuckDB database: a connection shared by threads mixes up results, so each thread has a cursor."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, catalogue: str | None = None) -> None:
        self._connection = connection
        self._catalogue = catalogue
        self._local = threading.local()
        self._guard = threading.Lock()
        self._cursors: list[duckdb.DuckDBPyConnection] = []

    @classmethod
    def in_memory(cls) -> Database:
        import duckdb

        connection = duckdb.connect(":memory:")
        connection.execute("SET preserve_insertion_order = true; SET GLOBAL TimeZone = 'UTC'")
        return cls(connection)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._local, "cursor", None)
        if cursor is None:
            with self._guard:
                cursor = self._connection.cursor()
                self._cursors.append(cursor)
            if self._catalogue is not None:
                cursor.execute(f"USE {sql.name(self._catalogue)}")
            self._local.cursor = cursor
        return cursor

    def table(self, name: str) -> Table:
        return Table(self, name)

    def has(self, name: str) -> bool:
        found = self.cursor().execute(
            # a value beside the query would make DuckDB import pandas
            "SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database() AND"
            f" table_name = {sql.text(name)}"
        )
        return bool((found.fetchone() or (0,))[0])

    def write(self, name: str, rows: pa.Table) -> Table:
        """A new table of this name from Arrow, in the given order; an old one of the name is replaced."""
        cursor = self.cursor()
        cursor.register("incoming", rows)
        try:
            cursor.execute(f"CREATE OR REPLACE TABLE {sql.name(name)} AS SELECT * FROM incoming")
        finally:
            cursor.unregister("incoming")
        return Table(self, name)

    def arrow(self, query: str, given: Mapping[str, pa.Table]) -> pa.Table:
        """The answer of a query as Arrow; `given` are further tables it may name."""
        cursor = self.cursor()
        try:
            for name, rows in given.items():
                cursor.register(name, rows)
            return cursor.sql(query).to_arrow_table()
        finally:
            for name in given:
                cursor.unregister(name)

    def close(self) -> None:
        """Release the file: while one cursor is open, no other process can have it."""
        with self._guard:
            for cursor in self._cursors:
                cursor.close()
            self._connection.close()


@contextmanager
def transaction(cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """All the work inside is done, or none of it."""
    import duckdb

    cursor.execute("BEGIN")
    try:
        yield
        cursor.execute("COMMIT")
    except BaseException:
        # a fatal error has ended the transaction already
        with suppress(duckdb.Error):
            cursor.execute("ROLLBACK")
        raise
