"""The ledger: appended by many, altered by none."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

import sdc.audit.ledger
from sdc.audit.ledger import Event, Ledger
from sdc.audit.people import home_key
from sdc.errors import LedgerBroken, LedgerUnusable


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    return Ledger(tmp_path / "ledger.jsonl")


@pytest.fixture
def five(ledger) -> Ledger:
    """Five entries of two runs."""
    for run, event in [
        ("a", Event.STARTED),
        ("b", Event.STARTED),
        ("a", Event.PUBLISHING),
        ("a", Event.PUBLISHED),
        ("b", Event.WITHHELD),
    ]:
        ledger.append(run, "survey", event, {"note": f"{run} {event}"})
    return ledger


def lines(ledger: Ledger) -> list[bytes]:
    return ledger.path.read_bytes().splitlines(keepends=True)


def broken(ledger: Ledger) -> LedgerBroken:
    with pytest.raises(LedgerBroken) as caught:
        ledger.verify()
    return caught.value


def run_python(program: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program])


def test_every_entry_carries_the_hash_of_the_one_before_it(five):
    held = [json.loads(line) for line in lines(five)]
    before = "0" * 64
    for place, entry in enumerate(held, start=1):
        stated = entry.pop("hash")
        assert (
            stated
            == hashlib.sha256(json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        )
        assert (entry["sequence"], entry["previous"]) == (place, before)
        before = stated
    assert five.verify().entries == 5


def test_only_the_owner_may_read_it(five):
    assert {stat.S_IMODE(path.stat().st_mode) for path in five.path.parent.iterdir()} == {0o600}


def test_what_is_read_back_is_what_was_told(ledger):
    body = {
        "ä": [1, 2.5, None, True],
        "nested": {10: "ten", 9: "nine"},
        "place": Path("/x"),
        "names": {"b", "a"},
    }
    told = ledger.append("run", "survey", Event.STARTED, body)
    (read,) = ledger.entries()
    assert read == told
    assert read.body == {
        "ä": [1, 2.5, None, True],
        "nested": {"10": "ten", "9": "nine"},
        "place": "/x",
        "names": ["a", "b"],
    }


def test_numbers_that_are_not_finite_are_told_by_name(ledger):
    ledger.append(
        "a",
        "survey",
        Event.STARTED,
        {"values": np.array([1.5, np.nan, np.inf]), "count": np.int64(3), "share": np.float64(0.1)},
    )
    assert ledger.entries()[0].body == {"values": [1.5, "nan", "inf"], "count": 3, "share": 0.1}


def test_what_json_cannot_hold_is_refused_and_nothing_written(five):
    with pytest.raises(TypeError):
        five.append("c", "survey", Event.STARTED, {"value": object()})
    assert five.verify().entries == 5


def test_changing_any_one_byte_names_the_entry_it_is_in(five):
    whole = five.path.read_bytes()
    for place in range(0, len(whole), 7):
        changed = bytearray(whole)
        changed[place] ^= 1
        five.path.write_bytes(bytes(changed))
        assert broken(five).sequence == whole[:place].count(b"\n") + 1


def test_a_space_that_changes_no_meaning_is_noticed(five):
    five.path.write_bytes(five.path.read_bytes().replace(b'"sequence":3', b'"sequence": 3'))
    assert broken(five).sequence == 3


def test_changing_a_line_end_names_the_entry_it_ends(five):
    whole = five.path.read_bytes()
    place = -1
    for sequence in range(1, 6):
        place = whole.index(b"\n", place + 1)
        five.path.write_bytes(whole[:place] + b" " + whole[place + 1 :])
        assert broken(five).sequence == sequence


def test_a_missing_entry_is_named(five):
    kept = lines(five)
    five.path.write_bytes(b"".join(kept[:2] + kept[3:]))
    fault = broken(five)
    assert fault.sequence == 3
    assert "missing" in str(fault)


def test_entries_out_of_order_are_named(five):
    kept = lines(five)
    kept[1], kept[2] = kept[2], kept[1]
    five.path.write_bytes(b"".join(kept))
    fault = broken(five)
    assert fault.sequence == 2
    assert "out of order" in str(fault)


def rewritten(line: bytes, note: str) -> bytes:
    entry = json.loads(line)
    entry["body"]["note"] = note
    del entry["hash"]
    entry["hash"] = hashlib.sha256(
        json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()
    return json.dumps(entry, sort_keys=True, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize("sequence", [1, 3, 5])
def test_an_entry_rewritten_with_a_fresh_hash_is_named(five, sequence):
    kept = lines(five)
    kept[sequence - 1] = rewritten(kept[sequence - 1], "forged")
    five.path.write_bytes(b"".join(kept))
    assert broken(five).sequence == sequence


@pytest.mark.parametrize("deleted", [1, 2, 5])
def test_deleting_the_last_entries_is_noticed(five, deleted):
    five.path.write_bytes(b"".join(lines(five)[: 5 - deleted]))
    fault = broken(five)
    assert fault.sequence == 5 - deleted + 1
    assert "vouches for 5 entries" in str(fault)


def test_deleting_the_ledger_is_noticed(five):
    five.path.unlink()
    assert broken(five).sequence == 1
    with pytest.raises(LedgerBroken):
        five.append("c", "survey", Event.STARTED)


def test_deleting_the_head_is_noticed(five):
    five.head_path.unlink()
    assert "head" in str(broken(five))


def test_an_old_head_makes_nothing_be_cut_off(five):
    old = five.head_path.read_bytes()
    five.append("c", "survey", Event.STARTED)
    five.append("c", "survey", Event.WITHHELD)
    five.head_path.write_bytes(old)
    held = five.path.read_bytes()
    with pytest.raises(LedgerBroken):
        five.append("d", "survey", Event.STARTED)
    assert five.path.read_bytes() == held
    assert broken(five).sequence == 6


SPOILT = {
    "empty": lambda _: b"",
    "words": lambda _: b"nonsense\n",
    "a list": lambda _: b"[]\n",
    "a text for a number": lambda held: held.replace(b":5,", b':"5",'),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_head_is_noticed(five, how):
    five.head_path.write_bytes(SPOILT[how](five.head_path.read_bytes()))
    assert "head" in str(broken(five))


def test_nothing_is_appended_after_a_cut_or_altered_end(five):
    whole = five.path.read_bytes()
    for spoilt in (b"".join(lines(five)[:4]), whole[:-10], whole[:-3] + b"x}\n"):
        five.path.write_bytes(spoilt)
        with pytest.raises(LedgerBroken) as caught:
            five.append("c", "survey", Event.STARTED)
        assert caught.value.sequence == 5
        assert five.path.read_bytes() == spoilt


def test_an_altered_entry_in_the_middle_is_never_repaired(five):
    five.path.write_bytes(five.path.read_bytes().replace(b"b started", b"b Started"))
    five.append("c", "survey", Event.STARTED)
    assert broken(five).sequence == 2
    assert not list(five.path.parent.glob("*torn*"))


@pytest.mark.parametrize("torn", [b'{"body":{"note":', b"\x00" * 40, b"\x00\x00garbage"])
def test_a_torn_last_line_is_kept_and_its_repair_recorded(five, torn):
    with five.path.open("ab") as file:
        file.write(torn)
    assert (five.verify().entries, five.verify().torn_bytes) == (5, len(torn))
    five.append("c", "survey", Event.STARTED)
    repaired, new = five.entries()[5:]
    (note,) = repaired.body["torn"]
    assert (repaired.event, new.run) == (Event.REPAIRED, "c")
    assert (five.path.parent / note["file"]).read_bytes() == torn
    assert (note["bytes"], note["sha256"]) == (len(torn), hashlib.sha256(torn).hexdigest())
    assert (five.verify().entries, five.verify().torn_bytes) == (7, 0)
    assert {row.run: row.state for row in five.runs()} == {"a": "published", "b": "withheld", "c": "running"}


def test_an_entry_that_only_the_head_missed_is_kept(five):
    head = five.head_path.read_bytes()
    five.append("c", "survey", Event.STARTED)
    five.head_path.write_bytes(head)
    assert five.verify().entries == 6
    five.append("c", "survey", Event.WITHHELD)
    assert [entry.event for entry in five.entries()[5:]] == [Event.STARTED, Event.WITHHELD]


KILLED_AT = {
    "before the line": "sdc.audit.ledger.Writer._write = die",
    "in the middle of the line": "os.write = lambda handle, data: (real(handle, data[:40]), die())",
    "between line and head": "Path.replace = die",
    "after the cut of a torn line": "os.ftruncate = lambda handle, size: (cut(handle, size), die())",
    "after a torn line was kept": "os.ftruncate = die",
}


def killed(ledger: Ledger, patch: str) -> None:
    """An append by a process that dies at the patched place."""
    child = run_python(f"""
