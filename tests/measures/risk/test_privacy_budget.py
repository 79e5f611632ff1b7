from __future__ import annotations

import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.protection import Budget, Protection, Step
from sdc.measures.risk.privacy_budget import privacy_budget


def step(method, budget=None, touched=("key_0",)):
    return Step(method, {}, Protection.PERTURBATIVE, aligned=True, touched=frozenset(touched), budget=budget)


def test_budgets_of_all_steps_add_up(example_pair):
    steps = [step("laplace_noise", Budget(0.5)), step("gaussian_noise", Budget(0.3, 1e-5))]
    outcome = privacy_budget(example_pair(["a"], steps=steps))
    assert outcome.value == pytest.approx(0.8)
    assert outcome.parts == {
        "delta": 1e-5,
        "covered": 1,
        "epsilon.1.laplace_noise": 0.5,
        "delta.1.laplace_noise": 0.0,
        "epsilon.2.gaussian_noise": 0.3,
        "delta.2.gaussian_noise": 1e-5,
    }


def test_a_step_without_a_proof_leaves_no_budget(example_pair):
    pair = example_pair(["a"], steps=[step("laplace_noise", Budget(0.5)), step("rounding")])
    assert privacy_budget(pair) == NotAssessed("steps without a proved guarantee: rounding")


def test_a_candidate_made_elsewhere_has_no_budget(example_pair):
    assert isinstance(privacy_budget(example_pair(["a"])), NotAssessed)


def test_what_is_released_as_it_was_is_not_covered_by_noise_on_other_variables(example_pair):
    pair = example_pair([["a", "b"], ["c", "d"]], steps=[step("laplace_noise", Budget(0.5))])
    outcome = privacy_budget(pair)
    assert isinstance(outcome, NotAssessed)
    assert "key_1" in outcome.reason
    assert "key_0" not in outcome.reason


def test_a_promise_may_be_meant_for_some_variables_only(example_pair):
    pair = example_pair([["a", "b"], ["c", "d"]], steps=[step("laplace_noise", Budget(0.5))])
    outcome = privacy_budget(pair, variables=["key_0"])
    assert (outcome.value, outcome.parts["covered"]) == (0.5, 1)
    assert isinstance(privacy_budget(pair, variables=["key_1"]), NotAssessed)


def test_steps_cover_together_what_each_covers(example_pair):
    steps = [
        step("laplace_noise", Budget(0.5)),
        step("gaussian_noise", Budget(0.25, 1e-6), touched=("key_1",)),
    ]
    outcome = privacy_budget(example_pair([["a", "b"], ["c", "d"]], steps=steps))
    assert (outcome.value, outcome.parts["covered"]) == (0.75, 2)
