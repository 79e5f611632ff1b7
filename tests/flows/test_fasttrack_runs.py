"""Runs like an approved one leave without a second review; all others wait, and it is said why."""

import json
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from signing_keys import PASSPHRASE, key_for

from flows.orchestration.run_release import run_release
from sdc.audit.approval import withdraw
from sdc.audit.export import export
from sdc.audit.ledger import Event
from sdc.audit.record import show, verify
from sdc.errors import CannotApprove
from sdc.gate.decision import Verdict
from sdc.run import digest
from sdc.run.home import Home
from tests.flows.small_release import small_people

pytestmark = pytest.mark.usefixtures("server")

TO_REFER = ("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because")
LOOKING_BACK = ("utility:\n", "  - {measure: release_difference, at_most: 0.01, because: rule 3}\nutility:\n")
PERMITTED = ("publish: {", "approval: {fasttrack: {drift: 0.5, geography: [region]}}\npublish: {")


def next_wave() -> pd.DataFrame:
    """The same people a year on: six earn more."""
    people = small_people()
    people.loc[:5, "income"] += 100
    return people


@pytest.fixture
def referred(release_files: Callable[..., Path], home: Path) -> Callable[..., tuple[Home, str]]:
    """A referred run of the profile; replacements are (old, new) pairs of text in it."""

    def run(
        *replacements: tuple[str, str], data: pd.DataFrame | None = None, permitted: bool = True
    ) -> tuple[Home, str]:
        outcome = run_release(
            release_files(
                TO_REFER, LOOKING_BACK, *([PERMITTED] if permitted else []), *replacements, data=data
            ),
            quiet=True,
        )
        assert outcome.verdict is Verdict.REFERRED
        return Home.at(home), outcome.run_id

    return run


@pytest.fixture
def approved(referred: Callable[..., tuple[Home, str]]) -> str:
    """A run that anna approved and that was published."""
    from flows.publish_approved import approve_and_publish

    home, run = referred()
    key_for(home, "anna", ["reviewer"])
    approve_and_publish(
        home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="the loss is known and small"
    )
    return run


def outbox(tmp_path: Path) -> int:
    return len(list((tmp_path / "outbox").iterdir()))


def test_a_run_like_the_approved_one_is_published_and_so_is_the_next_by_the_same_approval(
    referred, approved, tmp_path
):
    from flows.fasttrack import fasttrack

    home, run = referred(data=next_wave())
    done = fasttrack(home, run)
    assert (done.exit_code, done.memo.like, done.memo.reasons) == (0, approved, ())
    view = show(home, run)
    assert view.row.state == "published"
    assert [entry.event for entry in view.entries] == [
        Event.STARTED,
        Event.REFERRED,
        Event.FASTTRACKED,
        Event.PUBLISHING,
        Event.PUBLISHED,
    ]
    directory = home.runs / run
    assert view.row.facts["fasttrack"] == {
        "like": approved,
        "memo": digest.of_file(directory / "fasttrack.json"),
    }
    assert (Path(done.bundle) / "small.parquet").read_bytes() == (
        directory / "candidates" / "masked.parquet"
    ).read_bytes()
    assert (
        "earlier approval (fasttrack) by a person with the role reviewer"
        in (Path(done.bundle) / "report.html").read_text()
    )
    assert "anna (reviewer)" in (directory / "fasttrack.md").read_text()
    for person in small_people()["name"]:
        assert person not in (directory / "fasttrack.json").read_text()
    # The next is measured by what people approved, not by what was fasttracked.
    again = next_wave()
    again.loc[6:9, "income"] += 100
    assert fasttrack(*referred(data=again)).memo.like == approved
    assert outbox(tmp_path) == 3
    verify(home)
    with zipfile.ZipFile(export(home, run, tmp_path / "audit.zip")) as archive:
        assert digest.of_bytes(archive.read(f"{run}/fasttrack.json")) == view.row.facts["fasttrack"]["memo"]


def test_a_new_category_a_finer_region_or_a_new_variable_goes_to_review(referred, approved, tmp_path):
    from flows.fasttrack import fasttrack

    people = next_wave()
    sick = people.assign(health=people["health"].where(people.index % 8 != 0, "unknown"))
    split = people.assign(
        region=people["region"].where((people["region"] != "west") | (people.index % 2 == 0), "east")
    )
    wider = people.assign(smoker="no")
    cases = [
        ("health has 1 category that was not", (sick,)),
        ("region is finer: 4 areas, 3 were approved", (split,)),
        (
            "smoker is a new variable",
            (wider, ("  health: sensitive", "  health: sensitive\n  smoker: other")),
        ),
        (
            "criteria of risk are not those approved: k_anonymity",
            (people, ("{measure: k_anonymity, at_least: 3", "{measure: k_anonymity, at_least: 2")),
        ),
    ]
    for reason, (data, *replacements) in cases:
        home, run = referred(*replacements, data=data)
        done = fasttrack(home, run)
        assert done.exit_code == 4
        assert any(said.startswith(reason) for said in done.memo.reasons), done.memo.reasons
        assert show(home, run).row.state == "referred"
        memo = json.loads((home.runs / run / "fasttrack.json").read_text())
        assert memo["verdict"] == "review"
        assert "unknown" not in json.dumps(memo)
        assert "east" not in json.dumps(memo).replace("at least", "").replace("least", "")
    assert outbox(tmp_path) == 1
    assert not [entry for entry in show(home, run).entries if entry.event is Event.FASTTRACKED]


