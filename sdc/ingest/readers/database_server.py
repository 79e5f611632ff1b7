"""Reads a table or a query of PostgreSQL or MySQL, in one snapshot that cannot write.

The address is `postgres:SERVICE` (of pg_service.conf), `postgres://user@host:port/database`, or `postgres:`
alone, with all else from the environment. A password never stands in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.addresses import ADDRESS, ADDRESS_REMEDY
from sdc.catalogue.readers import reader
from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.readers.chunks import ROWS_AT_A_TIME, in_chunks, spooled
from sdc.ingest.readers.duckdb_file import selected
from sdc.ingest.readers.query import single_select
from sdc.ingest.readers.room import CATALOGUE, room
from sdc.ingest.readers.typed_columns import described_columns

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Source

READ_ONLY = "-cdefault_transaction_read_only=on"
DIGEST = "row_sha256"


@dataclass(frozen=True)
class Address:
    """Where a database is, as a profile may say it: no password has a place in it."""

    scheme: str
    user: str | None
    host: str | None
    port: str | None
    name: str | None
    service: str | None

    @classmethod
    def of(cls, text: str) -> Address | None:
        """The parts of an address; None where it is none that a profile may have."""
        found = ADDRESS.fullmatch(text)
        return cls(**{key: found[key] for key in cls.__annotations__}) if found else None

    @property
    def connection(self) -> str:
        """The words for the driver. What is absent comes from the environment, the password always."""
        if self.scheme == "mysql":
            parts = {"host": self.host, "port": self.port, "user": self.user, "database": self.name}
        else:
            parts = {
                "service": self.service,
                "host": self.host,
                "port": self.port,
                "user": self.user,
                "dbname": self.name,
                "options": READ_ONLY,
            }
        return " ".join(f"{key}={value}" for key, value in parts.items() if value)


@reader(name="postgres", suffixes=(), order=32, has_tables=True, schemes=("postgres", "postgresql"))
@contextmanager
def opened_postgres(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """All records of one snapshot, in the order of their digests: a table of a server has no order."""
    with _opened("postgres", "postgres_scanner", source, path, cursor, scratch) as opened:
        yield opened


@reader(name="mysql", suffixes=(), order=33, has_tables=True, schemes=("mysql", "mariadb"))
@contextmanager
def opened_mysql(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """All records of one snapshot, in the order of their digests: a table of a server has no order."""
    with _opened("mysql", "mysql_scanner", source, path, cursor, scratch) as opened:
        yield opened


@contextmanager
def _opened(
    kind: str, extension: str, source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    import duckdb

    address = Address.of(str(path))
    if address is None:
        raise BadData([Fault("source.path", "this is no address of a database", ADDRESS_REMEDY)])
    place = str(path)
    statement = single_select(source.query, cursor) if source.query else None
    attach = f"ATTACH {sql.text(address.connection)} AS {CATALOGUE} (TYPE {kind}, READ_ONLY)"
    with ExitStack() as kept:
        with room(place, attach, cursor, scratch, why_closed=_why_closed, extension=extension) as made:
            try:
                relation = selected(source, place, statement, made)
                described_columns(made, path, relation, statement)
                batches = made.sql(f"SELECT * FROM {relation}").to_arrow_reader(ROWS_AT_A_TIME)
                with in_chunks(cursor, batches) as incoming:
                    records = kept.enter_context(spooled(cursor, _ordered(cursor, incoming)))
            except duckdb.OutOfMemoryException:
                raise
            except duckdb.Error:
                problem = "the database went away, or refused, before all records were read"
                raise BadData([Fault(place, problem, "nothing was kept; try again")]) from None
        found = described_columns(cursor, path, f"(SELECT * EXCLUDE ({DIGEST}) FROM {records})")
        whole, size = _digest(cursor, records, found)
        yield replace(found, sha256=whole, bytes=size)


def _ordered(cursor: duckdb.DuckDBPyConnection, incoming: str) -> str:
    """Records with their digests, in the order of these. Equal records have equal digests."""
    names = [row[0] for row in cursor.execute(f"DESCRIBE SELECT * FROM {incoming}").fetchall()]
    packed = ", ".join(f"{sql.text(str(place))}, {sql.name(name)}" for place, name in enumerate(names))
    row = f"CAST(json_object({packed}) AS VARCHAR)"
    return f"SELECT *, sha256({row}) AS {DIGEST} FROM {incoming} ORDER BY {DIGEST}"


def _digest(cursor: duckdb.DuckDBPyConnection, records: str, found: OpenedSource) -> tuple[str, int]:
    """The SHA-256 of names, types and the digests of all records, in their own order."""
    total = sha256(repr([(name, held.type) for name, held in found.columns.items()]).encode())
    cursor.execute(f"SELECT {DIGEST} FROM {records} ORDER BY {DIGEST}")
    rows = 0
    while chunk := cursor.fetchmany(ROWS_AT_A_TIME):
        rows += len(chunk)
        total.update("".join(row[0] for row in chunk).encode())
    return total.hexdigest(), rows * total.digest_size


def _why_closed(words: str) -> str:
    """Why a server let nobody in, without the words of the driver: they may hold an address or more."""
    known = {
        "service": "there is no such service in the service file",
        "password": "the server refused the user or the password, which come from the environment",
        "Access denied": "the server refused the user or the password, which come from the environment",
        "role": "the server does not know the user",
        "does not exist": "the server has no such database",
        "Unknown database": "the server has no such database",
    }
    return next((said for sign, said in known.items() if sign in words), "the server cannot be reached")
