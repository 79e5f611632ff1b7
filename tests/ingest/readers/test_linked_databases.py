"""Persons and households that are tables of databases are joined as files are."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sdc.data.warehouse import Warehouse
from sdc.errors import BadData, BadProfile
from sdc.ingest import ingest
from sdc.ingest.files import source_fingerprint
from sdc.ingest.reopened import identifier_values
from sdc.profile.load import load_profile
from sdc.run.secret import NO_SECRET

PERSONS = [(1, 7, 30), (2, 3, 40), (3, 7, 5), (4, 9, 80)]
HOMES = [(3, "North"), (9, None), (7, "South")]
JOINED = {(7, 30, "South"), (3, 40, "North"), (7, 5, "South"), (9, 80, None)}
MADE = """
    DROP SCHEMA IF EXISTS linked CASCADE; CREATE SCHEMA linked;
    CREATE TABLE linked.people (pid integer, hid integer, age integer);
    INSERT INTO linked.people VALUES (1, 7, 30), (2, 3, 40), (3, 7, 5), (4, 9, 80);
    CREATE TABLE linked.homes (hid integer, region text);
    INSERT INTO linked.homes VALUES (3, 'North'), (9, NULL), (7, 'South');
"""
PROFILE = """
name: survey
source:
  persons: {{{persons}, key: hid}}
  households: {{{households}}}
variables:
  pid: direct_identifier
  hid: {{role: household, type: numeric}}
  age: {{role: quasi_identifier, type: numeric}}
  region: quasi_identifier
candidates: {{plain: [{{method: local_suppression, with: {{k: 2}}}}]}}
risk: [{{measure: k_anonymity, at_least: 2, because: house rule}}]
"""
SERVED = "path: 'postgres:', table: linked.people", "path: 'postgres:', table: linked.homes"
FILES = "path: p.csv", "path: h.csv"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = {"people": ("pid,hid,age", PERSONS), "homes": ("hid,region", HOMES)}
    for table, (names, held) in rows.items():
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in held]
        (tmp_path / f"{table[0]}.csv").write_text("\n".join([names, *lines]) + "\n")
    light, duck = sqlite3.connect(tmp_path / "s.sqlite"), duckdb.connect(str(tmp_path / "s.duckdb"))
    for made in (light, duck):
        made.execute("CREATE TABLE people (pid INTEGER, hid INTEGER, age INTEGER)")
        made.execute("CREATE TABLE homes (hid INTEGER, region TEXT)")
        made.executemany("INSERT INTO people VALUES (?, ?, ?)", PERSONS)
        made.executemany("INSERT INTO homes VALUES (?, ?)", HOMES)
    light.commit()
    light.close()
    duck.close()
    return tmp_path


@pytest.fixture
def served(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    postgres.run(MADE)
    for name, value in (("PGHOST", str(postgres.folder)), ("PGUSER", "keeper"), ("PGDATABASE", "postgres")):
        monkeypatch.setenv(name, value)
    return postgres


def taken(folder: Path, persons: str, households: str) -> tuple[str, set[tuple[Any, ...]]]:
    """The digest of what was read, and the records; region is per household by itself."""
    (folder / "profile.yaml").write_text(PROFILE.format(persons=persons, households=households))
    profile = load_profile(folder / "profile.yaml")
    assert profile.variables["region"].per == "household"
    run = folder / f"run{len(list(folder.iterdir()))}"
    with Warehouse.create(run, readable=[folder / path for path in profile.files]) as warehouse:
        found = ingest(profile, folder, warehouse, NO_SECRET)
        rows = warehouse.database.cursor().execute("SELECT hid, age, region FROM original").fetchall()
    with identifier_values(profile, folder, found.sha256, folder) as values:
        assert sorted(values["pid"]) == ["1", "2", "3", "4"]
    return found.sha256, set(rows)


@pytest.mark.parametrize("file", ["s.sqlite", "s.duckdb"])
def test_both_tables_may_be_in_one_file_of_a_database(folder: Path, file: str) -> None:
    _, rows = taken(folder, f"path: {file}, table: people", f"path: {file}, query: SELECT * FROM homes")
    assert rows == JOINED


@pytest.mark.parametrize("persons", ["path: s.duckdb, table: people", "path: p.csv"])
@pytest.mark.parametrize("households", ["path: s.sqlite, table: homes", "path: h.csv"])
def test_a_table_may_stand_beside_a_file(folder: Path, persons: str, households: str) -> None:
    assert taken(folder, persons, households)[1] == JOINED


@pytest.mark.parametrize("persons", [SERVED[0], FILES[0]])
@pytest.mark.parametrize(
    "households", [SERVED[1], "path: 'postgres:', query: 'SELECT * FROM linked.homes;'", FILES[1]]
)
def test_either_side_may_be_on_a_server(folder: Path, served: Any, persons: str, households: str) -> None:
    del served
    assert taken(folder, persons, households)[1] == JOINED


def test_a_table_of_a_server_is_found_without_its_schema(folder: Path, served: Any) -> None:
    del served
    assert taken(folder, FILES[0], "path: 'postgres:', table: homes")[1] == JOINED


def test_a_household_changed_on_the_server_is_another_source(folder: Path, served: Any) -> None:
    before, _ = taken(folder, *SERVED)
    assert taken(folder, *SERVED)[0] == before
    profile = load_profile(folder / "profile.yaml")
    assert source_fingerprint(profile.source, folder).sha256 == "", "nobody knows before the records are read"
    served.run("UPDATE linked.homes SET region = 'West' WHERE hid = 9")
    assert taken(folder, *SERVED)[0] != before
    with (
        pytest.raises(BadData, match="no longer the file that was read"),
        identifier_values(profile, folder, before, folder),
    ):
        pass


def test_a_household_that_is_not_on_the_server_is_counted(folder: Path, served: Any) -> None:
    served.run("DELETE FROM linked.homes WHERE hid = 9")
    with pytest.raises(BadData, match=r"a key that postgres: does not have in 1 record"):
        taken(folder, FILES[0], SERVED[1])


def test_a_server_of_households_that_is_not_there_is_a_sentence(folder: Path) -> None:
    with pytest.raises(BadProfile, match="cannot be read: the server cannot be reached"):
        taken(folder, FILES[0], "path: 'postgres://me@127.0.0.1:1/db', table: homes")
