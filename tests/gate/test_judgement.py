"""Everything that must shut the gate, by name, and what opens it."""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import threading
from dataclasses import asdict, replace

import pandas as pd
import pyarrow as pa
import pytest

from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement, NotAssessed
from sdc.catalogue.protection import Protection, Step
from sdc.data.database import Database
from sdc.gate import (
    Suites,
    build_suites,
    choose,
    judge,
    judge_again,
    scorecard,
    table_facts,
    validation,
    warm,
)
from sdc.gate.comparison_facts import comparison_limits
from sdc.gate.decision import Decision, Verdict
from sdc.profile import Profile
from sdc.profile.plan import Preference

CANARY = "Zanzibar-7713"


@pytest.fixture(scope="module", autouse=True)
def _warm_gate():
    warm()


def profile(risk=None, utility=(), variables=None):
    return Profile.model_validate(
        {
            "name": "survey",
            "seed": 1,
            "source": {"path": "survey.csv"},
            "variables": variables or {"region": "quasi_identifier"},
            "candidates": {"recoded": [], "synthetic": []},
            "risk": risk or [{"measure": "k_anonymity", "at_least": 3, "because": "agency rule 4.2"}],
            "utility": list(utility),
        }
    )


VARIABLES = {
    "name": "direct_identifier",
    "household": "household",
    "region": {"role": "quasi_identifier", "allowed": ["north", "south"], "per": "household"},
    "age": {"role": "quasi_identifier", "type": "numeric", "at_least": 0, "at_most": 120},
    "education": {"role": "quasi_identifier", "type": "ordinal", "order": ["primary", "secondary"]},
    "income": {"role": "sensitive", "type": "numeric", "missing": "forbidden"},
    "weight": "weight",
}
HOUSEHOLD = {"household": "household"}


def frame(**columns):
    made = {
        "household": ["1", "1", "2", "3"],
        "region": ["north", "north", "south", None],
        "age": [30.0, 28.0, 77.0, None],
        "education": ["primary", "secondary", None, "primary"],
        "income": [1200.0, 900.0, 2000.0, 0.0],
        "weight": [1.5, 1.5, 2.0, 3.0],
    }
    return pd.DataFrame({**made, **columns})


def held(candidate_frame, original_rows=None):
    database = Database.in_memory()
    rows = len(candidate_frame) if original_rows is None else original_rows
    database.write("original", pa.table({"x": list(range(rows))}))
    return database.write("candidate_recoded", pa.Table.from_pandas(candidate_frame, preserve_index=False))


def measured(
    value=5.0,
    alias="k_anonymity",
    measure="k_anonymity",
    candidate="recoded",
    *,
    parts=None,
    interval=None,
    options=None,
):
    return Assessment(measure, alias, candidate, Measurement(value, parts or {}, interval), options or {})


def facts_of(plan, table, steps=(), **options):
    """The facts of a table, and beside the original what opens the gate."""
    beside = {limit.column: limit.at_least for limit in comparison_limits(plan)}
    return {**table_facts(plan, table, steps, **options), **beside}


def judged(plan=None, assessments=None, facts=None, steps=()):
    plan = plan or profile()
    table = held(frame()[["region"]])
    given = [measured()] if assessments is None else assessments
    counted = facts_of(plan, table, steps) if facts is None else facts
    return judge(plan, "recoded", given, counted, build_suites(plan, "recoded", steps))


def failed(judgement):
    return {finding.criterion: finding for finding in judgement.decision.failed}


def test_a_candidate_that_meets_everything_is_published():
    judgement = judged()
    assert judgement.decision.verdict is Verdict.PUBLISHED
    assert judgement.decision.failed == ()
    [risk] = [finding for finding in judgement.decision.findings if finding.family == "risk"]
    assert (risk.criterion, risk.value, risk.margin, risk.because) == ("k_anonymity", 5, 2, "agency rule 4.2")


# What has no value


def test_a_measure_that_never_ran_blocks_the_release():
    judgement = judged(assessments=[])
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert failed(judgement)["k_anonymity"].reason == "never measured"


def test_a_measure_that_was_not_assessed_blocks_the_release():
    lacking = Assessment("k_anonymity", "k_anonymity", "recoded", NotAssessed("needs holdout"))
    judgement = judged(assessments=[lacking])
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert failed(judgement)["k_anonymity"].reason == "not assessed: needs holdout"


@pytest.mark.parametrize("otherwise", ["refer", "note"])
def test_no_value_is_withheld_even_where_a_bad_value_would_only_be_referred_or_noted(otherwise):
    plan = profile(utility=[{"measure": "propensity_mse", "at_most": 10, "otherwise": otherwise}])
    judgement = judged(plan)
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert failed(judgement)["propensity_mse"].otherwise == "withhold"


def test_a_part_the_measure_does_not_have_blocks_the_release():
    plan = profile([{"measure": "k_anonymity", "part": "share_below_k", "at_most": 0.5}])
    judgement = judged(plan, [measured(parts={"classes": 4})])
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert (
        failed(judgement)["k_anonymity.share_below_k"].reason == "k_anonymity has no part share_below_k here"
    )


