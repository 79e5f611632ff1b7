from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.covariance import MinCovDet

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.risk.interval_disclosure import interval_disclosure
from sdc.statistics.distances.robust_distance import robust_distances

VARIABLES = ["equivalised_income", "spending", "wealth"]


@pytest.mark.parametrize("masked", ["mdav3", "noise", "rank_swap"])
def test_the_share_in_intervals_is_that_of_sdcmicro(household_pair, golden, golden_pair, masked):
    expected = golden("numeric_risk_and_loss")["outputs"][masked]
    pair = household_pair([], candidate=golden_pair(masked), aligned=True)
    for k in ("0.01", "0.05", "0.1"):
        assert interval_disclosure(pair, variables=VARIABLES, k=float(k)).value == pytest.approx(
            expected[f"dRisk_k_{k}"], rel=1e-9
        )
    outcome = interval_disclosure(pair, variables=VARIABLES)
    for name in VARIABLES:
        assert outcome.parts[f"share.{name}"] == pytest.approx(
            expected["dRisk_k_0.05_by_variable"][name], rel=1e-9
        )


def numbers(original, candidate, **options):
    roles = Roles.of(Variable(name, Role.SENSITIVE, VariableType.NUMERIC) for name in original)
    return ReleasePair.from_frames(
        pd.DataFrame(original), pd.DataFrame(candidate), roles, aligned=True, **options
    )


def test_intervals_by_hand_are_closed(example_pair):
    # The standard deviation of 0, 2, 4 is 2: within 1 of the masked value lie the first and, at the very end,
    # the last.
    outcome = interval_disclosure(
        numbers({"x": [0.5, 4.0, 5.0]}, {"x": [0.0, 2.0, 4.0]}), k=0.5, robust=False
    )
    assert outcome.value == pytest.approx(2 / 3)
    assert "robust" not in outcome.parts


def test_a_record_counts_with_the_values_it_has():
    original = {"x": [1.0, 2.0, 3.0, None], "y": [1.0, None, 9.0, None]}
    candidate = {"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 5.0, 1.0, 2.0]}
    outcome = interval_disclosure(numbers(original, candidate), k=0.1, robust=False)
    assert outcome.value == pytest.approx(2 / 3)
    assert (outcome.parts["share.x"], outcome.parts["share.y"]) == (1, 1 / 2)


def test_what_was_not_masked_is_given_away(household_pair):
    assert interval_disclosure(household_pair([], aligned=True)).value == 1


def test_outlying_records_have_wider_intervals():
    rng = np.random.default_rng(0)
    x, y = rng.normal(0, 1, 500), rng.normal(0, 1, 500)
    x[:10] += 50
    masked_x = x + 1.0
    outcome = interval_disclosure(numbers({"x": x, "y": y}, {"x": masked_x, "y": y}), k=0.1)
    assert outcome.parts["robust"] == pytest.approx(10 / 500, abs=0.002)


def test_robust_distances_are_near_those_of_the_minimum_covariance_determinant():
    rng = np.random.default_rng(1)
    points = rng.multivariate_normal([0, 5], [[2, 1.2], [1.2, 1]], 2000)
    points[:50] += 30
    reference = np.sqrt(MinCovDet(random_state=0).fit(points).mahalanobis(points))
    found = robust_distances(list(points.T))
    assert np.corrcoef(found[50:], reference[50:])[0, 1] > 0.97
    assert found[:50].min() > found[50:].max()
    assert np.median(found[50:]) == pytest.approx(np.median(reference[50:]), rel=0.1)


def test_columns_that_do_not_vary_count_for_nothing():
    assert robust_distances([np.ones(5)]).tolist() == [0] * 5
    varying = np.array([0.0, 1, 2, 3, 4])
    assert robust_distances([np.ones(5), varying]) == pytest.approx(robust_distances([varying]))


def test_other_row_counts_and_missing_values_are_not_assessed():
    assert isinstance(interval_disclosure(numbers({"x": [1.0, 2.0]}, {"x": [1.0]})), NotAssessed)
    assert isinstance(interval_disclosure(numbers({"x": [1.0, None]}, {"x": [None, 1.0]})), NotAssessed)


def test_a_variable_of_which_nothing_is_shown_gives_nothing_away():
    table = {"a": [0.0, 2.0, 4.0], "b": [0.0, 2.0, 4.0]}
    assert interval_disclosure(numbers(table, {**table, "b": [np.nan] * 3})).value == 1
