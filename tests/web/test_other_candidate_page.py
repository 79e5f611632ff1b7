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
from sdc.catalogue.protection import Protection, Step
from sdc.errors import LedgerBroken
from sdc.run.home import Home
from tests.web.test_run_page import text_of

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


def test_before_an_approval_the_page_names_files_bundle_outbox_and_records_of_each_candidate(
    visitor: TestClient, finished: Callable[..., str]
) -> None:
    drawn = Step("sequential", {}, Protection.SYNTHETIC, aligned=False, touched=frozenset({"age"}))
    made = [
        candidate(ks=0.2),
        replace(
            candidate(ks=0.15, steps=(drawn,)), name="drawn", sha256="d" * 64, rows=900, further=("e" * 64,)
        ),
    ]
    plan = {"candidates": {"coarse": [], "drawn": []}, "publish": {"formats": ["csv", "sav"], "version": "1"}}
    run = finished("referred", replace(record("referred", made[0], plan), candidates=made))
    said = text_of(visitor.get(f"/runs/{run}").text)
    assert (
        "“coarse”, 1,000 records as survey.csv and survey.sav in the bundle survey-1, outbox “outbox”" in said
    )
    assert (
        "“drawn”, 2 syntheses of 900 records as survey.synthetic.synthesis_1.csv,"
        " survey.synthetic.synthesis_1.sav, survey.synthetic.synthesis_2.csv and"
        " survey.synthetic.synthesis_2.sav in the bundle survey-1, outbox “outbox”"
    ) in said
    assert "Approve “drawn”: 2 syntheses of 900 records" in said


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