@pytest.mark.parametrize("part", [None, "sum"])
def test_a_value_that_is_not_about_all_variables_blocks_the_release(part):
    """Age became labels: the distance is 0 over the others, and the limit was set for all."""
    criterion = {"measure": "il1s", "at_most": 0.1, **({"part": part} if part else {})}
    parts = {"sum": 0, "sum.income": 0, "not_compared": 1, "not_compared.age": 1}
    judgement = judged(profile(utility=[criterion]), [measured(), measured(0, "il1s", "il1s", parts=parts)])
    assert judgement.decision.verdict is Verdict.WITHHELD
    [reason] = [finding.reason for name, finding in failed(judgement).items() if name.startswith("il1s")]
    assert "age could not be compared" in reason


def test_the_part_of_a_variable_that_was_compared_is_judged():
    parts = {"sum": 0, "sum.income": 0, "not_compared": 1, "not_compared.age": 1}
    plan = profile(utility=[{"measure": "il1s", "part": "sum.income", "at_most": 0.1}])
    judgement = judged(plan, [measured(), measured(0, "il1s", "il1s", parts=parts)])
    assert judgement.decision.verdict is Verdict.PUBLISHED


def test_a_measurement_of_another_candidate_is_no_measurement_of_this_one():
    assert judged(assessments=[measured(candidate="synthetic")]).decision.verdict is Verdict.WITHHELD


def test_another_measure_under_the_same_alias_is_not_taken_for_it():
    assert judged(assessments=[measured(measure="ks_distance")]).decision.verdict is Verdict.WITHHELD


def test_two_measurements_under_one_alias_are_not_chosen_between():
    judgement = judged(assessments=[measured(5), measured(2)])
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert failed(judgement)["k_anonymity"].reason == "k_anonymity was measured 2 times under this name"


def test_a_measurement_with_other_options_than_demanded_blocks_the_release():
    plan = profile([{"measure": "k_anonymity", "with": {"k": 5}, "part": "share_below_k", "at_most": 0.1}])
    of_three = measured(parts={"share_below_k": 0.0}, options={"k": 3})
    assert (
        failed(judged(plan, [of_three]))["k_anonymity.share_below_k"].reason
        == "measured with other options than the criterion demands"
    )
    of_five = replace(of_three, options={"k": 5})
    assert judged(plan, [of_five]).decision.verdict is Verdict.PUBLISHED


def test_an_option_stated_at_its_default_is_no_other_option():
    plan = profile([{"measure": "k_anonymity", "with": {"k": 3}, "at_least": 3}])
    assert judged(plan, [measured(options={})]).decision.verdict is Verdict.PUBLISHED


def test_a_profile_without_a_judged_risk_is_withheld():
    plan = profile([{"measure": "k_anonymity"}], utility=[{"measure": "ks_distance", "at_most": 1}])
    judgement = judged(plan, [measured(), measured(0.1, "ks_distance", "ks_distance")])
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert (
        failed(judgement)["gate.risk_criteria"].reason
        == "no measure of risk was judged: a release is never judged by utility alone"
    )


def test_a_risk_that_covers_another_candidate_only_does_not_judge_this_one():
    plan = profile([{"measure": "k_anonymity", "at_least": 3, "for": ["synthetic"]}])
    assert judged(plan).decision.verdict is Verdict.WITHHELD


# Scorecard


def test_the_scorecard_has_one_row_and_a_column_for_each_judged_value():
    risk = [
        {"measure": "k_anonymity", "at_least": 3},
        {"measure": "class_attribution", "as": "attribution_of_health", "part": "gain", "at_least": 0},
        {"measure": "unique_entries"},
    ]
    plan = profile(risk, utility=[{"measure": "ks_distance", "at_most": 1}])
    attribution = measured(0.4, "attribution_of_health", "class_attribution", parts={"gain": 0.25})
    card = scorecard(plan, "recoded", [measured(), attribution])
    assert list(card.columns) == [
        "gate.risk_criteria",
        "risk.k_anonymity",
        "risk.attribution_of_health.gain",
        "utility.ks_distance",
    ]
    assert card.iloc[0, :3].tolist() == [2, 5, 0.25]
    assert card.isna().iloc[0].tolist() == [False, False, False, True]
    assert len(card) == 1


def test_two_criteria_on_one_value_are_both_judged():
    risk = [
        {"measure": "k_anonymity", "at_least": 3},
        {"measure": "k_anonymity", "at_least": 10, "otherwise": "refer"},
    ]
    judgement = judged(profile(risk))
    assert [finding.holds for finding in judgement.decision.findings if finding.family == "risk"] == [
        True,
        False,
    ]
    assert judgement.decision.verdict is Verdict.REFERRED
    assert [limit.at_least for limit in judgement.decision.failed] == [10]
    assert set(judgement.scorecard[0]) == {"gate.risk_criteria", "risk.k_anonymity", "risk.k_anonymity (2)"}


@pytest.mark.parametrize(
    ("bounds", "worse", "end"),
    [
        ({"at_least": 3}, 2.0, "lower"),
        ({"at_most": 6}, 9.0, "upper"),
        ({"at_least": 3, "at_most": 6}, 9.0, "upper"),
        ({"at_least": 3, "at_most": 8.5}, 2.0, "lower"),
    ],
)
def test_the_worse_end_of_an_interval_is_judged(bounds, worse, end):
    plan = profile([{"measure": "k_anonymity", **bounds}])
    judgement = judged(plan, [measured(5, interval=Interval(2, 9))])
    found = failed(judgement)["k_anonymity"]
    assert found.value == worse
    assert f"the {end} end of the 95% interval of k_anonymity is {worse:g}" in found.reason
    assert judgement.decision.verdict is Verdict.WITHHELD


