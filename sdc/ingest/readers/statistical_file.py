"""Reads files of statistical packages in chunks, with what they say of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.readers.chunks import in_chunks, spooled
from sdc.ingest.readers.header import refuse_doubtful_names
from sdc.ingest.readers.opened import OpenedSource, SourceColumn
from sdc.ingest.readers.statistical_values import described, spss_missing, temporal

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from sdc.profile.plan import Source

CELLS_AT_A_TIME = 3_000_000
"""Values held at once where a chunk can be sought: about 150 MB."""
CELLS_OF_A_PASS = 12_000_000
"""Values held at once where every chunk reads the file from its beginning: about 600 MB."""


@dataclass(frozen=True)
class Package:
    """How pyreadstat reads files of one package.

    `kinds`: missing values have letters (.a to .z). `keeps_missing`: values declared missing can be read as
    they are. `seeks`: a chunk is found without reading those before.
    """

    function: str
    name: str
    kinds: bool = False
    keeps_missing: bool = True
    seeks: bool = True

    def read(self, path: Path, source: Source, **options: Any) -> tuple[Mapping[str, list[Any]], Any]:
        import pyreadstat

        if self.keeps_missing:
            options["user_missing"] = True
        if source.encoding != "utf-8":
            options["encoding"] = source.encoding
        held, told = getattr(pyreadstat, self.function)(
            str(path), output_format="dict", disable_datetime_conversion=True, **options
        )
        return held, told


@contextmanager
def opened_statistical(
    package: Package, source: Source, path: Path, cursor: duckdb.DuckDBPyConnection
) -> Iterator[OpenedSource]:
    """Numbers, texts, days and moments; kinds of missing values as codes. BadData where it breaks off."""
    import duckdb
    import pyarrow as pa

    with _whole(path):
        _, told = package.read(path, source, metadataonly=True)
    names: list[str] = told.column_names
    if not names:
        raise BadData([Fault(str(path), "the file has no columns")])
    refuse_doubtful_names(path, names)
    with ExitStack() as stack:
        chunks = _Chunks(package, source, path, told)
        reader = pa.RecordBatchReader.from_batches(chunks.schema, chunks.batches())
        relation = stack.enter_context(in_chunks(cursor, reader))
        try:
            if package.kinds:
                relation = stack.enter_context(spooled(cursor, f"SELECT * FROM {relation}"))
            yield OpenedSource(relation, _columns(package, told, cursor, relation))
        except duckdb.Error:
            if chunks.problem is None:
                raise
            raise chunks.problem from None


class _Chunks:
    """The chunks of a file as Arrow; `problem` says why there were no more."""

    def __init__(self, package: Package, source: Source, path: Path, told: Any) -> None:
        import pyarrow as pa

        self.package, self.source, self.path, self.told = package, source, path, told
        self.problem: BadData | None = None
        self.texts = [told.readstat_variable_types[name] == "string" for name in told.column_names]
        fields = [
            pa.field(f"c{place}", pa.string() if is_text else pa.float64())
            for place, is_text in enumerate(self.texts)
        ]
        if package.kinds:
            fields += [pa.field(f"k{place}", pa.string()) for place, _ in enumerate(self.texts)]
        self.schema = pa.schema(fields)

    def batches(self) -> Iterator[pa.RecordBatch]:
        cells = CELLS_AT_A_TIME if self.package.seeks else CELLS_OF_A_PASS
        rows = max(1, cells // len(self.texts))
        start, declared = 0, self.told.number_rows
        try:
            with _whole(self.path):
                while declared is None or start < declared:
                    held, _ = self.package.read(self.path, self.source, row_offset=start, row_limit=rows)
                    columns = list(held.values())
                    count = len(columns[0])
                    if count:
                        yield self._batch(columns)
                    del held, columns
                    start += count
                    if count < rows:
                        break
            if declared is not None and start != declared:
                raise broken_off(self.path, f"{start:,} of {declared:,} records")
        except BadData as bad:
            self.problem = bad
            raise

    def _batch(self, columns: list[list[Any]]) -> pa.RecordBatch:
        import pyarrow as pa

        arrays, kinds = [], []
        for values, is_text in zip(columns, self.texts, strict=True):
            letters = None
            if self.package.kinds and not is_text and str in set(map(type, values)):
                letters = [f".{value}" if isinstance(value, str) else None for value in values]
                values = [None if isinstance(value, str) else value for value in values]  # noqa: PLW2901
            arrays.append(pa.array(values, pa.string() if is_text else pa.float64()))
            kinds.append(pa.array(letters, pa.string()) if letters else pa.nulls(len(values), pa.string()))
        return pa.record_batch([*arrays, *(kinds if self.package.kinds else [])], schema=self.schema)


def _columns(
    package: Package, told: Any, cursor: duckdb.DuckDBPyConnection, relation: str
) -> dict[str, SourceColumn]:
    names = told.column_names
    found = _letters(cursor, relation, len(names)) if package.kinds else [()] * len(names)
    columns = {}
    for place, (name, label) in enumerate(zip(names, told.column_labels, strict=True)):
        labels = told.variable_value_labels.get(name, {})
        measure = told.variable_measure.get(name)
        form = told.original_variable_types.get(name)
        if told.readstat_variable_types[name] == "string":
            codes, _ = spss_missing(labels, told.missing_ranges.get(name, ()))
            columns[name] = SourceColumn(f'"c{place}"', "VARCHAR", described(label, labels, codes, measure))
            continue
        codes, unnamed = spss_missing(labels, told.missing_ranges.get(name, ()))
        number = f'"c{place}"'
        if unnamed:
            number = f"CASE WHEN {unnamed.replace('{}', number)} THEN NULL ELSE {number} END"
        number = f"CASE WHEN isnan({number}) THEN NULL ELSE {number} END"
        moment = temporal(package.name, form, number)
        kind, value = (moment.type, moment.expression) if moment else ("DOUBLE", number)
        if package.kinds:
            lettered = {f".{code}" for code in labels if isinstance(code, str)}
            codes = tuple(sorted({*lettered, *found[place]}))
        if found[place]:
            value, kind = f'coalesce("k{place}", {sql.as_text(value, kind)})', "VARCHAR"
        metadata = described(label, labels, codes, measure, "." if package.kinds else "")
        columns[name] = SourceColumn(value, kind, metadata)
    return columns


def _letters(cursor: duckdb.DuckDBPyConnection, relation: str, width: int) -> list[tuple[str, ...]]:
    """The kinds of missing values that occur in each column."""
    asked = ", ".join(f'list(DISTINCT "k{place}") FILTER ("k{place}" IS NOT NULL)' for place in range(width))
    row = cursor.execute(f"SELECT {asked} FROM {relation}").fetchall()[0]
    return [tuple(sorted(held or ())) for held in row]


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """The words of pyreadstat may hold what it read: only that it stopped is told."""
    import pyreadstat

    try:
        yield
    except (
        pyreadstat.ReadstatError,
        pyreadstat.PyreadstatError,
        UnicodeError,
        OverflowError,
        ValueError,
    ) as bad:
        words = str(bad).lower()
        if "encod" in words or "utf" in words or isinstance(bad, UnicodeError):
            problem = "a text of the file is not in the encoding that the file says, or source.encoding"
            raise BadData([Fault(str(path), problem, "say which in source.encoding")]) from None
        raise broken_off(path) from None


def broken_off(path: Path, count: str = "") -> BadData:
    read = f": {count} are there" if count else ""
    return BadData([Fault(str(path), f"the file cannot be read to its end{read}", "is the file whole?")])
