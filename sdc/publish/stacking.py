"""Puts several judged syntheses into one table, numbered, and proves that each is in it as it was judged."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.errors import CannotPublish
from sdc.profile.publish_plan import SYNTHESIS
from sdc.publish.parts import HOUSEHOLDS, PERSONS, BundlePart
from sdc.publish.splitting import StoredPart, stored
from sdc.publish.splitting import difference as joined_difference
from sdc.run import digest, durable
from sdc.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from sdc.publish.bundle_plan import BundlePlan


@contextmanager
def stacked_parts(
    plan: BundlePlan, reader: duckdb.DuckDBPyConnection, copies: Sequence[Sequence[StoredPart]]
) -> Iterator[tuple[StoredPart, ...]]:
    """The parts of several syntheses as one Parquet file each; CannotPublish where they are not the same."""
    folder = plan.parquet.with_suffix(".stacked")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=durable.PRIVATE_DIRECTORY)
    try:
        found = []
        for part, several in zip(plan.parts, zip(*copies, strict=True), strict=True):
            place = folder / f"{part.name or 'all'}.parquet"
            _write(part, several, place)
            if problem := difference(reader, stored(place), [each.relation for each in several]):
                raise CannotPublish(plan.profile.publish.outbox, f"stacked syntheses: {problem}")
            found.append(StoredPart(part, place, digest.of_file(place)))
        yield tuple(found)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(part: BundlePart, several: Sequence[StoredPart], place: Path) -> None:
    """One synthesis below the other, group by group, each in its own order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    held = [pq.ParquetFile(each.parquet) for each in several]
    plain = [pa.schema([(field.name, field.type) for field in file.schema_arrow]) for file in held]
    schema = pa.unify_schemas(plain, promote_options="permissive")
    schema = schema.insert(0, pa.field(SYNTHESIS, pa.int64()))
    place.touch(durable.PRIVATE_FILE)
    with pq.ParquetWriter(place, schema, compression="zstd", store_schema=False) as writer:
        for number, file in enumerate(held, start=1):
            for group in range(file.num_row_groups):
                read = file.read_row_group(group)
                numbers = pa.array([number] * read.num_rows, pa.int64())
                writer.write_table(read.add_column(0, SYNTHESIS, numbers).select(part.columns).cast(schema))
    for file in held:
        file.close()


def difference(reader: duckdb.DuckDBPyConnection, stacked: str, several: Sequence[str]) -> str:
    """How a stacked table differs from its syntheses, each in its order; empty where it does not."""
    column = sql.name(SYNTHESIS)
    (others,) = _one(
        reader,
        f"SELECT count(*) FROM {stacked} WHERE {column} IS NULL OR {column} NOT BETWEEN 1 AND {len(several)}",
    )
    if others:
        return f"{counted(others, 'record')} of no synthesis"
    for number, relation in enumerate(several, start=1):
        own = f"(SELECT * EXCLUDE ({column}) FROM {stacked} WHERE {column} = {number})"
        names = [row[0] for row in reader.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()]
        if names != [row[0] for row in reader.execute(f"DESCRIBE SELECT * FROM {own}").fetchall()]:
            return f"synthesis {number} has other columns"
        rows, held = (_one(reader, f"SELECT count(*) FROM {each}")[0] for each in (own, relation))
        if rows != held:
            return f"synthesis {number} has {counted(rows, 'record')}, the judged one {held:,}"
        differs = " OR ".join(f'"a".{sql.name(name)} IS DISTINCT FROM "b".{sql.name(name)}' for name in names)
        query = f'SELECT count(*) FROM {own} AS "a" POSITIONAL JOIN {relation} AS "b" WHERE {differs}'
        if different := _one(reader, query)[0]:
            return f"synthesis {number} differs from the judged one in {counted(different, 'record')}"
    return ""


def stack_differs(judged: Sequence[Path], parts: Mapping[str, Path]) -> bool:
    """Whether stacked Parquet files, by part, have something else than the judged files below each other."""
    import duckdb

    def of_synthesis(part: str, number: int) -> str:
        column = sql.name(SYNTHESIS)
        return f"(SELECT * EXCLUDE ({column}) FROM {stored(parts[part])} WHERE {column} = {number})"

    try:
        with duckdb.connect(":memory:") as reader:
            if {*parts} == {""}:
                return bool(difference(reader, stored(parts[""]), list(map(stored, judged))))
            if {*parts} != {PERSONS, HOUSEHOLDS}:
                return True
            return any(
                joined_difference(
                    reader, stored(file), of_synthesis(PERSONS, number), of_synthesis(HOUSEHOLDS, number)
                )
                for number, file in enumerate(judged, start=1)
            )
    except duckdb.Error:
        return True


def _one(reader: duckdb.DuckDBPyConnection, query: str) -> tuple[int, ...]:
    return reader.execute(query).fetchone() or (0,)
