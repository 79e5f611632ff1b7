from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


def test_ranks_are_kept_and_values_are_means_of_t_values(protect):
    table = pd.DataFrame({"x": np.random.default_rng(0).permutation(1000).astype(float)})
    made = protect("resampling", table).table["x"]
    order = np.argsort(table["x"].to_numpy())
    assert (np.diff(made.to_numpy()[order]) >= 0).all()
    assert np.allclose(made * 3, np.round(made * 3))


def test_with_one_draw_it_is_a_sorted_bootstrap_sample(protect):
    table = pd.DataFrame({"x": [10.0, 30.0, 20.0, 40.0]})
    made = [protect("resampling", table, {"t": 1}, seed=seed).table["x"] for seed in range(300)]
    assert all(set(column) <= {10, 20, 30, 40} for column in made)
    least = np.mean([column[0] == 10 for column in made])
    assert least == pytest.approx(1 - (3 / 4) ** 4, abs=0.08)


def test_more_draws_come_closer_to_expected_order_statistics(protect):
    """The smallest of 3 draws from {0, 1, 2} has mean (1*1*... ) = 0*19/27 + 1*7/27 + 2*1/27 = 9/27."""
    table = pd.DataFrame({"x": [0.0, 1.0, 2.0]})
    made = protect("resampling", table, {"t": 20_000}).table["x"]
    assert made.to_numpy() == pytest.approx([9 / 27, 1, 2 - 9 / 27], abs=0.02)


def test_missing_stays_missing_and_classes_draw_from_their_own_values(protect):
    table = pd.DataFrame({"x": [1.0, 2.0, np.nan, 100.0, 200.0], "g": pd.Categorical(list("aaabb"))})
    made = protect("resampling", table, {"variables": ["x"], "by": ["g"]}).table["x"]
    assert made.isna().tolist() == [False, False, True, False, False]
    assert made[:2].max() <= 2
    assert made[3:].min() >= 100
