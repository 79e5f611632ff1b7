"""Joins a file of persons with that of their households: each person with its household, or every fault."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.errors import BadData, Fault
from sdc.ingest.readers.opened import OpenedSource
from sdc.ingest.shaping import with_columns_asked_for
from sdc.spelling import counted

if TYPE_CHECKING:
    import duckdb

    from sdc.profile.plan import MicrodataSource, Source

PEOPLE = "person_records"
HOMES = "household_records"


@contextmanager
def linked(
    persons: OpenedSource,
    source: MicrodataSource,
    path: Path,
    open_households: Callable[[], AbstractContextManager[OpenedSource]],
    households_path: Path,
    cursor: duckdb.DuckDBPyConnection,
) -> Iterator[OpenedSource]:
    """The persons in the order of their file, each with the columns of its household.

    The files are read one after the other: some can be read once, and some share a name to read from.
    """
    assert source.households is not None
    assert source.key is not None
    names = {PEOPLE: (path, source.key), HOMES: (households_path, source.households.key or source.key)}
    try:
        people = _copied(persons, PEOPLE, cursor)
        with open_households() as opened:
            wanted = with_columns_asked_for(opened, source.households, households_path)
            homes = _copied(wanted, HOMES, cursor)
            digest = opened.sha256
        _refuse_columns(people, homes, names)
        keys = {
            PEOPLE: _key(people, source, source.key),
            HOMES: _key(homes, source.households, names[HOMES][1]),
        }
        _refuse_records(keys, names, cursor)
        own = {
            name: replace(held, source=source.households)
            for name, held in homes.columns.items()
            if name != names[HOMES][1]
        }
        joined = (
            f"(SELECT {PEOPLE}.*, {HOMES}.* FROM {PEOPLE} JOIN {HOMES} ON {keys[PEOPLE]} = {keys[HOMES]}"
            f" ORDER BY {PEOPLE}.rowid)"
        )
        yield replace(
            persons,
            relation=joined,
            columns={**people.columns, **own},
            households_sha256=digest,
            parts={},
        )
    finally:
        for table in (PEOPLE, HOMES):
            cursor.execute(f"DROP TABLE IF EXISTS temp.{table}")


def of_both_files(fault: Fault, path: Path, households: Path) -> Fault:
    """A fault of the columns of both files, joined: those of persons, then those of households."""
    place = fault.place.replace(str(path), f"{path} and {households.name}", 1)
    problem, remedy = (
        text.replace("of the file", "of both files joined") for text in (fault.problem, fault.remedy)
    )
    return Fault(place, problem, remedy)


def _copied(opened: OpenedSource, table: str, cursor: duckdb.DuckDBPyConnection) -> OpenedSource:
    """The columns in a temporary table, under names that no other table has."""
    chosen = ", ".join(
        f'{held.expression} AS "{table}.{place}"' for place, held in enumerate(opened.columns.values())
    )
    cursor.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {chosen} FROM {opened.relation}")
    columns = {
        name: replace(held, expression=f'"{table}.{place}"')
        for place, (name, held) in enumerate(opened.columns.items())
    }
    return replace(opened, relation=table, columns=columns, parts={})


def _refuse_columns(people: OpenedSource, homes: OpenedSource, names: dict[str, tuple[Path, str]]) -> None:
    (path, key), (second, second_key) = names[PEOPLE], names[HOMES]
    faults = [
        Fault(
            f"{place}, column {name!r}",
            "it links persons to households and is not there",
            "correct key, or columns",
        )
        for opened, (place, name) in ((people, names[PEOPLE]), (homes, names[HOMES]))
        if name not in opened.columns
    ]
    both = [name for name in homes.columns if name in people.columns and name not in (key, second_key)]
    faults += [
        Fault(
            f"{second}, column {name!r}",
            f"{path.name} has a column of this name too",
            "rename one, or leave it out by columns:",
        )
        for name in both
    ]
    if faults:
        raise BadData(faults)


def _key(opened: OpenedSource, source: Source, name: str) -> str:
    """The number of a household as text, missing where it is a missing code."""
    held = opened.columns[name]
    text = sql.as_text(held.expression, held.type)
    codes = _codes(source.missing_codes)
    return f"CASE WHEN {text} IN ({codes}) THEN NULL ELSE {text} END" if codes else text


def _codes(codes: Collection[str]) -> str:
    return ", ".join(map(sql.text, sorted({*codes})))


def _refuse_records(
    keys: dict[str, str], names: dict[str, tuple[Path, str]], cursor: duckdb.DuckDBPyConnection
) -> None:
    """BadData where a person has no household, a household no person, or two households one number."""

    def count(query: str) -> int:
        return int(cursor.execute(query).fetchall()[0][0])

    homes, people = (f"SELECT {keys[table]} AS k FROM {table}" for table in (HOMES, PEOPLE))
    shared = f"SELECT count(*) AS n FROM ({homes}) WHERE k IS NOT NULL GROUP BY k HAVING count(*) > 1"
    found = [
        (HOMES, count(f"SELECT count(*) FROM ({homes}) WHERE k IS NULL"), "no key in {}"),
        (PEOPLE, count(f"SELECT count(*) FROM ({people}) WHERE k IS NULL"), "no key in {}"),
        (
            HOMES,
            count(f"SELECT coalesce(sum(n), 0) FROM ({shared})"),
            "a key shared with another household in {}",
        ),
        (PEOPLE, count(_without(people, homes)), f"a key that {names[HOMES][0].name} does not have in {{}}"),
        (HOMES, count(_without(homes, people)), f"a key that {names[PEOPLE][0].name} does not have in {{}}"),
    ]
    faults = [
        Fault(f"{names[table][0]}, column {names[table][1]!r}", problem.format(counted(number, "record")))
        for table, number, problem in found
        if number
    ]
    if faults:
        raise BadData(faults)


def _without(these: str, those: str) -> str:
    found = f"SELECT 1 FROM ({those}) AS b WHERE b.k = a.k"
    return f"SELECT count(*) FROM ({these}) AS a WHERE k IS NOT NULL AND NOT EXISTS ({found})"
