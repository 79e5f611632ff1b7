"""Writes a table as a Parquet file for another machine, and reads it back unchanged.

Types and order stay the same; the file is encrypted where there is a key.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.database import transaction
from sdc.data.table import NUMERIC_TYPES

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from sdc.data.database import Database
    from sdc.data.table import Table

PLAIN_TYPES = (
    *(kind for kind in NUMERIC_TYPES if kind != "HUGEINT"),
    "BOOLEAN",
    "VARCHAR",
    "DATE",
    "TIMESTAMP",
)
"""What Parquet holds exactly; all else travels as text."""
KEY_NAME = "shared"
TEXT = "text"
BYTES = "bytes"
ROWS = "rows_to_be_sent"


def write_table(database: Database, name: str, rows: str, file: Path, key: str | None) -> None:
    """The rows of a query on a table as a file."""
    types = database.table(name).types
    _copy(
        database.cursor(),
        f"SELECT {', '.join(map(_sent, *zip(*types.items(), strict=True)))} FROM ({rows})",
        file,
        key,
    )


def read_table(
    database: Database, name: str, files: Iterable[Path], types: Mapping[str, str], key: str | None
) -> Table:
    """The table as it was, from its parts in order; an old one of the name is replaced."""
    cursor = database.cursor()
    columns = ", ".join(
        f"CAST({sql.name(column)} AS {kind}) AS {sql.name(column)}" for column, kind in types.items()
    )
    with transaction(cursor):
        for place, file in enumerate(files):
            begun = "INSERT INTO {}" if place else "CREATE OR REPLACE TABLE {} AS"
            cursor.execute(
                f"{begun.format(sql.name(name))} SELECT {columns} FROM {_source(cursor, file, key)}"
            )
    return database.table(name)


def write_rows(database: Database, rows: pa.Table, file: Path, key: str | None) -> None:
    """Rows of numbers and texts that are no table of the database."""
    cursor = database.cursor()
    cursor.register(ROWS, rows)
    try:
        _copy(cursor, f"FROM {ROWS}", file, key)
    finally:
        cursor.unregister(ROWS)


def read_rows(database: Database, file: Path, key: str | None) -> pa.Table:
    cursor = database.cursor()
    return cursor.sql(f"FROM {_source(cursor, file, key)}").to_arrow_table()


def write_query(database: Database, query: str, file: Path, key: str | None) -> None:
    """The rows of a query, all of whose types Parquet holds exactly."""
    _copy(database.cursor(), query, file, key)


def append_rows(cursor: duckdb.DuckDBPyConnection, table: str, file: Path, key: str | None) -> None:
    """Rows from a file at the end of a table of the same columns, which may be one of this cursor alone."""
    cursor.execute(f"INSERT INTO {table} SELECT * FROM {_source(cursor, file, key)}")


def write_text(database: Database, text: str, file: Path, key: str | None) -> None:
    """A text as a table of one cell, so that it is kept as tables are."""
    _copy(database.cursor(), f"SELECT {sql.text(text)} AS {sql.name(TEXT)}", file, key)


def read_text(database: Database, file: Path, key: str | None) -> str:
    cursor = database.cursor()
    held = cursor.execute(f"SELECT {sql.name(TEXT)} FROM {_source(cursor, file, key)}").fetchall()
    return str(held[0][0])


def write_bytes(database: Database, content: bytes, file: Path, key: str | None) -> None:
    """Bytes as a table of one cell, so that they are kept as tables are."""
    import pyarrow as pa

    write_rows(database, pa.table({BYTES: pa.array([content], pa.binary())}), file, key)


def read_bytes(database: Database, file: Path, key: str | None) -> bytes:
    cursor = database.cursor()
    held = cursor.execute(f"SELECT {BYTES} FROM {_source(cursor, file, key)}").fetchall()
    return bytes(held[0][0])


def _sent(column: str, kind: str) -> str:
    held = sql.name(column)
    return (
        held
        if kind.startswith(PLAIN_TYPES) and not kind.endswith("]")
        else f"CAST({held} AS VARCHAR) AS {held}"
    )


def _copy(cursor: duckdb.DuckDBPyConnection, query: str, file: Path, key: str | None) -> None:
    # DuckDB's dictionaries of numbers take -0.0 for 0.0.
    cursor.execute(
        f"COPY ({query}) TO {sql.text(str(file))} (FORMAT parquet, COMPRESSION zstd, DICTIONARY_SIZE_LIMIT"
        f" 0{_encryption(cursor, key, 'ENCRYPTION_CONFIG ')})"
    )


def _source(cursor: duckdb.DuckDBPyConnection, file: Path, key: str | None) -> str:
    return f"read_parquet({sql.text(str(file))}{_encryption(cursor, key, 'encryption_config = ')})"


def _encryption(cursor: duckdb.DuckDBPyConnection, key: str | None, option: str) -> str:
    if key is None:
        return ""
    # the key of the database itself is used for nothing else
    derived = base64.b64encode(
        hmac.digest(key.encode(), b"sdc-release shared storage", hashlib.sha256)
    ).decode()
    cursor.execute(f"PRAGMA add_parquet_key({sql.text(KEY_NAME)}, {sql.text(derived)})")
    return f", {option}{{footer_key: {sql.text(KEY_NAME)}}}"