def test_an_approval_that_expired_or_whose_key_was_withdrawn_lets_nothing_through(
    referred, approved, monkeypatch, tmp_path
):
    import sdc.audit.approval
    from flows.fasttrack import fasttrack

    home, run = referred(data=next_wave())

    class Later(datetime):
        @classmethod
        def now(cls, tz=UTC):
            return datetime.now(tz) + timedelta(days=40)

    with monkeypatch.context() as patched:
        patched.setattr(sdc.audit.approval, "datetime", Later)
        done = fasttrack(home, run)
    assert done.exit_code == 4
    assert any("approval of anna expired" in reason for reason in done.memo.reasons)
    withdraw(home, "anna", by="paula", reason="left the agency")
    assert any(
        "the key of anna signs no decision any more" in reason for reason in fasttrack(home, run).memo.reasons
    )
    assert outbox(tmp_path) == 1


def test_nobody_allowed_it_nobody_approved_and_people_who_said_no(
    referred, release_files, home, tmp_path, monkeypatch
):
    import flows.fasttrack
    from flows.fasttrack import fasttrack
    from flows.publish_approved import approve_and_publish
    from sdc.audit.deciding import reject

    held, run = referred(permitted=False)
    with pytest.raises(CannotApprove, match="nobody allowed"):
        fasttrack(held, run)
    held, first = referred()
    assert fasttrack(held, first).memo.reasons == (
        "no release of this family was approved by people and published",
    )
    key_for(held, "anna", ["reviewer"])
    approve_and_publish(held, first, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="fine")
    _, second = referred(data=next_wave())
    monkeypatch.setattr(flows.fasttrack, "producer", lambda _view: "anna")
    assert any(
        re.search(r"no approval of run .* holds for: reviewer", reason)
        for reason in fasttrack(held, second).memo.reasons
    )
    monkeypatch.undo()
    monkeypatch.setenv("SDC_HOME", str(home))
    reject(held, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="no")
    assert any(f"people rejected run {run}" in reason for reason in fasttrack(held, second).memo.reasons)
    with pytest.raises(CannotApprove, match="only a referred run"):
        fasttrack(held, run)
    assert outbox(tmp_path) == 1


def test_the_command_says_why_and_exits_with_4(referred, approved):
    from click.testing import CliRunner

    from sdc.cli.main import cli

    people = next_wave()
    _, run = referred(data=people.assign(sex=people["sex"].where(people.index % 4 != 0, "other")))
    ran = CliRunner().invoke(cli, ["fasttrack", run])
    assert ran.exit_code == 4
    assert "sex has 1 category that was not in the approved release" in ran.output
    assert "nothing was published" in ran.output


def test_who_approved_may_approve_again_once_it_expired(referred, monkeypatch, tmp_path):
    from flows.publish_approved import approve_and_publish
    from sdc.audit.approval import APPROVE
    from sdc.audit.deciding import decide, still_missing
    from sdc.profile.plan import Approval

    home, run = referred()
    key_for(home, "anna", ["reviewer"])
    decide(home, run, APPROVE, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="fine", days=30)
    once = decide(
        home, run, APPROVE, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="fine", days=30
    )

    def in_40_days(decision, now=None):
        return datetime.fromisoformat(decision.expires) <= (now or datetime.now(UTC)) + timedelta(days=40)

    with monkeypatch.context() as patched:
        patched.setattr("sdc.audit.deciding.has_expired", in_40_days)
        assert still_missing(show(home, run), Approval()) == ("reviewer",)
        assert (
            decide(
                home,
                run,
                APPROVE,
                passphrase=PASSPHRASE,
                role="reviewer",
                by="anna",
                reason="still fine",
                days=90,
            ).reason
            == "still fine"
        )
        assert still_missing(show(home, run), Approval()) == ()
    assert once.reason == "fine"
    assert len([entry for entry in show(home, run).entries if entry.event is Event.APPROVED]) == 2
    assert "published" in approve_and_publish(
        home, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="still fine"
    )


SCHEDULED = ("geography: [region]}", "geography: [region], scheduled: true}")


def test_a_schedule_publishes_what_is_like_the_approved_release_and_says_so(
    referred, home, release_files, monkeypatch, capsys, tmp_path
):
    from flows.orchestration.orchestrator import SAFE
    from flows.publish_approved import approve_and_publish
    from flows.schedule import scheduled_release

    for name, value in SAFE.items():
        monkeypatch.setenv(name, value)
    held, run = referred(SCHEDULED)
    key_for(held, "anna", ["reviewer"])
    approve_and_publish(
        held, run, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="the loss is known and small"
    )
    profile = release_files(TO_REFER, LOOKING_BACK, PERMITTED, SCHEDULED, data=next_wave())
    assert scheduled_release(str(profile), return_state=True).name == "Published"
    assert f"is materially run {run}, which people approved; published as small-" in capsys.readouterr().out
    assert outbox(tmp_path) == 2
    people = next_wave()
    sick = people.assign(health=people["health"].where(people.index % 8 != 0, "unknown"))
    profile = release_files(TO_REFER, LOOKING_BACK, PERMITTED, SCHEDULED, data=sick)
    assert scheduled_release(str(profile), return_state=True).name == "Referred"
    assert "waits for people: health has 1 category that was not" in capsys.readouterr().out
    assert outbox(tmp_path) == 2


def test_a_schedule_tries_nothing_that_the_profile_does_not_allow(referred, approved, tmp_path):
    from flows.fasttrack import scheduled_fasttrack

    home, run = referred(data=next_wave())
    assert scheduled_fasttrack(home, run) is None
    assert show(home, run).row.state == "referred"
    assert outbox(tmp_path) == 1
