from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdc.errors import BadOption


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    held = rng.normal(size=(20_000, 3)) @ np.array([[1.0, 0.8, 0], [0, 0.6, -3], [0, 0, 20]]) + [5, 100, -7]
    return pd.DataFrame(held, columns=["x", "y", "z"])


def test_independent_noise_has_the_level_asked_for_and_lowers_correlations(protect, table):
    made = protect("additive_noise", table, {"kind": "independent", "level": 0.5}).table
    noise = made - table
    assert (noise.std() / table.std()).to_numpy() == pytest.approx([0.5] * 3, rel=0.03)
    assert noise.corr().to_numpy() == pytest.approx(np.eye(3), abs=0.03)
    assert abs(made.corr().loc["x", "y"]) < abs(table.corr().loc["x", "y"]) / 1.2


def test_correlated_noise_keeps_correlations_and_scales_the_covariance(protect, table):
    made = protect("additive_noise", table, {"level": 0.5}).table
    assert made.corr().to_numpy() == pytest.approx(table.corr().to_numpy(), abs=0.02)
    assert np.diag(made.cov()) == pytest.approx(1.25 * np.diag(table.cov()), rel=0.03)


def test_restricted_noise_keeps_means_and_covariances_exactly(protect, table):
    made = protect("additive_noise", table, {"kind": "restricted", "level": 0.3}).table
    assert made.mean().to_numpy() == pytest.approx(table.mean().to_numpy(), rel=1e-10)
    assert made.cov().to_numpy() == pytest.approx(table.cov().to_numpy(), rel=1e-9, abs=1e-9)
    assert ((made - table).std() / table.std()).min() > 0.2


def test_restricted_noise_keeps_the_covariance_of_variables_that_depend_on_each_other_wholly(protect):
    x = np.random.default_rng(2).normal(size=50)
    table = pd.DataFrame({"x": x, "twice": 2 * x, "same": np.full(50, 3.0)})
    made = protect("additive_noise", table, {"kind": "restricted", "level": 0.4}).table
    assert made.cov().to_numpy() == pytest.approx(table.cov().to_numpy(), abs=1e-9)
    assert made["same"].tolist() == [3.0] * 50
    assert not made["x"].equals(table["x"])


@pytest.mark.parametrize("kind", ["independent", "correlated", "restricted"])
def test_a_variable_of_small_numbers_gets_its_noise_beside_one_of_large_numbers(protect, kind):
    """A share beside a turnover in millions: their variances are 20 powers of ten apart."""
    rng = np.random.default_rng(6)
    share = rng.normal(0.3, 0.05, 5000)
    table = pd.DataFrame({"turnover": 1e9 * (share + rng.normal(0, 0.05, 5000)), "share": share})
    noise = protect("additive_noise", table, {"kind": kind, "level": 0.2}).table - table
    assert (noise.std() / table.std()).to_numpy() == pytest.approx([0.2, 0.2], rel=0.05)


def test_missing_stays_missing_and_complete_records_keep_their_moments(protect, table):
    holes = table.head(500).mask(np.random.default_rng(3).random((500, 3)) < 0.1)
    made = protect("additive_noise", holes, {"kind": "restricted"}).table
    assert made.isna().equals(holes.isna())
    assert made.dropna().cov().to_numpy() == pytest.approx(
        holes.dropna().cov().to_numpy(), rel=1e-8, abs=1e-8
    )
    assert (made.to_numpy() != holes.to_numpy())[~holes.isna()].all()


def test_a_variable_without_variance_is_named(protect):
    made = protect("additive_noise", pd.DataFrame({"x": [1.0, 2.0], "y": [4.0, 4.0]}))
    assert made.record["without_variance"] == ["y"]


def test_text_is_refused(protect):
    with pytest.raises(BadOption, match="g does not hold numbers"):
        protect("additive_noise", pd.DataFrame({"g": pd.Categorical(["a"])}), {"variables": ["g"]})


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(8)
    return pd.DataFrame({"x": rng.normal(100, 10, 20_000), "y": rng.normal(0, 2, 20_000)})


@pytest.mark.parametrize(
    ("law", "skew", "kurtosis"), [("normal", 0, 0), ("uniform", 0, -1.2), ("exponential", 2, 6)]
)
def test_the_law_of_the_noise_has_its_moments_and_a_given_mean(protect, many, law, skew, kurtosis):
    """Skewness and excess kurtosis of the laws from any table.

    The deviation is 0.5 times that of x, the mean 7.
    """
    options = {"kind": "independent", "level": 0.5, "law": law, "mean": {"x": 7}}
    noise = (protect("additive_noise", many, options).table - many)["x"].to_numpy()
    assert noise.mean() == pytest.approx(7, abs=0.2)
    assert noise.std() == pytest.approx(0.5 * many["x"].std(), rel=0.03)
    assert stats.skew(noise) == pytest.approx(skew, abs=0.2)
    assert stats.kurtosis(noise) == pytest.approx(kurtosis, abs=1.2)


def test_multiplicative_noise_is_a_factor_of_mean_one(protect, many):
    table = many.assign(y=0.0)
    made = protect("additive_noise", table, {"kind": "multiplicative", "level": 0.2, "law": "uniform"}).table
    factor = (made["x"] / table["x"]).to_numpy()
    assert factor.mean() == pytest.approx(1, abs=0.01)
    assert factor.std() == pytest.approx(0.2, rel=0.03)
    assert np.abs(factor - 1).max() <= 0.2 * np.sqrt(3) + 1e-12
    assert (made["y"] == 0).all()


@pytest.mark.parametrize(
    "options", [{"kind": "restricted", "mean": {"x": 1}}, {"variables": ["y"], "mean": {"x": 1}}]
)
def test_a_mean_that_cannot_hold_is_refused(protect, many, options):
    with pytest.raises(BadOption, match="mean"):
        protect("additive_noise", many, options)
