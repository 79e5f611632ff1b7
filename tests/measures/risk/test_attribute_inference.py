from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from people import independent, leaking, people, released

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.measures.risk.attribute_inference import attribute_inference
from sdc.run.randomness import Randomness


def run(pair, seed=1, **options):
    return attribute_inference(pair, rng=np.random.default_rng(seed), **options)


def keyed(original, candidate, holdout, kind=VariableType.CATEGORICAL):
    roles = Roles.of([Variable("key", Role.QUASI_IDENTIFIER), Variable("secret", Role.SENSITIVE, kind)])
    frames = [pd.DataFrame(rows, columns=["key", "secret"]) for rows in (original, candidate, holdout)]
    return ReleasePair.from_frames(frames[0], frames[1], roles, holdout=frames[2])


def test_guesses_counted_by_hand():
    # The candidate says a: x (twice of three), b: y. Original: a-x right, a-y wrong, b-y right, c (all tied:
    # x and y twice each, x first) x right.
    pair = keyed(
        [("a", "x"), ("a", "y"), ("b", "y"), ("c", "x")],
        [("a", "x"), ("a", "x"), ("a", "y"), ("b", "y")],
        [("a", "y"), ("b", "y"), ("b", "x"), ("a", None)],
    )
    outcome = run(pair)
    assert outcome.parts["attack_rate"] == 0.75
    assert outcome.parts["control_rate"] == pytest.approx(1 / 3)
    assert outcome.value == pytest.approx((3 / 4 - 1 / 3) / (2 / 3))
    # Always guessing x, the first of the two most frequent values.
    assert outcome.parts["baseline_rate"] == 0.5
    assert outcome.parts["value.secret"] == outcome.value
    assert outcome.by_record["found"].tolist() == [True, False, True, True]


def test_numbers_are_guessed_by_the_median_and_right_within_the_tolerance():
    pair = keyed(
        [("a", 100.0), ("a", 106.0), ("b", 0.0), ("b", -50.0)],
        [("a", 90.0), ("a", 104.0), ("a", 500.0), ("b", 0.0)],
        [("a", 1.0), ("b", 2.0)],
        VariableType.NUMERIC,
    )
    assert run(pair).by_record["found"].tolist() == [True, True, True, False]
    assert run(pair, tolerance=0.03).by_record["found"].tolist() == [False, True, True, False]


def test_a_generalised_value_is_inferred_as_its_label():
    roles = Roles.of(
        [Variable("key", Role.QUASI_IDENTIFIER), Variable("secret", Role.SENSITIVE, VariableType.NUMERIC)]
    )
    original = pd.DataFrame({"key": ["a", "b"], "secret": [23.0, 37.0]})
    candidate = pd.DataFrame({"key": ["a", "b"], "secret": ["20-29", "20-29"]})
    holdout = pd.DataFrame({"key": ["a", "b"], "secret": [41.0, 22.0]})
    outcome = attribute_inference(
        ReleasePair.from_frames(original, candidate, roles, holdout=holdout), rng=np.random.default_rng(1)
    )
    assert outcome.by_record["found"].tolist() == [True, False]
    assert outcome.parts["control_rate"] == 0.5


def test_a_copy_of_the_original_gives_the_values_of_unique_people_away():
    original = people(300, 1)
    outcome = run(released(original, original, people(150, 2)))
    assert outcome.parts["attack_rate.income"] > 0.95
    assert outcome.value > 0.9


def test_a_variable_with_a_single_value_leaves_nothing_to_infer():
    pair = keyed([("a", "x"), ("b", "x")], [("a", "x"), ("b", "x")], [("a", "x")])
    outcome = run(pair)
    assert (outcome.value, outcome.interval.high) == (0, 0)


def test_the_worst_variable_is_judged():
    outcome = run(leaking(1))
    highs = {
        name: attribute_inference(leaking(1), rng=np.random.default_rng(1), sensitive=[name]).interval.high
        for name in ("income", "health")
    }
    assert outcome.value == max(outcome.parts["value.income"], outcome.parts["value.health"])
    assert outcome.interval.high >= max(outcome.value, min(highs.values()))


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_leak_of_50_records_is_found_in_at_least_95_of_100(seed):
    outcome = run(
        leaking(seed),
        seed,
        sensitive=["income"],
        keys=["region", "sex", "age", "education", "job", "spending", "rooms"],
    )
    attacked = outcome.by_record["attacked"][:50]
    assert attacked.sum() >= 45, "all but those without an income"
    assert outcome.by_record["found"][:50][attacked].mean() >= 0.95
    assert outcome.value > 0.01


@pytest.mark.slow
def test_on_an_independent_sample_success_beyond_control_is_at_most_5_of_100():
    outcomes = [
        assess("attribute_inference", independent(seed), randomness=Randomness.from_seed(seed)).outcome
        for seed in range(20)
    ]
    assert np.mean([outcome.value for outcome in outcomes]) <= 0.05


def test_the_same_stream_gives_the_same_attack():
    assert run(leaking(3), 7, attacks=100) == run(leaking(3), 7, attacks=100)


def test_what_cannot_be_attacked_is_not_assessed():
    assert "held out" in assess("attribute_inference", released(people(10, 1), people(10, 2))).not_assessed
    assert "holdout" in run(keyed([("a", "x")], [("a", "x")], [("a", None)])).reason
