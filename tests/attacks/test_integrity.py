"""What was decided is what leaves: attacks on runs that wait, on the ledger, on keys and on the review pages.

The home under attack has three runs: one published, one published after anna's approval, one that waits for
her. Every attack works on a copy of it.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from served_pages import served_pages
from signing_keys import PASSPHRASE, key_for

from sdc.audit import signing
from sdc.audit.announcement import require_open
from sdc.audit.approval import APPROVE, SignedDecision, adopt_key, sign
from sdc.audit.bundles import BundleAudit
from sdc.audit.chain import Anchor, BadAnchor, Entry, Head
from sdc.audit.ledger import Event, Ledger
from sdc.audit.people import account, home_key, people
from sdc.audit.record import show, verify
from sdc.audit.recovery import close_stale
from sdc.audit.runs import folded
from sdc.errors import CannotApprove, CannotPublish, LedgerBroken, SdcError
from sdc.gate.decision import Verdict
from sdc.profile.list_files import ProfileFiles
from sdc.profile.load import load_profile
from sdc.run import digest, durable
from sdc.run.directory import RunDirectory
from sdc.run.home import Home, Run
from tests.flows.small_release import PROFILE, small_people

pytestmark = [pytest.mark.flow, pytest.mark.slow]
"""All attack copies of one home."""
REFERRED = PROFILE.replace("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because")
MADE = """
import os, sys, pathlib
from flows.orchestration.orchestrator import orchestrator
from sdc.run.home import Home

place = pathlib.Path(sys.argv[1])
home = Home.find()
with orchestrator(home.prefect) as ready:
    ready()
    from flows.publish_approved import approve_and_publish
    from sdc.run.progress_display import Silent
    from flows.orchestration.run_release import release_run
    from sdc.audit.approval import make_key
    from sdc.profile.load import load

    first = release_run(load(place / "published.yaml"), lambda: None, Silent())
    make_key(home, "anna", ["reviewer"], passphrase=sys.argv[2], by="paula")
    second = release_run(load(place / "referred.yaml"), lambda: None, Silent())
    approve_and_publish(home, second.run_id, role="reviewer", by="anna", reason="small", passphrase=sys.argv[2])
    third = release_run(load(place / "referred.yaml"), lambda: None, Silent())
