"""Two candidates that were referred: which can be approved, and what the audit says of the one that left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

import pytest
from review_home import TestClient, candidate, record
from signing_keys import PASSPHRASE, key_for

from sdc.audit.approval import APPROVE, SignedDecision, sign
from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import show, verify
from sdc.audit.subjects import leaving, subjects
from sdc.errors import LedgerBroken
from sdc.run.home import Home

TWO = {"candidates": {"coarse": [], "fine": [], "bare": []}}


def two_referred(finished: Callable[..., str]) -> str:
    made = [
        candidate(ks=0.2),
        replace(candidate(ks=0.15), name="fine", sha256="d" * 64),
        replace(candidate(k=1), name="bare", sha256="e" * 64),
    ]
    return finished("referred", replace(record("referred", made[0], TWO), candidates=made))


def approve(home: Home, run: str, name: str) -> None:
    key_for(home, "anna", ["reviewer"])
    now = datetime.now(UTC)
    about = subjects(run, show(home, run).record)[name]
    said = SignedDecision(
        run,
        about,
        APPROVE,
        "reviewer",
        "anna",
        "small loss",
        now.isoformat(),
        (now + timedelta(days=30)).isoformat(),
    )
    Ledger(home.ledger).append(run, "survey", Event.APPROVED, asdict(sign(home, said, PASSPHRASE)))


def test_buttons_name_every_candidate_the_gate_did_not_withhold(
    visitor: TestClient, finished: Callable[..., str]
) -> None:
    page = visitor.get(f"/runs/{two_referred(finished)}").text
    assert "Approve “coarse”: 1,000 records</button>" in page
    assert "Approve “fine”: 1,000 records</button>" in page
    assert "Approve “bare”" not in page
    assert page.index("Approve “coarse”") < page.index("Approve “fine”"), "the one the gate chose comes first"


def test_once_one_is_approved_the_other_is_not_offered(
    visitor: TestClient, finished: Callable[..., str], home: Home
) -> None:
    run = two_referred(finished)
    approve(home, run, "fine")
    page = visitor.get(f"/runs/{run}").text
    assert "Approve “fine”: 1,000 records</button>" in page
    assert "Approve “coarse”" not in page
    assert leaving(show(home, run)) == "fine"


def published_after_approval(finished: Callable[..., str], home: Home, left: str) -> None:
    """People approved “fine”, and this candidate left."""
    run = two_referred(finished)
    approve(home, run, "fine")
    Ledger(home.ledger).append(run, "survey", Event.PUBLISHED, {"chosen": left})


def test_the_audit_holds_where_the_approved_candidate_left(finished: Callable[..., str], home: Home) -> None:
    published_after_approval(finished, home, "fine")
    assert verify(home).signatures == 1


def test_the_audit_finds_a_candidate_that_left_in_place_of_the_approved_one(
    finished: Callable[..., str], home: Home
) -> None:
    published_after_approval(finished, home, "coarse")
    with pytest.raises(
        LedgerBroken, match=r"the candidate “coarse” of run .* left, and people approved another"
    ):
        verify(home)