def test_a_value_outside_its_own_interval_is_judged_itself():
    judgement = judged(assessments=[measured(2, interval=Interval(4, 9))])
    assert failed(judgement)["k_anonymity"].value == 2


def test_a_part_is_judged_as_it_is_whatever_the_interval_of_the_value():
    plan = profile([{"measure": "k_anonymity", "part": "classes", "at_least": 3}])
    assert (
        judged(plan, [measured(5, parts={"classes": 4}, interval=Interval(1, 9))]).decision.verdict
        is Verdict.PUBLISHED
    )


# Consequences


@pytest.mark.parametrize(
    ("otherwise", "verdict"),
    [("withhold", Verdict.WITHHELD), ("refer", Verdict.REFERRED), ("note", Verdict.PUBLISHED)],
)
def test_a_value_out_of_range_has_the_consequence_the_profile_names(otherwise, verdict):
    plan = profile(
        utility=[{"measure": "ks_distance", "at_most": 0.1, "otherwise": otherwise, "because": "rule 7"}]
    )
    judgement = judged(plan, [measured(), measured(0.4, "ks_distance", "ks_distance")])
    assert judgement.decision.verdict is verdict
    found = failed(judgement)["ks_distance"]
    assert (found.margin, found.because, found.otherwise) == (pytest.approx(-0.3), "rule 7", otherwise)
    assert found.reason == "ks_distance is 0.4, at most 0.1 was allowed: 0.3 too much"


def test_suites_carry_severity_source_and_reason():
    plan = profile(
        utility=[{"measure": "ks_distance", "at_most": 0.1, "otherwise": "refer", "because": "rule 7"}]
    )
    suite = build_suites(plan, "recoded", ()).scorecard
    of_ks = [each for each in suite["expectations"] if each["meta"]["column"] == "utility.ks_distance"]
    assert [each["severity"] for each in of_ks] == ["critical", "critical", "warning"]
    assert {(each["meta"]["because"], each["meta"]["source"]) for each in of_ks} == {
        ("rule 7", "profile survey: utility, criterion 1")
    }
    assert [each["type"] for each in suite["expectations"][:2]] == [
        "expect_table_row_count_to_equal",
        "expect_table_columns_to_match_set",
    ]


# Planted scorecards: what Great Expectations alone would let pass


def planted(card):
    """A scorecard not of our making, against the most lenient of criteria."""
    plan = profile([{"measure": "k_anonymity", "at_least": 3, "otherwise": "note"}])
    facts = facts_of(plan, held(frame()[["region"]]), ())
    return judge_again(build_suites(plan, "recoded", ()), card, facts)


GOOD = {"gate.risk_criteria": [1.0], "risk.k_anonymity": [5.0]}


def test_an_untouched_planted_scorecard_is_published():
    assert planted(pd.DataFrame(GOOD)).decision.verdict is Verdict.PUBLISHED


@pytest.mark.parametrize(
    "card",
    [
        pytest.param(pd.DataFrame({**GOOD, "risk.k_anonymity": [math.nan]}), id="NaN"),
        pytest.param(pd.DataFrame({**GOOD, "risk.k_anonymity": [None]}), id="None"),
        pytest.param(
            pd.DataFrame({**GOOD, "risk.k_anonymity": [math.inf]}), id="infinity with only a minimum"
        ),
        pytest.param(pd.DataFrame({**GOOD, "risk.k_anonymity": ["5"]}), id="text"),
        pytest.param(pd.DataFrame({**GOOD, "risk.k_anonymity": [True]}), id="a truth value"),
        pytest.param(pd.DataFrame(GOOD).iloc[:0], id="no row"),
        pytest.param(pd.DataFrame(), id="nothing at all"),
        pytest.param(pd.DataFrame({name: value * 2 for name, value in GOOD.items()}), id="an extra row"),
        pytest.param(pd.DataFrame({"gate.risk_criteria": [1.0]}), id="a missing column"),
        pytest.param(pd.DataFrame({"risk.k_anonymity": [5.0]}), id="no count of risks"),
        pytest.param(pd.DataFrame({**GOOD, "gate.risk_criteria": [0.0]}), id="no risk judged"),
        pytest.param(pd.DataFrame({**GOOD, "risk.other": [5.0]}), id="an extra column"),
        pytest.param(
            pd.DataFrame([[1.0, 5.0, 5.0]], columns=[*GOOD, "risk.k_anonymity"]), id="a column twice"
        ),
    ],
)
def test_a_planted_scorecard_does_not_open_the_gate(card):
    assert planted(card).decision.verdict is Verdict.WITHHELD


@pytest.mark.parametrize("value", [math.nan, math.inf, None])
def test_great_expectations_itself_says_no_to_what_is_no_number(value):
    plan = profile(variables=VARIABLES)
    suites = build_suites(plan, "recoded", ())
    facts = facts_of(plan, held(frame()), ())
    assert "table.household_gaps.region" in facts
    said = validation.validate(suites.scorecard, pd.DataFrame([dict.fromkeys(GOOD, value)]))["results"]
    assert {
        answer["column"] for answer in said if answer["severity"] == "critical" and not answer["success"]
    } == set(GOOD)
    said = validation.validate(suites.candidate, pd.DataFrame([dict.fromkeys(facts, value)]))["results"]
    assert {
        answer["column"] for answer in said if answer["severity"] == "critical" and not answer["success"]
    } == set(facts)


