"""ks_distance against the worked examples, base R and scipy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.protection import Protection, Step
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.measures.survey_sample import is_weighted
from sdc.measures.utility import ks_distance as measured
from sdc.statistics.distances.distribution_distance import critical_distance, kolmogorov_smirnov


def ks_distance(pair, **options):
    return measured.ks_distance(pair, rng=np.random.default_rng(1), **options)


def test_the_ages_of_the_lecture_are_a_fifth_apart(worked_examples, pair_of):
    case = worked_examples["K-KS-age"]
    found = ks_distance(pair_of({"age": case["inputs"]["x"]}, {"age": case["inputs"]["y"]}))
    assert found.value == found.parts["distance.age"] == pytest.approx(case["recomputed"], rel=1e-14)


def test_the_threshold_of_the_two_sample_test_is_there_for_orientation(worked_examples):
    case = worked_examples["K-KS2-threshold"]
    assert critical_distance(case["parameters"]["n"], case["parameters"]["m"]) == pytest.approx(
        case["recomputed"], rel=1e-14
    )


def test_equal_samples_have_the_quantile_of_kolmogorovs_law_as_threshold(worked_examples):
    """For large n = m the critical distance times sqrt(n / 2) is nearly the 0.95 quantile of sup |Brownian bridge|."""
    assert critical_distance(10**6, 10**6) * np.sqrt(10**6 / 2) == pytest.approx(
        worked_examples["K-KS-quantile"]["recomputed"], abs=2e-5
    )


@pytest.mark.parametrize("name", ["mdav3", "noise", "rank_swap", "synthpop_cart", "synthpop_parametric"])
def test_distances_of_the_golden_pairs_agree_with_base_r(name, golden, golden_pair):
    expected = golden("ecdf_distance")["outputs"][name]["by_variable"]
    found = ks_distance(golden_pair(name))
    for variable, values in expected.items():
        assert found.parts[f"distance.{variable}"] == pytest.approx(values["U_m"], abs=1e-12)
    assert found.value == max(number for part, number in found.parts.items() if part.startswith("distance."))


def test_the_distance_is_scipys_on_ties_and_unequal_sizes():
    rng = np.random.default_rng(5)
    for n, m in [(3, 4), (7, 50), (300, 201)]:
        x, y = np.sort(rng.integers(0, 9, n)).astype(float), np.sort(rng.integers(1, 11, m)).astype(float)
        assert kolmogorov_smirnov(x, y) == pytest.approx(
            stats.ks_2samp(x, y, method="asymp").statistic, abs=1e-12
        )


def test_missing_values_are_left_out(pair_of):
    assert ks_distance(pair_of({"a": [1, 2, np.nan]}, {"a": [np.nan, np.nan, 2, 1.0]})).value == 0


def test_a_variable_in_bands_is_compared_at_the_limits_of_the_bands(pair_of):
    """Below 10 are 1/4 of the original and 2/4 of the candidate, below 20 are 3/4 and 3/4; 40 is in no band."""
    pair = pair_of(
        {"a": [3, 12, 15, 40], "b": [1, 2, 3, 4]}, {"a": ["0-9", "0-9", "10-19", "20-29"], "b": [1, 2, 3, 4]}
    )
    found = ks_distance(pair)
    assert found.parts["distance.a"] == found.value == 0.25
    assert found.parts["bands.a"] == 3
    assert isinstance(ks_distance(pair, variables=["a"]), NotAssessed)


def test_bands_without_an_end_have_their_place(pair_of):
    ones = {"b": [1, 2, 3, 4]}
    pair = pair_of(
        {"a": [3, 12, 70, 80], **ones}, {"a": ["<10", "<10", "10-64", "65+"], **ones}, aligned=True
    )
    assert 0 < ks_distance(pair, paired_draws=50).parts["exceeded.a"] <= 1
    assert ks_distance(pair).value == 0.25


def test_a_variable_in_bands_that_lost_all_values_is_not_passed_over(pair_of):
    found = ks_distance(pair_of({"a": [3, 12], "b": [1, 2]}, {"a": ["*", "*"], "b": [1, 2]}))
    assert found.value == 0
    found = ks_distance(
        pair_of({"a": [3, 12], "b": [1, 2]}, {"a": pd.Series([None, None], dtype=str), "b": [1, 2]})
    )
    assert isinstance(found, NotAssessed)


def test_a_variable_in_labels_that_are_no_ranges_is_named_as_not_compared(pair_of):
    """The labels are declared by a step, so that they can be matched, and have no order."""
    step = Step(
        "global_recode",
        {},
        Protection.NON_PERTURBATIVE,
        True,
        frozenset({"a"}),
        labels={"a": {"1": "low", "2": "high"}},
    )
    pair = pair_of({"a": [1, 2], "b": [1, 2]}, {"a": ["low", "high"], "b": [1, 2]}, steps=[step])
    found = assess("ks_distance", pair).outcome
    assert found.not_compared == ("a",)
    assert found.parts["not_compared"] == 1
    assert isinstance(ks_distance(pair, variables=["a"]), NotAssessed)


def test_it_says_why_there_is_nothing_to_compare(pair_of):
    found = ks_distance(pair_of({"a": [np.nan, np.nan]}, {"a": [1.0, 2.0]}))
    assert isinstance(found, NotAssessed)
    assert "no numeric variable" in found.reason


def test_a_variable_that_lost_all_values_is_not_passed_over(pair_of):
    table = {"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0]}
    found = ks_distance(pair_of(table, {**table, "b": [np.nan] * 3}))
    assert isinstance(found, NotAssessed)
    assert found.reason == "no value is left in the candidate of b"
    assert ks_distance(pair_of(table, {**table, "b": [np.nan] * 3}), variables=["a"]).value == 0


def test_numbers_whose_type_nobody_declared_are_numbers():
    """Half of the candidate lies above the original's largest value; a code declared categorical is none."""
    roles = Roles.of(
        [
            Variable("income", Role.SENSITIVE),
            Variable("code", Role.SENSITIVE, VariableType.CATEGORICAL),
            Variable("w", Role.WEIGHT),
        ]
    )
    original = pd.DataFrame({"income": [1, 2, 3, 4], "code": [1, 2, 3, 4], "w": [1.0, 1, 1, 1]})
    pair = ReleasePair.from_frames(original, original.assign(income=[1, 2, 9, 9], code=[5, 6, 7, 8]), roles)
    found = ks_distance(pair)
    assert found.value == found.parts["distance.income"] == 0.5
    assert "distance.code" not in found.parts
    assert is_weighted(pair)


