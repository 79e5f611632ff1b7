from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    x = rng.gamma(2, 10, 500)
    return pd.DataFrame({"x": x, "y": 1e6 * (x + rng.normal(size=500)), "z": rng.normal(size=500)})


@pytest.mark.parametrize("factor", ["cholesky", "spectral"])
@pytest.mark.parametrize("rows", [500, 50])
def test_means_and_covariances_are_exactly_those_observed(protect, numbers, factor, rows):
    made = protect("moment_matched_normal", numbers, {"factor": factor, "rows": rows}).table
    assert made.mean().to_numpy() == pytest.approx(numbers.mean().to_numpy(), rel=1e-9)
    assert made.cov().to_numpy() == pytest.approx(numbers.cov().to_numpy(), rel=1e-8, abs=1e-6)


def test_draws_are_normal_by_either_factor(protect, numbers):
    for factor in ("cholesky", "spectral"):
        made = protect("moment_matched_normal", numbers, {"factor": factor, "rows": 5000}, seed=3).table["x"]
        assert stats.kstest((made - made.mean()) / made.std(), "norm").statistic < 0.025
    assert stats.kstest((numbers["x"] - numbers["x"].mean()) / numbers["x"].std(), "norm").statistic > 0.05


def test_a_variable_that_follows_from_others_still_does(protect, numbers):
    made = protect("moment_matched_normal", numbers.assign(sum=numbers["x"] + numbers["z"])).table
    assert (made["sum"] - made["x"] - made["z"]).to_numpy() == pytest.approx(np.zeros(500), abs=1e-5)


def test_only_the_numbers_named_become_normal(protect):
    rng = np.random.default_rng(9)
    table = pd.DataFrame({"x": rng.exponential(1, 500), "n": rng.integers(0, 3, 500).astype(float)})
    made = protect("moment_matched_normal", table, {"numbers": ["x"]})
    assert set(made.table["n"]) == {0, 1, 2}
    assert made.table["x"].mean() == pytest.approx(table["x"].mean(), rel=1e-9)
    assert made.table["x"].std() == pytest.approx(table["x"].std(), rel=1e-9)
    assert made.record["numbers"] == ["x"]