# Great Expectations failing


def test_an_error_inside_an_expectation_shuts_the_gate(monkeypatch):
    from great_expectations.expectations.core.expect_column_values_to_be_between import (
        ExpectColumnValuesToBeBetween,
    )

    def break_down(*_args, **_kwargs):
        message = f"a value: {CANARY}"
        raise RuntimeError(message)

    monkeypatch.setattr(ExpectColumnValuesToBeBetween, "_validate", break_down)
    plan = profile([{"measure": "k_anonymity", "at_least": 3, "otherwise": "note"}])
    judgement = judged(plan)
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert failed(judgement)["k_anonymity"].reason == "Great Expectations could not check this"
    assert any(result["raised"] for result in judgement.results["scorecard"]["results"])
    assert CANARY not in json.dumps(judgement.results)


def answering(monkeypatch, change):
    """Great Expectations with its answers changed on the way back."""
    truly = validation.validate

    def changed(suite, given):
        said = truly(suite, given)
        return change(said) or said

    monkeypatch.setattr("sdc.gate.judgement.validate", changed)


def test_a_yes_of_great_expectations_against_the_arithmetic_shuts_the_gate(monkeypatch):
    def yes(said):
        said["success"] = True
        for result in said["results"]:
            result["success"] = True

    answering(monkeypatch, yes)
    plan = profile([{"measure": "k_anonymity", "at_least": 3, "otherwise": "note"}])
    judgement = judged(plan, [measured(2)])
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert (
        failed(judgement)["gate.agreement"].reason
        == "Great Expectations and our own arithmetic differ on risk.k_anonymity"
    )


def test_a_no_of_great_expectations_against_the_arithmetic_shuts_the_gate(monkeypatch):
    def no(said):
        said["success"] = False
        said["results"][-1]["success"] = False

    answering(monkeypatch, no)
    plan = profile([{"measure": "k_anonymity", "at_least": 3, "otherwise": "note"}])
    judgement = judged(plan)
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert failed(judgement)["k_anonymity"].reason == "Great Expectations does not let this pass"
    assert "gate.agreement" in failed(judgement)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda said: {**said, "results": []}, id="no answer at all"),
        pytest.param(lambda said: {**said, "results": said["results"][:-1]}, id="an answer missing"),
        pytest.param(
            lambda said: {**said, "results": [*said["results"], said["results"][-1]]}, id="an answer twice"
        ),
        pytest.param(lambda said: {**said, "success": False}, id="the whole against its parts"),
    ],
)
def test_an_answer_that_is_not_whole_shuts_the_gate(monkeypatch, change):
    answering(monkeypatch, change)
    judgement = judged()
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert "gate.agreement" in failed(judgement)


def test_what_great_expectations_did_not_answer_does_not_hold(monkeypatch):
    answering(monkeypatch, lambda said: {**said, "results": []})
    assert failed(judged())["k_anonymity"].reason == "Great Expectations could not check this"


def test_an_error_while_a_metric_is_computed_is_seen():
    suite = build_suites(profile(), "recoded", ()).scorecard
    said = validation.validate(suite, pd.DataFrame({**GOOD, "risk.k_anonymity": ["5"]}))["results"]
    assert {(answer["column"], answer["checks"]) for answer in said if answer["raised"]} == {
        ("risk.k_anonymity", "finite"),
        ("risk.k_anonymity", "range"),
    }


def test_a_suite_looser_than_the_profile_shuts_the_gate():
    strict, loose = (
        profile(),
        profile([{"measure": "k_anonymity", "at_least": 2, "because": "agency rule 4.2"}]),
    )
    facts = facts_of(strict, held(frame()[["region"]]), ())
    judgement = judge(strict, "recoded", [measured(2)], facts, build_suites(loose, "recoded", ()))
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert "not the one the profile asks for" in failed(judgement)["gate.agreement"].reason


def test_a_saved_suite_with_an_altered_range_shuts_the_gate():
    judgement = judged(assessments=[measured(2)])
    altered = json.loads(json.dumps(judgement.suites.scorecard))
    altered["expectations"][-1]["kwargs"]["min_value"] = 1
    again = judge_again(
        Suites(altered, judgement.suites.candidate), pd.DataFrame(judgement.scorecard), judgement.facts
    )
    assert again.decision.verdict is Verdict.WITHHELD
    assert "gate.agreement" in failed(again)


# Saved and judged again


@pytest.mark.parametrize(
    ("value", "distance", "verdict"),
    [
        (5.0, 0.05, Verdict.PUBLISHED),
        (5.0, 0.4, Verdict.REFERRED),
        (2.0, 0.05, Verdict.WITHHELD),
        (None, 0.05, Verdict.WITHHELD),
        (3.0, 0.1, Verdict.PUBLISHED),
    ],
)
def test_the_saved_suite_alone_reproduces_the_verdict(tmp_path, value, distance, verdict):
    plan = profile(utility=[{"measure": "ks_distance", "at_most": 0.1, "otherwise": "refer"}])
    assessments = [
        measured(distance, "ks_distance", "ks_distance"),
        *([measured(value)] if value is not None else []),
    ]
    judgement = judged(plan, assessments)
    assert judgement.decision.verdict is verdict
    for name, content in {
        **asdict(judgement.suites),
        "card": judgement.scorecard,
        "facts": judgement.facts,
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content, sort_keys=True))
    saved = {path.stem: json.loads(path.read_text()) for path in tmp_path.iterdir()}
    again = judge_again(
        Suites(saved["scorecard"], saved["candidate"]), pd.DataFrame(saved["card"]), saved["facts"]
    )
    assert again.decision.verdict is verdict
    assert [
        (found.criterion, found.holds, found.value, found.margin) for found in again.decision.findings
    ] == [(found.criterion, found.holds, found.value, found.margin) for found in judgement.decision.findings]
    assert again.results == judgement.results