print(first.run_id, second.run_id, third.run_id)
"""


@dataclass(frozen=True)
class Attacked:
    """A copy of the home, the outbox it published to, and its runs."""

    home: Home
    outbox: Path
    published: str
    approved: str
    waiting: str

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.home.ledger)

    def directory(self, run: str) -> Path:
        return self.home.runs / run

    def bundle(self, run: str) -> Path:
        return self.outbox / f"small-{run}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    place = tmp_path_factory.mktemp("integrity")
    (place / "outbox").mkdir()
    small_people().to_csv(place / "people.csv", index=False)
    (place / "published.yaml").write_text(PROFILE)
    (place / "referred.yaml").write_text(REFERRED)
    fresh = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")} | {
        "SDC_HOME": str(place / "home"),
        "LOGNAME": "anna",
        "USER": "anna",
    }
    done = subprocess.run(
        [sys.executable, "-c", MADE, str(place), PASSPHRASE],
        capture_output=True,
        text=True,
        env=fresh,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    return place, done.stdout.split()[-3:]


@pytest.fixture
def attacked(made: tuple[Path, list[str]], tmp_path: Path) -> Iterator[Attacked]:
    place, runs = made
    shutil.copytree(
        place / "home", tmp_path / "home", symlinks=True, ignore=shutil.ignore_patterns("prefect", "*.sock")
    )
    shutil.copytree(place / "outbox", tmp_path / "outbox")
    yield Attacked(Home.at(tmp_path / "home"), place / "outbox", *runs)
    shutil.rmtree(place / "outbox")
    shutil.copytree(tmp_path / "outbox", place / "outbox")


def broken(home: Home, *anchors: Anchor) -> str:
    with pytest.raises(LedgerBroken) as caught:
        verify(home, anchors)
    return str(caught.value)


def approve(home: Home, run: str, by: str = "anna", **more: Any) -> str:
    from flows.publish_approved import approve_and_publish

    return approve_and_publish(
        home, run, **{"role": "reviewer", "by": by, "reason": "fine", "passphrase": PASSPHRASE, **more}
    )


def test_a_home_nobody_touched_holds(attacked: Attacked) -> None:
    held = verify(attacked.home)
    assert (held.records, held.signatures, held.bundles, held.gone, held.notes) == (3, 1, 2, (), ())
    assert held.files >= 3 * 8
    assert show(attacked.home, attacked.waiting).row.state == "referred"


# After a referral: what a run keeps is altered, then people approve.


def altered(name: str, old: str, new: str) -> Callable[[Path], None]:
    def alter(directory: Path) -> None:
        text = (directory / name).read_text()
        assert old in text
        (directory / name).write_text(text.replace(old, new))

    return alter


def database(statement: str) -> Callable[[Path], None]:
    def alter(directory: Path) -> None:
        with closing(duckdb.connect(str(directory / "warehouse.duckdb"))) as connection:
            connection.execute(statement)

    return alter


def journal(directory: Path) -> None:
    """DuckDB takes over on opening what a file beside the database says."""
    (directory / "warehouse.duckdb.wal").write_bytes(b"")


AFTER_REFERRAL: dict[str, tuple[str, Callable[[Path], None]]] = {
    "roles": ("profile.yaml", altered("profile.yaml", "name: direct_identifier", "name: other")),
    "outbox": ("profile.yaml", altered("profile.yaml", "outbox: outbox", "outbox: elsewhere")),
    "title": (
        "profile.yaml",
        altered("profile.yaml", "title: Small release", "title: Approved by the minister"),
    ),
    "where paths begin": ("origin.json", altered("origin.json", '"base":"', '"base":"/tmp')),
    "the version": ("origin.json", altered("origin.json", '"version":null', '"version":"2"')),
    "candidates": ("candidates.json", altered("candidates.json", "global_recode", "other_recode")),
    "what the gate was asked": (
        "gate/masked.suites.json",
        altered("gate/masked.suites.json", "1e-07", "0.9"),
    ),
    "what the gate judged": (
        "gate/masked.judged.json",
        altered("gate/masked.judged.json", "scorecard", "scorecards"),
    ),
    "steps": ("candidates/masked.json", altered("candidates/masked.json", "global_recode", "other_recode")),
    "source facts": ("source.json", altered("source.json", "240", "24000")),
    "measured numbers": (
        "warehouse.duckdb",
        database("UPDATE measurements SET value = 0 WHERE alias = 'ks_distance'"),
    ),
    "findings": ("warehouse.duckdb", database("UPDATE findings SET holds = true, value = 0")),
    "the original": ("warehouse.duckdb", database("UPDATE original SET income = 1")),
    "a journal for the database": ("warehouse.duckdb.wal", journal),
    "the candidate's file": (
        "candidates/masked.parquet",
        lambda directory: (directory / "candidates/masked.parquet").write_bytes(b"PAR1"),
    ),
    "the report people decide by": ("report.html", altered("report.html", "<title>", "<title>All is well: ")),
    "a file that is gone": ("origin.json", lambda directory: (directory / "origin.json").unlink()),
}


@pytest.mark.parametrize("what", AFTER_REFERRAL)
def test_a_run_altered_after_its_referral_is_not_approved_and_the_file_is_named(
    attacked: Attacked, what: str
) -> None:
    name, alter = AFTER_REFERRAL[what]
    alter(attacked.directory(attacked.waiting))
    before = attacked.home.ledger.read_bytes(), sorted(attacked.outbox.iterdir())
    with pytest.raises(
        CannotApprove, match=rf"not as it was decided on: {re.escape(name)} (was altered|is gone)"
    ):
        approve(attacked.home, attacked.waiting)
    assert (attacked.home.ledger.read_bytes(), sorted(attacked.outbox.iterdir())) == before
    if what == "a file that is gone":
        assert verify(attacked.home).notes == (f"no longer kept of run {attacked.waiting}: {name}",)
    else:
        assert f"{name} of run {attacked.waiting} was altered since its record was sealed" in broken(
            attacked.home
        )


def test_a_run_altered_between_approval_and_publication_does_not_leave(attacked: Attacked) -> None:
    from tasks.context import reopen_context, require_as_decided

    view = show(attacked.home, attacked.waiting)
    assert view.record is not None
    with (
        Run.resume(attacked.home, attacked.waiting, "small") as run,
        reopen_context(attacked.home, run, view.record),
    ):
        require_as_decided(run.directory, view.record)
        altered("profile.yaml", "title: Small", "title: Other")(run.directory.path)
        with pytest.raises(CannotApprove, match=r"profile\.yaml was altered"):
            require_as_decided(run.directory, view.record)


def test_the_list_of_candidates_is_read_once_and_only_as_the_record_has_it(attacked: Attacked) -> None:
    """What was checked and what leaves is one object; a list swapped in between is never looked at."""
    from tasks.context import reopen_context

    view = show(attacked.home, attacked.waiting)
    with (
        Run.resume(attacked.home, attacked.waiting, "small") as run,
        reopen_context(attacked.home, run, view.record or {}) as context,
    ):
        place = run.directory.candidate_list
        kept, held = place.read_bytes(), json.loads(place.read_bytes())
        place.write_text(json.dumps([{**each, "sha256": "0" * 64} for each in held]))
        with pytest.raises(CannotApprove, match=r"candidates\.json was altered"):
            _ = context.candidates
        place.write_bytes(kept)
        before = context.candidates
        place.write_text(json.dumps([{**each, "sha256": "0" * 64} for each in held]))
        assert context.candidates is before


def test_a_candidate_other_than_the_one_decided_on_does_not_leave(attacked: Attacked) -> None:
    from flows.publish_approved import _facts
    from tasks.context import reopen_context
    from tasks.publish import _leaving

    view = show(attacked.home, attacked.waiting)
    with (
        Run.resume(attacked.home, attacked.waiting, "small") as run,
        reopen_context(attacked.home, run, view.record or {}) as context,
    ):
        facts = _facts(context, view, [])
        assert _leaving(context, facts) is context.candidates[str(facts.chosen)]
        others = tuple(
            replace(each, made=replace(each.made, sha256="0" * 64)) if each.made else each
            for each in facts.candidates
        )
        with pytest.raises(CannotPublish, match="is not the one that was decided on"):
            _leaving(context, replace(facts, candidates=others))
        with pytest.raises(CannotPublish, match="may leave"):
            _leaving(context, replace(facts, verdict=Verdict.REFERRED))


def test_a_published_table_that_is_not_the_judged_one_is_found_by_verify(attacked: Attacked) -> None:
    """As if another file had left: manifest and ledger agree with it, the judged candidate does not."""
    entries = attacked.ledger.entries()
    rows = {row.run: row for row in folded(entries)}
    row = rows[attacked.published]
    assert list(BundleAudit(attacked.home, entries, rows).faults()) == []
    judged = {name: {**held, "sha256": "0" * 64} for name, held in row.facts["candidates"].items()}
    assert judged
    altered_rows = {**rows, row.run: replace(row, facts={**row.facts, "candidates": judged})}
    (fault,) = BundleAudit(attacked.home, entries, altered_rows).faults()
    assert re.fullmatch(r"bundle .*: .*\.parquet is not the candidate that was judged", fault.problem)


def test_an_outbox_that_leads_elsewhere_than_on_record_is_refused(attacked: Attacked) -> None:
    from tasks.context import reopen_context

    view = show(attacked.home, attacked.waiting)
    with (
        Run.resume(attacked.home, attacked.waiting, "small") as run,
        reopen_context(attacked.home, run, view.record or {}) as context,
    ):
        require_open(attacked.ledger.entries(), run.id, context.outbox)
        with pytest.raises(SdcError, match="is another one by the ledger"):
            require_open(attacked.ledger.entries(), run.id, attacked.home.path / "outbox")


def test_a_record_that_vouches_for_nothing_publishes_nothing(attacked: Attacked) -> None:
    from tasks.context import reopen_context

    view = show(attacked.home, attacked.waiting)
    earlier = {name: held for name, held in (view.record or {}).items() if name != "files"}
    with (
        Run.resume(attacked.home, attacked.waiting, "small") as run,
        pytest.raises(
            CannotApprove, match=r"does not vouch for profile\.yaml, origin\.json.* run the release again"
        ),
    ):
        reopen_context(attacked.home, run, earlier)


def test_a_profile_is_read_once_and_its_hash_is_of_the_bytes_that_were_used(tmp_path: Path) -> None:
    path = tmp_path / "profile.yaml"
    path.write_text(PROFILE)
    files = ProfileFiles.read(path)
    path.write_text(PROFILE.replace("at_least: 3", "at_least: 1"))
    assert load_profile(path, files).risk[0].at_least == 3
    assert files.sha256 == digest.of_bytes(PROFILE.encode())
    (tmp_path / "run").mkdir()
    kept = files.keep(RunDirectory(tmp_path / "run"))
    assert (tmp_path / "run" / "profile.yaml").read_text() == PROFILE
    assert kept["profile.yaml"] == files.sha256


# Ledgers altered in each of 21 ways.


def lines(attacked: Attacked) -> list[bytes]:
    return attacked.home.ledger.read_bytes().splitlines(keepends=True)


def rechained(
    attacked: Attacked, change: Callable[[list[dict[str, Any]]], None], *, head: bool = True
) -> None:
    """Entries changed and every hash made anew, the head too.

    What anybody can do who may write the files and has no key.
    """
    held = [json.loads(line) for line in lines(attacked)]
    change(held)
    last, made = Head(), b""
    for entry in held:
        sealed = Entry.following(
            last,
            Event(entry["event"]),
            time=entry["time"],
            run=entry["run"],
            profile=entry["profile"],
            body=entry["body"],
        )
        last, made = last.after(sealed), made + sealed.line
    attacked.home.ledger.write_bytes(made)
    if head:
        attacked.ledger.head_path.write_bytes(
            replace(last, signature=attacked.ledger.head().signature).as_bytes()
        )


def cut(attacked: Attacked, keep: int) -> None:
    """The last entries dropped, with the very head the home had signed after those that are left."""
    rest = lines(attacked)[:keep]
    last = Head()
    for line in rest:
        entry = Entry.parse(line.rstrip(b"\n"))
        assert entry is not None
        last = last.after(entry)
    attacked.home.ledger.write_bytes(b"".join(rest))
    attacked.ledger.head_path.write_bytes(last.signed(attacked.ledger.key()).as_bytes())


def at(attacked: Attacked, event: Event, run: str = "") -> int:
    """The number of the entry."""
    return next(
        entry.sequence for entry in attacked.ledger.entries() if entry.event is event and entry.run == run
    )


def one_byte(attacked: Attacked) -> str:
    data = attacked.home.ledger.read_bytes()
    attacked.home.ledger.write_bytes(data.replace(b'"by":"anna"', b'"by":"anne"', 1))
    return f"entry {at_untouched(data, b'by.:.anna')}: altered"


def at_untouched(data: bytes, pattern: bytes) -> int:
    found = re.search(pattern, data)
    assert found
    return data[: found.start()].count(b"\n") + 1


def dropped(attacked: Attacked) -> str:
    held = lines(attacked)
    attacked.home.ledger.write_bytes(b"".join(held[:2] + held[3:]))
    return "entry 3: missing"


def swapped(attacked: Attacked) -> str:
    held = lines(attacked)
    held[2], held[3] = held[3], held[2]
    attacked.home.ledger.write_bytes(b"".join(held))
    return "entry 3: out of order"


def shortened(attacked: Attacked) -> str:
    held = lines(attacked)
    attacked.home.ledger.write_bytes(b"".join(held[:-1]))
    return f"entry {len(held)}: missing: the ledger's head vouches for {len(held)} entries"


def no_ledger(attacked: Attacked) -> str:
    attacked.home.ledger.unlink()
    return "entry 1: missing"


def no_ledger_no_head(attacked: Attacked) -> str:
    attacked.home.ledger.unlink()
    attacked.ledger.head_path.unlink()
    return "the ledger is gone or empty, and 3 runs of this home are here"


def no_head(attacked: Attacked) -> str:
    attacked.ledger.head_path.unlink()
    return "is the head file an old one, or gone?"


def unsigned_head(attacked: Attacked) -> str:
    attacked.ledger.head_path.write_bytes(replace(attacked.ledger.head(), signature="").as_bytes())
    return "the head is not signed by the home's key"


def forged_head(attacked: Attacked) -> str:
    attacked.ledger.head_path.write_bytes(
        replace(attacked.ledger.head(), signature="").signed(signing.new_private()).as_bytes()
    )
    return "the head is not signed by the home's key"


def another_home_key(attacked: Attacked) -> str:
    """A key of one's own in the place of the home's, and the head signed with it."""
    private = signing.new_private()
    attacked.ledger.key_path.write_text(signing.text(private))
    attacked.ledger.head_path.write_bytes(
        replace(attacked.ledger.head(), signature="").signed(private).as_bytes()
    )
    return "the head is not signed by the home's key"


def rewritten(attacked: Attacked) -> str:
    def change(held: list[dict[str, Any]]) -> None:
        held[2]["body"]["producer"] = "nobody"

    rechained(attacked, change)
    return "the head is not signed by the home's key"


def appended(attacked: Attacked) -> str:
    """One more entry after the head, as a crash would leave it."""
    head = attacked.ledger.head()
    more = Entry.following(
        head,
        Event.REJECTED,
        time="2026-01-01T00:00:00.000000Z",
        run=attacked.waiting,
        profile="small",
        body={"by": "anna"},
    )
    with attacked.home.ledger.open("ab") as file:
        file.write(more.line)
    return f"entry {more.sequence}: it comes after the entry the home's key vouches for"


def rolled_back(attacked: Attacked) -> str:
    """The publication after approval was never heard of; the head is an old one of the home itself."""
    cut(attacked, at(attacked, Event.APPROVED, attacked.approved))
    return f"run {attacked.approved} was published after approval, and the ledger says it is referred"


def rolled_back_to_the_start_of_a_run(attacked: Attacked) -> str:
    cut(attacked, at(attacked, Event.STARTED, attacked.published))
    return f"run {attacked.published} has a sealed record (published) that no entry knows"


def unknown_run(attacked: Attacked) -> str:
    shutil.copytree(
        attacked.directory(attacked.waiting), attacked.home.runs / "20260101T000000Z-small-000000"
    )
    return "run 20260101T000000Z-small-000000 has a directory with results, and no entry"


def altered_record(attacked: Attacked) -> str:
    place = attacked.directory(attacked.waiting) / "record.json"
    place.write_bytes(place.read_bytes().replace(b'"rows":240', b'"rows":241', 1))
    return f"the sealed record of run {attacked.waiting} was altered"


def another_record(attacked: Attacked) -> str:
    """Another record for a run that has one, sealed in the ledger by the home itself."""
    place = attacked.directory(attacked.approved) / "record.json"
    place.write_bytes(place.read_bytes().replace(b'"rows":240', b'"rows":241', 1))
    facts = show(attacked.home, attacked.approved).row.facts
    attacked.ledger.append(
        attacked.approved, "small", Event.PUBLISHED, {**facts, "record": digest.of_file(place)}
    )
    return f"another sealed record for run {attacked.approved} than it had before"


def altered_file(attacked: Attacked) -> str:
    place = attacked.directory(attacked.published) / "gate" / "masked.suites.json"
    place.write_text(place.read_text() + " ")
    return f"gate/masked.suites.json of run {attacked.published} was altered"


def forged_decision(attacked: Attacked) -> str:
    """An approval in anna's name with no signature of hers, put there by the home itself."""
    view = show(attacked.home, attacked.approved)
    signed = next(entry.body for entry in view.entries if entry.event is Event.APPROVED)
    attacked.ledger.append(attacked.waiting, "small", Event.APPROVED, {**signed, "run": attacked.waiting})
    return "the signature of anna does not hold"


