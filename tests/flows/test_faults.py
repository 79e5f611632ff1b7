"""What is left when a run dies, meets a full disk, or meets another run?"""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.run_release import run_release
from sdc.errors import CannotPublish, SdcError
from sdc.ledger import Ledger
from sdc.run import Home

pytestmark = pytest.mark.usefixtures("server")

DIES_IN = """
import importlib, os, signal, sys
from pathlib import Path
from flows.run_release import run_release
module, name = sys.argv[2].rsplit(".", 1)
def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(importlib.import_module(module), name, die)
run_release(Path(sys.argv[1]), quiet=True)
"""

STAGES = {
    "ingest": "tasks.ingest.ingest_source",
    "protect": "tasks.protect.apply_steps",
    "measure": "tasks.measure.assess",
    "gate": "tasks.gate.judge",
    "report": "tasks.report.page",
    "publish": "sdc.publish.outbox._move",
    "record": "tasks.publish.record",
}


def bundles(profile: Path) -> list[str]:
    return sorted(path.name for path in (profile.parent / "outbox").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_a_run_killed_in_any_stage_leaves_nothing_half_done_and_the_next_run_works(
    stage: str, release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files()
    killed = subprocess.run([sys.executable, "-c", DIES_IN, str(profile), STAGES[stage]], capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    went_out = stage == "record"
    assert len([name for name in bundles(profile) if not name.startswith(".incoming-")]) == went_out
    assert run_release(profile, quiet=True).exit_code == 0
    assert len(bundles(profile)) == 1 + went_out
    ledger = Ledger(Home.at(home).ledger)
    ledger.verify()
    assert [row.state for row in ledger.runs()] == ["published" if went_out else "crashed", "published"]


def test_a_full_disk_is_named_and_nothing_is_published(release_files: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sdc.warehouse.Warehouse.store_candidate", full)
    profile = release_files()
    with pytest.raises(SdcError, match="the disk is full"):
        run_release(profile, quiet=True)
    assert bundles(profile) == []
    monkeypatch.undo()
    os.environ["SDC_HOME"] = str(home)
    assert run_release(profile, quiet=True).exit_code == 0
    assert [row.state for row in Ledger(Home.at(home).ledger).runs()] == ["failed", "published"]
    del os.environ["SDC_HOME"]


def test_an_outbox_that_is_not_there_is_named_before_any_work(release_files: Callable[..., Path], home: Path) -> None:
    profile = release_files(("outbox: outbox", "outbox: nowhere"))
    with pytest.raises(CannotPublish, match="nowhere"):
        run_release(profile, quiet=True)
    assert Ledger(Home.at(home).ledger).runs() == []


def test_a_version_that_is_out_is_never_overwritten(release_files: Callable[..., Path], home: Path) -> None:
    profile = release_files(("outbox: outbox", "outbox: outbox, version: v1"))
    assert run_release(profile, quiet=True).exit_code == 0
    with pytest.raises(CannotPublish, match="small-v1 is already there"):
        run_release(profile, quiet=True)
    assert bundles(profile) == ["small-v1"]


@pytest.mark.slow
def test_two_runs_at_once_publish_a_version_once_and_the_ledger_holds(release_files: Callable[..., Path], home: Path) -> None:
    profile = release_files(("outbox: outbox", "outbox: outbox, version: v1"))
    command = [sys.executable, "-m", "flows", "release", str(profile), "--quiet"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 1], said
    assert bundles(profile) == ["small-v1"]
    ledger = Ledger(Home.at(home).ledger)
    ledger.verify()
    assert sorted(row.state for row in ledger.runs()) in (["failed", "published"], ["published"])


def test_a_stopped_run_is_in_the_ledger_as_failed(release_files: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tasks.protect.apply_steps", stopped)
    profile = release_files()
    with pytest.raises((KeyboardInterrupt, SdcError)):
        run_release(profile, quiet=True)
    assert bundles(profile) == []
    assert [row.state for row in Ledger(Home.at(home).ledger).runs()] == ["failed"]
