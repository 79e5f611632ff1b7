"""Stores a candidate as the file that may leave, and reads it back: what is judged is what leaves."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sdc.catalogue.candidate import table_name
from sdc.data import sql
from sdc.data.decimals import LARGEST_EXACT
from sdc.data.roles import Roles, VariableType
from sdc.data.table import ROWS_AT_ONCE, WHOLE_TYPES, Table
from sdc.errors import SdcError
from sdc.run import digest, durable

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

    from sdc.arrays import Array
    from sdc.data.database import Database


PERSONS = "persons"
"""The table that has a pseudonym for each record of the original."""
WHOLE_LABEL = re.compile(r"0|-?[1-9][0-9]{0,17}")

Picked = Callable[["Array"], "pa.Array"]
"""A column as it leaves: from places of records to their values."""


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
    frame: pd.DataFrame,
    roles: Roles,
    order: Array,
    decimals: Mapping[str, int] | None = None,
    as_held: Sequence[str] = (),
) -> StoredTable:
    """Write a candidate, and hold what was read back in the order of the frame.

    Record j of the file is record `order[j]` of the frame. Numbers are rounded to their `decimals` here,
    before anything is measured. Variables in `as_held` come from the original, one at a time.
    """
    import pyarrow as pa

    if not re.fullmatch(r"[\w-]+", name):
        raise SdcError("the name of a candidate may hold letters, digits, - and _ only")
    if not _is_order(order, len(frame)):
        raise SdcError(f"candidate {name}: the order of its records is no order of all of them")
    original = database.table("original") if database.has("original") else None
    path.parent.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
    columns = _typed(frame, roles, original, decimals or {}, as_held)

    def records(places: Array) -> pa.Table:
        return pa.table({each: picked(places) for each, picked in columns.items()})

    _write(path, records(order[:0]).schema, (records(order[part]) for part in _parts(len(order))))
    columns.clear()
    table = _read_back(database, table_name(name), path, order)
    return StoredTable(table, path, digest.of_file(path))


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


def _typed(
    frame: pd.DataFrame,
    roles: Roles,
    original: Table | None,
    decimals: Mapping[str, int],
    as_held: Sequence[str],
) -> dict[str, Picked]:
    """The released columns with the types of the original where values allow.

    A number without decimals is whole.
    """
    extra = sorted(set(map(str, frame.columns)) - set(roles.released))
    if extra:
        raise SdcError(f"a candidate has columns that are not released: {', '.join(extra)}")
    if as_held and (original is None or original.rows != len(frame)):
        raise SdcError("a candidate whose records are not the original's has all columns of its own")
    types = original.types if original else {}

    def column(name: str) -> Picked:
        held = original.frame([name], roles)[name] if original and name in as_held else frame[name]
        return _column(held, roles[name].type, types.get(name, "VARCHAR"), decimals.get(name))

    return {name: column(name) for name in roles.released}


def _column(values: pd.Series, declared: VariableType | None, original: str, decimals: int | None) -> Picked:
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return _dates(values)
    if isinstance(values.dtype, pd.CategoricalDtype) or not pd.api.types.is_numeric_dtype(values.dtype):
        return _labels(values.astype("category"), declared, original)
    is_whole = decimals == 0 if decimals is not None else original in WHOLE_TYPES
    return _numbers(values.to_numpy(dtype=np.float64), decimals, is_whole=is_whole)


def _dates(values: pd.Series) -> Picked:
    import pyarrow as pa

    whole_days = bool((values.dropna() == values.dropna().dt.normalize()).all())
    held = values.astype("datetime64[us]").array

    def picked(places: Array) -> pa.Array:
        return pa.array(held[places], from_pandas=True).cast(
            pa.date32() if whole_days else pa.timestamp("us")
        )

    return picked


def _numbers(numbers: Array, decimals: int | None, *, is_whole: bool) -> Picked:
    """Numbers, rounded; whole ones where all of them are and may be."""
    import pyarrow as pa

    def rounded(part: Array) -> Array:
        # Adding zero makes 0.0 of -0.0.
        return part if decimals is None else np.round(part, decimals) + 0.0

    def whole(part: Array) -> bool:
        known = part[~np.isnan(part)]
        return bool(np.all((known == np.trunc(known)) & (np.abs(known) <= LARGEST_EXACT)))

    as_whole = is_whole and all(whole(rounded(numbers[part])) for part in _parts(numbers.size))

    def picked(places: Array) -> pa.Array:
        part = rounded(numbers[places])
        missing = np.isnan(part)
        if as_whole:
            return pa.array(np.where(missing, 0, part).astype(np.int64), mask=missing)
        return pa.array(np.where(missing, 0.0, part), mask=missing)

    return picked


def _labels(values: pd.Series, declared: VariableType | None, original: str) -> Picked:
    """Labels as the original held them where every one reads back exactly.

    They are text otherwise, and where a number was recoded.
    """
    import pyarrow as pa

    # A category no record has any more would still stand in the file's dictionary.
    values = values.cat.remove_unused_categories()
    codes = values.cat.codes.to_numpy()
    labels = [str(label) for label in values.cat.categories]
    held: Any = labels
    if declared not in (VariableType.NUMERIC, VariableType.DATE) and labels:
        if original == "BOOLEAN" and {*labels} <= {"true", "false"}:
            held = [label == "true" for label in labels]
        elif original in WHOLE_TYPES and all(WHOLE_LABEL.fullmatch(label) for label in labels):
            held = [int(label) for label in labels]
    is_text = held is labels
    each = pa.array(held, pa.string() if is_text else None)

    def picked(places: Array) -> pa.Array:
        part = codes[places]
        missing = part < 0
        if not is_text:
            return each.take(pa.array(np.where(missing, 0, part).astype(np.int32), mask=missing))
        # Every group of rows has a dictionary of its own in the file: it lists what its records have.
        used, renumbered = np.unique(part[~missing], return_inverse=True)
        part[~missing] = renumbered
        indices = pa.array(np.where(missing, 0, part).astype(np.int32), mask=missing)
        return pa.DictionaryArray.from_arrays(indices, each.take(pa.array(used)))

    return picked


def _parts(rows: int) -> list[slice]:
    return [slice(begin, begin + ROWS_AT_ONCE) for begin in range(0, rows, ROWS_AT_ONCE)]


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
