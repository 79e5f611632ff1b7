"""A key that was withdrawn signs no new decision; what it signed before can still be checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import click
import pytest
from click.testing import CliRunner
from review_home import TestClient
from signing_keys import PASSPHRASE, key_for

from sdc.audit.approval import APPROVE, REJECT, SignedDecision, sign, withdraw
from sdc.audit.deciding import about, decide, in_force
from sdc.audit.ledger import RUN_STATES, Event, Ledger
from sdc.audit.record import show, verify
from sdc.cli.main import cli
from sdc.errors import CannotApprove, LedgerBroken, UnknownName
from sdc.run.home import Home


@pytest.fixture
def run(home: Home, finished: Callable[..., str]) -> str:
    """A referred run; anna and ben have keys, and anna has approved."""
    for person in ("anna", "ben"):
        key_for(home, person, ["reviewer", "approver"])
    name = finished("referred")
    decide(home, name, APPROVE, passphrase=PASSPHRASE, role="reviewer", by="anna", reason="small loss")
    return name


def by_hand(home: Home, run: str, by: str) -> None:
    """A decision with its signature, dated back, put into the ledger past the command."""
    long_ago, later = datetime(2020, 1, 1, tzinfo=UTC), datetime.now(UTC) + timedelta(days=30)
    decision = SignedDecision(
        run, about(show(home, run)), APPROVE, "approver", by, "fine", long_ago.isoformat(), later.isoformat()
    )
    Ledger(home.ledger).append(run, "survey", Event.APPROVED, asdict(sign(home, decision, PASSPHRASE)))


@pytest.mark.parametrize("decision", [APPROVE, REJECT])
def test_a_withdrawn_key_signs_no_new_decision(home: Home, run: str, decision: str):
    withdraw(home, "ben", by="paula", reason="left the agency")
    before = Ledger(home.ledger).path.read_bytes()
    with pytest.raises(
        CannotApprove,
        match=r"the key of ben signs no decision any more, withdrawn on \d{4}-\d\d-\d\d by paula: left the agency",
    ):
        decide(home, run, decision, passphrase=PASSPHRASE, role="approver", by="ben", reason="fine")
    assert Ledger(home.ledger).path.read_bytes() == before


def test_a_withdrawal_between_the_signature_and_the_ledger_is_noticed(
    home: Home, run: str, monkeypatch: pytest.MonkeyPatch
):
    import sdc.audit.deciding

    def while_ben_signs(*signed: object) -> None:
        withdraw(home, "ben", by="paula", reason="stolen")

    monkeypatch.setattr(sdc.audit.deciding, "check", while_ben_signs)
    with pytest.raises(CannotApprove, match="signs no decision any more"):
        decide(home, run, APPROVE, passphrase=PASSPHRASE, role="approver", by="ben", reason="fine")
    assert [entry.body["by"] for entry in show(home, run).entries if entry.event is Event.APPROVED] == [
        "anna"
    ]


def test_a_decision_signed_before_still_counts_and_can_be_checked(home: Home, run: str, visitor: TestClient):
    withdraw(home, "anna", by="paula", reason="left the agency")
    (home.keys / "anna.key").unlink()
    assert [decision.by for decision in in_force(show(home, run))] == ["anna"]
    assert "Still to approve: approver." in visitor.get(f"/runs/{run}").text
    verify(home)


def test_a_decision_put_into_the_ledger_afterwards_is_nobodys_word_whatever_date_it_has(
    home: Home, run: str, visitor: TestClient
):
    withdraw(home, "ben", by="paula", reason="stolen")
    by_hand(home, run, "ben")
    with pytest.raises(CannotApprove, match="the key of ben had been withdrawn before this decision"):
        in_force(show(home, run))
    with pytest.raises(
        LedgerBroken, match=r"ledger entry 8: a decision with the key of ben, which was withdrawn in entry 7"
    ):
        verify(home)
    page = visitor.get(f"/runs/{run}").text
    assert "the key of ben had been withdrawn before this decision" in page
    assert "Still to approve: approver." in page


def test_a_withdrawn_name_gets_no_new_key(home: Home, run: str):
    withdraw(home, "ben", by="paula", reason="lost")
    for name in ("ben.json", "ben.key"):
        with pytest.raises(CannotApprove, match="ben has a key already"):
            key_for(home, "ben", ["approver"])
        (home.keys / name).unlink()
    with pytest.raises(CannotApprove, match="ben has a key already"):
        key_for(home, "ben", ["approver"])


def test_a_withdrawal_is_an_entry_with_time_person_and_reason_and_of_no_run(home: Home, run: str):
    withdrawal = withdraw(home, "anna", by="paula", reason=" left the agency ")
    entry = Ledger(home.ledger).entries()[-1]
    assert (entry.event, entry.run, entry.sequence, entry.time) == (
        Event.KEY_WITHDRAWN,
        "",
        withdrawal.entry,
        withdrawal.when,
    )
    assert (entry.body["key"], entry.body["by"], entry.body["reason"]) == ("anna", "paula", "left the agency")
    assert entry.body["public_key"] in (home.keys / "anna.json").read_text()
    assert [row.run for row in Ledger(home.ledger).runs()] == [run]
    assert "key_withdrawn" not in RUN_STATES


def test_it_takes_a_key_that_is_there_and_in_use_and_a_reason(home: Home, run: str):
    with pytest.raises(UnknownName, match="no key is called 'ana'; did you mean 'anna'"):
        withdraw(home, "ana", by="paula", reason="left")
    with pytest.raises(CannotApprove, match="a withdrawal needs a reason"):
        withdraw(home, "anna", by="paula", reason="  ")
    withdraw(home, "anna", by="paula", reason="left")
    with pytest.raises(CannotApprove, match="by paula: left"):
        withdraw(home, "anna", by="paula", reason="again")
    assert sum(entry.event is Event.KEY_WITHDRAWN for entry in Ledger(home.ledger).entries()) == 1


def said(*words: str) -> str:
    return CliRunner().invoke(cli, list(words), catch_exceptions=False, standalone_mode=False).output


def test_the_command_withdraws_and_the_list_says_so(home: Home, run: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SDC_HOME", str(home.path))
    monkeypatch.setattr("sdc.cli.decisions.account", lambda: "paula")
    told = said("keys", "withdraw", "ben", "--reason", "left the agency")
    assert "the key of ben signs no decision from entry 7 of the ledger on" in told
    assert "ben.key, can be destroyed" in told
    day = Ledger(home.ledger).entries()[-1].time[:10]
    listed = [
        "anna: reviewer, approver",
        f"ben: reviewer, approver (withdrawn on {day} by paula: left the agency)",
    ]
    assert said("keys").splitlines() == said("keys", "--list").splitlines() == listed
    with pytest.raises(click.UsageError):
        said("keys", "withdraw", "anna")


def test_somebody_may_be_called_like_a_command(home: Home, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SDC_HOME", str(home.path))
    secret = home.path / "passphrase"
    secret.write_text(f"{PASSPHRASE}\n")
    secret.chmod(0o600)
    said("keys", "make", "withdraw", "--role", "reviewer", "--passphrase-file", str(secret))
    said("keys", "--role", "reviewer", "anna", "--passphrase-file", str(secret))
    assert said("keys").splitlines() == ["anna: reviewer", "withdraw: reviewer"]