def test_the_same_input_gives_the_same_files():
    first, second = judged(), judged()
    assert json.dumps([asdict(first.suites), first.results, first.scorecard, first.facts]) == json.dumps(
        [asdict(second.suites), second.results, second.scorecard, second.facts]
    )


# The candidate's table


def coarsened(*touched, labels=None, protection=Protection.NON_PERTURBATIVE, options=None, aligned=True):
    return Step("global_recode", options or {}, protection, aligned, frozenset(touched), labels=labels or {})


def with_columns(steps=(), **columns):
    """A table of households with these columns, judged by what is declared of them."""
    declared = {name: plan for name, plan in VARIABLES.items() if name in {"name", "household", *columns}}
    return on_table(
        frame(**columns)[["household", *(name for name in columns if name != "household")]],
        steps,
        variables=declared,
    )


def on_table(candidate_frame, steps=(), original_rows=None, variables=None):
    plan = profile(variables=variables or VARIABLES)
    facts = facts_of(plan, held(candidate_frame, original_rows), steps)
    return judge(plan, "recoded", [measured()], facts, build_suites(plan, "recoded", steps))


def test_facts_are_counts_and_cover_exactly_what_the_suite_judges():
    plan = profile(variables=VARIABLES)
    facts = facts_of(plan, held(frame()), ())
    suite = build_suites(plan, "recoded", ()).candidate
    assert set(facts) == set(suite["expectations"][1]["kwargs"]["column_set"])
    assert all(isinstance(count, int) for count in facts.values())
    assert facts["table.row_count"] == 4
    assert {name: count for name, count in facts.items() if count} == {
        "table.row_count": 4,
        "table.original_stopped": 1,
    }


@pytest.mark.parametrize(
    ("columns", "criterion", "reason"),
    [
        (
            {"name": ["a", "b", "c", "d"]},
            "table.direct_identifier.name",
            "the direct identifier name is in the table",
        ),
        (
            {"NAME": ["a", "b", "c", "d"]},
            "table.direct_identifier.name",
            "the direct identifier name is in the table",
        ),
        (
            {"shoe_size": [1, 2, 3, 4]},
            "table.columns_undeclared",
            "1 column that the profile does not declare",
        ),
        ({"age": ["30", "28", "77", None]}, "table.type.age", "age is not of its declared type, numeric"),
        (
            {"household": [0.5, 0.5, 2.5, 1.0]},
            "table.type.household",
            "household is not of its declared type, categorical",
        ),
        (
            {"age": [30.0, -1.0, 121.0, None]},
            "table.outside_domain.age",
            "2 values of age outside what is declared",
        ),
        (
            {"age": [30.0, 28.0, math.inf, None]},
            "table.outside_domain.age",
            "1 value of age outside what is declared",
        ),
        (
            {"income": [1.0, -math.inf, 2.0, 3.0]},
            "table.outside_domain.income",
            "1 value of income outside what is declared",
        ),
        (
            {"region": ["north", "north", "east", None]},
            "table.outside_domain.region",
            "1 value of region outside what is declared",
        ),
        (
            {"education": ["primary", "doctor", None, "primary"]},
            "table.outside_domain.education",
            "1 value of education outside what is declared",
        ),
        (
            {"income": [1.0, None, 2.0, 3.0]},
            "table.missing.income",
            "1 value of income missing, which the profile forbids",
        ),
        (
            {"region": ["north", "south", "south", None]},
            "table.household_conflicts.region",
            "region differs within 1 household",
        ),
        (
            {"weight": [1.0, 0.0, -2.0, None]},
            "table.weights_not_positive",
            "3 weights missing, not finite or not above zero",
        ),
    ],
)
def test_a_fault_of_the_table_shuts_the_gate(columns, criterion, reason):
    judgement = with_columns(**columns)
    assert judgement.decision.verdict is Verdict.WITHHELD
    found = failed(judgement)
    assert set(found) == {criterion}
    assert found[criterion].reason == reason
    assert found[criterion].margin < 0
    assert found[criterion].family == "table"


@pytest.mark.parametrize(
    ("protection", "touched", "way_back"),
    [
        (
            Protection.PERTURBATIVE,
            {"age"},
            "; a last step top_bottom_code with age: {bottom: 0, top: 120} would bring them to the limits",
        ),
        (Protection.PERTURBATIVE, {"income"}, ""),
        (Protection.NON_PERTURBATIVE, {"age"}, ""),
    ],
)
def test_a_number_that_noise_moved_beyond_its_limits_can_be_brought_back(protection, touched, way_back):
    beyond = frame().assign(age=[30.0, -1.0, 121.0, None])
    found = failed(on_table(beyond, (coarsened(*touched, protection=protection),)))[
        "table.outside_domain.age"
    ]
    assert found.reason == f"2 values of age outside what is declared{way_back}"


