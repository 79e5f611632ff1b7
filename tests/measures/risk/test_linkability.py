from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from people import independent, leaking, people, released

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.measures.risk.linkability import linkability
from sdc.run.randomness import Randomness


def run(pair, seed=1, **options):
    return linkability(pair, rng=np.random.default_rng(seed), **options)


def two_numbers(original, candidate, holdout):
    roles = Roles.of(
        [
            Variable("a", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
            Variable("b", Role.OTHER, VariableType.NUMERIC),
        ]
    )
    frames = [pd.DataFrame(rows, columns=["a", "b"], dtype=float) for rows in (original, candidate, holdout)]
    return ReleasePair.from_frames(frames[0], frames[1], roles, holdout=frames[2])


def test_links_counted_by_hand():
    # (1, 1): nearest by a and by b is (1, 2). (9, 1): by a (8, 9), by b (1, 2). (5, 5): by a and b (4, 5).
    # Holdout: (0, 9) by a (1, 2), by b (8, 9).
    pair = two_numbers([(1, 1), (9, 1), (5, 5)], [(1, 2), (8, 9), (4, 5)], [(0, 9), (4, 6)])
    outcome = run(pair)
    assert outcome.parts["attack_rate"] == pytest.approx(2 / 3)
    assert outcome.parts["control_rate"] == 0.5
    assert outcome.value == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert outcome.by_record["found"].tolist() == [True, False, True]


def test_with_more_neighbours_more_is_linked():
    pair = two_numbers([(1, 1), (9, 1), (5, 5)], [(1, 2), (8, 9), (4, 5)], [(0, 9), (4, 6)])
    assert run(pair, k=2).parts["attack_rate"] == 1
    assert run(pair, k=50).parts["control_rate"] == 1


def test_all_records_as_near_as_the_nearest_are_considered():
    pair = two_numbers([(1, 7)] * 3, [(1, 1), (1, 2), (1, 7)], [(1, 9)] * 2)
    assert run(pair).parts["attack_rate"] == 1


def test_a_copy_of_the_original_links_everyone_and_different_people_seldom():
    original = people(300, 1)
    outcome = run(released(original, original, people(150, 2)))
    assert outcome.parts["attack_rate"] == 1
    assert outcome.value > 0.9
    assert outcome.parts["baseline_rate"] < 0.05


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_leak_of_50_records_is_found_in_at_least_95_of_100(seed):
    outcome = run(leaking(seed), seed)
    assert outcome.by_record["found"][:50].mean() >= 0.95
    assert outcome.interval.low > 0.01


@pytest.mark.slow
def test_on_an_independent_sample_success_beyond_control_is_at_most_5_of_100():
    outcomes = [
        assess("linkability", independent(seed), randomness=Randomness.from_seed(seed)).outcome
        for seed in range(20)
    ]
    assert np.mean([outcome.value for outcome in outcomes]) <= 0.05


def test_auxiliary_variables_can_be_named_but_not_all_or_none():
    pair = leaking(1)
    assert run(pair, auxiliary=["income", "age"]).value > 0
    everything = list(people(1, 1).columns)
    assert "two files" in run(pair, auxiliary=everything).reason


def test_the_same_stream_gives_the_same_attack():
    assert run(leaking(3), 7, attacks=100) == run(leaking(3), 7, attacks=100)


def test_without_a_holdout_it_is_not_assessed():
    assert "held out" in assess("linkability", released(people(10, 1), people(10, 2))).not_assessed
