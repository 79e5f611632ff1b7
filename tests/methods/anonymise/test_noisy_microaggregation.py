from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.errors import CannotProtect


def test_noise_has_the_covariance_of_what_microaggregation_took(protect):
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.normal(size=(9000, 2)) @ np.array([[1.0, 0.7], [0, 3]]), columns=["x", "y"])
    means = protect("microaggregation", table, {"grouping": "z_score_projection"}).table
    noise = protect("noisy_microaggregation", table).table - means
    assert noise.mean().abs().max() < 0.1
    assert noise.cov().to_numpy() == pytest.approx((table - means).cov().to_numpy(), rel=0.06, abs=0.06)


def test_noise_of_small_numbers_is_not_lost_beside_large_ones(protect):
    """Noise gives every variable its variance back, whatever its unit is."""
    drawn = np.random.default_rng(4).normal(size=(9000, 3))
    table = pd.DataFrame(drawn * [1, 1, 1e9], columns=["x", "y", "z"])
    made = protect("noisy_microaggregation", table).table
    assert (made.std() / table.std()).to_numpy() == pytest.approx([1, 1, 1], rel=0.03)


def test_no_group_of_equal_records_is_left_and_missing_stays_missing(protect):
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(300, 2)), columns=["x", "y"]).mask(rng.random((300, 2)) < 0.1)
    made = protect("noisy_microaggregation", table, {"grouping": "mdav", "k": 4}).table
    assert made.isna().equals(table.isna())
    assert not made["x"].dropna().duplicated().any()


def test_too_few_values_are_refused_by_name(protect):
    with pytest.raises(CannotProtect, match="x has 2 values in the table, fewer than k = 3"):
        protect("noisy_microaggregation", pd.DataFrame({"x": [1.0, 2.0]}))
