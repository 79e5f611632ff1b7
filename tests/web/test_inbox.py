"""What waits for whom, how far a run has come, what other limits would change, and how a series went."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from review_home import PORT, TestClient, candidate, form_token, record
from signing_keys import PASSPHRASE

from sdc.audit.approval import APPROVE, make_key
from sdc.audit.deciding import decide
from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import show
from sdc.run.home import Home, Run
from sdc.web.inbox import inbox
from sdc.web.ledger_state import LedgerReader
from sdc.web.series import series
from sdc.web.what_if import in_smaller_classes, what_if


def text_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_a_referred_run_waits_for_its_roles(
    home: Home, finished: Callable[..., str], visitor: TestClient
) -> None:
    run = finished("referred")
    finished("published")
    found = inbox(home, LedgerReader(home).book(), None)
    assert [each.line.run for each in found.waiting] == [run]
    assert found.waiting[0].missing == ("reviewer", "approver")
    assert (found.waiting[0].age, found.for_you) == ("today", 0)
    page = text_of(visitor.get("/").text)
    assert "1 run waits for people" in page
    assert "reviewer, approver" in page


@pytest.mark.parametrize(
    ("name", "roles", "yours"),
    [("anna", ["reviewer"], True), ("otto", ["auditor"], False), ("paula", ["approver"], False)],
)
def test_it_waits_for_you_only_if_a_role_of_yours_is_missing_and_you_did_not_make_it(
    home: Home, finished: Callable[..., str], name: str, roles: list[str], yours: bool
) -> None:
    finished("referred", producer="paula")
    make_key(home, name, roles, passphrase=PASSPHRASE, by="admin")
    found = inbox(home, LedgerReader(home).book(), name)
    assert [each.yours for each in found.waiting] == [yours]
    assert found.for_you == int(yours)


def test_a_run_under_way_says_how_far_it_has_come(home: Home, visitor: TestClient) -> None:
    with Run.start(home, "survey") as run:
        Ledger(home.ledger).append(run.id, "survey", Event.STARTED, {"producer": "paula"})
        run.directory.source.write_text("{}")
        run.directory.candidates.mkdir(exist_ok=True)
        run.directory.steps("coarse").write_text("{}")
        found = inbox(home, LedgerReader(home).book(), None)
        assert [(each.name, each.reached) for each in found.running[0].stages] == [
            ("source", True),
            ("candidates", True),
            ("gate", False),
            ("report", False),
            ("record", False),
        ]
        page = text_of(visitor.get("/").text)
        assert "candidates: 1 candidate made" in page
    assert not inbox(home, LedgerReader(home).book(), None).running


def test_the_approval_that_ends_first_is_due(home: Home, finished: Callable[..., str]) -> None:
    """By time, not by its words: 9 December comes before 18 November in an alphabet only."""
    run = finished("referred", producer="paula")
    for name, role, days in (("anna", "reviewer", 5), ("ben", "approver", 400)):
        make_key(home, name, [role], passphrase=PASSPHRASE, by="admin")
        decide(home, run, APPROVE, role=role, by=name, reason="fine", passphrase=PASSPHRASE, days=days)
    (waiting,) = inbox(home, LedgerReader(home).book(), None).waiting
    first = datetime.now(UTC) + timedelta(days=5)
    assert waiting.due.startswith(f"an approval ends {first:%-d %b %Y}")


def measured(k: float, below: dict[str, int]) -> object:
    held = candidate(k=k)
    first = held.assessments[0]
    return replace(
        held, assessments=[replace(first, outcome=replace(first.outcome, parts=below)), *held.assessments[1:]]
    )


def test_another_limit_says_what_the_gate_would_say_and_of_how_many_people(
    home: Home, finished: Callable[..., str], visitor: TestClient
) -> None:
    """k is 3 and holds; at k = 5 it does not, and 1,877 people are in smaller classes."""
    run = finished("published", held=record("published", measured(3, {"records_below_5": 1877})))
    view = show(home, run)
    as_is = what_if(view, {})
    assert [(each.before, each.after, each.changes) for each in as_is.outcomes] == [("passes", "passes", ())]
    (after,) = what_if(view, {"at_least.k_anonymity": "5"}).outcomes
    assert (after.before, after.after) == ("passes", "would be withheld")
    assert after.changes == ("k_anonymity is 3: at least 5 does not hold; 1,877 people in smaller classes",)
    page = text_of(visitor.get(f"/runs/{run}/what-if?at_least.k_anonymity=5").text)
    assert "would be withheld instead of passes" in page
    assert "1,877 people in smaller classes" in page


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("1", "0 people in smaller classes"),
        ("2", "at most 12 people in smaller classes"),
        ("4", "between 12 and 40 people in smaller classes"),
        ("5", "40 people in smaller classes"),
        ("7", "40 people in smaller classes"),
        ("7.5", "40 people in smaller classes"),
        ("12", "at least 40 people in smaller classes"),
    ],
)
def test_any_size_asked_for_is_answered_as_exactly_as_it_was_counted(size: str, said: str) -> None:
    """Below 3 are 12 people, below 5 and below 8 the same 40: so many are below 6 and 7 too."""
    parts = {"records_below_3": 12.0, "records_below_5": 40.0, "records_below_8": 40.0, "share_below_k": 0.1}
    assert in_smaller_classes(parts, float(size)) == said
    assert in_smaller_classes({"share_below_k": 0.1}, float(size)) == ""
    assert in_smaller_classes({"records_below_3": 0.0}, 4) == "", "nothing is known of them"


def test_a_wider_limit_lets_a_referred_candidate_pass(home: Home, finished: Callable[..., str]) -> None:
    view = show(home, finished("referred"))
    (after,) = what_if(view, {"at_most.ks_distance": "0.25"}).outcomes
    assert (after.before, after.after) == ("would be referred", "passes")


@pytest.mark.parametrize("text", ["x", "nan", "inf", ""])
def test_what_is_no_limit_changes_nothing(home: Home, finished: Callable[..., str], text: str) -> None:
    view = show(home, finished("published"))
    found = what_if(view, {"at_least.k_anonymity": text})
    assert not found.outcomes[0].changes
    assert next(each.fault for each in found.asked if each.criterion == "k_anonymity")


def test_a_series_has_every_judged_number_with_its_margin(
    home: Home, finished: Callable[..., str], visitor: TestClient
) -> None:
    for k in (6, 4):
        finished("published", held=record("published", candidate(k=k)))
    finished("failed")
    found = series(home, LedgerReader(home).book(), "survey")
    assert found is not None
    assert (len(found.runs), found.without_record) == (3, 1)
    course = next(each for each in found.courses if each.criterion == "k_anonymity")
    assert [(point.value, point.finding.margin, point.state) for point in course.points] == [
        ("6", 3, "holds"),
        ("4", 1, "holds"),
    ]
    assert course.sentence == "4 in the last run, at least 3 is demanded; the margin fell"
    assert course.drawing is not None
    assert course.drawing.label == "k_anonymity over 2 runs: 6 (holds), 4 (holds)"
    page = visitor.get("/series/survey")
    assert page.status_code == 200
    assert "Series of survey" in text_of(visitor.get("/").text)
    assert visitor.get("/series/nothing").status_code == 404


def test_these_pages_are_closed_to_strangers(stranger: TestClient, finished: Callable[..., str]) -> None:
    run = finished("referred")
    for address in (f"/runs/{run}/what-if", "/series/survey"):
        assert stranger.get(address).status_code in (401, 403)


def test_a_condition_is_signed_on_the_page_and_a_run_returned(
    home: Home, finished: Callable[..., str], visitor: TestClient
) -> None:
    run = finished("referred", producer="paula")
    make_key(home, "anna", ["reviewer"], passphrase=PASSPHRASE, by="admin")

    def said(decision: str, words: str) -> str:
        form = {
            "csrf": form_token(visitor.get(f"/runs/{run}").text),
            "by": "anna",
            "role": "reviewer",
            "passphrase": PASSPHRASE,
            "reason": words,
            "decision": decision,
        }
        headers = {"origin": f"http://127.0.0.1:{PORT}", "sec-fetch-site": "same-origin"}
        answer = visitor.post(f"/runs/{run}/decision", data=form, headers=headers)
        assert answer.status_code == 303
        for _ in range(100):
            if visitor.get(f"/runs/{run}/decision").status_code == 303:
                break
        return text_of(visitor.get(f"/runs/{run}").text)

    page = said("condition", "approve if k is 5")
    assert "The condition of anna is in the ledger; the run is as it was." in page
    assert "anna reviewer condition approve if k is 5" in page
    assert show(home, run).row.state == "referred"
    assert "1 run waits for you, anna" in text_of(visitor.get("/").text)
    page = said("return", "k must be 5")
    assert "Returned to the producer by anna (reviewer)" in page
    assert show(home, run).row.state == "returned"
