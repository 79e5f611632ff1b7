from __future__ import annotations

import numpy as np
import pytest
from people import independent, leaking, people, released

from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment
from sdc.measures.assess import assess
from sdc.measures.risk.membership_inference import membership_inference
from sdc.run.randomness import Randomness
from sdc.web.criteria import reading_of


def run(pair, seed=1, **options):
    return membership_inference(pair, rng=np.random.default_rng(seed), **options)


def test_a_copy_of_the_original_gives_every_member_away():
    original = people(300, 1)
    outcome = run(released(original, original, people(150, 2)))
    assert outcome.parts["advantage"] == 1
    assert outcome.value == 1
    assert outcome.parts["auc"] == 1
    assert outcome.parts["precision"] == 1
    assert outcome.parts["baseline_advantage"] == 1


def test_the_value_is_the_upper_end_of_the_interval():
    outcome = run(leaking(1))
    assert outcome.value == outcome.interval.high >= outcome.parts["advantage"] >= outcome.interval.low


def test_pages_say_the_estimate_and_judge_the_upper_end():
    """As for every attack: the advantage, its interval, and the end that is judged."""
    held = assess("membership_inference", leaking(1), randomness=Randomness.from_seed(1))
    outcome = held.outcome
    assert outcome.estimate == outcome.parts["advantage"] < outcome.value
    again = Assessment.from_record(held.as_record(), held.candidate).outcome
    assert (again.estimate, again.value, again.interval) == (
        outcome.estimate,
        outcome.value,
        outcome.interval,
    )
    finding = Finding(
        "membership_inference", "risk", "candidate", False, "refer", outcome.value, None, 0.01, -0.1
    )
    read = reading_of(finding, [held.as_json()])
    estimate, low, high = (
        f"{number:.2f}" for number in (outcome.estimate, outcome.interval.low, outcome.value)
    )
    assert read.replace("−", "-") == f"{estimate} (95 % {low} to {high}, judged at {high})"


def test_the_advantage_is_the_difference_of_the_two_rates():
    outcome = run(leaking(2))
    assert outcome.parts["advantage"] == pytest.approx(
        outcome.parts["attack_rate"] - outcome.parts["control_rate"]
    )
    assert outcome.parts["baseline_advantage"] == pytest.approx(0.05)
    assert (outcome.parts["attacks"], outcome.parts["control_attacks"]) == (1000, 500)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("distance", ["gower", "euclidean"])
def test_a_planted_leak_of_50_records_is_found_in_at_least_95_of_100(seed, distance):
    outcome = run(leaking(seed), seed, distance=distance)
    assert outcome.by_record["attacked"].all()
    assert outcome.by_record["found"][:50].mean() >= 0.95


@pytest.mark.slow
def test_members_of_an_independent_sample_are_not_told_from_others():
    outcomes = [
        assess("membership_inference", independent(seed), randomness=Randomness.from_seed(seed)).outcome
        for seed in range(20)
    ]
    assert np.mean([outcome.parts["advantage"] for outcome in outcomes]) <= 0.05
    assert np.mean([outcome.value for outcome in outcomes]) <= 0.05
    assert np.mean([outcome.parts["auc"] for outcome in outcomes]) == pytest.approx(0.5, abs=0.02)


def test_the_same_stream_gives_the_same_attack():
    assert run(leaking(3), 7) == run(leaking(3), 7)


def test_two_people_on_each_side_are_needed():
    assert "two" in run(released(people(30, 1), people(30, 2), people(1, 3))).reason
    assert "held out" in assess("membership_inference", released(people(10, 1), people(10, 2))).not_assessed
