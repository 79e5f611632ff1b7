"""What is left when a run dies, is stopped, meets a full or read-only disk, another run, or a clock that goes backwards?"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from signing_keys import PASSPHRASE, key_for

import sdc.audit.ledger
import sdc.run.home
from flows.orchestration.orchestrator import ServerAway
from flows.orchestration.run_release import run_release
from sdc.audit.ledger import Ledger
from sdc.audit.record import show, verify
from sdc.errors import BadProfile, CannotPublish, LedgerUnusable, SdcError
from sdc.run.home import Home
from tests.flows.standing import StandingServer, until

pytestmark = pytest.mark.usefixtures("server")

SLOW = (
    "  - {measure: records_changed}\n",
    "".join(
        f"  - {{measure: propensity_mse, as: slow_{turn}, with: {{model: cart, permutations: 10000}}}}\n"
        for turn in range(4)
    ),
)
"""Measures that take a while on any machine."""

DIES_IN = """
import importlib, os, signal, sys
from pathlib import Path
from flows.orchestration.run_release import run_release
module, name = sys.argv[2].rsplit(".", 1)
def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(importlib.import_module(module), name, die)
run_release(Path(sys.argv[1]), quiet=True)
"""

STAGES = {
    "ingest": "tasks.ingest.ingest_source",
    "protect": "tasks.protect.make",
    "measure": "tasks.measure.assess",
    "gate": "tasks.gate.judge",
    "report": "tasks.report.page",
    "publish": "sdc.publish.outbox._move",
    "record": "flows.conclusion.record",
}


def bundles(profile: Path) -> list[str]:
    return sorted(path.name for path in (profile.parent / "outbox").iterdir())


def states(home: Path) -> list[str]:
    return [row.state for row in Ledger(Home.at(home).ledger).runs()]


def holds(profile: Path, home: Path) -> None:
    """The audit holds, and the outbox has exactly the bundles of the published runs."""
    verify(Home.at(home))
    rows = Ledger(Home.at(home).ledger).runs()
    assert bundles(profile) == sorted(row.facts["bundle"] for row in rows if row.state == "published")


HEARS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL if sys.argv[1] == "True" else signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


def released(profile: Path, *, ctrl_c: bool = True, **environment: str) -> subprocess.Popen[str]:
    """A release that hears Ctrl-C as in a terminal, or does not as in the background of a script, whatever these tests do."""
    command = [sys.executable, "-c", HEARS, str(ctrl_c), "-m", "sdc", "release", str(profile), "--quiet"]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )


def measuring(home: Path) -> str:
    """The run under way, once its candidate is made."""

    def found() -> str | None:
        rows = Ledger(Home.at(home).ledger).runs()
        return (
            rows[-1].run
            if rows and (home / "runs" / rows[-1].run / "candidates" / "masked.parquet").exists()
            else None
        )

    return str(until(found, "a run that measures"))


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_a_run_killed_in_any_stage_leaves_nothing_half_done_and_the_next_run_works(
    stage: str, release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files()
    killed = subprocess.run(
        [sys.executable, "-c", DIES_IN, str(profile), STAGES[stage]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    went_out = stage == "record"
    assert len([name for name in bundles(profile) if not name.startswith(".incoming-")]) == went_out
    assert run_release(profile, quiet=True).exit_code == 0
    assert states(home) == ["published" if went_out else "crashed", "published"]
    holds(profile, home)
    died = show(Home.at(home), Ledger(Home.at(home).ledger).runs()[0].run)
    assert died.record_holds
    assert died.record is not None
    assert died.record["outcome"] == died.row.state
    assert ("ingest" in died.record["timings"], bool(died.record["source"])) == (
        stage != "ingest",
        stage != "ingest",
    )
    measured = sorted(
        each["as"] for candidate in died.record["candidates"] for each in candidate["measurements"]
    )
    assert measured == (
        [] if stage in {"ingest", "protect", "measure"} else ["k_anonymity", "ks_distance", "records_changed"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_told_to_stop_stops_within_seconds_and_is_on_record_as_cancelled(
    number: signal.Signals, release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files(SLOW)
    process = released(profile)
    run = measuring(home)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1, said
    assert "stopped" in said
    assert "Traceback" not in said
    view = show(Home.at(home), run)
    assert (view.row.state, view.record_holds) == ("cancelled", True)
    holds(profile, home)


@pytest.mark.slow
@pytest.mark.parametrize("ctrl_c", [True, False], ids=["in a terminal", "in the background"])
def test_a_run_that_takes_too_long_is_stopped_and_failed(
    release_files: Callable[..., Path], home: Path, *, ctrl_c: bool
) -> None:
    profile = release_files(SLOW, ("publish: {", "limits: {minutes: 0.1}\npublish: {"))
    process = released(profile, ctrl_c=ctrl_c)
    _, said = process.communicate(timeout=90)
    assert process.returncode == 1
    assert "took longer than the 0.1 minutes" in said
    assert states(home) == ["failed"]
    holds(profile, home)


def test_a_run_stopped_from_within_is_cancelled_too(
    release_files: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tasks.ingest.ingest_source", stopped)
    profile = release_files()
    with pytest.raises(KeyboardInterrupt):
        run_release(profile, quiet=True)
    assert states(home) == ["cancelled"]
    holds(profile, home)


@contextlib.contextmanager
def mounted(place: Path, options: str) -> Iterator[None]:
    """A small file system of the test's own."""
    place.mkdir(mode=0o700, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"mode=700,{options}", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def filling(place: Path, really: Callable[..., object]) -> Callable[..., object]:
    """The disk is full from the moment the candidate is to be written."""

    def fill(*arguments: object, **options: object) -> object:
        with contextlib.suppress(OSError), (place / "filler").open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        return really(*arguments, **options)

    return fill


@pytest.mark.slow
@pytest.mark.parametrize("full", ["runs", "home"])
def test_a_disk_full_while_the_candidate_is_written_is_named_and_nothing_is_published(
    full: str,
    release_files: Callable[..., Path],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    from sdc.data.warehouse import Warehouse

    profile = release_files()
    place = {"runs": Home.at(home).runs, "home": home}[full]
    with mounted(place, "size=48m"):
        really = Warehouse.store_candidate
        with monkeypatch.context() as patch:
            patch.setattr(Warehouse, "store_candidate", filling(place, really))
            with pytest.raises(SdcError, match="the disk is full"):
                run_release(profile, quiet=True)
        assert bundles(profile) == []
        (place / "filler").unlink()
        assert run_release(profile, quiet=True).exit_code == 0
        # Where the ledger was on the full disk, the next start found the run without an ending.
        assert states(home) == ["failed" if full == "runs" else "crashed", "published"]
        assert ("is not yet in the ledger" in capfd.readouterr().err) == (full == "home")
        holds(profile, home)


@pytest.mark.slow
def test_a_ledger_that_is_read_only_stops_a_run_before_it_starts_and_can_still_be_verified(
    release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files()
    with mounted(home, "size=64m"):
        assert run_release(profile, quiet=True).exit_code == 0
        subprocess.run(["mount", "-o", "remount,ro", str(home)], check=True)
        with pytest.raises(SdcError, match="read-only"):
            run_release(profile, quiet=True)
        holds(profile, home)
        subprocess.run(["mount", "-o", "remount,rw", str(home)], check=True)
        assert run_release(profile, quiet=True).exit_code == 0
        assert states(home) == ["published", "published"]
        holds(profile, home)


@pytest.mark.slow
def test_a_ledger_that_becomes_read_only_lets_nothing_out(
    release_files: Callable[..., Path],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    import tasks.gate

    profile, really = release_files(), tasks.gate.judge

    def judged_on_a_locked_disk(*arguments: object) -> object:
        subprocess.run(["mount", "-o", "remount,ro", str(home)], check=True)
        return really(*arguments)

    with mounted(home, "size=8m"), mounted(home / "runs", "size=64m"), mounted(home / "outboxes", "size=1m"):
        with monkeypatch.context() as patch:
            patch.setattr(tasks.gate, "judge", judged_on_a_locked_disk)
            with pytest.raises(LedgerUnusable, match="read-only"):
                run_release(profile, quiet=True)
        assert bundles(profile) == []
        assert "is not yet in the ledger" in capfd.readouterr().err
        subprocess.run(["mount", "-o", "remount,rw", str(home)], check=True)
        assert run_release(profile, quiet=True).exit_code == 0
        assert states(home) == ["crashed", "published"]
        holds(profile, home)


def test_a_server_that_is_away_is_named(
    release_files: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = release_files()
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    monkeypatch.setattr("flows.orchestration.orchestrator.ATTEMPTS", 1)
    with pytest.raises(ServerAway, match=r"no Prefect server answers at .* of our own$"):
        run_release(profile, quiet=True)
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9")
    with pytest.raises(ServerAway, match=r"the address of a Prefect server ends in /api"):
        run_release(profile, quiet=True)
    assert states(home) == ["failed", "failed"]
    holds(profile, home)


def test_an_outbox_that_is_not_there_is_named_before_any_work(
    release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files(("outbox: outbox", "outbox: nowhere"))
    with pytest.raises(BadProfile, match="mkdir nowhere"):
        run_release(profile, quiet=True)
    assert Ledger(Home.at(home).ledger).runs() == []


def test_a_version_that_is_out_is_never_overwritten(release_files: Callable[..., Path], home: Path) -> None:
    profile = release_files(("outbox: outbox", "outbox: outbox, version: v1"))
    assert run_release(profile, quiet=True).exit_code == 0
    with pytest.raises(CannotPublish, match="small-v1 is already there"):
        run_release(profile, quiet=True)
    assert bundles(profile) == ["small-v1"]


@pytest.mark.slow
def test_two_runs_at_once_publish_a_version_once_and_the_ledger_holds(
    release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files(("outbox: outbox", "outbox: outbox, version: v1"))
    both = [released(profile) for _ in range(2)]
    said = [process.communicate()[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 1], said
    assert "another run works for this outbox" in "".join(said)
    assert "small-v1 is already there" in "".join(said)
    assert bundles(profile) == ["small-v1"]
    assert states(home) == ["published"]
    holds(profile, home)


FIRES = """
import sys
import flows.schedule
flows.schedule.slot = lambda: "20260105T060000Z"
state = flows.schedule.scheduled_release(sys.argv[1], return_state=True)
print(state.name, "|", state.message)
"""


@pytest.mark.slow
@pytest.mark.parametrize("homes", ["one home", "two homes"])
def test_two_schedulers_that_fire_the_same_slot_publish_it_once_and_the_other_says_why(
    homes: str, release_files: Callable[..., Path], home: Path, tmp_path: Path
) -> None:
    profile = release_files()
    places = [home, home if homes == "one home" else tmp_path / "another"]
    command = [sys.executable, "-c", FIRES, str(profile)]
    environments = [{**os.environ, "SDC_HOME": str(place), "SDC_RETRY_SECONDS": "1"} for place in places]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        for environment in environments
    ]
    said = sorted(process.communicate(timeout=170)[0].splitlines()[-1] for process in both)
    assert [words.split(" | ")[0] for words in said] == ["AlreadyDone", "Published"], said
    assert "the slot 20260105T060000Z was done already" in said[0]
    assert bundles(profile) == ["small-20260105T060000Z"]
    endings = sorted(state for place in dict.fromkeys(places) for state in states(place))
    assert endings.count("published") == 1
    assert set(endings) <= {"published", "failed"}
    for place in places:
        verify(Home.at(place))


@pytest.mark.slow
def test_a_server_killed_during_a_run_ends_it_clearly_and_the_next_try_works(
    release_files: Callable[..., Path], home: Path, tmp_path: Path
) -> None:
    profile = release_files((SLOW[0], SLOW[1].replace("10000", "3000")))
    (tmp_path / "prefect").mkdir()
    server = StandingServer(tmp_path / "prefect")
    server.start()
    try:
        process = released(profile, PREFECT_API_URL=server.url)
        run = measuring(home)
        server.kill()
        server.start()
        _, said = process.communicate(timeout=170)
        assert process.returncode in {0, 1}, said
        view = show(Home.at(home), run)
        assert view.row.state == ("published" if process.returncode == 0 else "failed")
        assert view.record_holds
        holds(profile, home)
        again = released(profile, PREFECT_API_URL=server.url)
        _, said = again.communicate(timeout=170)
        assert again.returncode == 0, said
        holds(profile, home)
    finally:
        server.kill()


@pytest.mark.slow
def test_a_clock_that_goes_backwards_keeps_order_approvals_and_the_audit(
    release_files: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    from flows.publish_approved import approve_and_publish
    from sdc.cli.main import cli

    class Earlier(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) - timedelta(days=400)

    profile = release_files()
    first = run_release(profile, quiet=True).run_id
    with monkeypatch.context() as patch:
        for module in (sdc.audit.ledger, sdc.run.home):
            patch.setattr(module, "datetime", Earlier)
        release_files(("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because"))
        second = run_release(profile, quiet=True).run_id
    assert second < first, "by the clock the second run was before the first"
    rows = Ledger(Home.at(home).ledger).runs()
    assert [(row.run, row.state) for row in rows] == [(first, "published"), (second, "referred")]
    listed = CliRunner().invoke(
        cli, ["audit", "list", "--json", "--since", f"{datetime.now(UTC) - timedelta(days=2):%Y-%m-%d}"]
    )
    assert first in listed.output
    assert second not in listed.output
    key_for(Home.at(home), "anna", ["reviewer"])
    with monkeypatch.context() as patch:
        patch.setattr(sdc.audit.ledger, "datetime", Earlier)
        assert "published" in approve_and_publish(
            Home.at(home),
            second,
            passphrase=PASSPHRASE,
            role="reviewer",
            by="anna",
            reason="the clock was wrong, the data are not",
        )
    holds(profile, home)