def replaced_key_file(attacked: Attacked) -> str:
    private = signing.new_private()
    (attacked.home.keys / "anna.key").write_bytes(signing.locked(private, PASSPHRASE))
    held = {"name": "anna", "roles": ["reviewer"], "public_key": signing.public_half(private)}
    (attacked.home.keys / "anna.json").write_text(json.dumps(held))
    return "anna.json was replaced: it is not the key that entry"


def altered_bundle(attacked: Attacked) -> str:
    place = attacked.bundle(attacked.published) / "small.csv"
    place.write_bytes(place.read_bytes().replace(b"north", b"south", 1))
    return f"bundle small-{attacked.published}: small.csv was altered"


WAYS = (
    one_byte,
    dropped,
    swapped,
    shortened,
    no_ledger,
    no_ledger_no_head,
    no_head,
    unsigned_head,
    forged_head,
    another_home_key,
    rewritten,
    appended,
    rolled_back,
    rolled_back_to_the_start_of_a_run,
    unknown_run,
    altered_record,
    another_record,
    altered_file,
    forged_decision,
    replaced_key_file,
    altered_bundle,
)


def test_there_are_21_ways() -> None:
    assert len(set(WAYS)) == 21


@pytest.mark.parametrize("alter", WAYS, ids=lambda way: way.__name__)
def test_a_ledger_altered_in_any_of_21_ways_is_not_found_to_hold(
    attacked: Attacked, alter: Callable[[Attacked], str]
) -> None:
    verify(attacked.home)
    expected = alter(attacked)
    assert expected in broken(attacked.home)


