"""A measurement with an interval reads the same on every review page, and the pages are about one candidate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sdc.audit.record import CandidateRecord, show
from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement
from sdc.gate.changes import TriedChange
from sdc.gate.decision import Decision
from sdc.run.home import Home
from sdc.web.gate_choice import because
from sdc.web.ledger_state import LedgerReader
from sdc.web.series import series
from sdc.web.two_runs import two_runs
from sdc.web.what_if import what_if
from tests.web.review_home import TestClient, candidate, record
from tests.web.test_run_page import text_of

READING = "0.32 (95 % 0.09 to 0.76, judged at 0.76)"


def attacked(name: str = "coarse", **changes: float) -> CandidateRecord:
    """Singling out is 0.32 with an interval of 0.09 to 0.76; at most 0.5 is allowed, so 0.76 is 0.26 over."""
    taken = Measurement(0.32, {}, Interval(0.09, 0.76))
    finding = Finding(
        "singling_out", "risk", name, False, "refer", 0.76, None, 0.5, -0.26, "Rule 7", "too much"
    )
    held = candidate(**changes)
    findings = (*(replace(each, candidate=name) for each in held.decision.findings), finding)
    assessed = (*held.assessments, Assessment("singling_out", "singling_out", name, taken))
    return replace(held, name=name, assessments=assessed, decision=Decision(name, findings))


def test_a_run_says_estimate_interval_and_judged_end_where_it_says_what_is_to_be_decided(
    visitor: TestClient, finished: Callable[..., str]
) -> None:
    run = finished("referred", held=record("referred", attacked()))
    said = text_of(visitor.get(f"/runs/{run}").text)
    assert f"“singling_out” must fall from {READING} to at most 0.5 (Rule 7)." in said


def test_other_limits_are_judged_by_the_same_reading(home: Home, finished: Callable[..., str]) -> None:
    view = show(home, finished("referred", held=record("referred", attacked())))
    (after,) = what_if(view, {"at_most.singling_out": "0.8"}).outcomes
    assert after.changes == (f"singling_out is {READING}: at most 0.8 holds",)
    assert after.after == "passes"


def test_of_an_interval_the_end_is_judged_that_is_worse_at_the_limits_asked_for(
    home: Home, finished: Callable[..., str]
) -> None:
    """Between 0.2 and 0.5 the upper end, 0.26 over, is worse; between 0.5 and 0.9 the lower, 0.41 short."""
    made = attacked()
    *rest, last = made.decision.findings
    held = replace(made, decision=Decision("coarse", (*rest, replace(last, at_least=0.2))))
    view = show(home, finished("referred", held=record("referred", held)))
    (after,) = what_if(view, {"at_least.singling_out": "0.5", "at_most.singling_out": "0.9"}).outcomes
    assert after.changes == (
        "singling_out is 0.32 (95 % 0.09 to 0.76, judged at 0.09): between 0.5 and 0.9 does not hold",
    )


def test_a_series_and_two_runs_compared_say_the_interval(home: Home, finished: Callable[..., str]) -> None:
    runs = [finished("referred", held=record("referred", attacked(k=k))) for k in (5, 6)]
    book = LedgerReader(home).book()
    found = series(home, book, "survey")
    assert found is not None
    course = next(each for each in found.courses if each.criterion == "singling_out")
    assert [point.value for point in course.points] == [READING, READING]
    compared = two_runs(book, *(show(home, run) for run in runs))
    rows = {row.name: row for part in compared.parts if part.measured for row in part.rows}
    assert rows["singling_out of coarse"].after == "0.32 (95 % 0.09 to 0.76)"


def test_the_page_of_a_withheld_run_is_about_the_candidate_of_its_report(
    visitor: TestClient, finished: Callable[..., str]
) -> None:
    """One misses two criteria by little, the other one by much: the first is nearer to leaving.

    near: k 2 of 3 (a third of the limit), ks 0.11 of 0.1 (a tenth). far: k 1 of 3 (two thirds).
    """
    near, far = (
        replace(made, name=name, decision=Decision(name, made.decision.findings))
        for name, made in (("near", candidate(k=2, ks=0.11)), ("far", candidate(k=1)))
    )
    tried = replace(near.decision.findings[0], value=3.0, margin=0.0, holds=True)
    trial = TriedChange("local_suppression with k 3 as a further step", [], (tried,))
    held = record("withheld", near, candidates=[far, near], trials=[trial.as_record()])
    said = text_of(visitor.get(f"/runs/{finished('withheld', held=held)}").text)
    assert "the candidate “near” meets 0 of 2 criteria" in said
    assert "“k_anonymity” must rise from 2 to at least 3 records in the class (Rule 4.2)." in said
    assert "Tried: local_suppression with k 3 as a further step gives 3" in said


def test_the_page_says_why_the_gate_chose_its_candidate(
    visitor: TestClient, finished: Callable[..., str]
) -> None:
    made = candidate(k=1)
    other = replace(made, name="fine", decision=Decision("fine", made.decision.findings))
    sentence = "“coarse” has the lowest singling_out, 0.32 (95 % 0.09 to 0.76), which the profile prefers."
    held = record("published", candidate(), candidates=[candidate(), other], choice=sentence)
    run = finished("published", held=held)
    assert sentence in text_of(visitor.get(f"/runs/{run}").text)


def test_a_record_of_an_earlier_version_opens_and_gives_no_reason(home: Home) -> None:
    """It has no `choice`: what the gate would say today is not what it said then."""
    two = [{"name": name, "findings": []} for name in ("coarse", "fine")]
    assert because({"candidates": two, "chosen": "coarse"}) == ""
    assert (
        because({"candidates": two, "chosen": "coarse", "choice": "“coarse” passes."}) == "“coarse” passes."
    )
    assert because({"candidates": two[:1], "chosen": "coarse", "choice": "“coarse” passes."}) == ""
    assert because({}) == ""


def drawn_thrice() -> CandidateRecord:
    """Lower is better, so the second is the worst; the limits are two-sided, and the first is judged at 0.05."""
    several = (
        Measurement(0.2, {}, Interval(0.05, 0.3)),
        Measurement(0.4, {}, Interval(0.3, 0.5)),
        Measurement(0.3, {}, Interval(0.2, 0.4)),
    )
    made = attacked()
    *rest, last = made.decision.findings
    taken = replace(several[1], syntheses=several, synthesis=2)
    return replace(
        made,
        assessments=(
            *made.assessments[:-1],
            Assessment("singling_out", "singling_out", "coarse", taken),
        ),
        decision=Decision(
            "coarse", (*rest, replace(last, value=0.05, at_least=0.1, at_most=0.9, margin=-0.05))
        ),
    )


def test_of_several_syntheses_the_interval_is_that_of_the_one_whose_end_was_judged(
    visitor: TestClient, home: Home, finished: Callable[..., str]
) -> None:
    run = finished("referred", held=record("referred", drawn_thrice()))
    said = text_of(visitor.get(f"/runs/{run}").text)
    assert "must rise from 0.20 (95 % 0.05 to 0.30, judged at 0.05)" in said
    (after,) = what_if(
        show(home, run), {"at_least.singling_out": "0.01", "at_most.singling_out": "0.45"}
    ).outcomes
    assert after.changes == (
        "singling_out is 0.40 (95 % 0.30 to 0.50, judged at 0.50): between 0.01 and 0.45 does not hold",
    )
