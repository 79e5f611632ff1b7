from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdc.statistics.synthesis.copula import copula_correlation, empirical_quantile, normal_means


def test_margins_and_rank_correlation_are_kept(protect):
    rng = np.random.default_rng(0)
    x = rng.gamma(1, 5, 3000)
    grade = pd.Categorical(
        np.array(["a", "b", "c"])[np.digitize(x + rng.normal(0, 2, 3000), [3, 8])],
        ["a", "b", "c"],
        ordered=True,
    )
    table = pd.DataFrame({"x": x, "y": np.exp(x / 5) + rng.normal(size=3000), "grade": grade})
    made = protect("gaussian_copula", table).table
    for name in ("x", "y"):
        assert stats.ks_2samp(made[name], table[name]).statistic < 0.05
    assert made["grade"].value_counts(normalize=True).sort_index().to_numpy() == pytest.approx(
        table["grade"].value_counts(normalize=True).sort_index().to_numpy(), abs=0.05
    )
    before, after = (stats.spearmanr(frame["x"], frame["y"]).statistic for frame in (table, made))
    assert after == pytest.approx(before, abs=0.05)
    before, after = (
        stats.spearmanr(frame["x"], frame["grade"].cat.codes).statistic for frame in (table, made)
    )
    assert after == pytest.approx(before, abs=0.07)


def test_the_correlation_behind_a_cut_variable_is_found():
    """A normal pair of correlation 0.7, one cut in two and the other not, then both."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=50_000)
    y = 0.7 * x + np.sqrt(0.51) * rng.normal(size=50_000)
    assert copula_correlation([x, (y > 0.5).astype(float)])[0, 1] == pytest.approx(0.7, abs=0.02)
    assert copula_correlation([x, y])[0, 1] == pytest.approx(0.7, abs=0.01)
    assert copula_correlation([x, np.digitize(y, [-1, 0, 1]).astype(float)])[0, 1] == pytest.approx(
        0.7, abs=0.02
    )


def test_means_of_a_normal_variable_within_jumps():
    """Two halves: plus and minus sqrt(2 / pi)."""
    assert normal_means(np.array([1.0, 2.0])) == pytest.approx([-np.sqrt(2 / np.pi), np.sqrt(2 / np.pi)])
    assert normal_means(np.array([1.0, np.nan]))[1] < 0


def test_quantiles_are_observed_values_missing_lowest():
    values = np.array([3.0, np.nan, 1.0, 2.0])
    assert empirical_quantile(values, np.array([0.0, 0.25, 0.26, 0.75, 1.0])) == pytest.approx(
        [np.nan, np.nan, 1, 2, 3], nan_ok=True
    )
