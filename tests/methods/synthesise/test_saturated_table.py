from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdc.errors import BadOption, CannotProtect
from sdc.statistics.synthesis.cells import Guarantee, counted, noisy_counts


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    age = rng.integers(0, 90, 3000).astype(float)
    status = np.where(age < 16, "single", rng.choice(["single", "married"], 3000))
    return pd.DataFrame(
        {"age": age, "status": pd.Categorical(status), "sex": pd.Categorical(rng.choice(["f", "m"], 3000))}
    )


def shares(frame):
    return pd.crosstab([frame["status"], frame["sex"]], frame["age"] >= 16, normalize="all").to_numpy()


def test_records_have_the_shares_of_the_cells(protect, people):
    made = protect("saturated_table", people, {"edges": {"age": [0, 16, 40, 90]}}).table
    assert shares(made) == pytest.approx(shares(people), abs=0.03)
    assert not ((made["age"] < 16) & (made["status"] == "married")).any()
    assert set(made["age"]) <= set(people["age"])


def test_a_prior_fills_cells_but_never_structural_zeros(protect, people):
    options = {"edges": {"age": [0, 16, 40, 90]}, "prior": 200}
    filled = protect("saturated_table", people, options).table
    assert ((filled["age"] < 16) & (filled["status"] == "married")).any()
    kept = protect(
        "saturated_table", people, {**options, "zeros": ["age < 16 and status == 'married'"]}
    ).table
    assert not ((kept["age"] < 16) & (kept["status"] == "married")).any()
    assert not kept.isna().any().any()


def test_with_epsilon_the_budget_is_stated_and_values_tell_only_bands(protect, people):
    options = {"edges": {"age": [0, 16, 40, 90]}, "epsilon": 1.0, "complete": ["age", "status", "sex"]}
    made = protect("saturated_table", people, options)
    assert (made.budget.epsilon, made.budget.delta) == (1.0, 0.0)
    assert shares(made.table) == pytest.approx(shares(people), abs=0.03)
    assert not set(made.table["age"]) & set(people["age"])
    assert len(made.table) == pytest.approx(3000, abs=60)
    assert protect("saturated_table", people).budget is None


def test_gaussian_noise_needs_a_delta(protect, people):
    edges = {"age": [0, 16, 40, 90]}
    made = protect(
        "saturated_table", people, {"edges": edges, "epsilon": 1.0, "delta": 1e-6, "noise": "gaussian"}
    )
    assert made.budget.delta == 1e-6
    for wrong in ({"noise": "gaussian"}, {"delta": 1e-6}):
        with pytest.raises(BadOption, match="delta"):
            protect("saturated_table", people, {"edges": edges, "epsilon": 1.0, **wrong})


def test_bands_of_the_data_are_refused_where_they_would_disclose(protect, people):
    with pytest.raises(BadOption, match="age holds numbers"):
        protect("saturated_table", people, {"epsilon": 1.0})


def test_a_table_too_large_is_refused_with_its_size(protect, people):
    wide = pd.DataFrame({str(place): people["age"] for place in range(6)})
    with pytest.raises(CannotProtect, match="cells"):
        protect("saturated_table", wide, {"bins": 60})


def test_noise_of_counts_is_discrete_laplace_with_its_privacy_ratio():
    """The chance of an outcome changes by a factor of exactly exp(epsilon / tables) when a count changes by one."""
    empty = [np.zeros((200, 200), dtype=np.int64)] * 2
    drawn = np.concatenate(
        [
            table.ravel()
            for table in noisy_counts(empty, Guarantee(1.0, 0.0, "laplace"), np.random.default_rng(0))
        ]
    )
    seen = np.bincount(np.abs(drawn), minlength=8)
    ratio = np.exp(-0.5)
    expected = (
        drawn.size * (1 - ratio) / (1 + ratio) * ratio ** np.arange(8) * np.where(np.arange(8) > 0, 2, 1)
    )
    assert seen[:8] == pytest.approx(expected, rel=0.06)


def test_gaussian_noise_has_the_deviation_for_all_tables_together():
    """Two tables: sensitivity sqrt 2; the deviation found meets the condition of Balle and Wang."""
    tables = noisy_counts(
        [np.zeros((300, 300), dtype=np.int64)] * 2, Guarantee(0.5, 1e-5, "gaussian"), np.random.default_rng(0)
    )
    sigma = np.std(tables[0]) / np.sqrt(2)
    near, far = 1 / (2 * sigma) - 0.5 * sigma, -1 / (2 * sigma) - 0.5 * sigma
    assert stats.norm.cdf(near) - np.exp(0.5) * stats.norm.cdf(far) == pytest.approx(1e-5, rel=0.25)


def test_counts_are_counts():
    assert counted(np.array([[0, 1], [0, 1], [1, 0]]), (2, 2)).tolist() == [[0, 2], [1, 0]]