def test_the_command_ends_with_3_and_says_what_is_wrong(
    attacked: Attacked, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "sdc", "audit", "verify"],
        capture_output=True,
        text=True,
        env={**os.environ, "SDC_HOME": str(attacked.home.path)},
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "1 decision, 2 bundles in an outbox" in ran.stdout
    expected = rolled_back(attacked)
    ran = subprocess.run(
        [sys.executable, "-m", "sdc", "audit", "verify"],
        capture_output=True,
        text=True,
        env={**os.environ, "SDC_HOME": str(attacked.home.path)},
        check=False,
    )
    assert ran.returncode == 3
    assert expected in ran.stderr


# Anchors: what somebody else keeps.


def test_every_bundle_pins_the_ledger_and_the_home_signed_it(attacked: Attacked) -> None:
    entries = attacked.ledger.entries()
    public = home_key(entries)
    assert public is not None
    for run in (attacked.published, attacked.approved):
        pinned = json.loads((attacked.bundle(run) / "MANIFEST.json").read_bytes())["ledger"]
        announced = at(attacked, Event.PUBLISHING, run)
        assert pinned["sequence"] == announced - 1
        assert pinned["hash"] == entries[announced - 2].hash
        assert pinned["key"] == public
        assert Head(pinned["sequence"], pinned["hash"], signature=pinned["signature"]).is_signed_by(public)
        assert verify(attacked.home, [Anchor.parse(f"{pinned['sequence']}:{pinned['hash']}")]).anchors == 1


