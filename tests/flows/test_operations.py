"""Approval, replay and export of whole runs."""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from signing_keys import PASSPHRASE, key_for

from flows.orchestration.run_release import run_release
from sdc.audit.export import export
from sdc.audit.ledger import Ledger
from sdc.audit.record import show, verify
from sdc.cli.main import cli
from sdc.errors import CannotApprove, LedgerBroken, SdcError
from sdc.profile import Profile
from sdc.profile.load import load_profile
from sdc.run.home import Home

pytestmark = pytest.mark.usefixtures("server")

TO_REFER = ("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because")


def bundles(profile: Path) -> list[str]:
    return sorted(path.name for path in (profile.parent / "outbox").iterdir())


@pytest.fixture
def referred(release_files: Callable[..., Path], home: Path) -> tuple[Home, str, Path]:
    profile = release_files(TO_REFER)
    outcome = run_release(profile, quiet=True)
    held = Home.at(home)
    key_for(held, "anna", ["reviewer"])
    return held, outcome.run_id, profile


def test_an_approved_run_publishes_the_stored_bytes(referred: tuple[Home, str, Path]) -> None:
    from flows.publish_approved import approve_and_publish

    home, run, profile = referred
    said = approve_and_publish(
        home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="the loss is known and small"
    )
    assert "published" in said
    (bundle,) = (profile.parent / "outbox").iterdir()
    assert (bundle / "small.parquet").read_bytes() == (
        home.runs / run / "candidates" / "masked.parquet"
    ).read_bytes()
    assert show(home, run).row.state == "published"
    verify(home)


@pytest.mark.slow
def test_a_run_is_approved_in_a_new_process_on_a_new_server(referred: tuple[Home, str, Path]) -> None:
    home, run, profile = referred
    secret = home.path / "passphrase"
    secret.write_text(PASSPHRASE)
    secret.chmod(0o600)
    fresh = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")} | {
        "SDC_HOME": str(home.path)
    }
    command = [
        sys.executable,
        "-m",
        "sdc",
        "approve",
        run,
        "--as",
        "reviewer",
        "--by",
        "anna",
        "--reason",
        "seen after the restart",
        "--passphrase-file",
        str(secret),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, env=fresh, check=False, timeout=170)
    assert ran.returncode == 0, ran.stderr
    told = f"“masked”, 240 records as small.csv and small.parquet in the bundle small-{run}, outbox “outbox”"
    (bundle,) = bundles(profile)
    assert ran.stdout.splitlines() == [
        f"the last approval publishes {told}",
        f"approved and published {told}: {profile.parent / 'outbox' / bundle}",
    ]
    assert len(bundles(profile)) == 1
    assert show(home, run).row.state == "published"
    verify(home)


def test_a_referred_run_of_a_schedule_keeps_its_slot_until_people_decide(
    release_files: Callable[..., Path], home: Path
) -> None:
    from flows.orchestration.run_release import SlotDone, release_run
    from flows.publish_approved import approve_and_publish
    from sdc.profile.load import load
    from sdc.run.progress_display import Silent

    profile, held = release_files(TO_REFER), Home.at(home)
    run = release_run(load(profile), lambda: None, Silent(), "20260105T060000Z").run_id
    with pytest.raises(SlotDone, match=f"run {run} is referred"):
        release_run(load(profile), lambda: None, Silent(), "20260105T060000Z")
    key_for(held, "anna", ["reviewer"])
    approve_and_publish(held, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="fine")
    assert bundles(profile) == ["small-20260105T060000Z"]
    verify(held)


def test_a_rejected_run_is_never_published(referred: tuple[Home, str, Path]) -> None:
    from flows.publish_approved import approve_and_publish
    from sdc.audit.deciding import reject

    home, run, profile = referred
    reject(home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="too much lost")
    with pytest.raises(CannotApprove, match="is rejected"):
        approve_and_publish(
            home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="changed my mind"
        )
    assert bundles(profile) == []


