"""The columns of a candidate as they leave: types of the original where values allow, in a new order."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sdc.data.decimals import LARGEST_EXACT
from sdc.data.long_column import LongColumn, NumberedColumn, joined
from sdc.data.long_table import AnyTable, LongTable
from sdc.data.roles import Roles, VariableType
from sdc.data.table import ROWS_AT_ONCE, WHOLE_TYPES, Table
from sdc.errors import SdcError
from sdc.run import durable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from sdc.arrays import Array

WHOLE_LABEL = re.compile(r"0|-?[1-9][0-9]{0,17}")

Picked = Callable[["Array"], "pa.Array"]
"""A column as it leaves: from places of records to their values."""
Leaving = tuple["pa.Schema", Iterator["pa.Table"]]
"""The types of all columns, and the records in the order they leave in, a part at a time."""


@contextmanager
def leaving_records(
    table: AnyTable,
    roles: Roles,
    original: Table | None,
    order: Array,
    decimals: Mapping[str, int],
    as_held: Sequence[str],
    spool: Path,
) -> Iterator[Leaving]:
    """The released columns of a candidate, where record j is record `order[j]` of the table.

    Of a long table each column is put into the new order alone, and waits in a file beside `spool`.
    """
    extra = sorted(set(map(str, table.columns)) - set(roles.released))
    if extra:
        raise SdcError(f"a candidate has columns that are not released: {', '.join(extra)}")
    if as_held and (original is None or original.rows != len(table)):
        raise SdcError("a candidate whose records are not the original's has all columns of its own")
    types = original.types if original else {}

    def column(name: str) -> Picked:
        declared, held, places = roles[name].type, types.get(name, "VARCHAR"), decimals.get(name)
        if isinstance(table, LongTable):
            return _of_long(table.held[name], len(table), declared, held, places)
        values = original.frame([name], roles)[name] if original and name in as_held else table[name]
        return _of_frame(values, declared, held, places)

    if isinstance(table, LongTable):
        with _waiting(roles.released, column, order, spool) as records:
            yield records
    else:
        columns = {name: column(name) for name in roles.released}
        yield _none(columns, order).schema, (_records(columns, order[part]) for part in parts(len(order)))


def parts(rows: int) -> list[slice]:
    return [slice(begin, begin + ROWS_AT_ONCE) for begin in range(0, rows, ROWS_AT_ONCE)]


def _records(columns: Mapping[str, Picked], places: Array) -> pa.Table:
    import pyarrow as pa

    return pa.table({name: picked(places) for name, picked in columns.items()})


def _none(columns: Mapping[str, Picked], order: Array) -> pa.Table:
    return _records(columns, order[:0])


@contextmanager
def _waiting(
    names: Sequence[str], column: Callable[[str], Picked], order: Array, spool: Path
) -> Iterator[Leaving]:
    """One column after the other is put into the order it leaves in; then all are read together."""
    import pyarrow as pa

    with _private_folder(spool.with_name(f"{spool.name}.columns")) as folder:
        schema = pa.schema(
            [_put_in_order({name: column(name)}, order, folder, place) for place, name in enumerate(names)]
        )
        yield (
            schema,
            (
                pa.table([_taken(folder / f"{place}_{number}") for place in range(len(names))], schema=schema)
                for number in range(len(parts(len(order))))
            ),
        )


def _put_in_order(columns: Mapping[str, Picked], order: Array, folder: Path, place: int) -> pa.Field:
    """One column, a file for each part of its records, and its type."""
    for number, part in enumerate(parts(len(order))):
        _put(folder / f"{place}_{number}", _records(columns, order[part]))
    return _none(columns, order).schema.field(0)


def _put(path: Path, records: pa.Table) -> None:
    """Records in a file that their owner alone may read."""
    import pyarrow as pa

    compressed = pa.ipc.IpcWriteOptions(compression="lz4")
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, durable.PRIVATE_FILE)
    with (
        os.fdopen(handle, "wb") as file,
        pa.ipc.new_stream(file, records.schema, options=compressed) as writer,
    ):
        writer.write_table(records)


def _taken(path: Path) -> pa.ChunkedArray:
    """What was put there. Its file is closed again: a table may have more columns than files may be open."""
    import pyarrow as pa

    with pa.OSFile(str(path), "rb") as file:
        return pa.ipc.open_stream(file).read_all().column(0)


@contextmanager
def _private_folder(path: Path) -> Iterator[Path]:
    """An empty folder that is gone afterwards, with what a killed process may have left in it."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(mode=durable.PRIVATE_DIRECTORY)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _of_frame(
    values: pd.Series, declared: VariableType | None, original: str, decimals: int | None
) -> Picked:
    import pandas as pd
    import pyarrow as pa

    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return _dates(values)
    if isinstance(values.dtype, pd.CategoricalDtype) or not pd.api.types.is_numeric_dtype(values.dtype):
        held = values.astype("category").cat
        return _labels(
            held.codes.to_numpy(), pa.array(map(str, held.categories), pa.string()), declared, original
        )
    return _numbers(values.to_numpy(dtype=np.float64), decimals, original)


