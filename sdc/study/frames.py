"""Takes records of any kind of frame as Arrow, and gives Arrow back as the same kind.

NaN is a missing value. Days kept as moments at midnight are days. Categories and plain texts are texts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sdc.catalogue.readers import scheme_of
from sdc.errors import BadData, Fault
from sdc.spelling import composed, counted
from sdc.study.python_words import all_in_python

if TYPE_CHECKING:
    import pyarrow as pa

PLACE = "the frame"
KINDS = "a pandas or polars frame, an Arrow table, a DuckDB relation, or the path of a file"
EXACT = float(2**53)
PANDAS: Final = "pandas"
POLARS: Final = "polars"
ARROW: Final = "pyarrow"


@dataclass(frozen=True)
class FrameKind:
    """The library a frame came from, and the categories of its columns that have them: ordered or not."""

    library: str = PANDAS
    categories: Mapping[str, tuple[Sequence[Any], bool]] = field(default_factory=dict)
    decimals: frozenset[str] = frozenset()
    """Columns of decimal numbers: whole ones among them are given back as decimal numbers too."""
    index: frozenset[str] = frozenset()
    """Names of the index of a pandas frame, which is no column."""

    def order(self, column: str) -> tuple[str, ...]:
        """The categories of an ordered column, from lowest to highest; none where it has no order."""
        values, ordered = self.categories.get(column, ((), False))
        return tuple(map(str, values)) if ordered else ()

    def give_back(self, rows: pa.Table) -> Any:
        """Arrow as a frame of this kind; columns that had categories have them still, if all fit."""
        rows = self._with_decimals(rows)
        if self.library == ARROW:
            return rows
        if self.library == POLARS:
            import narwhals as nw

            return nw.from_arrow(rows, backend=POLARS).to_native()
        return self._as_pandas(rows)

    def _with_decimals(self, rows: pa.Table) -> pa.Table:
        import pyarrow as pa

        schema = pa.schema(
            pa.field(held.name, pa.float64())
            if held.name in self.decimals and pa.types.is_integer(held.type)
            else held
            for held in rows.schema
        )
        return rows.cast(schema)

    def _as_pandas(self, rows: pa.Table) -> Any:
        import pandas as pd

        frame = rows.to_pandas(date_as_object=False)
        for name, (values, ordered) in self.categories.items():
            if name not in frame:
                continue
            fits = frame[name].dropna().isin(list(values)).all()
            frame[name] = frame[name].astype(
                pd.CategoricalDtype(list(values), ordered) if fits else "category"
            )
        return frame


@contextlib.contextmanager
def speaking_of(said: str, directory: Path) -> Iterator[None]:
    """Faults of files in a directory of ours are said of what the user gave."""
    try:
        yield
    except BadData as bad:
        faults = [_said_of(fault, said, directory) for fault in bad.faults]
        raise BadData(all_in_python(faults)) from None


def _said_of(fault: Fault, said: str, directory: Path) -> Fault:
    if not fault.place.startswith((str(directory.resolve()), str(directory))):
        return fault
    _, comma, rest = fault.place.partition(", ")
    return Fault(f"{said}{comma}{rest}", fault.problem, fault.remedy)


def is_path(data: Any) -> bool:
    return isinstance(data, (str, Path))


def addressed(data: str | Path) -> Path:
    """Where the records are: a file by its whole path, a database by its address."""
    return Path(data) if scheme_of(Path(data)) else Path(data).absolute()


def as_arrow(data: Any) -> tuple[pa.Table, FrameKind]:
    """A frame as Arrow with plain types, and its kind; BadData with every fault of it."""
    import narwhals as nw

    _require_sound_names(data)
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        kind = POLARS if frame.implementation.is_polars() else ARROW
        rows, found = frame.collect(ARROW).to_native(), FrameKind(kind)
    elif isinstance(frame, nw.DataFrame):
        rows, found = _of_frame(frame)
    else:
        rows, found = _streamed(data), FrameKind(ARROW)
    if not rows.num_rows or not rows.num_columns:
        lacking = "columns" if not rows.num_columns else "records"
        raise BadData([Fault(PLACE, f"there are no {lacking}", "a study needs some")])
    if faults := list(_unheld(rows)):
        raise BadData(faults)
    import pyarrow as pa

    decimals = frozenset(held.name for held in rows.schema if pa.types.is_floating(held.type))
    return _plain(rows), replace(found, decimals=decimals)


def _streamed(data: Any) -> pa.Table:
    """What gives itself as Arrow, if it has columns; a single column is no table."""
    import pyarrow as pa

    with contextlib.suppress(pa.ArrowException, TypeError):
        if hasattr(data, "__arrow_c_stream__"):
            return pa.table(data)
    problem = f"these are no records: {type(data).__name__}"
    raise BadData([Fault("the original", problem, f"give {KINDS}")])


def _unheld(rows: pa.Table) -> Iterator[Fault]:
    """A fault for every column that would silently become something else."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name, column in zip(rows.column_names, rows.columns, strict=True):
        place, held = f"{PLACE}, column {name!r}", column.type
        of_type = held.value_type if pa.types.is_dictionary(held) else held
        if pa.types.is_duration(of_type):
            yield Fault(place, "it has durations", "make them numbers of a unit, such as hours")
        elif isinstance(of_type, pa.BaseExtensionType):
            yield Fault(place, f"its values are of type {of_type.extension_name}", "make them texts")
        elif pa.types.is_floating(of_type):
            endless = pc.sum(pc.is_inf(column.cast(of_type))).as_py() or 0
            if endless:
                problem = f"{endless} of its numbers {'is' if endless == 1 else 'are'} infinite"
                yield Fault(place, problem, "make them missing or give amounts")


