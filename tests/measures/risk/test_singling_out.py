from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from people import independent, leaking, people, released

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Roles, Variable
from sdc.measures.assess import assess
from sdc.measures.risk.singling_out import singling_out
from sdc.run.randomness import Randomness


def run(pair, seed=1, **options):
    return singling_out(pair, rng=np.random.default_rng(seed), **options)


def letters(original, candidate, holdout):
    return ReleasePair.from_frames(
        pd.DataFrame({"x": list(original)}),
        pd.DataFrame({"x": list(candidate)}),
        Roles.of([Variable("x")]),
        holdout=pd.DataFrame({"x": list(holdout)}),
    )


def test_descriptions_counted_by_hand():
    # Unique in the candidate: c, d, e, f. In the original c once, d twice, e and f never; in the holdout of
    # three e once.
    outcome = run(letters("abcdd", "aabbcdef", "aae"), mode="univariate")
    assert outcome.parts["attack_rate"] == 0.25
    # Of the four descriptions only e means someone of the holdout and nobody of the original: 5 x 1/3 in 4.
    assert outcome.parts["control_rate"] == pytest.approx(5 / 3 / 4)
    assert outcome.value == 0
    assert outcome.by_record["found"].tolist() == [False, False, True, False, False]


def test_a_holdout_record_that_would_take_the_place_of_the_one_meant_is_singled_out_too():
    # c means one original record and both of the holdout: replaced by either, that one would be alone, 1 x
    # 2/2 of n = 4 chances.
    outcome = run(letters("aabc", "aabbc", "cc"), mode="univariate")
    assert outcome.parts["attack_rate"] == 1
    assert outcome.parts["control_rate"] == pytest.approx(1)


def test_a_copy_of_the_original_singles_everyone_out():
    original = people(300, 1)
    for mode in ("univariate", "multivariate"):
        outcome = run(released(original, original, people(150, 2)), mode=mode)
        assert outcome.parts["attack_rate"] == 1
        assert outcome.value == pytest.approx(1, abs=0.02)


def test_without_a_unique_value_there_is_nothing_to_attack_with():
    outcome = run(letters("abcd", "aabb", "ab"), mode="univariate")
    assert (outcome.value, outcome.interval.high, outcome.parts["attacks"]) == (0, 0, 0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mode", ["univariate", "multivariate"])
def test_a_planted_leak_of_50_records_is_found_in_at_least_95_of_100(seed, mode):
    outcome = run(leaking(seed), seed, mode=mode, attacks=20_000)
    assert outcome.by_record["found"][:50].mean() >= 0.95
    assert outcome.interval.low > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("held_out", [100, 1000])
def test_on_an_independent_sample_success_beyond_control_is_at_most_5_of_100(held_out):
    outcomes = [
        assess(
            "singling_out", independent(seed, held_out=held_out), randomness=Randomness.from_seed(seed)
        ).outcome
        for seed in range(20)
    ]
    assert np.mean([outcome.value for outcome in outcomes]) <= 0.05
    attack, control = (
        np.mean([outcome.parts[f"{name}_rate"] for outcome in outcomes]) for name in ("attack", "control")
    )
    assert attack == pytest.approx(control, abs=0.02)


@pytest.mark.slow
def test_univariate_success_on_an_independent_sample_is_at_most_5_of_100():
    outcomes = [
        assess(
            "singling_out", independent(seed), {"mode": "univariate"}, randomness=Randomness.from_seed(seed)
        ).outcome
        for seed in range(20)
    ]
    assert np.mean([outcome.value for outcome in outcomes]) <= 0.05


def test_descriptions_of_a_person_beat_those_put_together_from_many():
    original = people(300, 1)
    outcome = run(released(original, original, people(150, 2)))
    assert outcome.parts["baseline_rate"] < 0.5


def test_the_same_stream_gives_the_same_attack():
    assert run(leaking(3), 7) == run(leaking(3), 7)


def test_without_a_holdout_it_is_not_assessed():
    assert "held out" in assess("singling_out", released(people(10, 1), people(10, 2))).not_assessed


def test_by_default_single_variables_are_looked_at_too():
    """Texts of people, handed on in another order.

    Several variables together mean nobody, each text alone means its person.
    """
    rng = np.random.default_rng(2)

    def held(first: int, rows: int) -> pd.DataFrame:
        kinds = {f"kind {number}": rng.integers(0, 40, rows).astype(str) for number in range(6)}
        return pd.DataFrame({**kinds, "notes": [f"note {number}" for number in range(first, first + rows)]})

    original, holdout = held(0, 400), held(400, 200)
    candidate = original.apply(rng.permutation)
    pair = ReleasePair.from_frames(
        original, candidate, Roles.of(map(Variable, original.columns)), holdout=holdout
    )
    assert run(pair, mode="multivariate").value < 0.5
    assert run(pair).parts["attack_rate"] == 1
    assert run(pair).value > 0.9
