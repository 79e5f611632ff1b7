from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from people import independent, people, released

from sdc.catalogue.measurement import Measurement
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.measures.risk.distance_to_closest_record import distance_to_closest_record
from sdc.run.randomness import Randomness

RNG = np.random.default_rng(0)
ONE_NUMBER = Roles.of([Variable("x", Role.OTHER, VariableType.NUMERIC)])


def numbers(original, candidate, holdout):
    return ReleasePair.from_frames(
        *(pd.DataFrame({"x": x}) for x in (original, candidate)),
        ONE_NUMBER,
        holdout=pd.DataFrame({"x": holdout}),
    )


def test_distances_counted_by_hand():
    outcome = distance_to_closest_record(numbers([0.0, 10.0], [1.0, 8.0, 10.0], [2.0, 7.0]), rng=RNG)
    # To the original 1, 2, 0 (over 10); to the holdout 1, 1, 3.
    assert outcome.value == pytest.approx(np.percentile([1, 2, 0], 5) / np.percentile([1, 1, 3], 5))
    assert outcome.parts["share_closer_to_original"] == pytest.approx((0.5 + 0 + 1) / 3)
    assert outcome.parts["expected_share_closer"] == 0.5
    assert outcome.parts["identical_share"] == pytest.approx(1 / 3)
    assert outcome.parts["nndr"] == pytest.approx(np.percentile([1 / 9, 2 / 8, 0 / 10], 5))
    assert outcome.parts["at_equal_sizes"] == outcome.value


def test_a_copy_of_the_original_is_at_no_distance():
    original = people(200, 1)
    outcome = distance_to_closest_record(released(original, original, people(100, 2)), rng=RNG)
    assert outcome.value == 0
    assert outcome.parts["identical_share"] == 1
    assert outcome.parts["identical_to_holdout"] == 0


def test_blanks_do_not_make_a_record_identical():
    original = people(200, 1)
    blanked = original.assign(region=None)
    outcome = distance_to_closest_record(released(original, blanked, people(100, 2)), rng=RNG)
    assert outcome.parts["identical_share"] == 0


@pytest.mark.slow
def test_a_sample_that_owes_nothing_is_as_near_to_the_holdout_once_the_sizes_are_equal():
    outcomes = [
        assess("distance_to_closest_record", independent(seed), randomness=Randomness.from_seed(seed)).outcome
        for seed in range(10)
    ]
    assert all(isinstance(outcome, Measurement) for outcome in outcomes)
    assert np.mean([outcome.parts["at_equal_sizes"] for outcome in outcomes]) == pytest.approx(1, abs=0.1)
    assert np.mean([outcome.value for outcome in outcomes]) < 0.9
    closer, expected = (
        np.mean([outcome.parts[part] for outcome in outcomes])
        for part in ("share_closer_to_original", "expected_share_closer")
    )
    assert closer == pytest.approx(expected, abs=0.03)


def test_where_all_is_identical_the_ratio_is_one():
    assert distance_to_closest_record(numbers([1.0, 2.0], [1.0, 2.0], [1.0, 2.0]), rng=RNG).value == 1


def test_without_a_ratio_there_is_no_value():
    outcome = distance_to_closest_record(numbers([1.0, 5.0], [2.0, 3.0], [2.0, 3.0]), rng=RNG)
    assert "2 records" in outcome.reason


def test_without_a_holdout_it_is_not_assessed():
    assert (
        "held out"
        in assess("distance_to_closest_record", released(people(10, 1), people(10, 2))).not_assessed
    )
