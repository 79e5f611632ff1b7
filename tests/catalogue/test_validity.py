from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import pytest

from sdc.catalogue import registry as catalogue
from sdc.catalogue.options import Column
from sdc.catalogue.protection import Protection
from sdc.catalogue.registry import (
    ANY,
    NON_PERTURBATIVE,
    NOT_SYNTHETIC,
    Examines,
    Family,
    Measure,
    Method,
    Need,
    Touches,
)
from sdc.catalogue.units import Better
from sdc.catalogue.validity import INFORMATION_ONLY, RULES, believable, matrix, opens_no_gate, touched
from sdc.data.roles import Role, Roles, Variable, VariableType

ROLES = Roles.of(
    [
        Variable("person", Role.DIRECT_IDENTIFIER),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
        Variable("health", Role.SENSITIVE),
        Variable("weight", Role.WEIGHT, VariableType.NUMERIC),
    ]
)


@dataclass(frozen=True)
class Planned:
    method: str
    options: dict[str, Any] = field(default_factory=dict)


def of_variables(table, roles, rng, *, variables: list[Column] | None = None): ...
def by_variable(table, roles, rng, *, times: int = 1, **widths: float): ...
def of_keys(table, roles, rng): ...
def invented(table, roles, rng): ...
def redrawn(table, roles, rng): ...
def sampled(table, roles, rng): ...
def proved(table, roles, rng): ...


METHODS = {
    "of_variables": Method(of_variables, Protection.PERTURBATIVE, True, Touches.NUMERIC),
    "by_variable": Method(by_variable, Protection.PERTURBATIVE, True, Touches.ALL),
    "of_keys": Method(of_keys, Protection.NON_PERTURBATIVE, True, Touches.KEYS),
    "invented": Method(invented, Protection.SYNTHETIC, False, Touches.ALL),
    "redrawn": Method(redrawn, Protection.SYNTHETIC, True, Touches.ALL),
    "sampled": Method(sampled, Protection.NON_PERTURBATIVE, False, Touches.ALL),
    "proved": Method(proved, Protection.PERTURBATIVE, True, Touches.ALL, proves_budget=True),
}


def frequency(pair, *, keys: list[Column] | None = None):
    """Counts.

    Reference: somebody (2001).
    """


def attribution(pair): ...
def error(pair): ...
def privacy_budget(pair): ...
def unsaid(pair): ...


RISK = (Family.RISK, Better.LOWER, (0, inf))
MEASURES = {
    "frequency": Measure(
        frequency,
        *RISK,
        frozenset(),
        NON_PERTURBATIVE,
        Examines.KEYS,
        ("attribution", "error", "unsaid", "not_there"),
    ),
    "attribution": Measure(attribution, *RISK, frozenset(), ANY, Examines.ALL),
    "unsaid": Measure(unsaid, *RISK, frozenset(), NOT_SYNTHETIC, Examines.ALL),
    "error": Measure(
        error, Family.UTILITY, Better.LOWER, (0, inf), frozenset({Need.ALIGNED}), ANY, Examines.ALL
    ),
    "privacy_budget": Measure(privacy_budget, *RISK, frozenset(), ANY, Examines.ALL),
}


@pytest.fixture(autouse=True)
def _own_units_beside_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue.measures(), catalogue.methods()
    for name, entry in METHODS.items():
        monkeypatch.setitem(catalogue._methods, name, entry)
    for name, entry in MEASURES.items():
        monkeypatch.setitem(catalogue._measures, name, entry)


def after(measure: str, *steps: Planned, part: str | None = None, **options: Any):
    return believable(MEASURES[measure], options, steps, ROLES, part)


@pytest.mark.parametrize(
    ("method", "options", "variables"),
    [
        ("of_variables", {}, {"age", "income"}),
        ("of_variables", {"variables": ["health"]}, {"health"}),
        ("of_variables", {"variables": []}, {"age", "income"}),
        ("by_variable", {"region": 1.0, "times": 2}, {"region"}),
        ("by_variable", {}, set()),
        ("of_keys", {}, {"region", "age"}),
        ("invented", {}, {"region", "age", "income", "health", "weight"}),
    ],
)
def test_a_step_touches_what_its_options_name_or_else_what_its_method_declares(method, options, variables):
    assert touched(METHODS[method], options, ROLES) == variables


