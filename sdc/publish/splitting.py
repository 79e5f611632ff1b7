"""Splits the judged table into persons and households, and proves that they are the same table joined."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.errors import CannotPublish
from sdc.publish.parts import PERSONS, BundlePart, linking_key
from sdc.run import digest, durable
from sdc.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import duckdb

    from sdc.publish.bundle_plan import BundlePlan


@dataclass(frozen=True)
class StoredPart:
    """A part of the judged table, and the Parquet file that has it."""

    part: BundlePart
    parquet: Path
    sha256: str

    @property
    def relation(self) -> str:
        return stored(self.parquet)


def stored(parquet: Path) -> str:
    return f"read_parquet({sql.text(str(parquet.absolute()))})"


@contextmanager
def stored_parts(
    plan: BundlePlan, reader: duckdb.DuckDBPyConnection, outbox: Path
) -> Iterator[tuple[StoredPart, ...]]:
    """The parts of a bundle as Parquet files: the judged file itself, or two that were made from it.

    CannotPublish where the two, joined again, would not be the judged table.
    """
    parts = plan.parts
    key = linking_key(plan.profile)
    if key is not None and not plan.is_linked:
        raise CannotPublish(outbox, f"the candidate has no {key}, by which persons and households are linked")
    if not plan.is_linked:
        yield (StoredPart(parts[0], plan.parquet, plan.sha256),)
        return
    folder = plan.parquet.with_suffix(".parts")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=durable.PRIVATE_DIRECTORY)
    try:
        found = tuple(_written(plan, part, folder / f"{part.name}.parquet", reader) for part in parts)
        persons, households = found
        if problem := difference(reader, stored(plan.parquet), persons.relation, households.relation):
            raise CannotPublish(outbox, f"persons and households: {problem}")
        yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _written(
    plan: BundlePlan, part: BundlePart, place: Path, reader: duckdb.DuckDBPyConnection
) -> StoredPart:
    """Persons in the order of the judged file, group by group; households by number."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def written(schema: pa.Schema, groups: Iterable[pa.Table]) -> None:
        with pq.ParquetWriter(place, schema, compression="zstd", store_schema=False) as writer:
            for group in groups:
                writer.write_table(group)

    place.touch(durable.PRIVATE_FILE)
    if part.name == PERSONS:
        with pq.ParquetFile(plan.parquet) as file:
            read = (file.read_row_group(number, [*part.columns]) for number in range(file.num_row_groups))
            schema = pa.schema([file.schema_arrow.field(name) for name in part.columns])
            written(schema, (group.select(part.columns) for group in read))
    else:
        homes = reader.sql(f"SELECT * FROM {part.selected(stored(plan.parquet))}").to_arrow_table()
        written(homes.schema, [homes])
    return StoredPart(part, place, digest.of_file(place))


def difference(reader: duckdb.DuckDBPyConnection, judged: str, persons: str, households: str) -> str:
    """How persons and households, joined again, differ from the judged table; empty where they do not.

    Every person is compared with the same place of the judged table. Every person has one household, and
    every household a person.
    """
    held, own, homes = (_columns(reader, relation) for relation in (judged, persons, households))
    both = [name for name in own if name in homes]
    if len(both) != 1 or len(own) + len(homes) != len(held) + 1 or {*own, *homes} != {*held}:
        return "they have other columns than the candidate"
    key = sql.name(both[0])
    (records,) = _one(reader, f"SELECT count(*) FROM {judged}")
    people, numbers = _one(reader, f"SELECT count(*), count(DISTINCT {key}) FROM {persons}")
    rows, distinct = _one(reader, f"SELECT count(*), count(DISTINCT {key}) FROM {households}")
    if people != records:
        return f"there are {counted(people, 'person')}, and the candidate has {counted(records, 'record')}"
    if rows > distinct:
        return f"{counted(rows - distinct, 'household')} too many: members differ, or have no number"
    if rows != numbers:
        return f"there are {counted(rows, 'household')}, and persons of {numbers:,}"
    (different,) = _one(reader, _compared(judged, persons, households, own, homes, key))
    return (
        f"joined again they differ from the candidate in {counted(different, 'record')}" if different else ""
    )


def differs(judged: Path, persons: Path, households: Path) -> bool:
    """Whether three Parquet files tell the judged table and its two parts otherwise than they should."""
    import duckdb

    try:
        with duckdb.connect(":memory:") as reader:
            return bool(difference(reader, *map(stored, (judged, persons, households))))
    except duckdb.Error:
        return True


def _compared(
    judged: str, persons: str, households: str, own: Sequence[str], homes: Sequence[str], key: str
) -> str:
    """Counts the records of the judged table that a person with its household is not, in SQL."""
    mine = [sql.name(name) for name in own]
    theirs = [sql.name(name) for name in homes if sql.name(name) != key]
    given = [f'"own".{name} AS "own_{place}"' for place, name in enumerate(mine)]
    given += [f'"held".{name} AS "held_{place}"' for place, name in enumerate((*mine, *theirs))]
    beside = f'SELECT {", ".join(given)} FROM {judged} AS "held" POSITIONAL JOIN {persons} AS "own"'
    found = [f'"own_{place}"' for place in range(len(mine))] + [f'"home".{name}' for name in theirs]
    tests = [
        f'"home".{key} IS NULL',
        *(f'"held_{at}" IS DISTINCT FROM {name}' for at, name in enumerate(found)),
    ]
    return (
        f'SELECT count(*) FROM ({beside}) LEFT JOIN {households} AS "home"'
        f' ON "own_{mine.index(key)}" = "home".{key} WHERE {" OR ".join(tests)}'
    )


def _columns(reader: duckdb.DuckDBPyConnection, relation: str) -> list[str]:
    return [row[0] for row in reader.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()]


def _one(reader: duckdb.DuckDBPyConnection, query: str) -> tuple[int, ...]:
    return reader.execute(query).fetchone() or ()