import os, signal
from pathlib import Path
import sdc.audit.ledger
from sdc.audit.ledger import Event, Ledger
real, cut = os.write, os.ftruncate
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
{patch}
Ledger(Path({str(ledger.path)!r})).append("c", "survey", Event.STARTED)
""")
    assert child.wait() == -signal.SIGKILL


def test_two_kills_between_line_and_head_lose_nothing(five):
    killed(five, "Path.replace = die")
    killed(
        five,
        "Path.replace = lambda *a, once=[], real=Path.replace: die() if once else (once.append(1), real(*a))",
    )
    assert five.verify().entries == 7
    five.append("d", "survey", Event.STARTED)
    assert [entry.run for entry in five.entries()[5:]] == ["c", "c", "d"]


@pytest.mark.parametrize("place", KILLED_AT)
def test_after_a_kill_at_any_place_the_ledger_holds_and_goes_on(five, place):
    if "torn" in place:
        with five.path.open("ab") as file:
            file.write(b'{"torn')
    killed(five, KILLED_AT[place])
    assert five.verify().entries in (5, 6)
    five.append("d", "survey", Event.STARTED)
    events = [(entry.run, entry.event) for entry in five.entries()[5:]]
    written = {"between line and head": [("c", Event.STARTED)], "before the line": []}.get(
        place, [("", Event.REPAIRED)]
    )
    assert events == [*written, ("d", Event.STARTED)]
    assert five.verify().torn_bytes == 0


@pytest.mark.parametrize("place", KILLED_AT)
def test_after_a_kill_at_any_place_a_signed_ledger_holds_and_goes_on(five, place):
    five.make_key("paula")
    if "torn" in place:
        with five.path.open("ab") as file:
            file.write(b'{"torn')
    killed(five, KILLED_AT[place])
    assert five.verify().signed
    five.append("d", "survey", Event.STARTED)
    assert five.entries()[-1].run == "d"
    assert five.verify().torn_bytes == 0
    assert five.head().is_signed_by(home_key(five.entries()))


def test_a_kill_between_the_homes_key_and_its_entry_is_taken_up(five):
    child = run_python(f"""
