"""Stores a candidate as the file that may leave, and reads it back: what is judged is what leaves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sdc.catalogue.candidate import table_name
from sdc.data import sql
from sdc.data.roles import Roles
from sdc.data.table import ROWS_AT_ONCE, Table
from sdc.data.warehouse.leaving import leaving_records
from sdc.errors import SdcError
from sdc.run import digest, durable

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from sdc.arrays import Array
    from sdc.data.database import Database
    from sdc.data.long_table import AnyTable


PERSONS = "persons"
"""The table that has a pseudonym for each record of the original."""


@dataclass(frozen=True)
class StoredTable:
    """A table of the warehouse and the file it was read back from, which may be published."""

    table: Table
    path: Path
    sha256: str

    @property
    def rows(self) -> int:
        return self.table.rows


def store_candidate(
    database: Database,
    path: Path,
    name: str,
    table: AnyTable,
    roles: Roles,
    order: Array,
    decimals: Mapping[str, int] | None = None,
    as_held: Sequence[str] = (),
) -> StoredTable:
    """Write a candidate, and hold what was read back in the order of its table.

    Record j of the file is record `order[j]` of the table. Numbers are rounded to their `decimals` here,
    before anything is measured. Variables in `as_held` come from the original, one at a time.
    """
    if not re.fullmatch(r"[\w-]+", name):
        raise SdcError("the name of a candidate may hold letters, digits, - and _ only")
    if not _is_order(order, len(table)):
        raise SdcError(f"candidate {name}: the order of its records is no order of all of them")
    original = database.table("original") if database.has("original") else None
    path.parent.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
    with leaving_records(table, roles, original, order, decimals or {}, as_held, path) as (schema, records):
        _write(path, schema, records)
    return StoredTable(_read_back(database, table_name(name), path, order), path, digest.of_file(path))


def read_candidate(database: Database, path: Path, name: str, order: Array) -> StoredTable:
    """A candidate whose file another machine wrote, held as if it had been stored here."""
    import pyarrow.parquet as pq

    if not _is_order(order, pq.ParquetFile(path).metadata.num_rows):
        raise SdcError(f"candidate {name}: the order of its records is no order of all of them")
    return StoredTable(_read_back(database, table_name(name), path, order), path, digest.of_file(path))


def store_persons(database: Database, path: Path, order: Array) -> str:
    """Writes a file that says which person each record of a candidate's file is, and gives its SHA-256.

    Record j is person `order[j]` of the original.
    """
    import pyarrow as pa

    path.parent.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
    leaves_as = np.empty(len(order), dtype=np.int64)
    leaves_as[order] = np.arange(len(order))
    with _placed(database, leaves_as) as cursor:
        rows = cursor.sql(
            f'SELECT "person" FROM {PERSONS} POSITIONAL JOIN "places" ORDER BY "places"."place"'
        ).to_arrow_reader(ROWS_AT_ONCE)
        _write(path, rows.schema, (pa.Table.from_batches([part]) for part in rows))
    return digest.of_file(path)


def _is_order(order: Array, rows: int) -> bool:
    """Is every record in it once?"""
    if len(order) != rows or (rows and not 0 <= order.min() <= order.max() < rows):
        return False
    seen = np.zeros(rows, dtype=bool)
    seen[order] = True
    return bool(seen.all())


def _write(path: Path, schema: pa.Schema, parts: Iterable[pa.Table]) -> None:
    """The file appears whole or not at all; equal rows give equal bytes. A part is a group of rows."""
    import pyarrow.parquet as pq

    fresh = path.with_name(f"{path.name}.new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, durable.PRIVATE_FILE)
    try:
        with os.fdopen(handle, "wb") as file:
            with pq.ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer:
                for part in parts:
                    writer.write_table(part)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    durable.sync(path.parent)


def _read_back(database: Database, name: str, path: Path, order: Array) -> Table:
    with _placed(database, order.astype(np.int64, copy=False)) as cursor:
        file = f'read_parquet({sql.text(str(path))}) AS "f"'
        cursor.execute(
            f'CREATE OR REPLACE TABLE {sql.name(name)} AS SELECT "f".* FROM {file} POSITIONAL JOIN "places"'
            ' ORDER BY "places"."place"'
        )
    return database.table(name)


@contextmanager
def _placed(database: Database, places: Array) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor with the table `places`, of one column `place`."""
    import pyarrow as pa

    cursor = database.cursor()
    cursor.register("places", pa.table({"place": pa.array(places)}))
    try:
        yield cursor
    finally:
        cursor.unregister("places")
