"""Reads a Parquet file, or a folder of parts, whose columns come with types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.files import parts_of, plainly_named
from sdc.ingest.readers.header import refuse_doubtful_names
from sdc.ingest.readers.typed_columns import described_columns, read_to_the_end

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Source

SUFFIXES = (".parquet", ".pq")
SAME_SCHEMA = "write all parts with one schema"


@reader(name="parquet", suffixes=SUFFIXES, order=20, begins=(b"PAR1",), folders=True)
@contextmanager
def opened_parquet(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """Every column with its type. Parts of a folder come in the order of their names.

    Folders named `region=north` give a column of text.
    """
    del source
    parts = parts_of(path) if path.is_dir() else [path]
    schemas = {part: _schema(part) for part in parts}
    refuse_doubtful_names(path, schemas[parts[0]].names)
    if path.is_dir():
        _refuse_parts(schemas)
        with read_to_the_end(path):
            opened = described_columns(cursor, path, _relation(parts))
            yield replace(opened, parts={part: _relation([part]) for part in parts})
        return
    with plainly_named(path, scratch) as named, read_to_the_end(path):
        relation = f"read_parquet({sql.text(str(named))}, hive_partitioning = false)"
        yield described_columns(cursor, path, relation)


def _relation(parts: Sequence[Path]) -> str:
    listed = ", ".join(sql.text(str(part)) for part in parts)
    return f"read_parquet([{listed}], hive_partitioning = true, hive_types_autocast = false)"


@dataclass(frozen=True)
class _Schema:
    """The columns of a part, and the type that each value has in the file, nested ones by their path."""

    names: list[str]
    types: dict[str, tuple[str, str, int]]


def _schema(part: Path) -> _Schema:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with part.open("rb") as file:
            held = pq.ParquetFile(file)
            leaves = [held.schema.column(place) for place in range(len(held.schema))]
            types = {leaf.path: (leaf.physical_type, str(leaf.logical_type), leaf.length) for leaf in leaves}
            return _Schema(held.schema_arrow.names, types)
    except pa.ArrowException:
        raise BadData(
            [
                Fault(
                    str(part),
                    "this is no Parquet file, or not a whole one",
                    "write it again, or say what it is in source.format",
                )
            ]
        ) from None


def _refuse_parts(schemas: Mapping[Path, _Schema]) -> None:
    """BadData where the parts would not be read as they are.

    DuckDB turns values into the type of the first part, takes a *, ? or [ for a pattern, and puts what the
    name of a folder says in place of a column.
    """
    first = next(iter(schemas.values()))
    faults = []
    for part, schema in schemas.items():
        if set(str(part)) & set("*?["):
            faults.append(Fault(str(part), "the name has a *, ? or [", "rename it"))
        if schema.names != first.names:
            has, wanted = len(schema.names), len(first.names)
            problem = f"it has {has} columns, and not the {wanted} of the first part, in their order"
            faults.append(Fault(str(part), problem, SAME_SCHEMA))
            continue
        faults += [
            Fault(f"{part}, column {name!r}", "it has another type than in the first part", SAME_SCHEMA)
            for name in {**first.types, **schema.types}
            if schema.types.get(name) != first.types.get(name)
        ]
        named = [folder.partition("=")[0] for folder in part.parent.parts if "=" in folder]
        faults += [
            Fault(str(part), f"its folder and its own columns both have a column {name!r}", "rename one")
            for name in named
            if name.lower() in {own.lower() for own in schema.names}
        ]
    if faults:
        raise BadData(faults)