import os, signal
from pathlib import Path
import sdc.audit.ledger
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
sdc.audit.ledger.Writer._write = die
sdc.audit.ledger.Ledger(Path({str(five.path)!r})).make_key("paula")
""")
    assert child.wait() == -signal.SIGKILL
    private = five.key()
    assert private is not None
    assert not five.verify().signed
    five.append("c", "survey", Event.STARTED)
    assert not five.verify().signed
    for _ in range(2):
        five.make_key("paula")
    assert five.key() == private
    assert [entry.event for entry in five.entries()[5:]] == [Event.STARTED, Event.HOME_KEY_MADE]
    assert five.verify().signed


def test_many_processes_append_without_losing_an_entry(ledger):
    program = """
import sys
from pathlib import Path
from sdc.audit.ledger import Event, Ledger
for place in range(20):
    Ledger(Path({path!r})).append("run-{number}", "survey", Event.STARTED, {{"place": place}})
"""
    children = [run_python(program.format(path=str(ledger.path), number=number)) for number in range(4)]
    assert [child.wait() for child in children] == [0] * 4
    assert ledger.verify().entries == 80
    for number in range(4):
        assert [entry.body["place"] for entry in ledger.entries() if entry.run == f"run-{number}"] == list(
            range(20)
        )


def test_a_clock_that_goes_backwards_breaks_nothing(ledger, monkeypatch):
    times = iter(
        ["2026-03-29T01:59:59.000000Z", "2026-03-29T00:00:00.000000Z", "1970-01-01T00:00:00.000000Z"]
    )
    monkeypatch.setattr(sdc.audit.ledger, "utc_now", lambda: next(times))
    for event in (Event.STARTED, Event.PUBLISHING, Event.PUBLISHED):
        ledger.append("a", "survey", event)
    assert ledger.verify().entries == 3
    assert [row.state for row in ledger.runs()] == ["published"]


def test_runs_are_folded_and_filtered(five):
    rows = {row.run: row for row in five.runs()}
    assert {run: row.state for run, row in rows.items()} == {"a": "published", "b": "withheld"}
    assert rows["a"].facts == {"note": "a published"}
    assert rows["a"].started < rows["b"].started < rows["a"].changed
    five.append("c", "census", Event.STARTED)
    assert [row.run for row in five.runs(profile="census")] == ["c"]
    assert [row.run for row in five.runs(state="running")] == ["c"]
    assert [row.run for row in five.runs(since=datetime.now(UTC) + timedelta(days=1))] == []
    assert len(five.runs(since=datetime.now(UTC) - timedelta(days=1))) == 3


def test_a_ledger_that_is_not_there_yet_is_empty(ledger):
    assert ledger.entries() == ()
    assert ledger.verify().entries == 0
    assert ledger.runs() == []


def test_a_full_disk_is_named_and_leaves_the_ledger_as_it_was(five, monkeypatch):
    held = five.path.read_bytes()
    real = os.write

    def full(handle, data):
        if len(data) > 40:
            real(handle, data[:40])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(LedgerUnusable, match="the disk is full"):
        five.append("c", "survey", Event.STARTED)
    monkeypatch.undo()
    assert five.path.read_bytes() == held
    five.append("c", "survey", Event.STARTED)
    assert five.verify().entries == 6


def mounted(place: Path, options: str):
    place.mkdir(exist_ok=True)
    if (
        shutil.which("mount") is None
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("this user may not mount a file system")


def test_a_really_full_disk_is_named_and_the_ledger_goes_on_when_there_is_room(tmp_path):
    place = tmp_path / "small"
    mounted(place, "size=64k")
    try:
        ledger = Ledger(place / "ledger.jsonl")
        ledger.append("a", "survey", Event.STARTED)
        (place / "filler").write_bytes(b"x" * (48 * 1024))
        count = 1
        with contextlib.suppress(LedgerUnusable):
            for _ in range(100):
                ledger.append("a", "survey", Event.STARTED, {"text": "y" * 500})
                count += 1
        assert count < 100
        assert ledger.verify().entries == count
        with pytest.raises(LedgerUnusable, match="the disk is full"):
            ledger.append("a", "survey", Event.STARTED, {"text": "y" * 5000})
        assert ledger.verify().entries == count
        (place / "filler").unlink()
        ledger.append("a", "survey", Event.WITHHELD)
        assert ledger.verify().entries == count + 1
    finally:
        subprocess.run(["umount", place], check=True)


def test_a_read_only_file_system_is_named_and_can_still_be_verified(tmp_path):
    place = tmp_path / "fixed"
    mounted(place, "size=1m")
    try:
        ledger = Ledger(place / "ledger.jsonl")
        ledger.append("a", "survey", Event.STARTED)
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        with pytest.raises(LedgerUnusable, match="read-only"):
            ledger.append("a", "survey", Event.WITHHELD)
        assert ledger.verify().entries == 1
    finally:
        subprocess.run(["umount", place], check=True)
