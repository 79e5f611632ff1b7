"""The gate's own arithmetic: limits, margins, reasons, verdicts."""

from __future__ import annotations

import math

import pytest

from sdc.catalogue.finding import Finding
from sdc.gate.decision import Decision, JudgedNumber, Limit, Verdict
from sdc.spelling import said


def limit(**given):
    return Limit("risk.unique_entries", "unique_entries", "risk", **given)


def finding(holds=True, otherwise="withhold", family="risk", value=1.0):
    return Finding("k_anonymity", family, "recoded", holds, otherwise, value)


def test_the_margin_is_the_distance_to_the_limit_and_negative_beyond_it():
    assert limit(at_least=3).margin(5) == 2
    assert limit(at_least=3).margin(2) == -1
    assert limit(at_most=10).margin(4) == 6
    assert limit(at_most=10).margin(10.5) == -0.5


def test_with_two_limits_the_margin_is_to_the_nearer():
    assert limit(at_least=1, at_most=10).margin(3) == 2
    assert limit(at_least=1, at_most=10).margin(9) == 1
    assert limit(at_least=1, at_most=10).margin(0) == -1
    assert limit(at_least=1, at_most=10).margin(12) == -2


def test_a_value_on_the_limit_holds():
    assert limit(at_least=3).holds(3)
    assert limit(at_most=0.02).holds(0.02)
    assert not limit(at_most=0.02).holds(math.nextafter(0.02, 1))


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_never_holds(value):
    found = limit(at_least=-math.inf, otherwise="note").check("recoded", JudgedNumber(value))
    assert not found.holds
    assert found.otherwise == "withhold"
    assert found.value is None
    assert found.margin is None


def test_the_reason_says_value_limit_and_difference():
    found = limit(at_most=0.02).check("recoded", JudgedNumber(0.031, "share_below_k"))
    assert found.reason == "share_below_k is 0.031, at most 0.02 was allowed: 0.011 too much"
    assert found.margin == pytest.approx(-0.011)
    found = limit(at_least=3).check("recoded", JudgedNumber(2.0))
    assert found.reason == "unique_entries is 2, at least 3 was demanded: 1 too little"
    found = limit(at_least=1, at_most=4).check("recoded", JudgedNumber(6.0))
    assert found.reason == "unique_entries is 6, at most 4 was allowed: 2 too much"


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"at_most": 0.02}, "at most 0.02"),
        ({"at_least": 3}, "at least 3"),
        ({"at_least": 1, "at_most": 4}, "between 1 and 4"),
    ],
)
def test_a_finding_says_what_would_have_passed(bounds, words):
    assert limit(**bounds).check("recoded", JudgedNumber(None)).would_pass == words


def test_a_value_just_beyond_the_limit_is_told_from_it():
    assert said(0.0200000001, apart_from=0.02) == "0.0200000001"
    assert (
        limit(at_most=0.02)
        .check("recoded", JudgedNumber(0.0200000001))
        .reason.startswith("unique_entries is 0.0200000001, at most 0.02")
    )
    assert said(math.nextafter(0.02, 1), apart_from=0.02) != said(0.02)


def test_what_holds_needs_no_reason_and_keeps_its_source():
    found = limit(at_least=3, because="agency rule 4.2").check("recoded", JudgedNumber(3.0))
    assert (found.holds, found.reason, found.margin, found.because) == (True, "", 0, "agency rule 4.2")


def test_everything_holding_is_published():
    assert Decision("recoded", (finding(), finding(family="utility"))).verdict is Verdict.PUBLISHED


@pytest.mark.parametrize(
    ("otherwise", "verdict"),
    [
        ("withhold", Verdict.WITHHELD),
        ("refer", Verdict.REFERRED),
        ("note", Verdict.PUBLISHED),
    ],
)
def test_what_fails_has_its_own_consequence(otherwise, verdict):
    assert Decision("recoded", (finding(), finding(holds=False, otherwise=otherwise))).verdict is verdict


def test_a_consequence_or_a_concern_that_is_none_makes_no_finding():
    with pytest.raises(ValueError, match="'misspelt' is not a valid Otherwise"):
        finding(holds=False, otherwise="misspelt")
    with pytest.raises(ValueError, match="'misspelt' is not a valid Concerns"):
        finding(family="misspelt")


def test_the_worst_consequence_wins():
    failed = [finding(holds=False, otherwise=otherwise) for otherwise in ("note", "withhold", "refer")]
    assert Decision("recoded", (finding(), *failed)).verdict is Verdict.WITHHELD
    assert Decision("recoded", (finding(), failed[0], failed[2])).verdict is Verdict.REFERRED


def test_no_findings_at_all_is_withheld():
    assert Decision("recoded", ()).verdict is Verdict.WITHHELD


def test_utility_alone_never_opens_the_gate():
    assert (
        Decision("recoded", (finding(family="utility"), finding(family="table"))).verdict is Verdict.WITHHELD
    )


def test_a_risk_that_was_not_measured_is_not_judged():
    assert Decision("recoded", (finding(value=None),)).verdict is Verdict.WITHHELD


def criterion(
    value: float | None, *, at_least: float | None = None, at_most: float | None = None, family: str = "risk"
) -> Finding:
    return Limit("c", "c", family, at_least, at_most).check("a", JudgedNumber(value))


@pytest.mark.parametrize(
    ("found", "margin"),
    [
        (criterion(2, at_least=4), -0.5),
        (criterion(5, at_least=4), 0.25),
        (criterion(0.3, at_most=0.2), -0.5),
        (criterion(7, at_least=0, at_most=10), 0.3),
        (criterion(3, at_most=0), -3.0),
        (criterion(None, at_most=0), -math.inf),
        (criterion(1, at_most=2).shut("the gate disagrees"), -math.inf),
    ],
)
def test_a_relative_margin_is_the_margin_as_a_share_of_the_limit(found, margin):
    assert found.relative_margin == pytest.approx(margin)


def test_the_worst_margin_is_that_of_criteria_and_of_checks_that_do_not_hold():
    sound = criterion(0, at_most=0, family="table")
    decision = Decision(
        "a", (criterion(5, at_least=4), criterion(0.19, at_most=0.2, family="utility"), sound)
    )
    assert decision.worst_margin() == pytest.approx(0.05)
    assert decision.worst_margin("risk") == 0.25
    assert Decision("a", (*decision.findings, criterion(2, at_most=0, family="table"))).worst_margin() == -2
    assert Decision("a", ()).worst_margin() == -math.inf
    assert Decision("a", ()).worst_margin("utility") == math.inf


def test_a_candidate_is_never_called_published():
    assert [verdict.of_candidate for verdict in Verdict] == [
        "passes",
        "would be referred",
        "would be withheld",
    ]