def test_a_no_that_comes_while_the_bundle_is_made_stops_it(
    referred: tuple[Home, str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import flows.publish_approved
    from flows.publish_approved import approve_and_publish
    from sdc.audit.deciding import reject

    home, run, profile = referred
    key_for(home, "ben", ["reviewer"])
    written = flows.publish_approved.report

    def while_ben_says_no(*given: Any) -> str:
        reject(home, run, passphrase=PASSPHRASE, role="reviewer", by="ben", reason="not this one")
        return str(written(*given))

    monkeypatch.setattr(flows.publish_approved, "report", while_ben_says_no)
    with pytest.raises(SdcError, match=f"run {run} is rejected"):
        approve_and_publish(home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="fine")
    assert bundles(profile) == []
    assert show(home, run).row.state == "rejected"
    verify(home)


def test_a_no_that_comes_too_late_is_not_taken(
    referred: tuple[Home, str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sdc.audit.deciding
    from flows.publish_approved import approve_and_publish
    from sdc.audit.deciding import reject

    home, run, _ = referred
    key_for(home, "ben", ["reviewer"])
    as_it_was = show(home, run)
    approve_and_publish(home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="fine")
    monkeypatch.setattr(sdc.audit.deciding, "referred", lambda _home, _run: as_it_was)
    with pytest.raises(CannotApprove, match=f"run {run} is published"):
        reject(home, run, passphrase=PASSPHRASE, role="reviewer", by="ben", reason="not this one")
    assert show(home, run).row.state == "published"


def test_who_started_the_run_cannot_approve_it(
    referred: tuple[Home, str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import flows.publish_approved

    home, run, profile = referred
    monkeypatch.setattr("sdc.audit.deciding.producer", lambda _view: "anna")
    with pytest.raises(CannotApprove, match="does not approve it"):
        flows.publish_approved.approve_and_publish(
            home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="mine"
        )
    assert bundles(profile) == []


def test_a_candidate_altered_after_the_gate_is_not_published(referred: tuple[Home, str, Path]) -> None:
    from flows.publish_approved import approve_and_publish

    home, run, profile = referred
    stored = home.runs / run / "candidates" / "masked.parquet"
    stored.write_bytes(stored.read_bytes() + b" ")
    with pytest.raises(SdcError, match=r"candidates/masked\.parquet was altered"):
        approve_and_publish(home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="fine")
    assert bundles(profile) == []


def test_an_approved_run_that_cannot_be_moved_waits_again_and_leaves_at_the_next_try(
    referred: tuple[Home, str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.publish_approved import approve_and_publish

    home, run, profile = referred

    def full(*_places: Path) -> None:
        raise OSError(28, "no space")

    with monkeypatch.context() as patched:
        patched.setattr("sdc.publish.outbox._move", full)
        with pytest.raises(SdcError):
            approve_and_publish(home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="fine")
    assert bundles(profile) == []
    assert show(home, run).row.state == "referred"
    assert "published" in approve_and_publish(
        home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="fine"
    )
    assert len(bundles(profile)) == 1
    verify(home)


def _approved_without_a_server(home: Home, run: str) -> None:
    """The command that is not the last approval starts no orchestrator."""
    secret = home.path / "passphrase"
    secret.write_text(PASSPHRASE)
    secret.chmod(0o600)
    fresh = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    told = ["approve", run, "--as", "reviewer", "--by", "anna", "--reason", "fine"]
    ran = subprocess.run(
        [sys.executable, "-m", "sdc", *told, "--passphrase-file", str(secret)],
        capture_output=True,
        text=True,
        env={**fresh, "SDC_HOME": str(home.path)},
        check=True,
        timeout=170,
    )
    before, after = ran.stdout.splitlines()
    assert before == (
        f"the last approval publishes “masked”, 240 records as small.csv and small.parquet in the bundle"
        f" small-{run}, outbox “outbox”"
    )
    assert after == "approved “masked” as reviewer; still to approve: approver"
    assert not (home.prefect / "server.log").exists()


def test_two_roles_need_two_people(release_files: Callable[..., Path], home: Path) -> None:
    from flows.publish_approved import approve_and_publish

    profile = release_files(
        TO_REFER,
        ("publish: {", "approval: {required: when_referred, roles: [reviewer, approver]}\npublish: {"),
    )
    run = run_release(profile, quiet=True).run_id
    held = Home.at(home)
    key_for(held, "anna", ["reviewer", "approver"])
    key_for(held, "bob", ["approver"])
    _approved_without_a_server(held, run)
    assert "still to approve: approver" in approve_and_publish(
        held, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="fine"
    )
    assert bundles(profile) == []
    with pytest.raises(CannotApprove, match="another person"):
        approve_and_publish(held, run, passphrase=PASSPHRASE, role="approver", by="anna", reason="fine again")
    assert "published" in approve_and_publish(
        held, run, passphrase=PASSPHRASE, role="approver", by="bob", reason="agreed"
    )


def test_a_source_that_was_moved_is_replayed_from_where_it_is_and_another_file_is_not(
    release_files: Callable[..., Path], home: Path
) -> None:
    from sdc.audit.replay import CannotReplay, replay

    profile = release_files()
    run = run_release(profile, quiet=True).run_id
    source = next(profile.parent.glob("*.csv"))
    moved = profile.parent / "archive" / source.name
    moved.parent.mkdir()
    source.rename(moved)
    with pytest.raises(CannotReplay, match="is not where it was; say where it is now"):
        replay(Home.at(home), run)
    assert replay(Home.at(home), run, source=moved).equal
    whole = moved.read_bytes()
    for other in (whole + b"\n", b"nothing,like,it\n1,2,3\n"):
        moved.write_bytes(other)
        with pytest.raises(CannotReplay, match="its SHA-256 is another"):
            replay(Home.at(home), run, source=moved)


def test_a_replay_elsewhere_says_which_secret_it_lacks(
    release_files: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sdc.audit.replay import CannotReplay, replay
    from sdc.run.secret import Secret

    run = run_release(release_files(), quiet=True).run_id
    needed = Secret.of(Home.at(home)).fingerprint
    monkeypatch.setenv("SDC_SECRET", "07" * 32)
    with pytest.raises(
        CannotReplay,
        match=f"made with the secret {needed}, and the one here is {Secret(bytes([7]) * 32).fingerprint}",
    ):
        replay(Home.at(home), run)
    # Neither secret nor fingerprint is where others read.
    told = [
        home / "ledger.jsonl",
        *Path(home.parent / "outbox").rglob("*.*"),
        home / "runs" / run / "report.html",
    ]
    for place in told:
        assert b"5d5d5d5d" not in place.read_bytes()
        assert needed.encode() not in place.read_bytes(), place


def test_a_run_replays_to_the_same_bytes_on_any_number_of_threads(
    release_files: Callable[..., Path], home: Path
) -> None:
    from sdc.audit.replay import replay

    run = run_release(release_files(), quiet=True).run_id
    for threads in (1, 4):
        replayed = replay(Home.at(home), run, threads=threads)
        assert replayed.equal
        assert replayed.changes == ()


def test_a_candidate_that_could_not_be_made_keeps_no_other_from_being_replayed(
    release_files: Callable[..., Path], home: Path
) -> None:
    from sdc.audit.replay import replay

    impossible = "  impossible:\n    - {method: microaggregation, with: {variables: [income], k: 500}}\n"
    run = run_release(release_files(("risk:\n", f"{impossible}risk:\n")), quiet=True).run_id
    replayed = replay(Home.at(home), run)
    assert (replayed.equal, replayed.candidates["impossible"], replayed.changes) == (True, ("", ""), ())


def test_candidates_replay_to_the_same_bytes_in_any_order(
    release_files: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sdc.audit.replay

    swapped = "  swapped:\n    - {method: global_recode, with: {age: {width: 20}}}\n    - {method: rank_swap, with: {variables: [income], p: 0.1}}\n"
    run = run_release(release_files(("risk:\n", f"{swapped}risk:\n")), quiet=True).run_id

    def backwards(path: Path) -> Profile:
        profile = load_profile(path)
        return profile.model_copy(update={"candidates": dict(reversed(profile.candidates.items()))})

    assert list(sdc.audit.replay.replay(Home.at(home), run).candidates) == ["masked", "swapped"]
    monkeypatch.setattr(sdc.audit.replay, "load_profile", backwards)
    replayed = sdc.audit.replay.replay(Home.at(home), run, threads=1)
    assert replayed.equal
    assert len({again for _, again in replayed.candidates.values()}) == 2


def test_a_package_of_another_version_and_other_code_are_named(
    release_files: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sdc.audit.replay

    run = run_release(release_files(), quiet=True).run_id
    now = sdc.audit.replay.versions()
    monkeypatch.setattr(sdc.audit.replay, "versions", lambda: {**now, "numpy": "0.1"})
    monkeypatch.setattr(sdc.audit.replay, "code_digest", lambda: "0" * 64)
    changes = sdc.audit.replay.replay(Home.at(home), run).changes
    assert changes == (
        f"numpy was {now['numpy']}, is 0.1",
        "the code of sdc-release is not the code of the run",
    )


def test_the_sealed_record_has_the_seed_and_nothing_that_leaves_has_it(
    release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files(("seed: 11", "seed: 7390182465"))
    run = run_release(profile, quiet=True).run_id
    record = show(Home.at(home), run).record
    assert record is not None
    assert record["seed"] == 7390182465
    (bundle,) = (profile.parent / "outbox").iterdir()
    public = [*(path for path in bundle.rglob("*") if path.is_file()), Home.at(home).ledger]
    assert [path.name for path in public if b"7390182465" in path.read_bytes()] == []


def test_a_run_that_failed_has_a_record_as_far_as_it_came_and_cannot_be_replayed(
    release_files: Callable[..., Path], home: Path
) -> None:
    from sdc.audit.replay import CannotReplay, replay

    profile = release_files(("  health: sensitive\n", "  health: {role: sensitive, allowed: [good]}\n"))
    with pytest.raises(SdcError):
        run_release(profile, quiet=True)
    (row,) = Ledger(Home.at(home).ledger).runs()
    view = show(Home.at(home), row.run)
    assert view.record is not None
    assert (view.record["outcome"], view.record["error"], view.record_holds) == (
        "failed",
        row.facts["error"],
        True,
    )
    assert set(view.record["timings"]) == {"ingest"}
    with pytest.raises(CannotReplay, match="is failed"):
        replay(Home.at(home), row.run)
    verify(Home.at(home))


def test_the_ledger_is_listed_shown_and_verified_by_command(
    release_files: Callable[..., Path], home: Path
) -> None:
    def said(*words: str) -> str:
        answer = CliRunner().invoke(cli, ["audit", *words], catch_exceptions=False)
        return answer.output

    published = run_release(release_files(), quiet=True).run_id
    withheld = run_release(
        release_files(("    - {method: local_suppression, with: {k: 3}}\n", "")), quiet=True
    ).run_id
    assert [row["run"] for row in json.loads(said("list", "--json"))] == [published, withheld]
    assert [row["run"] for row in json.loads(said("list", "--json", "--state", "withheld"))] == [withheld]
    assert [row["run"] for row in json.loads(said("list", "--json", "--profile", "small"))] == [
        published,
        withheld,
    ]
    assert json.loads(said("list", "--json", "--profile", "other")) == []
    assert (
        json.loads(said("list", "--json", "--since", f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}"))
        == []
    )
    shown = json.loads(said("show", withheld[-6:], "--json"))
    assert (shown["state"], shown["record"]["outcome"], shown["record_holds"]) == (
        "withheld",
        "withheld",
        True,
    )
    assert {"ingest", "candidates"} <= set(shown["record"]["timings"])
    assert "k_anonymity" in said("show", withheld)
    assert "none altered, missing or out of order; 2 sealed records as recorded" in said("verify")
    ledger = Home.at(home).ledger
    ledger.write_bytes(ledger.read_bytes().replace(b'"event":"withheld"', b'"event":"rejected"'))
    with pytest.raises(LedgerBroken, match="entry 6: altered"):
        said("verify")


def test_a_changed_source_and_a_changed_profile_are_named(
    release_files: Callable[..., Path], home: Path
) -> None:
    from sdc.audit.replay import CannotReplay, replay

    profile = release_files()
    run = run_release(profile, quiet=True).run_id
    profile.write_text(profile.read_text() + "# changed\n")
    assert any("profile.yaml has changed" in change for change in replay(Home.at(home), run).changes)
    with (profile.parent / "people.csv").open("a") as file:
        file.write("P99999,New Person,north,male,40,20000.5,good\n")
    with pytest.raises(CannotReplay, match=r"people\.csv is not the source of the run, or has changed"):
        replay(Home.at(home), run)


def test_an_export_is_checked_by_sha256sum_alone_and_holds_no_table(
    release_files: Callable[..., Path], home: Path, tmp_path: Path
) -> None:
    run = run_release(release_files(), quiet=True).run_id
    archive = export(Home.at(home), run, tmp_path / "audit.zip")
    with zipfile.ZipFile(archive) as held:
        held.extractall(tmp_path / "out")
    place = tmp_path / "out" / run
    assert (
        subprocess.run(
            ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=place, check=False
        ).returncode
        == 0
    )
    names = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
    assert {
        "record.json",
        "ledger.jsonl",
        "report.html",
        "gate/masked.suites.json",
        "bundle/MANIFEST.json",
        "ro-crate-metadata.json",
    } <= names
    assert not [name for name in names if name.endswith((".parquet", ".duckdb", ".csv"))]
    crate = json.loads((place / "ro-crate-metadata.json").read_text())
    described(crate, names - {"SHA256SUMS", "ro-crate-metadata.json"}, place)


def described(crate: dict[str, Any], files: set[str], place: Path) -> None:
    """What RO-Crate 1.1 demands of the metadata of a crate, and that each file is the one described."""
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    nodes = {node["@id"]: node for node in crate["@graph"]}
    assert len(nodes) == len(crate["@graph"])
    descriptor, root = nodes["ro-crate-metadata.json"], nodes["./"]
    assert (descriptor["@type"], descriptor["about"], descriptor["conformsTo"]) == (
        "CreativeWork",
        {"@id": "./"},
        {"@id": "https://w3id.org/ro/crate/1.1"},
    )
    assert root["@type"] == "Dataset"
    assert all(root[name] for name in ("name", "description", "license"))
    datetime.fromisoformat(root["datePublished"])
    assert {part["@id"] for part in root["hasPart"]} == files
    for name in files:
        assert (nodes[name]["@type"], nodes[name]["contentSize"]) == (
            "File",
            str((place / name).stat().st_size),
        )
        assert nodes[name]["sha256"] == hashlib.sha256((place / name).read_bytes()).hexdigest()
    referred_to = {
        value["@id"] for node in nodes.values() for value in node.values() if isinstance(value, dict)
    }
    assert {target for target in referred_to if not target.startswith("http")} <= set(nodes)