def test_household_consistency_perturbs_what_belongs_to_the_household_alone():
    roles = Roles.of([*ROLES, Variable("rent", Role.OTHER, VariableType.NUMERIC, household_level=True)])
    assert touched(catalogue.find_method("household_consistency"), {}, roles) == {"rent"}
    assert believable(
        catalogue.find_measure("k_anonymity"), {}, [Planned("household_consistency")], roles
    ).valid


def test_sensitive_methods_touch_sensitive_variables():
    assert touched(Method(of_keys, Protection.PERTURBATIVE, True, Touches.SENSITIVE), {}, ROLES) == {
        "income",
        "health",
    }


def test_counts_of_keys_are_believed_after_recoding_and_without_any_step():
    assert after("frequency", Planned("of_keys")).valid
    assert after("frequency").valid


@pytest.mark.parametrize(
    ("steps", "options", "valid"),
    [
        ([Planned("of_variables", {"variables": ["age"]})], {}, False),
        ([Planned("of_variables", {"variables": ["income"]})], {}, True),
        ([Planned("of_variables")], {}, False),
        ([Planned("of_variables", {"variables": ["age"]})], {"keys": ["region"]}, True),
        ([Planned("of_variables", {"variables": ["income"]})], {"keys": ["region", "income"]}, False),
        ([Planned("of_keys"), Planned("by_variable", {"region": 1.0})], {}, False),
        ([Planned("invented")], {}, False),
        ([Planned("sampled")], {}, True),
    ],
)
def test_counts_of_keys_are_spoilt_only_by_false_values_in_the_keys_they_use(steps, options, valid):
    assert after("frequency", *steps, **options).valid is valid


def test_the_refusal_names_the_method_the_keys_the_rule_its_source_and_what_to_measure_instead():
    answer = after("frequency", Planned("of_variables", {"variables": ["age", "income"]}))
    assert answer.rule.name == "true_keys_perturbed"
    assert answer.reason.startswith("of_variables perturbs age, and ")
    assert "Hundepool" in answer.citation
    assert answer.alternatives[:2] == ("attribution", "unsaid")
    assert not {"error", "not_there", "frequency"} & {*answer.alternatives}
    assert {*answer.alternatives} <= {*catalogue.measures()}


def test_an_alternative_that_is_spoilt_as_well_is_not_named():
    answer = after("frequency", Planned("invented"))
    assert answer.rule.name == "true_keys_synthesised"
    assert "attribution" in answer.alternatives
    assert "unsaid" not in answer.alternatives


def test_a_measure_of_all_values_is_spoilt_by_what_it_does_not_declare():
    assert after("unsaid", Planned("of_variables")).valid
    assert after("unsaid", Planned("invented")).rule.name == "values_synthesised"


def test_a_measure_told_of_its_variables_is_not_spoilt_by_a_step_on_others():
    elsewhere = Planned("of_variables", {"variables": ["income"]})
    narrow = Measure(unsaid, *RISK, frozenset(), NON_PERTURBATIVE, Examines.ALL)
    assert not believable(narrow, {}, [elsewhere], ROLES).valid
    assert believable(narrow, {"sensitive": ["health"]}, [elsewhere], ROLES).valid
    assert believable(narrow, {"target": "health"}, [elsewhere], ROLES).valid
    assert not believable(narrow, {"target": "income"}, [elsewhere], ROLES).valid
    assert not believable(
        narrow, {"target": "health"}, [Planned("of_variables", {"variables": ["age"]})], ROLES
    ).valid


def test_a_measure_of_aligned_records_is_spoilt_by_any_method_that_moves_them():
    assert after("error", Planned("of_variables")).valid
    assert after("error", Planned("sampled")).rule.name == "records_not_aligned"
    assert (
        after("error", Planned("of_keys"), Planned("invented")).reason
        == "invented does not keep record i in its place"
    )