def _require_sound_names(data: Any) -> None:
    """Names must be texts, each once; other frames are refused before they are read."""
    names = _names(data)
    faults = [
        Fault(PLACE, f"the name of column {place} is no text but of type {type(name).__name__}", "rename it")
        for place, name in enumerate(names, 1)
        if not isinstance(name, str)
    ]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1 and isinstance(name, str)]
    faults += [
        Fault(PLACE, f"{counted(names.count(name), 'column')} are called {name!r}", "rename all but one")
        for name in twice
    ]
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for name in names if isinstance(name, str)):
        alike.setdefault(name.lower(), []).append(name)
    faults += [
        Fault(
            PLACE,
            f"{' and '.join(map(repr, same))} have one name, which capitals do not tell apart",
            "rename all but one",
        )
        for same in alike.values()
        if len(same) > 1
    ]
    if faults:
        raise BadData(faults)


def _names(data: Any) -> list[Any]:
    """The names of the columns of whatever has them."""
    if hasattr(data, "collect_schema"):
        return list(data.collect_schema().names())
    held: Any = getattr(data, "column_names", None)
    held = getattr(data, "columns", ()) if held is None else held
    return list(held) if isinstance(held, Iterable) else []


def _of_frame(frame: Any) -> tuple[pa.Table, FrameKind]:
    if not frame.implementation.is_pandas_like():
        library = POLARS if frame.implementation.is_polars() else ARROW
        return frame.to_arrow(), FrameKind(library)
    import pandas as pd
    import pyarrow as pa

    held = frame.to_native()
    columns, faults = {}, []
    for name in held.columns:
        try:
            columns[name] = pa.array(held[name], from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            faults.append(_mixed(name, held[name]))
    if faults:
        raise BadData(faults)
    categories = {
        composed(name): (composed(list(held[name].cat.categories)), bool(held[name].cat.ordered))
        for name in held.columns
        if isinstance(held[name].dtype, pd.CategoricalDtype)
    }
    index = frozenset(composed(name) for name in held.index.names if isinstance(name, str))
    return pa.table(columns), FrameKind(PANDAS, categories, index=index)


def _mixed(name: str, values: Any) -> Fault:
    """A column no single type holds: its types are named, never its values."""
    kinds = sorted({type(value).__name__ for value in values.dropna().tolist()})
    problem = (
        f"its values are of several types: {', '.join(kinds)}"
        if len(kinds) > 1
        else "no type holds its values"
    )
    return Fault(f"{PLACE}, column {name!r}", problem, "make them numbers, days or texts, all alike")


def _plain(rows: pa.Table) -> pa.Table:
    """The same records with as few types as possible: equal records from any library are equal bytes."""
    import pyarrow as pa

    columns = {name: _plain_column(rows.column(name)) for name in rows.column_names}
    return pa.table(columns)


def _plain_column(held: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(held.type):
        held = held.cast(held.type.value_type)
    if pa.types.is_floating(held.type):
        return _whole(pc.if_else(pc.is_nan(held), pa.scalar(None, held.type), held))
    if pa.types.is_timestamp(held.type) and held.type.tz is None:
        days = held.cast(pa.date32(), safe=False)
        return days if held.equals(days.cast(held.type)) else held
    if (
        pa.types.is_large_string(held.type)
        or pa.types.is_string_view(held.type)
        or pa.types.is_null(held.type)
    ):
        return held.cast(pa.string())
    return held


def _whole(held: pa.ChunkedArray) -> pa.ChunkedArray:
    """Decimal numbers that are all whole as whole ones: pandas has no others beside missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_whole = pc.and_(pc.equal(held, pc.trunc(held)), pc.less(pc.abs(held), EXACT))
    return held.cast(pa.int64()) if pc.all(is_whole).as_py() else held


def write_parquet(rows: pa.Table, place: Path) -> None:
    """The records as a file, for its owner's eyes only; equal records give equal bytes."""
    import os

    import pyarrow.parquet as pq

    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        pq.write_table(rows, file, compression="zstd", store_schema=False)
