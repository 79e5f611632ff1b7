"""The lock that keeps two fresh servers of one home apart, and the database they start with."""

from __future__ import annotations

import fcntl
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from flows.orchestration import database, orchestrator
from flows.orchestration.orchestrator import EmbeddedServer, HomeBusy


def test_a_command_that_waits_for_another_says_so_and_gives_up_with_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(orchestrator._lock, "__defaults__", (0.5,))
    with (tmp_path / "server.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(HomeBusy, match=r"fuser .*server\.lock names its process"):
            EmbeddedServer(tmp_path).start()
    assert capsys.readouterr().err == "sdc: waiting for another sdc command on this home\n"


def made(place: Path, revision: str) -> Path:
    with closing(sqlite3.connect(place)) as opened:
        opened.execute("CREATE TABLE alembic_version AS SELECT ? AS version_num", (revision,))
        opened.commit()
    return place


def test_a_new_home_gets_a_private_copy_of_the_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = made(tmp_path / "template.db", "b")
    monkeypatch.setattr(database, "template", lambda: kept)
    (tmp_path / "home").mkdir()
    assert database.has_tables(tmp_path / "home")
    assert (tmp_path / "home" / "prefect.db").stat().st_mode & 0o777 == 0o600
    assert [place.name for place in (tmp_path / "home").iterdir()] == ["prefect.db"]


@pytest.mark.parametrize("broken", [False, True])
def test_a_database_of_another_version_is_migrated_and_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    kept, older = made(tmp_path / "template.db", "b"), made(tmp_path / "prefect.db", "a")
    monkeypatch.setattr(database, "template", lambda: kept)
    if broken:
        kept.write_bytes(b"no database")
    before = older.read_bytes()
    assert not database.has_tables(tmp_path)
    assert older.read_bytes() == before


def test_a_broken_template_is_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "template.db").write_bytes(b"no database")
    monkeypatch.setattr(database, "template", lambda: tmp_path / "template.db")
    (tmp_path / "home").mkdir()
    assert not database.has_tables(tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


def test_a_template_is_kept_only_where_nobody_else_can_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, own = tmp_path / "shared", tmp_path / "own"
    for place, mode in ((shared, 0o777), (own, 0o700)):
        place.mkdir()
        place.chmod(mode)
    monkeypatch.setattr(database, "_places", lambda: iter([shared]))
    assert database.template() is None
    monkeypatch.setattr(database, "_places", lambda: iter([shared, own]))
    found = database.template()
    assert found is not None
    assert found.parent == own