def test_a_number_that_became_a_label_is_not_assessed():
    roles = Roles.of([Variable("income", Role.SENSITIVE)])
    pair = ReleasePair.from_frames(
        pd.DataFrame({"income": [1, 12]}), pd.DataFrame({"income": ["0-9", "10-19"]}), roles
    )
    assert pair.roles["income"].numeric
    assert isinstance(ks_distance(pair), NotAssessed)


def test_the_level_of_the_critical_distance_may_be_chosen(worked_examples, pair_of):
    case = worked_examples["K-KS2-threshold"]["parameters"]
    pair = pair_of({"x": np.arange(case["n"])}, {"x": np.arange(case["m"])})
    assert ks_distance(pair, alpha=0.05).parts["critical_if_independent.x"] == pytest.approx(
        worked_examples["K-KS2-threshold"]["recomputed"]
    )
    assert ks_distance(pair, alpha=0.01).parts["critical_if_independent.x"] == pytest.approx(
        np.sqrt(-np.log(0.005) * (1 + 80 / 100) / 160)
    )


def test_the_law_under_dependence_says_that_noise_is_no_fresh_sample(pair_of):
    """Noise of a tenth of the spread moves the margins far less than a fresh sample would."""
    rng = np.random.default_rng(2)
    original = pd.DataFrame({"income": rng.normal(size=500)})
    noisy = original + rng.normal(0, 0.1, (500, 1))
    found = assess("ks_distance", pair_of(original, noisy, aligned=True), {"paired_draws": 200}).outcome
    assert found.parts["law.income.95"] < found.parts["critical_if_independent.income"] / 2
    assert found.parts["exceeded.income"] > 0.05
    moved = assess("ks_distance", pair_of(original, noisy + 0.1, aligned=True), {"paired_draws": 200}).outcome
    assert moved.value < moved.parts["critical_if_independent.income"]
    assert moved.parts["exceeded.income"] == pytest.approx(1 / 201)
    apart = assess("ks_distance", pair_of(original, noisy), {"paired_draws": 200})
    assert apart.not_assessed == "paired draws need the candidate's records in the order of the original's"
