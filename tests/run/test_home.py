"""Where a run lives, what it is called, whether it lives, and what becomes of it when it dies."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import show, verify
from sdc.audit.recovery import close_failed, close_stale, stale_runs
from sdc.errors import HomeUnusable, LedgerBroken
from sdc.run import digest
from sdc.run.home import Home, Run, alone_at, is_alive, known_runs

DEMO = Path(__file__).parents[2] / "profiles" / "demo" / "published.yaml"


@pytest.fixture
def home(tmp_path) -> Home:
    return Home.at(tmp_path / "home")


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def a_run_that_dies(home: Home, *, entries: str = "") -> str:
    """The id of a run whose process was killed with signal 9 after it wrote the entries."""
    program = f"""
import os, signal, sys
from pathlib import Path
from sdc.audit.ledger import Event, Ledger
from sdc.run.home import Home, Run
home = Home.at(Path({str(home.path)!r}))
run = Run.start(home, "survey")
ledger = Ledger(home.ledger)
print(run.id, flush=True)
{entries}
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return done.stdout.strip()


def test_the_home_is_the_one_the_environment_names(tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_HOME", str(tmp_path / "deep" / "elsewhere"))
    assert Home.find().path == tmp_path / "deep" / "elsewhere"


def test_without_one_it_is_in_the_current_directory(tmp_path, monkeypatch):
    monkeypatch.delenv("SDC_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    assert Home.find().path == tmp_path / ".sdc"


def test_only_the_owner_may_look_into_the_home_and_its_runs(home):
    old = os.umask(0)
    try:
        with Run.start(home, "survey") as run:
            assert [
                mode(path) for path in (home.path, home.runs, home.prefect, home.keys, run.directory.path)
            ] == [0o700] * 5
            assert mode(run.directory.path / "lock") == 0o600
    finally:
        os.umask(old)


def test_an_empty_directory_open_to_others_is_closed(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    assert mode(Home.at(tmp_path / "open").path) == 0o700


def test_a_directory_of_someone_elses_things_is_refused_and_left_alone(tmp_path):
    place = tmp_path / "shared"
    place.mkdir()
    (place / "thesis.txt").write_text("mine")
    place.chmod(0o755)
    with pytest.raises(HomeUnusable, match="chmod 700"):
        Home.at(place)
    assert mode(place) == 0o755
    assert [found.name for found in place.iterdir()] == ["thesis.txt"]


def test_a_home_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HomeUnusable, match="not a directory"):
        Home.at(tmp_path / "file" / "home")


def test_a_run_is_called_by_time_profile_and_lot(home):
    with Run.start(home, "households_public_use") as run:
        assert re.fullmatch(r"\d{8}T\d{6}Z-households_public_use-[0-9a-f]{6}", run.id)
        assert run.directory.path == home.runs / run.id


def test_a_run_lives_until_it_is_closed(home):
    run = Run.start(home, "survey")
    assert is_alive(home, run.id)
    run.close()
    assert not is_alive(home, run.id)
    assert run.directory.path.is_dir()


def test_a_run_is_never_seen_without_its_lock(home):
    seen = []
    done = threading.Event()

    def watch():
        while not done.is_set():
            seen.extend(run for run in known_runs(home) if not is_alive(home, run))

    watcher = threading.Thread(target=watch)
    watcher.start()
    held = [Run.start(home, "survey") for _ in range(50)]
    done.set()
    watcher.join()
    assert seen == []
    for run in held:
        run.close()


def test_a_living_run_is_not_stale(home):
    with Run.start(home, "survey") as run:
        Ledger(home.ledger).append(run.id, run.profile, Event.STARTED)
        assert stale_runs(home) == ()
        assert close_stale(home) == ()


def test_a_killed_run_is_stale_and_its_crash_is_recorded_once(home):
    run = a_run_that_dies(home, entries="ledger.append(run.id, run.profile, Event.STARTED)")
    assert stale_runs(home) == (run,)
    (crash,) = close_stale(home)
    assert (crash.run, crash.profile, crash.event, crash.body) == (
        run,
        "survey",
        Event.CRASHED,
        {"after": "started"},
    )
    assert stale_runs(home) == ()
    assert close_stale(home) == ()


def test_a_run_killed_before_its_first_entry_is_recorded_too(home):
    run = a_run_that_dies(home)
    (crash,) = close_stale(home)
    assert (crash.run, crash.profile, crash.event) == (run, "survey", Event.CRASHED)


def test_a_run_that_ended_is_not_stale(home):
    a_run_that_dies(home, entries="ledger.append(run.id, run.profile, Event.WITHHELD)")
    assert stale_runs(home) == ()


def test_an_approved_run_that_dies_before_it_publishes_still_waits(home):
    a_run_that_dies(
        home,
        entries="[ledger.append(run.id, run.profile, event) for event in (Event.REFERRED, Event.APPROVED)]",
    )
    assert stale_runs(home) == ()
    assert [row.state for row in Ledger(home.ledger).runs()] == ["referred"]


def test_an_approved_run_whose_publishing_died_waits_again(home, tmp_path):
    signed = 'ledger.append(run.id, run.profile, Event.APPROVED, {"signature": "s"})'
    outbox = tmp_path / "outbox"
    outbox.mkdir()
    run = a_run_that_dies(
        home,
        entries=f"(ledger.append(run.id, run.profile, Event.REFERRED), {signed}, {publishing(outbox, b'm')})",
    )
    assert stale_runs(home) == (run,)
    close_stale(home)
    assert [row.state for row in Ledger(home.ledger).runs()] == ["referred"]


def outbox_with(tmp_path, name: str, manifest: bytes):
    outbox = tmp_path / "outbox"
    (outbox / name).mkdir(parents=True)
    (outbox / name / "MANIFEST.json").write_bytes(manifest)
    return outbox


def publishing(outbox, manifest: bytes) -> str:
    intent = {"outbox": str(outbox), "bundle": "survey-1", "manifest": digest.of_bytes(manifest)}
    return f"ledger.append(run.id, run.profile, Event.PUBLISHING, {intent!r})"


def test_a_run_killed_after_its_bundle_was_out_is_recorded_as_published(home, tmp_path):
    outbox = outbox_with(tmp_path, "survey-1", b"mine")
    run = a_run_that_dies(home, entries=publishing(outbox, b"mine"))
    (ending,) = close_stale(home)
    assert (ending.run, ending.event, ending.body["recovered"], ending.body["bundle"]) == (
        run,
        Event.PUBLISHED,
        True,
        "survey-1",
    )


def test_another_runs_bundle_of_the_same_name_is_not_taken_for_it(home, tmp_path):
    outbox = outbox_with(tmp_path, "survey-1", b"another's")
    a_run_that_dies(home, entries=publishing(outbox, b"mine"))
    (ending,) = close_stale(home)
    assert ending.event == Event.CRASHED
    assert (outbox / "survey-1" / "MANIFEST.json").read_bytes() == b"another's"


def test_an_outbox_out_of_reach_leaves_the_question_open(home, tmp_path):
    outbox = tmp_path / "outbox"
    run = a_run_that_dies(home, entries=publishing(outbox, b"mine"))
    assert close_stale(home) == ()
    assert stale_runs(home) == (run,)
    outbox_with(tmp_path, "survey-1", b"mine")
    (ending,) = close_stale(home)
    assert ending.event == Event.PUBLISHED


def test_only_the_dead_runs_leftovers_are_removed(home, tmp_path):
    outbox = tmp_path / "outbox"
    outbox.mkdir()
    dead = a_run_that_dies(
        home,
        entries=f"ledger.append(run.id, run.profile, Event.STARTED, {{'outbox': {str(outbox)!r}}})\nPath({str(outbox)!r}, '.incoming-' + run.id).mkdir()",
    )
    (outbox / f".incoming-{dead}" / "half.csv").write_text("half")
    with Run.start(home, "survey") as living:
        Ledger(home.ledger).append(living.id, living.profile, Event.STARTED, {"outbox": str(outbox)})
        (outbox / f".incoming-{living.id}").mkdir()
        (ending,) = close_stale(home)
        assert ending.body["leftover_removed"] is True
        assert [found.name for found in outbox.iterdir()] == [f".incoming-{living.id}"]


def test_a_failure_is_recorded_as_failed(home):
    with Run.start(home, "survey") as run:
        Ledger(home.ledger).append(run.id, run.profile, Event.STARTED)
        ending = close_failed(home, run, {"error": "gate failed: KeyError"})
        assert (ending.event, ending.body) == (Event.FAILED, {"error": "gate failed: KeyError"})


def test_a_failure_after_the_bundle_was_out_is_recorded_as_published(home, tmp_path):
    outbox = outbox_with(tmp_path, "survey-1", b"mine")
    with Run.start(home, "survey") as run:
        Ledger(home.ledger).append(
            run.id,
            run.profile,
            Event.PUBLISHING,
            {"outbox": str(outbox), "bundle": "survey-1", "manifest": digest.of_bytes(b"mine")},
        )
        ending = close_failed(home, run, {"error": "record failed: OSError"})
        assert (ending.event, ending.body["recovered"]) == (Event.PUBLISHED, True)


def test_a_failure_after_the_last_entry_changes_nothing(home):
    with Run.start(home, "survey") as run:
        Ledger(home.ledger).append(run.id, run.profile, Event.WITHHELD)
        assert close_failed(home, run, {"error": "report failed: OSError"}) is None
        assert [row.state for row in Ledger(home.ledger).runs()] == ["withheld"]


def test_a_failure_before_the_first_entry_is_recorded_too(home):
    with Run.start(home, "survey") as run:
        assert close_failed(home, run, {"error": "start failed: OSError"}).event == Event.FAILED


def test_nothing_is_closed_on_a_broken_ledger(home):
    a_run_that_dies(home, entries="ledger.append(run.id, run.profile, Event.STARTED)")
    home.ledger.write_bytes(home.ledger.read_bytes().replace(b"survey", b"surveX", 1))
    held = home.ledger.read_bytes()
    with pytest.raises(LedgerBroken):
        close_stale(home)
    assert home.ledger.read_bytes() == held


def test_runs_for_one_outbox_come_one_after_the_other_and_others_do_not_wait(home, tmp_path):
    waits, in_turn = threading.Event(), threading.Event()

    def second():
        with alone_at(home, tmp_path / "outbox", waits.set):
            in_turn.set()

    with alone_at(home, tmp_path / "outbox"):
        other = threading.Thread(target=second)
        other.start()
        assert waits.wait(10)
        with alone_at(home, tmp_path / "another", lambda: pytest.fail("nobody is there")):
            assert not in_turn.is_set()
    assert in_turn.wait(10)
    other.join()


def test_a_run_that_kept_its_profile_leaves_a_sealed_record(home):
    with Run.start(home, "survey") as run:
        shutil.copy(DEMO, run.directory.path / "profile.yaml")
        (run.directory.path / "timings.json").write_text('{"ingest": 1.5}')
        close_failed(home, run, {"error": "ingest failed: ValueError"})
    view = show(home, run.id)
    assert view.record_holds
    assert (view.record["outcome"], view.record["error"], view.record["timings"]) == (
        "failed",
        "ingest failed: ValueError",
        {"ingest": 1.5},
    )
    assert "seed" not in view.row.facts
    assert verify(home).records == 1
