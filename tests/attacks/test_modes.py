"""Who may look at what lies in a home, whatever the account lets others see, and what is said when the home is full."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.orchestration import orchestrator
from flows.orchestration.orchestrator import EmbeddedServer, NoOrchestrator
from sdc.errors import HomeUnusable
from sdc.run import durable
from tests.flows.small_release import PROFILE, small_people

KILLED = """
import os, pathlib, sys
import click
import sdc.cli.main
from sdc.data.warehouse import Warehouse

@click.command()
def killed():
    warehouse = Warehouse.create(pathlib.Path(sys.argv[1]))
    warehouse.database.cursor().execute("CREATE TABLE original AS SELECT 1 AS x")
    os._exit(0)

sdc.cli.main.cli = lambda **_: killed(args=[], standalone_mode=False)
sdc.cli.main.main()
"""


def open_to_others(place: Path) -> dict[str, str]:
    """What others may read, write or search, with its mode."""
    modes = {
        each: each.lstat().st_mode & 0o777 for each in (place, *place.rglob("*")) if not each.is_symlink()
    }
    return {str(each.relative_to(place)): oct(mode) for each, mode in modes.items() if mode & 0o077}


def ran(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command under the usual mask of an account, which lets others read."""
    fresh = {
        name: value for name, value in os.environ.items() if not name.startswith("PREFECT")
    } | environment
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        env=fresh,
        check=False,
        timeout=300,
        umask=0o022,
    )


def test_the_journal_a_killed_command_leaves_is_its_owners(tmp_path: Path) -> None:
    done = ran("-c", KILLED, str(tmp_path / "run"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "run" / "warehouse.duckdb.wal").is_file()
    assert open_to_others(tmp_path / "run") == {}


@pytest.mark.flow
@pytest.mark.slow
def test_all_that_a_release_keeps_is_its_owners_and_what_it_publishes_is_for_all(tmp_path: Path) -> None:
    (tmp_path / "outbox").mkdir()
    small_people().to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "profile.yaml").write_text(PROFILE)
    done = ran(
        "-m", "sdc", "release", str(tmp_path / "profile.yaml"), "--quiet", SDC_HOME=str(tmp_path / "home")
    )
    assert done.returncode == 0, done.stderr
    assert open_to_others(tmp_path / "home") == {}
    (bundle,) = (tmp_path / "outbox").iterdir()
    assert bundle.stat().st_mode & 0o777 == 0o755
    assert {place.stat().st_mode & 0o777 for place in bundle.iterdir()} == {0o644}


# A full home


@pytest.fixture
def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedServer]:
    """A server that ends at once, as one does that cannot write its database."""
    really = subprocess.Popen

    def start(_command: Any, **options: Any) -> Any:
        return really([sys.executable, "-c", ""], **options)

    monkeypatch.setattr(orchestrator.subprocess, "Popen", start)
    server = EmbeddedServer(tmp_path)
    server.start()
    monkeypatch.undo()
    yield server
    server.stop()


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "the disk is full|quota"),
        (errno.EROFS, "read-only"),
    ],
)
def test_a_full_home_is_named_where_the_server_could_not_start(
    ended: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(durable, "write", full)
    with pytest.raises(HomeUnusable, match=said):
        ended.wait()


def test_a_server_that_ends_by_itself_is_not_said_to_have_been_waited_for(
    ended: EmbeddedServer, tmp_path: Path
) -> None:
    with pytest.raises(
        NoOrchestrator, match=r"the embedded Prefect server ended by itself after \d+ s; see server\.log"
    ) as caught:
        ended.wait()
    assert "180" not in str(caught.value)
    assert [place.name for place in tmp_path.iterdir() if "room" in place.name] == []
