"""What the public edition leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sdc.catalogue.measurement import Assessment, Interval, Measurement
from sdc.catalogue.registry import Family, find_measure, find_method
from sdc.profile.plan import VariablePlan
from sdc.report import Approved, Edition, RunFacts, build, render
from sdc.report.edition import Rules
from sdc.report.forbidden import Forbidden
from sdc.report.leaks import scan
from sdc.report.options import counts_of_records, recorded

PUBLIC = Rules(Edition.PUBLIC)
SAYABLE = Rules(Edition.PUBLIC, frozenset({"age", "sex", "income"}))


@pytest.fixture
def html(published: RunFacts) -> str:
    return render(
        build(
            replace(published, approvals=(Approved("Ada Lovelace", "reviewer", "approve", "fine by me"),)),
            Edition.PUBLIC,
        )
    )


@pytest.mark.parametrize(
    "secret",
    [
        "secret_source",
        "vault",
        "5" * 64,
        "6" * 64,
        "Rarevillage",
        "Oslo",
        "Ada Lovelace",
        "fine by me",
        "an internal note",
        "complete row",
        "0.0612345",
        ">fine<br>",
        "0.25 s",
    ],
)
def test_the_public_edition_never_says(html: str, published: RunFacts, secret: str):
    internal = render(
        build(
            replace(published, approvals=(Approved("Ada Lovelace", "reviewer", "approve", "fine by me"),)),
            Edition.INTERNAL,
        )
    )
    assert secret not in html
    assert secret in internal


@pytest.mark.parametrize("edition", list(Edition))
def test_no_edition_says_the_seed(published: RunFacts, edition: Edition):
    assert "987654321" not in render(build(published, edition))


def test_reasons_in_words_stay_inside(referred: RunFacts):
    held = referred.candidates[0]
    unmeasured = replace(held.decision.findings[1], value=None, margin=None)
    facts = replace(
        referred, candidates=(replace(held, decision=replace(held.decision, findings=(unmeasured,))),)
    )
    assert "a reason in words" in render(build(facts, Edition.INTERNAL))
    assert "a reason in words" not in render(build(facts, Edition.PUBLIC))


def test_the_public_edition_has_what_a_user_needs(html: str):
    for said in (
        "Published after approval",
        "Rule 4.2",
        "at least 3",
        "0.0612",
        "global_recode",
        "Sweeney (2002)",
        "duckdb",
    ):
        assert said in html


def test_small_counts_of_records_are_not_said(published: RunFacts):
    held = {variable.name: variable for variable in build(published, Edition.PUBLIC).variables}
    assert held["region"].changed.text == "fewer than 10"
    assert held["age"].changed.text == "1,000"
    assert held["age"].missing_added.text == "fewer than 10"
    assert held["region"].missing_added.text == "12"
    (step,) = build(published, Edition.PUBLIC).focus.steps
    assert step.options == (("age", "width: 10"), ("region", "groups: not shown"))
    assert step.record == (
        ("levels after", "9"),
        ("suppressed", "age: fewer than 10"),
        ("chosen", "not shown"),
    )


def test_what_a_step_recorded_is_marked_as_counts_where_it_is(published: RunFacts):
    html = render(build(published, Edition.PUBLIC))
    assert '<dt>suppressed</dt><dd>age: <span data-count="original">fewer than 10</span></dd>' in html
    assert "<dt>levels after</dt><dd>9</dd>" in html
    assert "<dt>chosen</dt><dd>not shown</dd>" in html


@pytest.mark.parametrize(
    ("record", "counts"),
    [
        ({"total": 12, "suppressed": {"age": 4, "sex": 0}}, {"total", "suppressed"}),
        ({"income": {"above": 7, "below": 0}}, {"income"}),
        ({"age": {"levels_before": 98, "levels_after": 10}}, set()),
        ({"scale": {"income": 5.0}, "share": 0.5, "kept": True, "nothing": {}}, set()),
        ({"drawn": {"units": 4, "share": 0.25}}, set()),
    ],
)
def test_whole_numbers_that_a_step_recorded_count_records_unless_their_name_says_otherwise(
    record: dict[str, object], counts: set[str]
):
    assert set(counts_of_records(record, find_method("rounding"), Rules(Edition.INTERNAL))) == counts


def test_counts_have_the_words_before_them_and_read_as_what_was_recorded():
    record = {"total": 44, "suppressed": {"age": 4, "sex": 40}, "income": {"few_records": {"age": 11}}}
    held = record, find_method("rounding"), SAYABLE
    found = counts_of_records(*held)
    assert found["suppressed"] == (("age: ", "fewer than 10"), ("sex: ", "40"))
    assert {label: ", ".join(map("".join, each)) for label, each in found.items()} == dict(recorded(*held))


def test_counts_that_may_not_be_said_are_marked_nowhere():
    assert counts_of_records({"suppressed": {"Oslo": 40}}, find_method("rounding"), SAYABLE) == {}


def test_a_number_in_the_name_of_a_variable_is_no_small_count(published: RunFacts):
    """Of "children under 6" a step blanked 40 values, and not 6."""
    name = "children under 6"
    profile = published.profile.model_copy(
        update={"variables": {**published.profile.variables, name: VariablePlan()}}
    )
    held = published.candidates[0]
    step = replace(held.steps[0], record={"total": 1197, "suppressed": {"age": 0, name: 40}})
    candidate = replace(held, made=replace(held.made, steps=(step,)))
    html = render(build(replace(published, profile=profile, candidates=(candidate,)), Edition.PUBLIC))
    assert f'{name}: <span data-count="original">40</span></dd>' in html
    assert '<dt>total</dt><dd><span data-count="original">1,197</span></dd>' in html
    assert not [hit for hit in scan(html, Forbidden()) if "a count of" in hit.what]


def test_parts_of_risk_measures_are_dropped_and_those_of_utility_kept(published: RunFacts):
    view = build(published, Edition.PUBLIC)
    assert all(held.parts == () and held.parts_table is None for held in view.focus.of("risk"))
    assert [cells[0].text for _, cells in view.focus.of("utility")[0].parts_table.rows] == [
        "0.0123",
        "0.0612",
    ]
    assert all(not shown.exact for held in view.focus.measurements for shown in [held.value] if shown)


def test_parts_that_speak_of_domains_or_count_few_records_are_not_said(published: RunFacts):
    rules = Rules(Edition.PUBLIC, frozenset({"age", "income.net"}))
    parts = {
        "mean.age": 41.5,
        "gini.North": 0.3,
        "value.gini.region.North": 0.2,
        "jensen_shannon.5": 0.1,
        "distance.income.net": 0.5,
        "count.age": 3,
        "ut2": 2.5,
    }
    assert set(rules.parts(parts, Family.UTILITY)) == {
        "mean.age",
        "jensen_shannon.5",
        "distance.income.net",
        "ut2",
    }
    assert rules.part("share.age", 0.003, 1000).text == "below 0.01"
    assert rules.part("share_below.age", 0.003, 1000).text == "below 0.01"
    assert rules.part("percent.age", 0.3, 1000).text == "below 1"
    assert rules.part("distance.age", 0.003, 1000).text == "0.003"


def test_the_interval_of_a_small_share_is_only_bounded(published: RunFacts):
    held = published.candidates[0]
    few = Assessment("unique_entries", "k_anonymity", "coarse", Measurement(0.5, {}, Interval(0.002, 0.9)))
    facts = replace(
        published,
        candidates=(replace(held, assessments=(few,), decision=replace(held.decision, findings=())),),
    )
    assert build(facts, Edition.PUBLIC).focus.measurements[0].interval == "95 % below 0.01 to 0.9"


def test_only_the_chosen_candidate_is_shown(published: RunFacts):
    view = build(published, Edition.PUBLIC)
    assert [candidate.name for candidate in view.candidates] == ["coarse"]
    assert view.comparison is None


def test_a_withheld_run_shows_no_value_in_public_and_still_says_what_would_have_to_change(withheld: RunFacts):
    view = build(withheld, Edition.PUBLIC)
    assert all(found.value is None and found.gauge is None for found in view.focus.findings)
    assert all(held.value is None for held in view.focus.measurements)
    assert view.changes == ("“k_anonymity” must be at least 3 records in the class (Rule 4.2).",)


def test_a_share_of_fewer_records_than_the_threshold_is_only_bounded():
    # 10 of 1,000 records is 0.01: a share of 0.003 would count three of them.
    assert PUBLIC.share(0.003, 1000).text == "below 0.01"
    assert PUBLIC.share(0.0123456, 1000).text == "0.0123"
    assert PUBLIC.share(0.0, 1000).text == "0"
    assert PUBLIC.share(0.3, 1000, 100).text == "below 1"
    assert Rules(Edition.INTERNAL).share(0.003, 1000).text == "0.003"


def test_a_judged_part_that_counts_few_records_is_only_bounded():
    k = find_measure("k_anonymity")
    assert PUBLIC.judged(4, k, "records_below_2", 1000).text == "fewer than 10"
    assert PUBLIC.judged(0, k, "records_below_2", 1000).text == "0"
    assert PUBLIC.judged(0.004, k, "share_below_k", 1000).text == "below 0.01"
    assert PUBLIC.judged(3, k, None, 1000).text == "3"


def test_numbers_in_public_have_three_digits():
    assert PUBLIC.number(19160.48).text == "19,200"
    assert PUBLIC.number(0.0612345).text == "0.0612"
    assert PUBLIC.number(5915).text == "5,920"
    assert PUBLIC.number(46).text == "46"
