"""Is a MySQL server (here MariaDB) read whole, with its types, without writing, and without its password?"""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sdc.cli.main import cli
from sdc.data.warehouse import Warehouse
from sdc.ingest import ingest
from sdc.ingest.readers import database_server
from sdc.profile.plan import Profile
from sdc.run.secret import NO_SECRET

MADE = """
    DROP DATABASE IF EXISTS survey; CREATE DATABASE survey CHARACTER SET utf8mb4; GRANT ALL ON *.* TO keeper@localhost;
    CREATE TABLE survey.persons
      (region VARCHAR(20), age INT, income DECIMAL(10, 2), born DATE, seen DATETIME, works BOOLEAN);
    INSERT INTO survey.persons VALUES
      ('north', 30, 1234.50, '1990-02-28', '2020-01-01 10:00:00', 1), ('süd', NULL, NULL, NULL, NULL, 0),
      ('north', 61, -7.25, '1959-12-31', '2001-05-05 23:59:59', 1);
    CREATE TABLE survey.turned AS SELECT * FROM survey.persons ORDER BY age DESC;
"""


@pytest.fixture
def survey(mariadb: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    mariadb.run(MADE)
    monkeypatch.setenv("MYSQL_PWD", "pass-of-the-test")
    return mariadb


@pytest.fixture
def address(survey: Any) -> str:
    return f"mysql://keeper@127.0.0.1:{survey.port}/survey"


def test_a_table_is_read_with_its_types(read: Callable[..., Any], survey: Any, address: str) -> None:
    del survey
    found = read(address, table="persons")
    assert sorted(found.records, key=str) == [
        (
            "north",
            30,
            Decimal("1234.50"),
            date(1990, 2, 28),
            datetime.fromisoformat("2020-01-01T10:00:00"),
            True,
        ),
        (
            "north",
            61,
            Decimal("-7.25"),
            date(1959, 12, 31),
            datetime.fromisoformat("2001-05-05T23:59:59"),
            True,
        ),
        ("süd", None, None, None, None, False),
    ]
    assert found.sha256 == read(address, table="survey.persons").sha256
    assert read(address, query="SELECT age FROM persons WHERE region = 'süd'").records == [(None,)]


def test_the_digest_is_that_of_the_records(read: Callable[..., Any], survey: Any, address: str) -> None:
    before = read(address, table="persons")
    again = read(address, table="turned")
    assert (again.sha256, again.records) == (before.sha256, before.records)
    survey.run("UPDATE survey.turned SET age = 62 WHERE age = 61")
    assert read(address, table="turned").sha256 != before.sha256


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM persons",
        "SELECT 1; DELETE FROM persons",
        "SELECT * FROM mysql_query('source', 'DELETE FROM survey.persons')",
        "CALL mysql_execute('source', 'DELETE FROM survey.persons')",
    ],
)
def test_a_query_that_writes_is_refused(
    refused: Callable[..., str], survey: Any, address: str, query: str
) -> None:
    assert "source.query: " in refused(address, query=query)
    assert survey.run("SELECT count(*) FROM survey.persons") == "3"


def test_what_cannot_be_read_is_a_sentence_without_the_password(
    refused: Callable[..., str], survey: Any, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    del survey
    assert refused(address, table="nobody").endswith("the database holds no table 'nobody'")
    assert "the server has no such database" in refused(address.replace("survey", "other"), table="persons")
    monkeypatch.setenv("MYSQL_PWD", "wrong-of-the-test")
    said = refused(address, table="persons")
    assert "the server refused the user or the password, which come from the environment" in said
    assert "of-the-test" not in said


def test_a_server_that_goes_away_leaves_nothing(
    refused: Callable[..., str], survey: Any, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered = database_server._ordered
    survey.run("USE survey; INSERT INTO persons SELECT 'CANARY', seq, 1, NULL, NULL, 1 FROM seq_1_to_400000")

    def gone(*told: Any) -> str:
        running = "SELECT id FROM information_schema.processlist WHERE user = 'keeper'"
        for number in survey.run(running).split():
            survey.run(f"KILL {number}")
        return ordered(*told)

    monkeypatch.setattr(database_server, "_ordered", gone)
    said = refused(address, table="persons")
    assert "the database went away, or refused, before all records were read; nothing was kept" in said
    assert "CANARY" not in said


def test_a_profile_of_such_a_table_is_drafted_and_ingested(
    read: Callable[..., Any], survey: Any, address: str, tmp_path: Path
) -> None:
    survey.run(
        "USE survey; INSERT INTO persons SELECT 'north', seq % 40, seq + 0.5, NULL, NULL, seq % 2 FROM seq_1_to_200"
    )
    drafted = tmp_path / "p.yaml"
    said = CliRunner().invoke(cli, ["draft", address, "--table", "persons", "--out", str(drafted)])
    assert said.exit_code == 0, said.output
    assert "of-the-test" not in drafted.read_text() + said.output
    variables = {"region": "quasi_identifier", "age": {"type": "numeric"}, "income": {"type": "numeric"}}
    variables |= dict.fromkeys(("born", "seen", "works"), "dropped")
    source = {"path": address, "table": "persons"}
    profile = Profile(name="t", seed=1, source=source, variables=variables, candidates={})
    with Warehouse.create(tmp_path / "run") as warehouse:
        found = ingest(profile, tmp_path, warehouse, NO_SECRET)
    assert (found.rows, found.sha256) == (203, read(address, table="persons").sha256)