def test_a_method_that_keeps_rows_aligned_is_judged_like_a_masking_method_whatever_it_is_called():
    assert after("unsaid", Planned("redrawn")).valid
    answer = after("frequency", Planned("redrawn"))
    assert answer.rule.name == "true_keys_perturbed"
    assert answer.reason.startswith("redrawn draws age, region from a model, and counts of equal keys")
    for name in ("record_linkage", "interval_disclosure", "squared_error", "il1s", "records_changed"):
        assert believable(catalogue.find_measure(name), {}, [Planned("all_others")], ROLES).valid, name
    pairs = {(pair.measure, pair.method): pair for pair in matrix()}
    assert pairs["unsaid", "redrawn"].valid
    assert pairs["frequency", "redrawn"].rule == "true_keys_perturbed"


def test_a_single_unproved_step_leaves_no_privacy_budget():
    assert after("privacy_budget", Planned("proved"), Planned("proved")).valid
    assert after("privacy_budget", Planned("proved"), Planned("of_keys")).rule.name == "budget_not_proved"
    assert not after("privacy_budget").valid


@pytest.mark.parametrize(
    "part", ["p_value", "p_value.age", "ks_p.age", "pvalue", "rank_sum_p", "paired_p.age"]
)
def test_p_values_are_no_tests_on_a_candidate_whose_records_are_out_of_place(part):
    assert after("attribution", Planned("invented"), part=part).rule.name == "dependent_samples"


@pytest.mark.parametrize(
    "part", ["p_original", "p.5.5", "pmse", "share_above", "po50", "mean.p_income", "gap.income"]
)
def test_other_parts_are_not_taken_for_p_values(part):
    assert after("attribution", Planned("invented"), part=part).valid


def test_a_paired_p_value_is_a_test_while_records_are_in_place():
    assert after("error", Planned("of_variables"), part="paired_p.income").valid
    assert not after("error", Planned("of_variables"), part="ks_p.income").valid


def test_distances_to_the_closest_record_open_no_gate_alone():
    assert opens_no_gate(["distance_to_closest_record"])
    assert not opens_no_gate(["distance_to_closest_record", "frequency"])
    assert not opens_no_gate([])


def test_no_pair_of_measure_and_method_is_undefined():
    known = {rule.name: rule for rule in RULES}
    pairs = {(pair.measure, pair.method): pair for pair in matrix()}
    assert {*pairs} == {
        (measure, method) for measure in catalogue.measures() for method in catalogue.methods()
    }
    for pair in pairs.values():
        assert pair.rule in known
        assert pair.reason
        assert pair.citation
        assert {*pair.alternatives} <= {*catalogue.measures()}


def test_every_rule_cites_its_source():
    assert all(rule.citation and rule.statement for rule in RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_the_matrix_and_the_judgement_of_a_step_agree():
    """Where the matrix believes without condition every step is believed.

    Where it never does, none that touches all is.
    """
    every_kind = Roles.of(replace(variable, household_level=True) for variable in ROLES)
    sure = [pair for pair in matrix() if pair.valid or "while it leaves the keys alone" not in pair.reason]
    assert {pair.valid for pair in sure} == {True, False}
    for pair in sure:
        measure, method = catalogue.find_measure(pair.measure), catalogue.find_method(pair.method)
        options = {"region": None, "age": None} if method.takes_variables else {}
        answer = believable(measure, {}, [Planned(method.name, options)], every_kind)
        assert answer.valid is pair.valid, pair
        assert answer.valid or answer.rule.name == pair.rule


def test_the_matrix_says_when_a_count_of_keys_survives():
    pairs = {(pair.measure, pair.method): pair for pair in matrix()}
    assert "while it leaves the keys alone" in pairs["frequency", "of_variables"].reason
    assert "while it leaves the keys alone" not in pairs["frequency", "invented"].reason
    assert pairs["frequency", "of_keys"].citation == "somebody (2001)."
    assert pairs["frequency", "of_keys"].valid


def test_the_catalogue_holds_what_the_rules_promise():
    """Rules bound to a name, as soon as the name is there."""
    pairs = {(pair.measure, pair.method): pair for pair in matrix()}
    if "regression_laplace" in catalogue.methods():
        assert pairs["privacy_budget", "regression_laplace"].rule == "budget_not_proved"
    for name in INFORMATION_ONLY & {*catalogue.measures()}:
        assert {pair.rule for pair in pairs.values() if pair.measure == name} == {"never_alone"}
    for method in catalogue.methods().values():
        spoils = method.protection is not Protection.NON_PERTURBATIVE
        assert pairs["k_anonymity", method.name].valid is not spoils
