"""The records the report renders: exact, and complete."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Interval, Measurement
from sdc.catalogue.protection import Protection, Step
from sdc.catalogue.registry import find_measure
from sdc.report import Approved, Edition, RunFacts, build, render, wording
from sdc.report.gauges import gauge


def test_a_published_run_says_so_in_one_sentence(published: RunFacts):
    view = build(published, Edition.INTERNAL)
    assert view.sentence == "Published: the candidate “coarse” meets both criteria."
    assert view.explanation == (
        "“coarse” is the only one of 2 candidates that passes. The bundle was written, read back and verified before it left."
    )
    assert view.when == "27 January 2025, 12:00 UTC"
    assert view.changes == ()


def test_a_withheld_run_says_what_would_have_to_change(withheld: RunFacts):
    view = build(withheld, Edition.INTERNAL)
    assert (
        view.sentence
        == "Withheld: none of 2 candidates may leave; the closest, “coarse”, meets 1 of 2 criteria."
    )
    assert view.changes == ("“k_anonymity” must rise from 2 to at least 3 records in the class (Rule 4.2).",)


def test_a_criterion_another_candidate_meets_is_said(withheld: RunFacts):
    view = build(withheld, Edition.INTERNAL)
    fine = view.candidates[1]
    assert [finding.change for finding in fine.findings if finding.name == "ks_distance"] == [
        "“ks_distance” must fall from 0.200 (95 % 0.190 to 0.210) to at most 0.1 (User committee). It is driven by income. The candidate “coarse” meets it."
    ]


def test_a_referred_run_leaves_the_decision_to_people(referred: RunFacts):
    view = build(referred, Edition.INTERNAL)
    assert (
        view.sentence == "Referred: the candidate “coarse” meets 1 of 2 criteria; people decide on the rest."
    )
    assert view.changes == (
        "“ks_distance” must fall from 0.150 (95 % 0.140 to 0.160) to at most 0.1 (User committee). It is driven by income.",
    )


def test_a_rejected_run_says_who_rejected_it_inside_the_house_only(withheld: RunFacts):
    rejected = replace(withheld, approvals=(Approved("Ada Lovelace", "reviewer", "reject", "too fine"),))
    assert build(rejected, Edition.INTERNAL).approvals == ("rejected by Ada Lovelace (reviewer): too fine",)
    assert build(rejected, Edition.PUBLIC).approvals == ("rejected by a person with the role reviewer",)
    assert "a reviewer rejected" in build(rejected, Edition.INTERNAL).sentence


def test_an_approved_run_says_so_in_public_without_the_name(published: RunFacts):
    approved = replace(published, approvals=(Approved("Ada Lovelace", "reviewer", "approve", "small loss"),))
    assert build(approved, Edition.PUBLIC).approvals == ("approved by a person with the role reviewer",)


def test_one_candidate_was_not_compared(published: RunFacts):
    alone = replace(published, candidates=published.candidates[:1])
    assert ("candidate judged", "1") in [
        (fact.label, fact.text) for fact in build(alone, Edition.INTERNAL).key_facts
    ]


def test_key_facts_are_counted(published: RunFacts):
    facts = {fact.label: fact.text for fact in build(published, Edition.INTERNAL).key_facts}
    assert facts == {
        "records in the original": "1,000",
        "records in the candidate": "1,000",
        "variables released": "4 of 5",
        "candidates compared": "2",
        "criteria met": "2 of 2",
    }


def test_findings_that_do_not_hold_come_first_with_their_margin(withheld: RunFacts):
    first, second = build(withheld, Edition.INTERNAL).focus.findings
    assert (first.name, first.holds, first.limit, first.margin, first.value.text) == (
        "k_anonymity",
        False,
        "at least 3 records in the class",
        "1 short",
        "2",
    )
    assert (second.name, second.holds, second.margin, second.value.text) == (
        "ks_distance",
        True,
        "0.0388 to spare",
        "0.061",
    )
    assert second.judged == "95 % 0.051 to 0.071"
    assert second.value.exact == "0.0612345"


def test_a_criterion_nothing_was_measured_for_says_it_must_be_measured(withheld: RunFacts):
    broken = withheld.candidates[0]
    nothing = Finding(
        "k_anonymity", "risk", "coarse", False, "withhold", None, 3, None, None, "Rule 4.2", "it failed"
    )
    facts = replace(
        withheld, candidates=(replace(broken, decision=replace(broken.decision, findings=(nothing,))),)
    )
    view = build(facts, Edition.INTERNAL)
    assert view.changes == (
        "“k_anonymity” must be measured and be at least 3 records in the class (Rule 4.2); it was not assessed.",
    )
    assert view.focus.findings[0].value is None
    assert view.focus.findings[0].gauge is None


def with_checks(facts: RunFacts, *found: Finding) -> RunFacts:
    held = facts.candidates[0]
    decision = replace(held.decision, findings=(*held.decision.findings, *found))
    return replace(facts, candidates=(replace(held, decision=decision), *facts.candidates[1:]))


NOTED = Finding(
    "table.unchecked.age",
    "table",
    "coarse",
    False,
    "note",
    1,
    0,
    0,
    -1,
    "declared",
    "age was recoded to labels",
)
FAULTY = Finding(
    "table.columns_missing",
    "table",
    "coarse",
    False,
    "withhold",
    2,
    0,
    0,
    -2,
    "declared",
    "2 declared columns are missing",
)
SOUND = Finding("table.row_count", "table", "coarse", True, "withhold", 1000, 1, None, 999, "declared")


def test_checks_of_the_table_are_counted_apart_from_criteria(published: RunFacts):
    view = build(with_checks(published, NOTED, SOUND), Edition.INTERNAL)
    assert view.sentence == "Published: the candidate “coarse” meets both criteria."
    assert view.changes == ()
    assert len(view.focus.findings) == 2
    assert (view.focus.checks.held, len(view.focus.checks.checks)) == (1, 2)
    assert view.focus.checks.noted == ("age was recoded to labels",)
    assert [(check.name, check.value, check.limit) for check in view.focus.checks.checks] == [
        ("declared range not checked, age", "1", "exactly 0"),
        ("row count", "1,000", "at least 1"),
    ]


def test_a_table_that_is_not_what_was_declared_says_so(withheld: RunFacts):
    view = build(with_checks(withheld, FAULTY), Edition.INTERNAL)
    assert "fails 1 check of its table" in next(
        each.sentence for each in view.candidates if each.name == "coarse"
    )
    one = replace(withheld, candidates=withheld.candidates[:1])
    assert "2 declared columns are missing." in build(with_checks(one, FAULTY), Edition.INTERNAL).changes
    assert (
        "The check “columns missing” does not hold."
        in build(with_checks(one, FAULTY), Edition.PUBLIC).changes
    )


def test_a_value_that_misses_its_limit_by_little_is_told_apart_from_it(published: RunFacts):
    held = published.candidates[0]
    near = replace(held.decision.findings[1], value=0.10000004, margin=-0.00000004, holds=False)
    facts = replace(published, candidates=(replace(held, decision=replace(held.decision, findings=(near,))),))
    (found,) = build(facts, Edition.INTERNAL).focus.findings
    assert found.judged == "95 % 0.051 to 0.071, judged at 0.10000004"
    assert (
        found.change
        == "“ks_distance” must fall from 0.061 (95 % 0.051 to 0.071, judged at 0.10000004) to at most 0.1 (User committee). It is driven by income."
    )
    plain = tuple(
        replace(each, outcome=Measurement(0.10000004)) if each.alias == "ks_distance" else each
        for each in held.assessments
    )
    facts = replace(facts, candidates=(replace(facts.candidates[0], assessments=plain),))
    assert build(facts, Edition.INTERNAL).focus.findings[0].value.text == "0.10000004"


def test_the_gauge_places_value_and_limits_on_a_scale():
    found = Finding("k_anonymity", "risk", "a", True, "withhold", 5, 3, None, 2)
    bar = gauge(found, find_measure("k_anonymity"), None)
    # Spread 2.5 in steps of 1: from the bound 1 to the next whole number above 5 + 2.5 / 4.
    assert (bar.low, bar.high) == ("1", "6")
    assert (bar.value, bar.good_from, bar.good_to) == (80.0, 40.0, 100.0)


def test_the_gauge_of_nought_against_nought_has_a_length():
    found = Finding("ks_distance", "utility", "a", True, "withhold", 0.0, None, 0.0, 0.0)
    bar = gauge(found, find_measure("ks_distance"), None)
    assert (bar.low, bar.high, bar.value, bar.good_to) == ("0", "1", 0.0, 0.0)


def test_the_gauge_of_a_share_ends_at_its_bound():
    found = Finding("ks_distance", "utility", "a", False, "withhold", 0.9, None, 0.5, -0.4)
    bar = gauge(found, find_measure("ks_distance"), None)
    assert (bar.low, bar.high, bar.value, bar.good_from, bar.good_to) == ("0", "1", 90.0, 0.0, 50.0)


def test_measurements_come_by_family_with_direction_definition_and_reference(published: RunFacts):
    view = build(published, Edition.INTERNAL)
    risk, utility = view.focus.of("risk"), view.focus.of("utility")
    assert [held.name for held in risk] == ["k_anonymity", "reported"]
    assert [held.name for held in utility] == ["ks_distance", "propensity_mse"]
    k = risk[0]
    assert (k.direction, k.range, k.judged, k.seconds) == (
        "higher is better",
        "1 or more",
        "at least 3",
        "0.25 s",
    )
    assert k.reference == "Sweeney (2002), doi:10.1142/S0218488502001648."
    assert k.definition[0] == "The size of the smallest class on the keys of the candidate."
    assert [(name, shown.text) for name, shown in k.parts] == [
        ("records below 2", "4"),
        ("share below k", "0.001"),
        ("classes", "120"),
    ]
    assert risk[1].options == (("k", "5"),)
    assert utility[0].interval == "95 % 0.051 to 0.071"
    assert [(name, [cell.text for cell in cells]) for name, cells in utility[0].parts_table.rows] == [
        ("age", ["0.0123"]),
        ("income", ["0.0612"]),
    ]
    assert utility[1].value is None
    assert utility[1].not_assessed == "only 3 records have a complete row"


def test_every_number_shown_has_a_definition_and_a_reference(published: RunFacts):
    view = build(published, Edition.INTERNAL)
    known = {held.anchor for held in view.focus.measurements if held.definition and held.reference}
    assert {found.anchor for found in view.focus.findings} <= known
    assert len(known) == len(view.focus.measurements)


def test_candidates_are_compared_criterion_by_criterion(published: RunFacts):
    table = build(published, Edition.INTERNAL).comparison
    assert table.candidates == ("coarse", "fine")
    assert [row.name for row in table.rows] == ["k_anonymity", "reported", "ks_distance", "propensity_mse"]
    assert table.rows[0].cells == (("5", True, ""), ("1", False, ""))
    assert table.rows[1].cells == (("5", None, ""), ("1", None, ""))
    assert table.rows[3].cells == (("not assessed", None, ""), ("not assessed", None, ""))


def test_one_candidate_is_not_compared(referred: RunFacts):
    assert build(referred, Edition.INTERNAL).comparison is None


def test_variables_tell_what_was_done_by_which_step(published: RunFacts):
    held = {variable.name: variable for variable in build(published, Edition.INTERNAL).variables}
    assert held["person"].done == ("left behind when the records were read",)
    assert not held["person"].released
    assert (held["age"].role, held["age"].type, held["age"].unit) == ("quasi-identifier", "numeric", "years")
    assert held["age"].done == ("global_recode (step 1)",)
    assert (held["age"].changed.text, held["age"].missing_added.text) == ("1,000", "3")
    assert held["income"].done == ("released as it is",)
    assert [(name, part, shown.text) for name, part, shown in held["income"].numbers] == [
        ("ks_distance", "distance", "0.0612")
    ]


def test_steps_tell_options_counts_and_facts(published: RunFacts):
    (step,) = build(published, Edition.INTERNAL).focus.steps
    assert step.options == (("age", "width: 10"), ("region", "groups: North: [Rarevillage, Oslo]"))
    assert [(name, shown.text) for name, shown in step.changed] == [("age", "1,000"), ("region", "7")]
    assert step.record == (("levels after", "9"), ("suppressed", "age: 4"), ("chosen", "Rarevillage: North"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (5915, "5,915"),
        (19160.48, "19,160"),
        (0.0412345, "0.0412"),
        (-1.5, "−1.5"),
        (0.00001234, "1.2 × 10⁻⁵"),
        (1309129.21, "1,309,000"),
        (99.99999, "100"),
    ],
)
def test_numbers_are_said_with_sensible_digits(value: float, text: str):
    assert wording.number(value) == text


def judged_at_an_end(facts: RunFacts) -> RunFacts:
    """The distance is 0.3155, somewhere between 0.09 and 0.7639; the gate judged the upper end."""
    held = facts.candidates[0]
    finding = replace(held.decision.findings[1], value=0.7639, margin=0.1 - 0.7639, holds=False)
    taken = Measurement(0.3155, {}, Interval(0.0912, 0.7639))
    assessments = tuple(
        replace(each, outcome=taken) if each.alias == "ks_distance" else each for each in held.assessments
    )
    decision = replace(held.decision, findings=(held.decision.findings[0], finding))
    return replace(
        facts, candidates=(replace(held, decision=decision, assessments=assessments), *facts.candidates[1:])
    )


def test_a_measurement_is_told_everywhere_by_its_estimate_its_interval_and_the_end_that_was_judged(
    published: RunFacts,
):
    view = build(judged_at_an_end(published), Edition.INTERNAL)
    finding = next(found for found in view.focus.findings if found.name == "ks_distance")
    assert (finding.value.text, finding.value.exact, finding.judged) == (
        "0.32",
        "0.3155",
        "95 % 0.09 to 0.76, judged at 0.76",
    )
    assert finding.change.startswith(
        "“ks_distance” must fall from 0.32 (95 % 0.09 to 0.76, judged at 0.76) to at most 0.1"
    )
    measurement = next(held for held in view.focus.measurements if held.name == "ks_distance")
    assert (measurement.value.exact, measurement.interval) == ("0.3155", "95 % 0.09 to 0.76, judged at 0.76")
    whole = "0.32 (95 % 0.09 to 0.76), judged at 0.76"
    assert whole in [cell[0] for row in view.comparison.rows for cell in row.cells]
    assert whole in [cell.text for row in view.matrix.rows for cell in row.cells]
    # The bar shows the estimate, and beside it the end that was judged.
    assert finding.gauge.value < finding.gauge.judged == finding.gauge.interval[1]


def test_the_matrix_has_the_best_worst_margin_first_and_the_tightest_criterion_first(published: RunFacts):
    found = build(published, Edition.INTERNAL).matrix
    # coarse: k 5 of 3, a margin of 2/3; ks 0.0612 of 0.1, of 0.388. fine: k 1 of 3 misses by 2/3.
    assert [(column.name, column.gate, column.tightest, column.chosen) for column in found.columns] == [
        ("coarse", "published", "ks_distance: 39 % of the limit to spare", True),
        ("fine", "would be withheld", "k_anonymity: misses by 67 % of the limit", False),
    ]
    assert [(row.name, [cell.state for cell in row.cells]) for row in found.rows] == [
        ("k_anonymity", ["holds", "missed"]),
        ("ks_distance", ["holds", "holds"]),
    ]
    assert build(published, Edition.PUBLIC).matrix is None


def test_a_candidate_that_never_left_is_not_called_published(published: RunFacts, referred: RunFacts):
    both = replace(
        published, candidates=(published.candidates[0], replace(published.candidates[0], name="other"))
    )
    assert [view.verdict for view in build(both, Edition.INTERNAL).candidates] == ["published", "passes"]
    assert [view.verdict for view in build(referred, Edition.INTERNAL).candidates] == ["would be referred"]


def test_a_number_that_cannot_be_believed_is_marked_everywhere(published: RunFacts):
    """k-anonymity counts equal keys, and all keys of this candidate were drawn from a model."""
    drawn = Step(
        "sequential", {}, Protection.SYNTHETIC, aligned=False, touched=frozenset({"age", "region", "income"})
    )
    view = build(
        replace(
            published,
            candidates=tuple(
                replace(held, made=replace(held.made, steps=(drawn,))) for held in published.candidates
            ),
        ),
        Edition.INTERNAL,
    )
    reason = "counts of equal keys measure risk only while a record is a person"
    assert [reason in found.doubt for found in view.focus.findings if found.name == "k_anonymity"] == [True]
    assert {held.name: reason in held.doubt for held in view.focus.measurements} == {
        "k_anonymity": True,
        "reported": True,
        "ks_distance": False,
        "propensity_mse": False,
    }
    assert [
        reason in cell.doubt for row in view.matrix.rows if row.name == "k_anonymity" for cell in row.cells
    ] == [True, True]
    assert [reason in cell[2] for row in view.comparison.rows for cell in row.cells] == [True] * 4 + [
        False
    ] * 4
    plain = build(published, Edition.INTERNAL)
    assert not any(held.doubt for held in plain.focus.measurements)


@pytest.mark.parametrize("edition", Edition)
def test_a_note_is_no_failure(published: RunFacts, edition: Edition):
    view = build(with_checks(published, NOTED, SOUND), edition)
    assert [(check.name, check.noted) for check in view.focus.checks.checks] == [
        ("declared range not checked, age", True),
        ("row count", False),
    ]
    assert not any("does not hold" in note for note in view.focus.checks.noted)
    page = render(view)
    assert (
        "does not hold" not in page.partition("Checks of the candidate table")[2].partition("</section>")[0]
    )
    assert "1 of 1 checks of the candidate table hold, 1 is noted" in page


def test_a_criterion_that_is_only_noted_has_a_state_of_its_own(published: RunFacts):
    held = published.candidates[0]
    noted = replace(held.decision.findings[1], otherwise="note", holds=False, value=0.2, margin=-0.1)
    facts = replace(
        published,
        candidates=(
            replace(held, decision=replace(held.decision, findings=(held.decision.findings[0], noted))),
        ),
    )
    view = build(facts, Edition.INTERNAL)
    assert [(found.name, found.state) for found in view.focus.findings] == [
        ("ks_distance", "noted"),
        ("k_anonymity", "holds"),
    ]
    assert view.changes == ()


def test_a_method_is_named_only_on_variables_it_changed(published: RunFacts):
    """The step touched age and region, and of income it is counted that nothing changed."""
    candidate = published.candidates[0]
    (step,) = candidate.steps
    wide = replace(step, touched=frozenset({"age", "region", "income"}))
    view = build(
        replace(published, candidates=(replace(candidate, made=replace(candidate.made, steps=(wide,))),)),
        Edition.PUBLIC,
    )
    assert {
        variable.name: variable.done for variable in view.variables if variable.name in ("age", "income")
    } == {
        "age": ("global_recode (step 1)",),
        "income": ("released as it is",),
    }
    assert view.focus.steps[0].touched == ("age", "region")


def test_a_candidate_that_fails_a_check_of_its_table_does_not_look_as_if_all_held(published: RunFacts):
    """What the gate checks on the table is the first row, as soon as one candidate fails it.

    What is noted does not count.
    """
    assert [row.name for row in build(published, Edition.INTERNAL).matrix.rows] == [
        "k_anonymity",
        "ks_distance",
    ]
    first, second = published.candidates
    failed = Finding(
        "table.household_gaps.region",
        "table",
        "fine",
        holds=False,
        otherwise="refer",
        value=13,
        at_most=0,
        margin=-13,
    )
    noted = replace(failed, criterion="table.unchecked.age", otherwise="note")
    broken = replace(
        second, decision=replace(second.decision, findings=(*second.decision.findings, failed, noted))
    )
    row, *_ = build(replace(published, candidates=(first, broken)), Edition.INTERNAL).matrix.rows
    assert (row.name, row.limit) == ("checks of the table", "all must hold")
    assert [(cell.state, cell.text, cell.margin) for cell in row.cells] == [
        ("holds", "all hold", ""),
        ("referred", "1 does not hold", "household gaps, region"),
    ]
