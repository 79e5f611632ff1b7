"""dependence_change against the lecture, numpy, scipy and base R."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.utility.dependence_change import dependence_change
from sdc.statistics.distances.dependence import Correlation, correlation, covariance


def lecture(seed=105):
    rng = np.random.default_rng(seed)
    x1 = rng.normal(50, 5, 100)
    x2 = 0.9 * x1 + rng.normal(0, 1, 100)
    return rng, x1, x2


def test_covariances_divide_by_n_less_one_as_the_lectures_numbers_do(worked_examples):
    """The printed 16.3777 is with n - 1; the slide's formula, with n, would give 16.2139."""
    cov, _ = worked_examples["K-cov"]["recomputed"]
    assert cov * 99 / 100 == pytest.approx(16.2139, abs=5e-5)
    _, x1, x2 = lecture()
    assert covariance(x1, x2) == pytest.approx(np.cov(x1, x2)[0, 1], rel=1e-12)


def test_noise_keeps_the_covariance_and_shuffling_destroys_it(worked_examples, pair_of):
    """The lecture's two candidates.

    As there, noise moves the correlation by about 0.1 and a permuted column by about 0.75.
    """
    noise = worked_examples["K-cov"]["recomputed"][1] - worked_examples["K-cov-anon"]["recomputed"][1]
    shuffled = worked_examples["K-cov"]["recomputed"][1] - worked_examples["K-cov-shuffled"]["recomputed"][1]
    rng, x1, x2 = lecture(3)
    original = {"x1": x1, "x2": x2}
    noisy = dependence_change(
        pair_of(original, {"x1": x1 + rng.normal(0, 1, 100), "x2": x2 + rng.normal(0, 2, 100)})
    )
    permuted = dependence_change(
        pair_of(original, {"x1": x1 + rng.normal(0, 1, 100), "x2": rng.permutation(x2)})
    )
    assert noisy.value == pytest.approx(noise, abs=0.05)
    assert abs(noisy.parts["covariance.x1.x2"]) < 3
    assert permuted.value == pytest.approx(shuffled, abs=0.25)


def test_the_thesis_example_has_correlation_point_eight(worked_examples):
    """x2 = 0.8 x1 + noise of variance 0.36, made exactly so in the sample."""
    parameters = worked_examples["Q-4.4.1-cov"]["parameters"]
    rng = np.random.default_rng(0)
    x1, noise = np.linalg.qr(np.column_stack([np.ones(50), rng.normal(size=(50, 2))]))[0][:, 1:].T * np.sqrt(
        49
    )
    x2 = 0.2 + parameters["beta1"] * x1 + np.sqrt(parameters["var_eps"]) * noise
    found = [[covariance(a, b) for b in (x1, x2)] for a in (x1, x2)]
    assert np.array(found) == pytest.approx(np.array(worked_examples["Q-4.4.1-cov"]["recomputed"]), abs=1e-12)


@pytest.mark.parametrize("name", ["mdav3", "noise", "rank_swap"])
@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_correlations_of_the_golden_pairs_agree_with_base_r(name, kind, golden, golden_pair):
    expected = golden("numeric_risk_and_loss")["outputs"][name][f"correlation_{kind}"]
    rows = expected["original"]["rows"]
    found = dependence_change(golden_pair(name), kind=Correlation(kind))
    for i, one in enumerate(rows):
        for j, other in enumerate(rows[i + 1 :], start=i + 1):
            change = expected["candidate"]["data"][i][j] - expected["original"]["data"][i][j]
            assert found.parts[f"correlation.{one}.{other}"] == pytest.approx(change, abs=1e-9)


@pytest.mark.parametrize("kind", list(Correlation))
def test_each_coefficient_is_scipys(kind):
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 6, 80).astype(float), rng.integers(0, 6, 80).astype(float)
    theirs = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[kind](
        x, y
    ).statistic
    assert correlation(x, y, kind) == pytest.approx(theirs, rel=1e-12)