def test_a_whole_history_rewritten_with_the_homes_own_key_is_noticed_by_an_anchor_and_by_the_bundles(
    attacked: Attacked, tmp_path: Path
) -> None:
    kept = Anchor(3, attacked.ledger.entries()[2].hash)

    def change(held: list[dict[str, Any]]) -> None:
        held[1]["body"]["producer"] = "nobody"

    rechained(attacked, change)
    attacked.ledger.head_path.write_bytes(
        replace(attacked.ledger.head(), signature="").signed(attacked.ledger.key()).as_bytes()
    )
    said = broken(attacked.home)
    assert "rewritten: an anchor has another hash for it (the anchor is in bundle" in said
    for place in attacked.outbox.iterdir():
        shutil.move(place, tmp_path / f"shipped-{place.name}")
    verify(attacked.home)
    assert broken(attacked.home, kept) == "ledger entry 3: rewritten: an anchor has another hash for it"
    assert "missing: an anchor has it" in broken(attacked.home, Anchor(400, "0" * 64))
    for place in tmp_path.glob("shipped-*"):
        shutil.move(place, attacked.outbox / place.name.removeprefix("shipped-"))


@pytest.mark.parametrize(
    "said", ["", "3", "3:", "0:" + "a" * 64, "3:" + "A" * 64, "3:" + "a" * 63, "-3:" + "a" * 64]
)
def test_what_is_no_anchor_is_refused(said: str) -> None:
    with pytest.raises(BadAnchor, match="write SEQ:HASH"):
        Anchor.parse(said)


# Recovery never makes up an ending.


