"""What `sdc audit verify` says of a ledger, an outbox or a key that somebody altered, on a home without any flow."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from signing_keys import key_for

from sdc.audit.chain import Entry, Event
from sdc.audit.ledger import Ledger
from sdc.audit.record import verify
from sdc.errors import LedgerBroken, NothingToVerify
from sdc.publish import manifest
from sdc.run import digest
from sdc.run.home import Home

RUN = "20260101T000000Z-small-abcdef"


@dataclass(frozen=True)
class Shipped:
    """A home that published one bundle."""

    home: Home
    outbox: Path

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.home.ledger)

    @property
    def bundle(self) -> Path:
        return self.outbox / f"small-{RUN}"


@pytest.fixture
def shipped(tmp_path: Path) -> Shipped:
    made = Shipped(Home.at(tmp_path / "home"), tmp_path / "outbox")
    made.ledger.make_key("paula")
    made.ledger.append(RUN, "small", Event.STARTED, {"outbox": str(made.outbox)})
    bundled(made, made.bundle, RUN)
    facts = {
        "outbox": str(made.outbox),
        "bundle": made.bundle.name,
        "manifest": digest.of_file(made.bundle / manifest.MANIFEST),
    }
    made.ledger.append(RUN, "small", Event.PUBLISHING, facts)
    made.ledger.append(RUN, "small", Event.PUBLISHED, facts)
    return made


def bundled(made: Shipped, place: Path, run: str) -> None:
    place.mkdir(parents=True)
    (place / "small.csv").write_text("region\nnorth\n")
    (place / manifest.MANIFEST).write_bytes(
        manifest.as_json(place, bundle=place.name, run=run, anchor=made.ledger.anchor())
    )


def broken(home: Home) -> str:
    with pytest.raises(LedgerBroken) as caught:
        verify(home)
    return str(caught.value)


def said(home: Path) -> tuple[int, str]:
    """How the command ends, and its words."""
    command = [sys.executable, "-m", "sdc", "audit", "verify"]
    ran = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, "SDC_HOME": str(home)},
        check=False,
        timeout=60,
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_a_home_nobody_touched_holds_and_says_nothing_more(shipped: Shipped) -> None:
    held = verify(shipped.home)
    assert (held.entries, held.bundles, held.torn_bytes, held.notes) == (4, 1, 0, ())
    assert said(shipped.home.path)[0] == 0


# Lines after the head


def renumbered(shipped: Shipped) -> bytes:
    """The last entry once more under the next number, with a hash that fits."""
    last = shipped.ledger.entries()[-1]
    changed = Entry(**{**last.__dict__, "sequence": last.sequence + 1})
    return Entry(**{**changed.__dict__, "hash": changed.computed_hash}).line


@pytest.mark.parametrize(
    "line",
    [b"garbage\n", b"\n", b"\x00\x00garbage\n", b'{"sequence":5}\n', None],
    ids=["word", "empty", "zeros", "json", "renumbered"],
)
def test_a_whole_line_after_the_head_is_a_fault_and_nothing_is_appended_to_it(
    shipped: Shipped, line: bytes | None
) -> None:
    added = line or renumbered(shipped)
    with shipped.home.ledger.open("ab") as file:
        file.write(added)
    before = shipped.home.ledger.read_bytes()
    assert (
        broken(shipped.home)
        == "ledger entry 5: a whole line stands after the entry the ledger's head vouches for, and it does not follow that entry"
    )
    assert said(shipped.home.path)[0] == 3
    with pytest.raises(LedgerBroken, match="a whole line stands after"):
        shipped.ledger.append("other", "small", Event.STARTED)
    assert shipped.home.ledger.read_bytes() == before


def test_a_torn_rest_is_told_with_its_size(shipped: Shipped) -> None:
    with shipped.home.ledger.open("ab") as file:
        file.write(b'{"body":')
    code, told = said(shipped.home.path)
    assert code == 0
    assert (
        "note: 8 bytes of a torn line stand after the last entry; the next entry keeps them in a file of their own"
        in told
    )


# Bundles


def test_an_altered_copy_beside_a_bundle_is_a_fault(shipped: Shipped) -> None:
    copy = shipped.outbox / "copied"
    shutil.copytree(shipped.bundle, copy)
    (copy / "small.csv").write_text("region\nsouth\n")
    assert (
        broken(shipped.home)
        == f"ledger entry 4: bundle copied is a copy of small-{RUN}, and small.csv was altered"
    )


def test_a_bundle_renamed_and_altered_is_a_fault(shipped: Shipped) -> None:
    renamed = shipped.bundle.rename(shipped.outbox / "renamed")
    (renamed / "more.csv").write_text("name\nAda\n")
    assert (
        broken(shipped.home)
        == f"ledger entry 4: bundle renamed is small-{RUN} renamed, and more.csv is not in the manifest"
    )


@pytest.mark.parametrize("renamed", [True, False])
def test_a_copy_with_a_manifest_of_its_own_is_a_fault(shipped: Shipped, *, renamed: bool) -> None:
    copy = shipped.outbox / "other"
    if renamed:
        shipped.bundle.rename(copy)
    else:
        shutil.copytree(shipped.bundle, copy)
    (copy / "small.csv").write_text("region\nsouth\n")
    (copy / manifest.MANIFEST).write_bytes(
        manifest.as_json(copy, bundle="other", run=RUN, anchor=shipped.ledger.anchor())
    )
    assert "bundle other" in broken(shipped.home)
    assert "its manifest is not the one the ledger has" in broken(shipped.home)


def test_a_copy_a_renamed_bundle_and_one_that_was_taken_away_are_told(shipped: Shipped) -> None:
    shutil.copytree(shipped.bundle, shipped.outbox / "copied")
    assert verify(shipped.home).notes == (f"bundle copied in the outbox is a copy of small-{RUN}",)
    shutil.rmtree(shipped.bundle)
    assert verify(shipped.home).notes == (f"bundle copied in the outbox is small-{RUN} renamed",)
    shutil.rmtree(shipped.outbox / "copied")
    assert verify(shipped.home).notes == (f"no longer in its outbox: bundle small-{RUN} of run {RUN}",)
    shipped.outbox.rmdir()
    assert verify(shipped.home).notes == (f"no longer in its outbox: bundle small-{RUN} of run {RUN}",)
    assert f"note: no longer in its outbox: bundle small-{RUN}" in said(shipped.home.path)[1]


@pytest.mark.parametrize(
    "change",
    [
        {"ledger": {"key": 1}},
        {"ledger": "none"},
        {"ledger": {"sequence": "x", "hash": 3}},
        {"files": 7},
        {"run": ["x"]},
    ],
    ids=["no number", "no object", "no numbers", "no files", "no run"],
)
def test_a_manifest_of_another_shape_is_no_crash(shipped: Shipped, change: dict[str, Any]) -> None:
    place = shipped.bundle / manifest.MANIFEST
    place.write_text(json.dumps({**json.loads(place.read_bytes()), **change}))
    assert f"the manifest of bundle small-{RUN} is gone or was altered" in broken(shipped.home)
    shipped.bundle.rename(shipped.outbox / "renamed")
    code, told = said(shipped.home.path)
    assert (code, "failed" in told) == (3, False)


def test_a_manifest_that_cannot_be_read_is_told(shipped: Shipped) -> None:
    (shipped.outbox / "odd").mkdir()
    (shipped.outbox / "odd" / manifest.MANIFEST).write_text("{")
    assert verify(shipped.home).notes == (
        "odd in the outbox has a manifest that cannot be read: not compared",
    )


def test_a_bundle_out_before_it_was_announced_is_a_fault_once_its_run_is_dead(shipped: Shipped) -> None:
    run = "20260102T000000Z-small-abcdef"
    shipped.ledger.append(run, "small", Event.STARTED, {"outbox": str(shipped.outbox)})
    bundled(shipped, shipped.outbox / "early", run)
    assert f"missing: bundle early of run {run} is out, and the ledger says it is running" in broken(
        shipped.home
    )


# Nothing there


@pytest.mark.parametrize("there", ["no directory", "an empty home", "an emptied home"])
def test_a_home_without_a_ledger_is_not_called_holding(shipped: Shipped, tmp_path: Path, there: str) -> None:
    place = shipped.home.path if there == "an emptied home" else tmp_path / "new"
    if there != "no directory":
        shutil.rmtree(place, ignore_errors=True)
        home = Home.at(place)
        with pytest.raises(NothingToVerify, match="nothing was verified"):
            verify(home)
    code, told = said(place)
    assert code == 3
    assert f"there is no ledger in {place}: nothing was verified" in told
    assert "holds" not in told
    assert place.exists() == (there != "no directory")


# Keys


@pytest.mark.parametrize("private", [b"", b"garbage", b"{}", b"[1]", b'{"kdf":"scrypt"}'])
def test_a_private_key_replaced_by_garbage_is_a_fault(shipped: Shipped, private: bytes) -> None:
    key_for(shipped.home, "anna", ["reviewer"])
    verify(shipped.home)
    (shipped.home.keys / "anna.key").write_bytes(private)
    assert broken(shipped.home) == "ledger entry 5: the key file anna.key is no locked key"


@pytest.mark.parametrize("private", ["", "garbage", "é", "QUJD"])
def test_a_key_of_the_home_replaced_by_garbage_is_a_fault_and_nothing_is_appended(
    shipped: Shipped, private: str
) -> None:
    shipped.ledger.key_path.write_text(private)
    assert (
        broken(shipped.home)
        == "ledger entry 1: the key of the home (ledger.key) cannot be read; put it back from a copy"
    )
    with pytest.raises(LedgerBroken, match=r"ledger\.key\) cannot be read"):
        shipped.ledger.append("other", "small", Event.STARTED)