def test_the_limits_to_come_back_to_are_those_declared_to_the_last_digit():
    variables = {"age": {**VARIABLES["age"], "at_most": 12_345_678.5}}
    beyond = pd.DataFrame({"age": [30.0, -1.0, 28.0, None]})
    moved = coarsened("age", protection=Protection.PERTURBATIVE)
    found = failed(on_table(beyond, (moved,), variables=variables))["table.outside_domain.age"]
    assert "{bottom: 0, top: 12345678.5}" in found.reason


def test_a_label_is_not_said_to_come_back_by_coding_numbers():
    labels = {"age": {"30": "young"}}
    steps = (coarsened("age", labels=labels), coarsened("age", protection=Protection.PERTURBATIVE))
    variables = {"age": VARIABLES["age"]}
    found = failed(
        on_table(pd.DataFrame({"age": ["young", "old", "young", None]}), steps, variables=variables)
    )
    assert found["table.outside_domain.age"].reason == "1 value of age outside what is declared"


def test_a_missing_column_shuts_the_gate():
    judgement = on_table(frame().drop(columns="age"))
    assert judgement.decision.verdict is Verdict.WITHHELD
    found = failed(judgement)
    assert found["table.columns_missing"].reason == "1 declared column missing"
    assert found["table.type.age"].reason == "could not be counted on this table"


def test_too_many_rows_shut_the_gate():
    judgement = on_table(frame()[["household"]], original_rows=3, variables=HOUSEHOLD)
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert failed(judgement)["table.rows_beyond_declared"].reason == "1 record more than declared"


def test_records_lost_by_methods_that_keep_them_shut_the_gate():
    assert set(failed(on_table(frame()[["household"]], original_rows=6, variables=HOUSEHOLD))) == {
        "table.rows_lost"
    }
    assert (
        failed(
            on_table(
                frame()[["household"]],
                [coarsened("age", aligned=False)],
                original_rows=6,
                variables=HOUSEHOLD,
            )
        )
        == {}
    )


def test_a_step_may_be_asked_for_more_rows_than_the_original_has():
    asked = coarsened(protection=Protection.SYNTHETIC, aligned=False, options={"rows": 4})
    assert failed(on_table(frame()[["household"]], [asked], original_rows=3, variables=HOUSEHOLD)) == {}
    assert set(
        failed(
            on_table(
                frame()[["household"]],
                [replace(asked, options={"rows": 3})],
                original_rows=9,
                variables=HOUSEHOLD,
            )
        )
    ) == {"table.rows_beyond_declared"}


def test_an_unknown_number_of_declared_rows_shuts_the_gate():
    database = Database.in_memory()
    table = database.write(
        "candidate_recoded", pa.Table.from_pandas(frame()[["region"]], preserve_index=False)
    )
    facts = facts_of(profile(), table, ())
    assert facts["table.rows_beyond_declared"] is None
    assert judged(facts=facts).decision.verdict is Verdict.WITHHELD
    assert table_facts(profile(), table, (), rows=4)["table.rows_beyond_declared"] == 0


def test_an_empty_table_shuts_the_gate():
    judgement = on_table(frame().iloc[:0].astype({"household": str, "region": str, "education": str}))
    assert failed(judgement)["table.row_count"].reason == "the candidate has no records"
    assert judgement.decision.verdict is Verdict.WITHHELD


def test_a_number_recoded_to_labels_is_of_its_type_and_its_unchecked_range_is_noted():
    bands = ["20-39", "20-39", "60+", None]
    judgement = with_columns([coarsened("age")], age=bands)
    assert judgement.decision.verdict is Verdict.PUBLISHED
    assert failed(judgement)["table.unchecked.age"].otherwise == "note"
    assert set(failed(with_columns([coarsened("age", protection=Protection.PERTURBATIVE)], age=bands))) == {
        "table.type.age"
    }


def test_labels_of_a_recoded_number_are_those_its_step_recorded():
    step = coarsened("age", labels={"age": {"30": "20-39", "28": "20-39", "77": "60+"}})
    assert failed(with_columns([step], age=["20-39", "20-39", "60+", None])) == {}
    assert set(failed(with_columns([step], age=["20-39", "28", "60+", None]))) == {"table.outside_domain.age"}


def test_grouped_categories_have_the_labels_the_steps_recorded_one_after_the_other():
    first = coarsened("education", labels={"education": {"primary": "basic", "secondary": "further"}})
    second = coarsened("education", labels={"education": {"further": "more"}})
    assert failed(with_columns([first, second], education=["basic", "more", None, "basic"])) == {}
    assert set(failed(with_columns([first, second], education=["basic", "further", None, "basic"]))) == {
        "table.outside_domain.education"
    }


def test_categories_are_labels_like_any_others():
    kept = {
        "region": pd.Categorical(["north", "north", "south", None]),
        "education": pd.Categorical(["primary", "secondary", None, "primary"]),
    }
    assert failed(with_columns(**kept)) == {}
    moved = {"region": pd.Categorical(["north", "south", "south", "east"]), "education": kept["education"]}
    assert set(failed(with_columns(**moved))) == {
        "table.outside_domain.region",
        "table.household_conflicts.region",
    }