@pytest.mark.parametrize("event", [Event.STARTED, Event.HOME_KEY_MADE])
def test_a_published_run_whose_entries_were_dropped_is_an_alarm_and_no_crash(
    attacked: Attacked, event: Event
) -> None:
    cut(attacked, at(attacked, event, attacked.published if event is Event.STARTED else ""))
    for run in (attacked.approved, attacked.waiting):
        shutil.rmtree(attacked.directory(run))
    record = (attacked.directory(attacked.published) / "record.json").read_bytes()
    before = attacked.home.ledger.read_bytes()
    with pytest.raises(
        LedgerBroken,
        match=f"run {attacked.published} has the sealed record of a publication, and no entry tells of one",
    ):
        close_stale(attacked.home)
    assert attacked.home.ledger.read_bytes() == before
    assert (attacked.directory(attacked.published) / "record.json").read_bytes() == record


def test_a_bundle_without_its_entry_is_an_alarm_also_where_the_record_is_gone(attacked: Attacked) -> None:
    cut(attacked, at(attacked, Event.STARTED, attacked.published))
    for run in (attacked.approved, attacked.waiting):
        shutil.rmtree(attacked.directory(run))
    (attacked.directory(attacked.published) / "record.json").unlink()
    with pytest.raises(
        LedgerBroken,
        match=f"bundle small-{attacked.published} of run {attacked.published} is out, and no entry tells of it",
    ):
        close_stale(attacked.home)


def test_a_record_sealed_before_a_crash_is_kept_as_it_is(attacked: Attacked) -> None:
    cut(attacked, at(attacked, Event.STARTED, attacked.waiting))
    place = attacked.directory(attacked.waiting) / "record.json"
    sealed = place.read_bytes()
    (ending,) = close_stale(attacked.home)
    assert (ending.run, ending.event, ending.body["record"]) == (
        attacked.waiting,
        Event.CRASHED,
        digest.of_bytes(sealed),
    )
    assert place.read_bytes() == sealed
    verify(attacked.home)


# Keys.


def test_the_producer_is_the_real_user_id_whatever_the_environment_says(attacked: Attacked) -> None:
    started = [entry for entry in attacked.ledger.entries() if entry.event is Event.STARTED]
    assert {entry.body["producer"] for entry in started} == {account()}
    assert account() != "anna"


def test_making_a_key_is_an_entry_with_its_public_half_and_who_made_it(attacked: Attacked) -> None:
    made = key_for(attacked.home, "ben", ["reviewer", "approver"])
    entry = attacked.ledger.entries()[-1]
    assert (entry.event, entry.run, entry.body["key"], entry.body["by"]) == (
        Event.KEY_MADE,
        "",
        "ben",
        "paula",
    )
    assert entry.body["public_key"] == made.public_key
    assert entry.body["roles"] == ["reviewer", "approver"]
    private = (attacked.home.keys / "ben.key").read_bytes()
    assert signing.public_half(signing.unlocked(private, PASSPHRASE)) == made.public_key


def test_a_key_file_replaced_under_an_old_name_signs_nothing(attacked: Attacked) -> None:
    replaced_key_file(attacked)
    with pytest.raises(CannotApprove, match=r"anna\.json was replaced"):
        approve(attacked.home, attacked.waiting)
    (attacked.home.keys / "anna.json").unlink()
    with pytest.raises(CannotApprove, match=r"anna\.key was replaced"):
        approve(attacked.home, attacked.waiting)


def test_a_key_put_into_the_folder_signs_nothing(attacked: Attacked) -> None:
    private = signing.new_private()
    (attacked.home.keys / "carl.key").write_bytes(signing.locked(private, PASSPHRASE))
    (attacked.home.keys / "carl.json").write_text(
        json.dumps({"name": "carl", "roles": ["reviewer"], "public_key": signing.public_half(private)})
    )
    with pytest.raises(CannotApprove, match="the key of carl is not on record"):
        approve(attacked.home, attacked.waiting, by="carl")
    assert verify(attacked.home).notes == ("keys that are not on record and sign nothing: carl",)


def earlier_home(tmp_path: Path) -> tuple[Home, bytes]:
    """A home as earlier versions made it.

    No key of its own, a key of anna that no entry knows and no passphrase locks.
    """
    home = Home.at(tmp_path / "earlier")
    private = signing.new_private()
    durable.write(home.keys / "anna.key", base64.b64encode(private))
    durable.write(
        home.keys / "anna.json",
        json.dumps(
            {"name": "anna", "roles": ["reviewer"], "public_key": signing.public_half(private)}
        ).encode(),
    )
    run = "20250101T000000Z-small-abcdef"
    said = SignedDecision(
        run,
        "d" * 64,
        APPROVE,
        "reviewer",
        "anna",
        "fine",
        "2025-01-01T00:00:00+00:00",
        "2025-02-01T00:00:00+00:00",
    )
    ledger = Ledger(home.ledger)
    ledger.append(run, "small", Event.STARTED, {"producer": "paula"})
    ledger.append(
        run,
        "small",
        Event.APPROVED,
        asdict(replace(said, signature=signing.signature(private, said.message))),
    )
    return home, private


