"""quantile_distance against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sdc.measures.utility.quantile_distance import quantile_distance
from sdc.statistics.distances.distribution_distance import wasserstein


def test_equal_sizes_give_the_mean_difference_of_sorted_values(pair_of):
    found = quantile_distance(pair_of({"a": [1, 5, 2]}, {"a": [4, 2, 9]}))
    assert found.value == pytest.approx((1 + 2 + 4) / 3 / np.std([1, 5, 2], ddof=1))


def test_the_distance_is_scipys_for_unequal_sizes_and_ties():
    rng = np.random.default_rng(7)
    for n, m in [(5, 8), (100, 33)]:
        x, y = np.sort(rng.integers(0, 20, n)).astype(float), np.sort(rng.normal(8, 4, m))
        assert wasserstein(x, y) == pytest.approx(stats.wasserstein_distance(x, y), rel=1e-12)


def test_a_shift_is_its_own_distance(pair_of):
    x = np.random.default_rng(1).normal(size=200)
    assert quantile_distance(pair_of({"x": x}, {"x": x + 0.3})).value == pytest.approx(0.3 / x.std(ddof=1))


def test_constants_are_measured_in_the_unit_of_both_tables(pair_of):
    assert quantile_distance(pair_of({"x": [1.0, 1.0]}, {"x": [3.0, 3.0]})).value == pytest.approx(
        2 / np.std([1, 1, 3, 3], ddof=1)
    )
    assert quantile_distance(pair_of({"x": [1.0]}, {"x": [1.0]})).value == 0


def test_quantiles_of_both_tables_are_numpys(pair_of):
    x, y = [1.0, 5, 7, 20], [0.0, 5, 9]
    found = quantile_distance(pair_of({"a": x}, {"a": y}), quantiles=[0.1, 0.5, 0.975]).parts
    for side, values in (("original", x), ("candidate", y)):
        for share, name in ((0.1, "quantile_10"), (0.5, "quantile_50"), (0.975, "quantile_97.5")):
            assert found[f"{side}.{name}.a"] == pytest.approx(np.quantile(values, share), rel=1e-12)
    assert {
        name.split(".")[1]
        for name in quantile_distance(pair_of({"a": x}, {"a": y})).parts
        if name.startswith("original.")
    } == {
        "quantile_25",
        "quantile_50",
        "quantile_75",
    }
