"""Approval, replay and export of whole runs."""

import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.run_release import run_release
from sdc.approval import make_key
from sdc.audit import show, verify
from sdc.audit_export import export
from sdc.errors import CannotApprove, SdcError
from sdc.run import Home

pytestmark = pytest.mark.usefixtures("server")

TO_REFER = ("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because")


def bundles(profile: Path) -> list[str]:
    return sorted(path.name for path in (profile.parent / "outbox").iterdir())


@pytest.fixture
def referred(release_files: Callable[..., Path], home: Path) -> tuple[Home, str, Path]:
    profile = release_files(TO_REFER)
    outcome = run_release(profile, quiet=True)
    held = Home.at(home)
    make_key(held.keys, "anna", ["reviewer"])
    return held, outcome.run_id, profile


def test_an_approved_run_publishes_the_stored_bytes(referred: tuple[Home, str, Path]) -> None:
    from flows.approve import approve_and_publish

    home, run, profile = referred
    said = approve_and_publish(home, run, role="reviewer", by="anna", reason="the loss is known and small")
    assert "published" in said
    (bundle,) = (profile.parent / "outbox").iterdir()
    assert (bundle / "small.parquet").read_bytes() == (home.runs / run / "candidates" / "masked.parquet").read_bytes()
    assert show(home, run).row.state == "published"
    verify(home)


def test_a_rejected_run_is_never_published(referred: tuple[Home, str, Path]) -> None:
    from flows.approve import approve_and_publish, reject

    home, run, profile = referred
    reject(home, run, role="reviewer", by="anna", reason="too much lost")
    with pytest.raises(CannotApprove, match="is rejected"):
        approve_and_publish(home, run, role="reviewer", by="anna", reason="changed my mind")
    assert bundles(profile) == []


def test_who_started_the_run_cannot_approve_it(referred: tuple[Home, str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import flows.approve

    home, run, profile = referred
    monkeypatch.setattr(flows.approve, "producer", lambda _view: "anna")
    with pytest.raises(CannotApprove, match="does not approve it"):
        flows.approve.approve_and_publish(home, run, role="reviewer", by="anna", reason="mine")
    assert bundles(profile) == []


def test_a_candidate_altered_after_the_gate_is_not_published(referred: tuple[Home, str, Path]) -> None:
    from flows.approve import approve_and_publish

    home, run, profile = referred
    stored = home.runs / run / "candidates" / "masked.parquet"
    stored.write_bytes(stored.read_bytes() + b" ")
    with pytest.raises(SdcError, match="not the one that was approved"):
        approve_and_publish(home, run, role="reviewer", by="anna", reason="fine")
    assert bundles(profile) == []


def test_two_roles_need_two_people(release_files: Callable[..., Path], home: Path) -> None:
    from flows.approve import approve_and_publish

    profile = release_files(TO_REFER, ("publish: {", "approval: {required: when_referred, roles: [reviewer, approver]}\npublish: {"))
    run = run_release(profile, quiet=True).run_id
    held = Home.at(home)
    make_key(held.keys, "anna", ["reviewer", "approver"])
    make_key(held.keys, "bob", ["approver"])
    assert "still to approve: approver" in approve_and_publish(held, run, role="reviewer", by="anna", reason="fine")
    assert bundles(profile) == []
    with pytest.raises(CannotApprove, match="another person"):
        approve_and_publish(held, run, role="approver", by="anna", reason="fine again")
    assert "published" in approve_and_publish(held, run, role="approver", by="bob", reason="agreed")


def test_a_run_replays_to_the_same_bytes_on_any_number_of_threads(release_files: Callable[..., Path], home: Path) -> None:
    from flows.replay import replay

    run = run_release(release_files(), quiet=True).run_id
    for threads in (1, 4):
        replayed = replay(Home.at(home), run, threads=threads)
        assert replayed.equal
        assert replayed.changes == ()


def test_a_changed_source_and_a_changed_profile_are_named(release_files: Callable[..., Path], home: Path) -> None:
    from flows.replay import CannotReplay, replay

    profile = release_files()
    run = run_release(profile, quiet=True).run_id
    profile.write_text(profile.read_text() + "# changed\n")
    assert any("profile.yaml has changed" in change for change in replay(Home.at(home), run).changes)
    with (profile.parent / "people.csv").open("a") as file:
        file.write("P99999,New Person,north,male,40,20000.5,good\n")
    with pytest.raises(CannotReplay, match=r"people\.csv has changed"):
        replay(Home.at(home), run)


def test_an_export_is_checked_by_sha256sum_alone_and_holds_no_table(release_files: Callable[..., Path], home: Path, tmp_path: Path) -> None:
    run = run_release(release_files(), quiet=True).run_id
    archive = export(Home.at(home), run, tmp_path / "audit.zip")
    with zipfile.ZipFile(archive) as held:
        held.extractall(tmp_path / "out")
    place = tmp_path / "out" / run
    assert subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=place, check=False).returncode == 0
    names = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
    assert {"record.json", "ledger.jsonl", "report.html", "gate/masked.suites.json", "bundle/MANIFEST.json", "ro-crate-metadata.json"} <= names
    assert not [name for name in names if name.endswith((".parquet", ".duckdb", ".csv"))]
    graph = json.loads((place / "ro-crate-metadata.json").read_text())["@graph"]
    assert {part["@id"] for part in next(node for node in graph if node["@id"] == "./")["hasPart"]} == names - {
        "SHA256SUMS",
        "ro-crate-metadata.json",
    }