def _of_long(
    column: LongColumn, rows: int, declared: VariableType | None, original: str, decimals: int | None
) -> Picked:
    import pandas as pd

    if isinstance(column, NumberedColumn):
        return _numbered(joined(column.numbers, 0, rows), declared, original)
    if column.is_category:
        picked = _labels(joined(column.codes, 0, rows), column.labels, declared, original)
        column.let_go()
        return picked
    values = joined(column.numbers, 0, rows)
    return _dates(pd.Series(values)) if values.dtype.kind == "M" else _numbers(values, decimals, original)


def _dates(values: pd.Series) -> Picked:
    import pyarrow as pa

    whole_days = bool((values.dropna() == values.dropna().dt.normalize()).all())
    held = values.astype("datetime64[us]").array

    def picked(places: Array) -> pa.Array:
        return pa.array(held[places], from_pandas=True).cast(
            pa.date32() if whole_days else pa.timestamp("us")
        )

    return picked


def _numbers(numbers: Array, decimals: int | None, original: str) -> Picked:
    """Numbers, rounded; whole ones where all of them are and may be."""
    import pyarrow as pa

    def rounded(part: Array) -> Array:
        # Adding zero makes 0.0 of -0.0, whose sign the database does not always keep.
        return (part if decimals is None else np.round(part, decimals)) + 0.0

    def whole(part: Array) -> bool:
        known = part[~np.isnan(part)]
        return bool(np.all((known == np.trunc(known)) & (np.abs(known) <= LARGEST_EXACT)))

    may_be_whole = decimals == 0 if decimals is not None else original in WHOLE_TYPES
    as_whole = may_be_whole and all(whole(rounded(numbers[part])) for part in parts(numbers.size))

    def picked(places: Array) -> pa.Array:
        part = rounded(numbers[places])
        missing = np.isnan(part)
        if as_whole:
            return pa.array(np.where(missing, 0, part).astype(np.int64), mask=missing)
        return pa.array(np.where(missing, 0.0, part), mask=missing)

    return picked


def _labels(codes: Array, labels: pa.Array, declared: VariableType | None, original: str) -> Picked:
    """Labels as the original held them where every one reads back exactly.

    They are text otherwise, and where a number was recoded.
    """
    import pyarrow as pa

    # A category no record has any more would still stand in the file's dictionary.
    used = np.zeros(len(labels) + 1, dtype=bool)
    for part in parts(codes.size):
        used[codes[part]] = True
    held = _as_original(labels.filter(pa.array(used[:-1])), declared, original)
    place = np.append(np.cumsum(used[:-1], dtype=np.int32) - 1, np.int32(-1))

    def picked(places: Array) -> pa.Array:
        part = place[codes[places]]
        missing = part < 0
        if not pa.types.is_string(held.type):
            return held.take(pa.array(np.where(missing, 0, part).astype(np.int32), mask=missing))
        # Every group of rows has a dictionary of its own in the file: it lists what its records have.
        return _listed(part, missing, held.take)

    return picked


def _numbered(numbers: Array, declared: VariableType | None, original: str) -> Picked:
    """Numbers from 1 on, 0 where missing, that are labels."""
    import pyarrow as pa

    is_text = not (_may_be_whole(declared) and original in WHOLE_TYPES) or not numbers.any()

    def picked(places: Array) -> pa.Array:
        part = numbers[places]
        missing = part == 0
        if not is_text:
            return pa.array(part, mask=missing)
        return _listed(part, missing, lambda used: used.cast(pa.string()))

    return picked


def _listed(codes: Array, missing: Array, texts: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Codes of texts with a list of those that occur, in the order of the codes."""
    import pyarrow as pa

    used, renumbered = np.unique(codes[~missing], return_inverse=True)
    indices = np.zeros(codes.size, dtype=np.int32)
    indices[~missing] = renumbered
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=missing), texts(pa.array(used)))


def _may_be_whole(declared: VariableType | None) -> bool:
    return declared not in (VariableType.NUMERIC, VariableType.DATE)


def _as_original(labels: pa.Array, declared: VariableType | None, original: str) -> pa.Array:
    import pyarrow as pa

    if not _may_be_whole(declared) or not len(labels):
        return labels
    if original == "BOOLEAN" and {*labels.to_pylist()} <= {"true", "false"}:
        return pa.array([label == "true" for label in labels.to_pylist()])
    if original in WHOLE_TYPES and all(WHOLE_LABEL.fullmatch(label) for label in labels.to_pylist()):
        return labels.cast(pa.int64())
    return labels