def test_missing_values_are_a_fault_only_where_forbidden():
    judgement = on_table(
        frame(age=[None] * 4, education=pd.Series([None] * 4, dtype="str")).astype({"age": float})
    )
    assert judgement.decision.verdict is Verdict.PUBLISHED


def test_a_suppressed_value_that_another_member_of_the_household_shows_is_referred():
    half_hidden = ["north", None, "south", None]
    judgement = with_columns([coarsened("region")], region=half_hidden)
    assert judgement.decision.verdict is Verdict.REFERRED
    told = "region is missing for some members of 1 household and known for others; by_household of local_suppression blanks it for all members"
    assert failed(judgement)["table.household_gaps.region"].reason == told
    assert with_columns(region=half_hidden).decision.verdict is Verdict.PUBLISHED


def test_names_with_quotes_and_braces_are_counted_like_others():
    variables = {'say "hi" {n}': {"role": "quasi_identifier", "allowed": ["it's", "{n}"]}}
    table = pd.DataFrame({'say "hi" {n}': ["it's", "{n}", None]})
    assert failed(on_table(table, variables=variables)) == {}


def test_numbers_may_have_a_list_of_allowed_values():
    variables = {"rooms": {"type": "numeric", "allowed": ["1", "2"]}}
    assert failed(on_table(pd.DataFrame({"rooms": [1, 2, 2]}), variables=variables)) == {}
    assert set(failed(on_table(pd.DataFrame({"rooms": [1, 3, 2]}), variables=variables))) == {
        "table.outside_domain.rooms"
    }


def test_no_value_of_a_cell_reaches_the_suites_or_their_results():
    judgement = on_table(frame(region=[CANARY, CANARY, "south", None], household=[CANARY, CANARY, "2", "3"]))
    assert judgement.decision.verdict is Verdict.WITHHELD
    everything = [
        asdict(judgement.decision),
        asdict(judgement.suites),
        judgement.results,
        judgement.facts,
        judgement.scorecard,
    ]
    assert CANARY not in json.dumps(everything)


# Choosing


def decided(name, verdict):
    risk = Finding("k_anonymity", "risk", name, holds=True, otherwise="withhold", value=5.0)
    bad = {
        Verdict.PUBLISHED: (),
        Verdict.REFERRED: (replace(risk, holds=False, otherwise="refer"),),
        Verdict.WITHHELD: (replace(risk, holds=False),),
    }
    return Decision(name, (risk, *bad[verdict]))


def decided_all(**verdicts):
    return {name: decided(name, verdict) for name, verdict in verdicts.items()}


PUBLISHED, REFERRED, WITHHELD = Verdict.PUBLISHED, Verdict.REFERRED, Verdict.WITHHELD
VALUES = {
    name: [
        measured(k, candidate=name, parts={"classes": -k}),
        measured(distance, "closeness", "ks_distance", name),
    ]
    for name, k, distance in [("a", 4, 0.3), ("b", 7, 0.2), ("c", 7, 0.1)]
}


@pytest.mark.parametrize(
    ("decisions", "prefer", "chosen"),
    [
        (decided_all(a=PUBLISHED, b=PUBLISHED), None, "a"),
        (decided_all(a=WITHHELD, b=PUBLISHED, c=REFERRED), None, "b"),
        (decided_all(a=PUBLISHED, b=PUBLISHED, c=PUBLISHED), {"measure": "k_anonymity"}, "b"),
        (decided_all(a=PUBLISHED, b=PUBLISHED, c=PUBLISHED), {"measure": "closeness"}, "c"),
        (
            decided_all(a=PUBLISHED, b=PUBLISHED, c=PUBLISHED),
            {"measure": "k_anonymity", "part": "classes"},
            "a",
        ),
        (decided_all(a=PUBLISHED, b=REFERRED, c=REFERRED), {"measure": "closeness"}, "a"),
        (decided_all(a=REFERRED, b=REFERRED, c=WITHHELD), {"measure": "closeness"}, "b"),
        (decided_all(a=WITHHELD, b=WITHHELD), {"measure": "closeness"}, None),
        (decided_all(unmeasured=PUBLISHED, a=PUBLISHED), {"measure": "closeness"}, "a"),
        (decided_all(unmeasured=PUBLISHED, other=PUBLISHED), {"measure": "closeness"}, "unmeasured"),
    ],
)
def test_the_best_candidate_that_passes_is_chosen(decisions, prefer, chosen):
    assert choose(decisions, VALUES, Preference.model_validate(prefer) if prefer else None).name == chosen


def missing(name, risk, utility):
    """A candidate that misses so many of three criteria of risk and of three of utility, each only referred."""
    held = [("risk", place >= risk) for place in range(3)] + [
        ("utility", place >= utility) for place in range(3)
    ]
    return Decision(
        name,
        tuple(
            Finding(f"c{place}", family, name, holds, "refer", 1.0)
            for place, (family, holds) in enumerate(held)
        ),
    )


def test_of_the_referred_the_one_that_misses_fewest_risks_and_then_fewest_criteria_is_offered():
    prefer = Preference.model_validate({"measure": "closeness"})
    decisions = {"c": missing("c", 2, 0), "b": missing("b", 0, 2), "a": missing("a", 0, 1)}
    chosen = choose(decisions, VALUES, prefer)
    assert chosen.name == "a", "by the preferred measurement it would be c, which misses two criteria of risk"
    assert (
        chosen.because
        == "No candidate passes; “a” misses 1 criterion, 0 of risk: the fewest of 3 that people may approve."
    )


