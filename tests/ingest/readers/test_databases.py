"""Is a server read in one snapshot, without writing, and without a word of its credentials?"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sdc.catalogue.readers import reader_of, scheme_of
from sdc.data.warehouse import Warehouse
from sdc.errors import BadData, BadProfile
from sdc.ingest import Ingested, ingest
from sdc.ingest.readers import database_server
from sdc.ingest.readers.database_server import Address
from sdc.profile.load import load_profile
from sdc.profile.plan import Profile
from sdc.run.secret import NO_SECRET

MADE = """
    DROP SCHEMA IF EXISTS survey CASCADE; CREATE SCHEMA survey;
    CREATE TABLE survey.persons (id integer, region text, age integer, born date);
    INSERT INTO survey.persons VALUES (1, 'north', 44, '1980-01-02'), (2, 'south', 45, NULL), (3, 'south', 46, NULL);
    CREATE SEQUENCE survey.numbers;
    CREATE VIEW survey.writing AS SELECT id, nextval('survey.numbers') AS n FROM survey.persons;
"""


@pytest.fixture
def survey(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    postgres.run(MADE)
    monkeypatch.setenv("PGHOST", str(postgres.folder))
    monkeypatch.setenv("PGUSER", "keeper")
    monkeypatch.setenv("PGDATABASE", "postgres")
    return postgres


def test_a_table_and_a_query_are_read(read: Callable[..., Any], survey: Any) -> None:
    del survey
    found = read("postgres:", table="survey.persons")
    assert sorted(found.column("id")) == [1, 2, 3]
    assert {name: held.type for name, held in found.columns.items()}["born"] == "DATE"
    assert read(
        "postgres://keeper@/postgres", query="SELECT age FROM survey.persons WHERE id = 2"
    ).records == [(45,)]


def test_a_service_of_the_service_file_is_found(
    read: Callable[..., Any],
    refused: Callable[..., str],
    survey: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "services").write_text(f"[statistics]\nhost={survey.folder}\nuser=keeper\ndbname=postgres\n")
    for name in ("PGHOST", "PGUSER", "PGDATABASE"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    assert len(read("postgres:statistics", table="persons").records) == 3
    assert "there is no such service in the service file" in refused("postgres:other", table="persons")


def test_the_password_comes_from_the_environment_and_stands_in_no_fault(
    read: Callable[..., Any], refused: Callable[..., str], survey: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey.run("GRANT USAGE ON SCHEMA survey TO guarded; GRANT SELECT ON survey.persons TO guarded")
    monkeypatch.setenv("PGPASSFILE", "/nowhere")
    monkeypatch.setenv("PGPASSWORD", "wrong-of-the-test")
    said = refused("postgres://guarded@/postgres", table="survey.persons")
    assert "the server refused the user or the password, which come from the environment" in said
    assert "of-the-test" not in said
    monkeypatch.setenv("PGPASSWORD", "pass-of-the-test")
    assert len(read("postgres://guarded@/postgres", table="survey.persons").records) == 3


def test_the_digest_does_not_depend_on_the_order_of_records(read: Callable[..., Any], survey: Any) -> None:
    before = read("postgres:", table="persons")
    survey.run("CREATE TABLE survey.turned AS SELECT * FROM survey.persons ORDER BY id DESC")
    again = read("postgres:", table="turned")
    assert (again.sha256, again.records) == (before.sha256, before.records)
    survey.run("UPDATE survey.turned SET age = 47 WHERE id = 3")
    assert read("postgres:", table="turned").sha256 != before.sha256


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM survey.persons",
        "SELECT 1; DELETE FROM survey.persons",
        "SELECT * FROM postgres_query('source', 'DELETE FROM survey.persons RETURNING id')",
        "CALL postgres_execute('source', 'DELETE FROM survey.persons')",
        "SELECT * FROM read_csv('/etc/passwd')",
    ],
)
def test_a_query_that_writes_or_looks_elsewhere_is_refused(
    refused: Callable[..., str], survey: Any, query: str
) -> None:
    assert "source.query: " in refused("postgres:", query=query)
    assert survey.run("SELECT count(*) FROM survey.persons") == "3"


def test_a_view_that_writes_is_stopped_by_the_server(refused: Callable[..., str], survey: Any) -> None:
    assert "went away, or refused" in refused("postgres:", table="writing")
    assert survey.run("SELECT is_called FROM survey.numbers") == "f"


def test_a_database_that_goes_away_leaves_nothing(
    refused: Callable[..., str], survey: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered = database_server._ordered

    def gone(*told: Any) -> str:
        survey.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        return ordered(*told)

    survey.run("INSERT INTO survey.persons SELECT n, 'CANARY', 1, NULL FROM generate_series(4, 400000) n")
    monkeypatch.setattr(database_server, "_ordered", gone)
    said = refused("postgres:", table="persons")
    assert "the database went away, or refused, before all records were read; nothing was kept" in said
    assert "CANARY" not in said


def test_a_server_that_is_not_there_is_a_sentence(refused: Callable[..., str]) -> None:
    said = refused("postgres://me@127.0.0.1:1/db", table="t")
    assert said.endswith("the server cannot be reached")
    assert refused("mysql://me@127.0.0.1:1/db", table="t").endswith("the server cannot be reached")


def profile_of(**source: Any) -> Profile:
    variables = {
        "id": "direct_identifier",
        "region": "quasi_identifier",
        "born": "dropped",
        "age": {"type": "numeric"},
    }
    return Profile(name="t", seed=1, source=source, variables=variables, candidates={})


def taken(profile: Profile, folder: Path) -> Ingested:
    with Warehouse.create(folder, readable=[folder.parent / path for path in profile.files]) as warehouse:
        found = ingest(profile, folder.parent, warehouse, NO_SECRET)
        assert warehouse.database.table("original").rows == found.rows
        return found


def test_a_profile_of_a_database_is_ingested_with_the_digest_of_its_records(
    read: Callable[..., Any], survey: Any, tmp_path: Path
) -> None:
    del survey
    profile = profile_of(path="postgres:", table="survey.persons")
    assert profile.files == ()
    found = taken(profile, tmp_path / "run")
    assert found.rows == 3
    assert found.sha256 == read("postgres:", table="survey.persons").sha256


def test_a_fault_in_a_database_has_its_address(survey: Any, tmp_path: Path) -> None:
    del survey
    with pytest.raises(BadData, match="postgres:: the database holds no table 'nobody'"):
        taken(profile_of(path="postgres:", table="nobody"), tmp_path / "run")


PROFILE = """
name: t
source: {{path: "{path}", table: persons}}
variables: {{region: quasi_identifier}}
candidates: {{plain: []}}
"""


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("postgres://me:SECRET@host/db", "this holds a password"),
        ("postgres://host/db?password=SECRET", "this holds a password"),
        ("postgres:host=SECRET x", "this is no address of a database"),
        ("oracle://SECRET/db", "no reader knows this kind of address"),
    ],
)
def test_a_profile_with_a_password_is_refused_without_repeating_it(
    tmp_path: Path, path: str, said: str
) -> None:
    (tmp_path / "p.yaml").write_text(PROFILE.format(path=path))
    with pytest.raises(BadProfile) as bad:
        load_profile(tmp_path / "p.yaml")
    assert said in str(bad.value)
    assert "SECRET" not in str(bad.value)


def test_addresses_have_their_parts() -> None:
    assert Address.of("postgres:statistics") == Address("postgres", None, None, None, None, "statistics")
    whole = Address.of("mysql://me@host.example:3306/survey")
    assert whole == Address("mysql", "me", "host.example", "3306", "survey", None)
    assert whole is not None
    assert whole.connection == "host=host.example port=3306 user=me database=survey"
    # A path has one stroke where an address has two.
    assert Address.of(str(Path("postgres://h/d"))) == Address("postgres", None, "h", None, "d", None)
    assert Address.of("postgres://a:b@h/d") is None
    assert scheme_of(Path("data/postgres:x.csv")) is None
    assert reader_of(Path("postgres:statistics")).name == "postgres"
