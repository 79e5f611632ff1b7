"""A withdrawn release: signed, in the ledger, with a tombstone where the data were."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from published_survey import plan_of
from signing_keys import PASSPHRASE, key_for

from sdc.audit.approval import withdraw as withdraw_key
from sdc.audit.earlier_releases import releases
from sdc.audit.ledger import Event, Ledger
from sdc.audit.verification import verify
from sdc.audit.withdrawal import withdraw
from sdc.cli.main import cli
from sdc.errors import CannotApprove, CannotDeliver, CannotWithdraw, LedgerBroken, UnknownName
from sdc.publish import publish
from sdc.publish.delivery import deliver
from sdc.publish.places import Folder
from sdc.run.home import Home, Run


@pytest.fixture
def home(tmp_path: Path) -> Home:
    held = Home.at(tmp_path / "home")
    key_for(held, "anna", ["reviewer"])
    key_for(held, "bob", ["auditor"])
    return held


@pytest.fixture
def run(home: Home, tmp_path: Path) -> str:
    """A published run of profile survey, version 1.0."""
    outbox = tmp_path / "outbox"
    outbox.mkdir()
    (tmp_path / "made").mkdir()
    with Run.start(home, "survey") as begun:
        ledger = Ledger(home.ledger)
        ledger.append(begun.id, "survey", Event.STARTED, {"outbox": str(outbox)})

        def announce(intent: dict[str, object]) -> None:
            ledger.append(begun.id, "survey", Event.PUBLISHING, {**intent, "family": "survey"})

        publish(plan_of(tmp_path / "made", run=begun.id), outbox, announce=announce)
        ledger.append(begun.id, "survey", Event.PUBLISHED, {})
    return begun.id


def gone(home: Home, release: str, **changes: object):
    told = {"role": "reviewer", "by": "anna", "reason": "an error in incomes", "passphrase": PASSPHRASE}
    return withdraw(home, release, **{**told, **changes})


def test_the_files_go_and_manifest_and_tombstone_stay(home: Home, run: str, tmp_path: Path) -> None:
    bundle = tmp_path / "outbox" / "survey-1.0"
    done = gone(home, run)
    assert sorted(place.name for place in bundle.iterdir()) == ["MANIFEST.json", "WITHDRAWN.json"]
    assert "survey.csv" in done.places[str(tmp_path / "outbox")]
    told = json.loads((bundle / "WITHDRAWN.json").read_bytes())
    assert (told["bundle"], told["run"], told["reason"]) == ("survey-1.0", run, "an error in incomes")
    assert told["decided_by"] == "reviewer"
    assert "anna" not in (bundle / "WITHDRAWN.json").read_text()
    assert (bundle / "WITHDRAWN.json").stat().st_mode & 0o777 == 0o644


def test_the_ledger_has_it_signed_and_verify_holds(home: Home, run: str) -> None:
    gone(home, run)
    ledger = Ledger(home.ledger)
    entry = ledger.entries()[-1]
    assert (entry.event, entry.run) == (Event.WITHDRAWN, run)
    assert entry.body["withdrawal"]["by"] == "anna"
    assert [row.state for row in ledger.runs()] == ["withdrawn"]
    held = verify(home)
    assert held.bundles == 1
    assert not [note for note in held.notes if "no longer in its outbox" in note]


def test_with_kept_data_everything_else_is_as_it_was(home: Home, run: str, tmp_path: Path) -> None:
    bundle = tmp_path / "outbox" / "survey-1.0"
    before = {place.name: place.read_bytes() for place in bundle.iterdir()}
    gone(home, run, keep_data=True)
    after = {place.name: place.read_bytes() for place in bundle.iterdir()}
    assert {name: data for name, data in after.items() if name != "WITHDRAWN.json"} == before
    verify(home)
    (bundle / "survey.csv").write_text("another")
    with pytest.raises(LedgerBroken, match=r"survey.csv was altered"):
        verify(home)


def test_what_was_once_out_still_counts_as_released(home: Home, run: str) -> None:
    gone(home, run)
    assert [release.run for release in releases(Ledger(home.ledger).entries(), "survey")] == [run]


@pytest.mark.parametrize("release", ["survey-1.0", "whole", "end"])
def test_a_release_is_named_by_bundle_run_or_the_end_of_it(home: Home, run: str, release: str) -> None:
    named = {"whole": run, "end": run[-6:]}.get(release, release)
    assert gone(home, named).run == run


@pytest.mark.parametrize(
    ("changes", "error", "because"),
    [
        ({"reason": "  "}, CannotWithdraw, "needs a reason"),
        ({"by": "nobody"}, UnknownName, "nobody"),
        ({"by": "bob"}, CannotApprove, "bob has no key for the role reviewer"),
        ({"passphrase": "another passphrase"}, CannotApprove, "not the passphrase"),
    ],
)
def test_without_reason_key_or_role_nothing_happens(
    home: Home, run: str, tmp_path: Path, changes: dict[str, str], error: type[Exception], because: str
) -> None:
    with pytest.raises(error, match=because):
        gone(home, run, **changes)
    assert (tmp_path / "outbox" / "survey-1.0" / "survey.csv").exists()
    assert [row.state for row in Ledger(home.ledger).runs()] == ["published"]


def test_an_unknown_release_and_a_second_withdrawal_are_refused(home: Home, run: str) -> None:
    with pytest.raises(UnknownName, match=r"survey-2.0"):
        gone(home, "survey-2.0")
    gone(home, run)
    entries = len(Ledger(home.ledger).entries())
    with pytest.raises(CannotWithdraw, match=r"was withdrawn already, on 20.* by anna"):
        gone(home, run)
    assert len(Ledger(home.ledger).entries()) == entries


def test_a_run_that_never_went_out_cannot_be_withdrawn(home: Home, tmp_path: Path) -> None:
    with Run.start(home, "survey") as begun:
        Ledger(home.ledger).append(begun.id, "survey", Event.STARTED, {"outbox": str(tmp_path)})
        Ledger(home.ledger).append(begun.id, "survey", Event.WITHHELD, {})
    with pytest.raises(CannotWithdraw, match="is withheld; only a published release"):
        gone(home, begun.id)


def test_after_a_crash_the_same_command_does_the_rest(
    home: Home, run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "remove", _dying)
        with pytest.raises(KeyboardInterrupt):
            gone(home, run)
    with pytest.raises(LedgerBroken, match=r"survey.csv is still there, though it was withdrawn"):
        verify(home)
    gone(home, run)
    verify(home)
    assert not (tmp_path / "outbox" / "survey-1.0" / "survey.csv").exists()


def _dying(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("spoil", ["remove", "alter"])
def test_a_tombstone_that_is_gone_or_altered_is_a_fault(
    home: Home, run: str, tmp_path: Path, spoil: str
) -> None:
    gone(home, run)
    place = tmp_path / "outbox" / "survey-1.0" / "WITHDRAWN.json"
    place.unlink() if spoil == "remove" else place.write_text(place.read_text().replace("incomes", "ages"))
    with pytest.raises(LedgerBroken, match="tombstone is missing or was altered"):
        verify(home)


def test_a_withdrawal_with_another_signature_is_a_fault(home: Home, run: str) -> None:
    gone(home, run)
    ledger = Ledger(home.ledger)
    said = {**ledger.entries()[-1].body["withdrawal"], "reason": "another reason"}
    ledger.append(run, "survey", Event.WITHDRAWN, {"withdrawal": said})
    with pytest.raises(LedgerBroken, match="the signature of anna does not hold"):
        verify(home)


def test_a_withdrawn_key_withdraws_nothing(home: Home, run: str) -> None:
    withdraw_key(home, "anna", by="paula", reason="left")
    with pytest.raises(CannotApprove, match="signs no decision any more"):
        gone(home, run)


def test_the_command_withdraws_and_the_list_says_so(
    home: Home, run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDC_HOME", str(home.path))
    secret = tmp_path / "secret"
    secret.touch(mode=0o600)
    secret.write_text(PASSPHRASE)
    told = ["--as", "reviewer", "--by", "anna", "--reason", "wrong", "--passphrase-file", str(secret)]
    done = CliRunner().invoke(cli, ["withdraw", "survey-1.0", *told])
    assert done.exit_code == 0, done.output
    assert "withdrawn: survey-1.0" in done.output
    assert "withdrawn" in CliRunner().invoke(cli, ["audit", "list", "--state", "withdrawn", "--json"]).output
    shown = json.loads(CliRunner().invoke(cli, ["audit", "show", run, "--json"]).output)
    assert shown["facts"]["withdrawal"]["reason"] == "wrong"
    assert "the ledger holds" in CliRunner().invoke(cli, ["audit", "verify"]).output


def delivered_run(home: Home, tmp_path: Path, *places: str, layout: str = "plain") -> str:
    """A published run that, by the ledger, went to these places too."""
    outbox = tmp_path / "outbox"
    for name in ("outbox", "made"):
        (tmp_path / name).mkdir()
    with Run.start(home, "survey") as begun:
        ledger = Ledger(home.ledger)
        ledger.append(begun.id, "survey", Event.STARTED, {"outbox": str(outbox)})

        def announce(intent: dict[str, object]) -> None:
            told = {**intent, "family": "survey", "to": list(places), "layout": layout}
            ledger.append(begun.id, "survey", Event.PUBLISHING, told)

        publish(plan_of(tmp_path / "made", run=begun.id), outbox, announce=announce)
        ledger.append(begun.id, "survey", Event.PUBLISHED, {})
    return begun.id


class _Lost:
    """A store that does not answer."""

    def __init__(self, name: str) -> None:
        self.name = name

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        raise CannotDeliver(self.name, "the store does not answer")
        yield


def _found(name: str, folder: Path) -> Folder:
    """A store that answers again: a folder by the name of the store."""
    return (
        type("Found", (Folder,), {"name": name})(folder) if name.startswith("s3://") else Folder(Path(name))
    )


@pytest.fixture
def stores_are_down(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    from sdc.audit import withdrawal

    found = withdrawal.place_of
    monkeypatch.setattr(
        withdrawal, "place_of", lambda name: _Lost(name) if name.startswith("s3://") else found(name)
    )
    return monkeypatch


def test_places_that_cannot_be_reached_keep_no_other_from_being_cleared(
    home: Home, tmp_path: Path, stores_are_down: pytest.MonkeyPatch
) -> None:
    second = tmp_path / "second"
    second.mkdir()
    run = delivered_run(home, tmp_path, "s3://first/x", str(second), "s3://third/x")
    deliver(tmp_path / "outbox" / "survey-1.0", str(second))
    for _ in range(2):
        with pytest.raises(
            CannotWithdraw, match=r"2 places could not be cleared: s3://first/x: .*; s3://third/x: "
        ):
            gone(home, run)
        for place in (tmp_path / "outbox", second):
            held = sorted(each.name for each in (place / "survey-1.0").iterdir())
            assert held == ["MANIFEST.json", "WITHDRAWN.json"]
        uncleared = [note for note in verify(home).notes if "was not cleared" in note]
        assert [note.split()[5] for note in uncleared] == ["s3://first/x", "s3://third/x"]
    stores_are_down.setattr("sdc.audit.withdrawal.place_of", lambda name: _found(name, tmp_path / name[5:9]))
    for name in ("firs", "thir"):
        shutil.copytree(tmp_path / "made", tmp_path / name / "survey-1.0")
    gone(home, run)
    for name in ("firs", "thir"):
        assert [each.name for each in (tmp_path / name / "survey-1.0").iterdir()] == ["WITHDRAWN.json"]
    assert not [note for note in verify(home).notes if "was not cleared" in note]
    with pytest.raises(CannotWithdraw, match="was withdrawn already"):
        gone(home, run)
    assert [row.state for row in Ledger(home.ledger).runs()] == ["withdrawn"]


def test_a_delivered_place_without_the_bundle_is_told_and_no_reason_to_fail(
    home: Home, tmp_path: Path
) -> None:
    run = delivered_run(home, tmp_path, str(tmp_path / "away"))
    assert gone(home, run).absent == (str(tmp_path / "away"),)
    assert [note for note in verify(home).notes if "was not at" in note]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_tombstone_in_a_repository_says_that_the_history_has_the_data(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    run = delivered_run(home, tmp_path, str(repository), layout="git")
    deliver(tmp_path / "outbox" / "survey-1.0", str(repository), "git")
    monkeypatch.setenv("SDC_HOME", str(home.path))
    secret = tmp_path / "secret"
    secret.touch(mode=0o600)
    secret.write_text(PASSPHRASE)
    told = ["--as", "reviewer", "--by", "anna", "--reason", "wrong", "--passphrase-file", str(secret)]
    done = CliRunner().invoke(cli, ["withdraw", run, *told])
    earlier = ["git", "-C", str(repository), "show", "HEAD~1:survey-1.0/survey.csv"]
    assert subprocess.run(earlier, check=True, capture_output=True).stdout.startswith(b"select,")
    for place in (tmp_path / "outbox", repository):
        said = json.loads((place / "survey-1.0" / "WITHDRAWN.json").read_bytes())["data"]
        assert said == "removed from the folder; the history of the Git repository still has them"
    assert "not gone for good: the history of the Git repository still has them" in done.output
    verify(home)


def test_the_tombstone_of_a_store_says_that_versions_may_be_kept(
    home: Home, tmp_path: Path, stores_are_down: pytest.MonkeyPatch
) -> None:
    run = delivered_run(home, tmp_path, "s3://first/x")
    with pytest.raises(CannotWithdraw, match="1 place could not be cleared"):
        gone(home, run)
    said = json.loads((tmp_path / "outbox" / "survey-1.0" / "WITHDRAWN.json").read_bytes())["data"]
    assert said == "removed from the folder; a bucket that keeps versions may still have them"