def test_checks_of_the_table_are_no_criteria_in_the_sentence_of_the_choice():
    """One criterion of utility and two checks of the table: the page says one of six is missed."""
    decision = missing("a", 0, 1)
    checks = [Finding(f"table.{name}", "table", "a", False, "refer", 1.0, 0.0, 0.0, -1.0) for name in "xy"]
    decisions = {"a": Decision("a", (*decision.findings, *checks))}
    assert choose(decisions, {}, None).because == (
        "No candidate passes; “a” misses 1 criterion, 0 of risk and fails 2 checks of its table, and is the"
        " only one that people may approve."
    )
    decisions = {"a": Decision("a", (*missing("a", 0, 0).findings, checks[0]))}
    assert choose(decisions, {}, None).because == (
        "No candidate passes; “a” fails 1 check of its table, and is the only one that people may approve."
    )


def test_of_referred_candidates_that_miss_as_few_the_preference_decides():
    chosen = choose(
        {"b": missing("b", 1, 0), "c": missing("c", 1, 0)},
        VALUES,
        Preference.model_validate({"measure": "closeness"}),
    )
    assert chosen.because == (
        "No candidate passes; “c” misses 1 criterion, 1 of risk; 2 of 2 that people may approve miss as few; "
        "“c” has the lowest closeness, 0.1, which the profile prefers."
    )


@pytest.mark.parametrize(
    ("decisions", "prefer", "because"),
    [
        (decided_all(a=PUBLISHED), None, "“a” passes."),
        (decided_all(a=PUBLISHED, b=WITHHELD), None, "“a” is the only one of 2 candidates that passes."),
        (
            decided_all(a=PUBLISHED, b=PUBLISHED),
            None,
            "2 of 2 candidates pass; none is preferred, and “a” comes first in the profile.",
        ),
        (
            decided_all(a=PUBLISHED, b=PUBLISHED, c=WITHHELD),
            {"measure": "closeness"},
            "2 of 3 candidates pass; “b” has the lowest closeness, 0.2, which the profile prefers.",
        ),
        (
            decided_all(b=PUBLISHED, c=PUBLISHED),
            {"measure": "k_anonymity"},
            "2 of 2 candidates pass; none is preferred in k_anonymity, and “b” comes first in the profile.",
        ),
        (decided_all(a=WITHHELD, b=WITHHELD), None, "None of 2 candidates may leave."),
        (decided_all(a=WITHHELD), None, "“a” may not leave."),
    ],
)
def test_the_choice_is_explained_in_a_sentence(decisions, prefer, because):
    assert choose(decisions, VALUES, Preference.model_validate(prefer) if prefer else None).because == because


def test_the_sentence_of_the_choice_says_the_preferred_number_with_its_interval():
    """As every page says it: 0.32 (95 % 0.09 to 0.76)."""
    found = {
        name: [
            Assessment("singling_out", "singling_out", name, Measurement(value, {}, Interval(low, high))),
        ]
        for name, value, low, high in [("a", 0.5, 0.2, 0.8), ("b", 0.32, 0.09, 0.76)]
    }
    prefer = Preference.model_validate({"measure": "singling_out"})
    assert choose(decided_all(a=PUBLISHED, b=PUBLISHED), found, prefer).because == (
        "2 of 2 candidates pass; “b” has the lowest singling_out, 0.32 (95 % 0.09 to 0.76), which the profile"
        " prefers."
    )


# Great Expectations kept quiet


def test_judging_opens_no_socket_and_prints_nothing(monkeypatch, capfd, caplog):
    def refuse(*_args, **_kwargs):
        message = "the gate went to the network"
        raise AssertionError(message)

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    caplog.set_level("DEBUG")
    assert judged().decision.verdict is Verdict.PUBLISHED
    assert capfd.readouterr() == ("", "")
    assert [record for record in caplog.records if record.name.startswith("great_expectations")] == []


def test_threads_judge_side_by_side():
    verdicts = []
    threads = [
        threading.Thread(
            target=lambda k=k: verdicts.append((k, judged(assessments=[measured(k)]).decision.verdict))
        )
        for k in (2, 5, 2, 5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(verdicts) == [(2, WITHHELD), (2, WITHHELD), (5, PUBLISHED), (5, PUBLISHED)]


COLD = """
import socket, sys, threading, warnings
warnings.simplefilter("error")
def refuse(*_args, **_kwargs):
    raise AssertionError("network")
socket.socket.connect = socket.getaddrinfo = refuse
import sdc.gate
assert "great_expectations" not in sys.modules and "pandas" not in sys.modules
threads = [threading.Thread(target=sdc.gate.warm) for _ in range(2)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
import os, great_expectations
assert os.environ["GX_ANALYTICS_ENABLED"] == "false"
from sdc.gate.validation import _whole_frame
assert _whole_frame.cache_info().misses == 1
print("warm")
"""


@pytest.mark.slow
def test_a_cold_start_needs_no_network_writes_no_file_and_says_nothing(tmp_path):
    environment = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "GX_ANALYTICS_ENABLED": "true"}
    done = subprocess.run(
        [sys.executable, "-B", "-c", COLD],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "warm\n", "")
    assert list(tmp_path.iterdir()) == []