def test_a_home_of_an_earlier_version_is_read_and_it_is_said_what_is_unsigned(tmp_path: Path) -> None:
    home, _ = earlier_home(tmp_path)
    assert verify(home).notes == (
        "the head of the ledger is not signed: this home has no key yet; the next release makes one",
        "1 decision signed with a key that is not on record, from an earlier version: not checked",
        "keys that are not on record and sign nothing: anna",
    )
    Ledger(home.ledger).make_key("paula")
    assert [note.partition(":")[0] for note in verify(home).notes] == [
        "1 decision signed with a key that is not on record, from an earlier version",
        "keys that are not on record and sign nothing",
    ]
    assert Ledger(home.ledger).head().signature


def test_a_key_of_an_earlier_version_signs_once_it_was_adopted_and_what_it_signed_is_checked(
    tmp_path: Path,
) -> None:
    home, private = earlier_home(tmp_path)
    said = SignedDecision(
        "run", "d" * 64, APPROVE, "reviewer", "anna", "fine", datetime.now(UTC).isoformat(), None
    )
    with pytest.raises(CannotApprove, match="is not on record; `sdc keys adopt anna`"):
        sign(home, said, PASSPHRASE)
    adopt_key(home, "anna", passphrase=PASSPHRASE, by="paula")
    assert sign(home, said, PASSPHRASE).signature == signing.signature(private, said.message)
    assert base64.b64encode(private) not in (home.keys / "anna.key").read_bytes()
    assert verify(home).notes == ()
    assert people(Ledger(home.ledger).entries())["anna"].adopted


def test_a_decision_with_a_key_that_was_replaced_before_its_adoption_is_noticed(tmp_path: Path) -> None:
    home, _ = earlier_home(tmp_path)
    private = signing.new_private()
    (home.keys / "anna.key").write_bytes(base64.b64encode(private))
    (home.keys / "anna.json").write_text(
        json.dumps({"name": "anna", "roles": ["reviewer"], "public_key": signing.public_half(private)})
    )
    adopt_key(home, "anna", passphrase=PASSPHRASE, by="mallory")
    assert broken(home) == "ledger entry 2: the signature of anna does not hold"


def test_a_home_without_its_key_appends_nothing(attacked: Attacked) -> None:
    attacked.ledger.key_path.unlink()
    before = attacked.home.ledger.read_bytes()
    with pytest.raises(LedgerBroken, match=r"the home's key \(ledger\.key\) is gone; put it back"):
        attacked.ledger.append("x", "small", Event.STARTED)
    assert attacked.home.ledger.read_bytes() == before
    assert "the private key of the home is gone" in verify(attacked.home).notes[0]


def test_the_keys_are_their_owners_alone(attacked: Attacked) -> None:
    key_for(attacked.home, "ben", ["reviewer"])
    for place in (attacked.ledger.key_path, attacked.home.keys / "anna.key", attacked.home.keys / "ben.key"):
        assert place.stat().st_mode & 0o777 == 0o600
    key = attacked.ledger.key_path.read_bytes()
    for run in (attacked.published, attacked.approved):
        public = [place for place in attacked.bundle(run).iterdir() if key in place.read_bytes()]
        assert public == []
    assert key not in attacked.home.ledger.read_bytes()


@pytest.mark.parametrize("days", [0, -1, 3651, 10_000_000, 10**20])
def test_an_approval_for_an_impossible_time_is_a_sentence(attacked: Attacked, days: int) -> None:
    with pytest.raises(CannotApprove, match=f"an approval holds for 1 to 3650 days, not {days}"):
        approve(attacked.home, attacked.waiting, days=days)


def test_the_command_refuses_impossible_days_and_a_passphrase_file_others_read(
    attacked: Attacked, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(PASSPHRASE)
    secret.chmod(0o644)

    def said(*more: str) -> tuple[int, str]:
        command = [
            sys.executable,
            "-m",
            "sdc",
            "approve",
            attacked.waiting,
            "--as",
            "reviewer",
            "--by",
            "anna",
            "--reason",
            "r",
            *more,
        ]
        environment = {**os.environ, "SDC_HOME": str(attacked.home.path)}
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )
        return ran.returncode, ran.stderr

    assert "an approval holds for 1 to 3650 days, not 10000000" in said("--days", "10000000")[1]
    assert said("--passphrase-file", str(secret)) == (
        3,
        "sdc: others may read secret: it must be yours, with mode 0600\n",
    )
    assert said() == (
        3,
        "sdc: there is no terminal to ask for the passphrase; name a file with --passphrase-file\n",
    )


# The review pages.


