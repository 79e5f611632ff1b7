"""Sends tables, rows, texts and files to a shared folder and fetches them, encrypted where a key is set."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.data.warehouse import exchange
from sdc.run import durable

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from sdc.data.table import Table
    from sdc.data.warehouse.shared import SharedFolder
    from sdc.data.warehouse.warehouse import Warehouse

PART_ROWS = 2**22
"""Rows of a table that lie in one file, and that one worker counts at a time."""
PIECE = 2**26
"""Bytes of a file that travel at a time."""


@dataclass(frozen=True)
class SentTable:
    """A table on shared storage: the types its columns must get again, its rows, and in how many parts."""

    types: dict[str, str]
    rows: int
    parts: int

    def as_record(self) -> dict[str, Any]:
        return asdict(self)


def part_name(table: str, number: int) -> str:
    """The file of a part of a table."""
    return f"{table}.{number}.parquet"


def held_part(table: str, number: int) -> str:
    """The table that a part is where it was fetched alone."""
    return f"{table}_part_{number}"


class SharedTables:
    """Sends tables of a database to a shared folder and fetches them, by a file beside the database."""

    def __init__(self, folder: SharedFolder, warehouse: Warehouse, key: str | None) -> None:
        self.folder, self._warehouse, self._key = folder, warehouse, key

    def send(self, name: str) -> SentTable:
        """Sends a table in parts, and gives what must be known to fetch it."""
        table = self._warehouse.database.table(name)
        parts = table.batches(PART_ROWS)
        for number, rows in enumerate(parts):
            with self._transit() as file:
                exchange.write_table(self._warehouse.database, name, rows, file, self._key)
                self.folder.put(file, part_name(name, number))
        return SentTable(table.types, table.rows, len(parts))

    def fetch(self, name: str, sent: SentTable) -> Table:
        """The whole table, as it was."""
        return self._fetched(name, [part_name(name, number) for number in range(sent.parts)], sent)

    def fetch_part(self, name: str, number: int, sent: SentTable) -> Table:
        """One part of a table, as a table of its own."""
        return self._fetched(held_part(name, number), [part_name(name, number)], sent)

    def _fetched(self, name: str, parts: Sequence[str], sent: SentTable) -> Table:
        return exchange.read_table(
            self._warehouse.database, name, self._arriving(parts), sent.types, self._key
        )

    def _arriving(self, parts: Sequence[str]) -> Iterator[Path]:
        """Each file is here until the next is asked for."""
        for part in parts:
            with self._transit() as file:
                self.folder.get(part, file)
                yield file

    def drop(self, name: str, sent: SentTable) -> None:
        for number in range(sent.parts):
            self.folder.drop(part_name(name, number))

    def send_rows(self, name: str, rows: pa.Table) -> None:
        with self._transit() as file:
            exchange.write_rows(self._warehouse.database, rows, file, self._key)
            self.folder.put(file, f"{name}.parquet")

    def fetch_rows(self, name: str) -> pa.Table:
        with self._transit() as file:
            self.folder.get(f"{name}.parquet", file)
            return exchange.read_rows(self._warehouse.database, file, self._key)

    def send_query(self, name: str, query: str) -> None:
        """Sends the rows of a query that is read once."""
        with self._transit() as file:
            exchange.write_query(self._warehouse.database, query, file, self._key)
            self.folder.put(file, f"{name}.parquet")

    def append_rows(self, name: str, cursor: duckdb.DuckDBPyConnection, table: str) -> None:
        """Puts rows that were sent at the end of a table that the cursor knows."""
        with self._transit() as file:
            self.folder.get(f"{name}.parquet", file)
            exchange.append_rows(cursor, table, file, self._key)

    def drop_rows(self, name: str) -> None:
        self.folder.drop(f"{name}.parquet")

    def send_text(self, name: str, text: str) -> None:
        with self._transit() as file:
            exchange.write_text(self._warehouse.database, text, file, self._key)
            self.folder.put(file, f"{name}.parquet")

    def fetch_text(self, name: str) -> str:
        with self._transit() as file:
            self.folder.get(f"{name}.parquet", file)
            return exchange.read_text(self._warehouse.database, file, self._key)

    def send_file(self, file: Path, name: str) -> int:
        """Sends a file in pieces, and gives how many they are."""
        pieces = 0
        with file.open("rb") as content:
            while piece := content.read(PIECE):
                with self._transit() as passing:
                    exchange.write_bytes(self._warehouse.database, piece, passing, self._key)
                    self.folder.put(passing, f"{name}_{pieces}.parquet")
                pieces += 1
        return pieces

    def fetch_file(self, name: str, pieces: int, file: Path) -> None:
        """Writes a file that was sent in so many pieces, for its owner alone; the pieces are then dropped."""
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, durable.PRIVATE_FILE)
        with os.fdopen(handle, "wb") as content:
            for place in range(pieces):
                with self._transit() as passing:
                    self.folder.get(f"{name}_{place}.parquet", passing)
                    content.write(exchange.read_bytes(self._warehouse.database, passing, self._key))
                self.folder.drop(f"{name}_{place}.parquet")
            content.flush()
            os.fsync(content.fileno())

    @contextmanager
    def _transit(self) -> Iterator[Path]:
        file = self._warehouse.directory.transit(secrets.token_hex(8))
        try:
            with self._warehouse.storing():
                yield file
        finally:
            file.unlink(missing_ok=True)
