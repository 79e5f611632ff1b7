"""The first screen: the tightest criteria, and what the choice of the candidate costs."""

from __future__ import annotations

from dataclasses import replace

from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement
from sdc.gate.decision import Decision
from sdc.gate.judged import JudgedCandidate
from sdc.profile import Profile
from sdc.profile.plan import Preference
from sdc.report import Edition, RunFacts, build, render, summary


def test_the_tightest_criterion_comes_first_with_what_drives_it(published: RunFacts):
    """k has 2 of 3 to spare, ks_distance 0.039 of 0.1."""
    first, second = build(published, Edition.INTERNAL).summary.tightest
    assert (first.name, first.state, first.driver) == ("ks_distance", "holds", "income")
    assert first.reads == "0.061 (95 % 0.051 to 0.071), at most 0.1: 0.0388 to spare"
    assert (second.name, second.reads, second.driver) == (
        "k_anonymity",
        "5, at least 3 records in the class: 2 to spare",
        "",
    )


def test_what_another_candidate_would_give_is_said(published: RunFacts):
    assert build(published, Edition.INTERNAL).summary.costs == (
        "“fine” (would be withheld) is better on ks_distance (0.02 instead of 0.0612) and worse on k_anonymity (1 instead of 5).",
    )


def test_the_preferred_measurement_counts_where_no_criterion_tells_it(published: RunFacts):
    def with_scores(place: int, value: float):
        held = published.candidates[place]
        kept = tuple(each for each in held.assessments if each.alias != "propensity_mse")
        return replace(
            held,
            assessments=(
                *kept,
                Assessment("propensity_mse", "propensity_mse", held.name, Measurement(value)),
            ),
        )

    profile = published.profile.model_copy(update={"prefer": Preference(measure="propensity_mse")})
    facts = replace(published, profile=profile, candidates=(with_scores(0, 2.0), with_scores(1, 40.0)))
    (cost,) = build(facts, Edition.INTERNAL).summary.costs
    assert cost.endswith("worse on k_anonymity (1 instead of 5) and propensity_mse (40 instead of 2).")


def judged_by(name: str, criteria: dict[str, tuple[float, float]]) -> JudgedCandidate:
    """A candidate with criteria `at most 1`, each with an estimate and the upper end that was judged."""
    findings = tuple(
        Finding(measure, "risk", name, end <= 1, "refer", end, None, 1.0, 1.0 - end)
        for measure, (_, end) in criteria.items()
    )
    taken = tuple(
        Assessment(measure, measure, name, Measurement(value, {}, Interval(0.0, end)))
        for measure, (value, end) in criteria.items()
    )
    return JudgedCandidate(name, Decision(name, findings), taken)


def test_costs_name_the_judged_end_as_such_and_the_largest_differences_first(published: RunFacts):
    """Attacks of both with their upper ends; the other is worse by 0.5, 0.1, 0.3 and 0.2 of the limit."""
    names = ("singling_out", "linkability", "attribute_inference", "interval_disclosure")
    criteria = {"risk": [{"measure": name, "at_most": 1, "because": "rule"} for name in names]}
    plan = published.profile.model_dump(by_alias=True) | criteria | {"utility": [], "prefer": None}
    mine = judged_by("coarse", dict.fromkeys(names, (0.1, 0.2)))
    theirs = judged_by(
        "fine", dict(zip(names, [(0.1, 0.7), (0.1, 0.3), (0.1, 0.5), (0.1, 0.4)], strict=True))
    )
    profile = Profile.model_validate(plan)
    (cost,) = summary.costs(replace(published, profile=profile, candidates=(mine, theirs)), mine)
    assert cost == (
        "“fine” (passes) is worse on singling_out (judged at 0.7 instead of 0.2), attribute_inference"
        " (judged at 0.5 instead of 0.2), interval_disclosure (judged at 0.4 instead of 0.2) and 1 more."
    )


def test_the_public_is_told_neither_other_candidates_nor_what_nobody_judged(published: RunFacts):
    view = build(published, Edition.PUBLIC)
    assert (view.summary.costs, view.summary.look) == ((), ())
    html = render(view)
    assert "What the choice costs" not in html
    assert "worth a look" not in html
    assert "Tightest criteria" in html


def test_of_a_run_that_published_nothing_the_public_has_no_first_screen(withheld: RunFacts):
    assert build(withheld, Edition.PUBLIC).summary is None
    assert build(withheld, Edition.INTERNAL).summary.tightest[0].name == "k_anonymity"


def test_numbers_that_are_said_alike_cost_nothing(published: RunFacts):
    first = published.candidates[0]
    alike = replace(
        first,
        name="alike",
        decision=replace(first.decision, findings=(replace(first.decision.findings[1], value=0.0612344),)),
    )
    facts = replace(published, candidates=(first, alike))
    assert build(facts, Edition.INTERNAL).summary.costs == ()