def form_of(page: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
    assert found
    return found[1]


def test_one_session_signs_for_one_person(attacked: Attacked) -> None:
    from sdc.web.access import Sessions

    access = Sessions("127.0.0.1", 8321)
    first, second = access.begin(), access.begin()
    access.signer(first).require("anna")
    access.signer(first).name = "anna"
    access.signer(first).require("anna")
    with pytest.raises(
        CannotApprove, match="this session has signed for anna; ben needs a session of their own"
    ):
        access.signer(first).require("ben")
    access.signer(second).require("ben")


def test_the_form_refuses_impossible_days_and_a_wrong_passphrase_and_shows_none(attacked: Attacked) -> None:
    import httpx

    key_for(attacked.home, "ben", ["reviewer"])
    with (
        served_pages(attacked.home) as (address, token),
        httpx.Client(base_url=address, headers={"origin": address}) as browser,
    ):
        browser.get(f"/?token={token}")

        def sent(by: str, decision: str, passphrase: str, days: str = "30") -> httpx.Response:
            place = f"/runs/{attacked.waiting}"
            form = {
                "csrf": form_of(browser.get(place).text),
                "decision": decision,
                "by": by,
                "role": "reviewer",
                "reason": "a reason",
            }
            answer = browser.post(f"{place}/decision", data={**form, "days": days, "passphrase": passphrase})
            while answer.status_code == 303:
                answer = browser.get(answer.headers["location"])
            return answer

        assert sent("anna", "approve", PASSPHRASE, "10000000").status_code == 400
        page = sent("anna", "reject", "not the passphrase").text
        assert "this is not the passphrase of the key of anna" in page
        assert "not the passphrase&#" not in page
        assert 'value="not the' not in page
        assert PASSPHRASE not in page
        ended = sent("ben", "reject", PASSPHRASE).text
        assert "Rejected; nothing was published." in ended
        assert PASSPHRASE not in ended
    assert show(attacked.home, attacked.waiting).row.state == "rejected"


def test_a_session_that_signed_for_one_takes_no_word_of_another(attacked: Attacked) -> None:
    from sdc.web.access import Signer
    from sdc.web.decide import DecisionForm, Decisions

    key_for(attacked.home, "ben", ["reviewer"])
    decisions, signer = Decisions(attacked.home), Signer()
    try:
        signer.name = "anna"
        job = decisions.take(
            attacked.waiting,
            DecisionForm("reject", "ben", "reviewer", "no", 30, passphrase=PASSPHRASE),
            signer,
        )
        assert job.done.wait(30)
        assert job.refused
        assert "this session has signed for anna" in job.sentence
        assert job.asked.passphrase == ""
        assert PASSPHRASE not in repr(
            DecisionForm("reject", "ben", "reviewer", "no", 30, passphrase=PASSPHRASE)
        )
    finally:
        decisions.close()
    assert show(attacked.home, attacked.waiting).row.state == "referred"


def test_a_decision_binds_its_session_to_who_made_it_and_a_refused_one_does_not(attacked: Attacked) -> None:
    from sdc.web.access import Signer
    from sdc.web.decide import DecisionForm, Decisions

    decisions, signer = Decisions(attacked.home), Signer()

    def taken(by: str, passphrase: str) -> str:
        job = decisions.take(
            attacked.waiting, DecisionForm("reject", by, "reviewer", "no", 30, passphrase=passphrase), signer
        )
        assert job.done.wait(30)
        return job.sentence

    try:
        assert "this is not the passphrase of the key of anna" in taken("anna", "not the passphrase")
        assert signer.name is None
        assert "ejected" in taken("anna", PASSPHRASE)
        assert signer.name == "anna"
        assert "this session has signed for anna; ben needs a session" in taken("ben", PASSPHRASE)
    finally:
        decisions.close()


def opened(address: str, data: bytes = b"") -> socket.socket:
    host, port = address.removeprefix("http://").split(":")
    held = socket.create_connection((host, int(port)), timeout=10)
    held.sendall(data)
    return held


def ended(held: socket.socket) -> bool:
    """Has the other side let go of it?"""
    try:
        return held.recv(1) == b""
    except ConnectionError:
        return True


def test_half_open_connections_are_ended_and_do_not_shut_others_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpx

    from sdc.web import patience

    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(patience, "MOST_CONNECTIONS", 20)
    with served_pages(Home.at(tmp_path / "home")) as (address, _):
        silent = [opened(address) for _ in range(8)]
        halves = [opened(address, b"GET / HTTP/1.1\r\nHost: 127.0") for _ in range(8)]
        assert httpx.get(address).status_code == 401
        over = [opened(address) for _ in range(8)]
        answers = [held.recv(200) for held in over[-2:]]
        assert all(
            b"503" in answer and b"Too many connections are open here" in (answer + held.recv(200))
            for answer, held in zip(answers, over[-2:], strict=True)
        )
        until = time.monotonic() + 10
        for held in [*silent, *halves]:
            held.settimeout(max(until - time.monotonic(), 0.1))
            assert ended(held)
        assert httpx.get(address).status_code == 401


def test_a_form_that_never_comes_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx

    import sdc.web.form_body

    monkeypatch.setattr(sdc.web.form_body, "FORM_SECONDS", 0.3)
    with (
        served_pages(Home.at(tmp_path / "home")) as (address, token),
        httpx.Client(base_url=address) as browser,
    ):
        browser.get(f"/?token={token}")
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        head = f"POST /runs/x/decision HTTP/1.1\r\nHost: {address.removeprefix('http://')}\r\nCookie: {cookie}\r\n"
        slow = opened(
            address,
            f"{head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 90\r\n\r\ncsrf=".encode(),
        )
        assert b"408" in slow.recv(100)
