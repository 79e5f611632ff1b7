"""Stores a candidate as the file that may leave, and reads it back: what is judged is what leaves."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sdc.catalogue.candidate import table_name
from sdc.data import sql
from sdc.data.decimals import LARGEST_EXACT
from sdc.data.roles import Roles, VariableType
from sdc.data.table import WHOLE_TYPES, Table
from sdc.errors import SdcError
from sdc.run import digest, durable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from sdc.arrays import Array
    from sdc.data.database import Database


PERSONS = "persons"
"""The table that has a pseudonym for each record of the original."""
WHOLE_LABEL = re.compile(r"0|-?[1-9][0-9]{0,17}")


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
    if not re.fullmatch(r"[\w-]+", name):
        raise SdcError("the name of a candidate may hold letters, digits, - and _ only")
    if not _is_order(order, len(frame)):
        raise SdcError(f"candidate {name}: the order of its records is no order of all of them")
    original = database.table("original") if database.has("original") else None
    path.parent.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
    _write(path, _typed(frame, roles, original, order, decimals or {}, as_held))
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
    path.parent.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
    _write(path, database.table(PERSONS).arrow(f'SELECT "person" FROM {PERSONS}').take(order))
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
    order: Array,
    decimals: Mapping[str, int],
    as_held: Sequence[str],
) -> pa.Table:
    """The released columns in the order they leave in, with the types of the original where values allow.

    A number without decimals is whole.
    """
    import pyarrow as pa

    extra = sorted(set(map(str, frame.columns)) - set(roles.released))
    if extra:
        raise SdcError(f"a candidate has columns that are not released: {', '.join(extra)}")
    if as_held and (original is None or original.rows != len(frame)):
        raise SdcError("a candidate whose records are not the original's has all columns of its own")
    types = original.types if original else {}

    def column(name: str) -> pa.Array:
        held = original.frame([name], roles)[name] if original and name in as_held else frame[name]
        made = _column(held, roles[name].type, types.get(name, "VARCHAR"), decimals.get(name))
        return made.take(pa.array(order))

    return pa.table({name: column(name) for name in roles.released})


def _column(
    values: pd.Series, declared: VariableType | None, original: str, decimals: int | None
) -> pa.Array:
    import pandas as pd
    import pyarrow as pa

    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        whole_days = bool((values.dropna() == values.dropna().dt.normalize()).all())
        return pa.array(values.astype("datetime64[us]"), from_pandas=True).cast(
            pa.date32() if whole_days else pa.timestamp("us")
        )
    if isinstance(values.dtype, pd.CategoricalDtype) or not pd.api.types.is_numeric_dtype(values.dtype):
        return _labels(values.astype("category"), declared, original)
    numbers = values.to_numpy(dtype=np.float64)
    if decimals is not None:
        # Adding zero makes 0.0 of -0.0.
        numbers = np.round(numbers, decimals) + 0.0
    missing = np.isnan(numbers)
    known = numbers[~missing]
    is_whole = decimals == 0 if decimals is not None else original in WHOLE_TYPES
    if is_whole and np.all((known == np.trunc(known)) & (np.abs(known) <= LARGEST_EXACT)):
        return pa.array(np.where(missing, 0, numbers).astype(np.int64), mask=missing)
    return pa.array(np.where(missing, 0.0, numbers), mask=missing)


def _labels(values: pd.Series, declared: VariableType | None, original: str) -> pa.Array:
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
    indices = pa.array(np.where(codes < 0, 0, codes).astype(np.int32), mask=codes < 0)
    if held is labels:
        return pa.DictionaryArray.from_arrays(indices, pa.array(labels, pa.string()))
    return pa.array(held).take(indices)


def _write(path: Path, rows: pa.Table) -> None:
    """The file appears whole or not at all; equal rows give equal bytes."""
    import pyarrow.parquet as pq

    fresh = path.with_name(f"{path.name}.new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, durable.PRIVATE_FILE)
    try:
        with os.fdopen(handle, "wb") as file:
            pq.write_table(rows, file, compression="zstd", store_schema=False)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    durable.sync(path.parent)


def _read_back(database: Database, name: str, path: Path, order: Array) -> Table:
    import pyarrow as pa

    cursor = database.cursor()
    cursor.register("places", pa.table({"place": pa.array(order.astype(np.int64))}))
    try:
        file = f'read_parquet({sql.text(str(path))}) AS "f"'
        cursor.execute(
            f'CREATE OR REPLACE TABLE {sql.name(name)} AS SELECT "f".* FROM {file} POSITIONAL JOIN "places"'
            ' ORDER BY "places"."place"'
        )
    finally:
        cursor.unregister("places")
    return database.table(name)