def test_each_pair_uses_the_records_that_have_both_values(pair_of):
    original = {"a": [1, 2, 3, np.nan], "b": [1, 2, 4, 100.0], "c": [np.nan, 1, 5, 2]}
    candidate = {"a": [1, 2, 3, 7.0], "b": [1, 2, 4, np.nan], "c": [np.nan, 1, 5, 2]}
    assert dependence_change(pair_of(original, candidate)).parts["correlation.a.b"] == 0


def test_a_constant_has_no_dependence_to_lose(pair_of):
    found = dependence_change(pair_of({"a": [1, 2, 3], "b": [1, 1, 1]}, {"a": [1, 2, 3], "b": [2, 2, 2]}))
    assert found.value == 0


def test_one_numeric_variable_is_not_enough(pair_of):
    assert isinstance(dependence_change(pair_of({"a": [1, 2]}, {"a": [1, 2]})), NotAssessed)


@pytest.mark.parametrize("case", ["W-T1-orig", "W-T1-resampling"])
def test_karrs_regressions_follow_from_his_moments(case, worked_examples):
    """A sample made to have exactly the printed moments has the recomputed slope and intercept."""
    inputs = worked_examples[case]["inputs"]
    basis = np.linalg.qr(np.column_stack([np.ones(40), np.random.default_rng(0).normal(size=(40, 2))]))[0][
        :, 1:
    ] * np.sqrt(39)
    second = inputs["mean"][1] + np.sqrt(inputs["var"][1]) * basis[:, 0]
    first = inputs["mean"][0] + np.sqrt(inputs["var"][0]) * (
        inputs["cor"] * basis[:, 0] + np.sqrt(1 - inputs["cor"] ** 2) * basis[:, 1]
    )
    slope = covariance(first, second) / covariance(second, second)
    assert correlation(first, second) == pytest.approx(inputs["cor"], rel=1e-12)
    assert [slope, first.mean() - slope * second.mean()] == pytest.approx(
        worked_examples[case]["recomputed"], rel=1e-9
    )


def test_a_pair_of_values_few_records_have_does_not_decide(pair_of):
    """Two records have both x and y, in opposite order.

    Their correlation goes from 1 to -1 and says nothing.
    """
    x, y, z = (np.arange(100.0) % number for number in (7, 11, 13))
    x[2:50], y[50:] = np.nan, np.nan
    before = {"x": x, "y": y, "z": z}
    after = {**before, "y": np.where(np.arange(100) < 2, 1 - y, y)}
    found = dependence_change(pair_of(before, after))
    assert found.value < 0.1
    assert found.parts["pairs_left_out"] == 1
    assert dependence_change(pair_of(before, after), variables=["x", "y"]).value == 2
    assert dependence_change(pair_of(before, after), least=2).value == 2


def test_a_small_table_is_compared_whole(pair_of):
    assert (
        dependence_change(pair_of({"x": [1, 2, 3], "y": [1, 2, 3]}, {"x": [1, 2, 3], "y": [3, 2, 1]})).value
        == 2
    )


def test_a_pair_whose_values_the_candidate_lost_is_not_left_out(pair_of):
    """No record of the candidate has both any more: a correlation of 1 becomes 0."""
    x = np.arange(60.0)
    halves = {"x": np.where(x < 30, x, np.nan), "y": np.where(x < 30, np.nan, x)}
    assert dependence_change(pair_of({"x": x, "y": x}, halves)).value == pytest.approx(1)


@pytest.mark.parametrize("kind", Correlation)
def test_levels_of_both_tables_are_numpys_and_scipys(kind, pair_of):
    rng, x1, x2 = lecture()
    tables = {"original": {"a": x1, "b": x2}, "candidate": {"a": x1, "b": rng.permutation(x2)}}
    found = dependence_change(pair_of(*tables.values()), kind=kind).parts
    theirs = {
        Correlation.PEARSON: stats.pearsonr,
        Correlation.SPEARMAN: stats.spearmanr,
        Correlation.KENDALL: stats.kendalltau,
    }[kind]
    for side, table in tables.items():
        assert found[f"{side}.covariance.a.b"] == pytest.approx(
            np.cov(table["a"], table["b"])[0, 1], rel=1e-9
        )
        assert found[f"{side}.correlation.a.b"] == pytest.approx(
            theirs(table["a"], table["b"]).statistic, rel=1e-9
        )
