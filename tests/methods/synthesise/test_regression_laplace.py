from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.registry import find_method
from sdc.errors import BadOption


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 2000)
    return pd.DataFrame(
        {"x": x, "y": 2 * x + rng.normal(size=2000), "k": pd.Categorical(rng.choice(["a", "b"], 2000))}
    )


def test_it_claims_no_guarantee(protect, table):
    made = protect("regression_laplace", table, {"epsilon": 10})
    assert made.budget is None
    assert not find_method("regression_laplace").proves_budget
    assert "experimental" in made.record["guarantee"]
    assert "not proved to be differentially private" in " ".join(
        find_method("regression_laplace").definition.lower().split()
    )


def test_values_are_regressions_or_have_laplace_noise(protect, table):
    """Half of L is below 0 and never exceeds the change, so at least half of the values are the regression's."""
    made = protect("regression_laplace", table, {"epsilon": 10})
    noisy = made.sealed["values_with_laplace_noise"]["y"]
    assert 0.2 * 2000 < noisy < 0.5 * 2000
    assert np.corrcoef(made.table["x"], made.table["y"])[0, 1] > 0.8
    assert (made.table["y"] != table["y"]).all()
    assert made.table["k"].equals(table["k"])


def test_more_epsilon_means_less_noise(protect, table):
    spread = [
        (protect("regression_laplace", table, {"epsilon": epsilon}).table["y"] - table["y"]).std()
        for epsilon in (1, 10, 1000)
    ]
    assert spread[0] > spread[1] > spread[2]


def test_accepted_noise_is_positive_unless_it_is_asked_to_be_symmetric(protect, table):
    """Noise of scale 1000 dwarfs every change.

    Of L the positive half is accepted, with mean 1000 / 2, or all of it, with mean 0.
    """
    wide = {"epsilon": 1, "variables": ["y"], "bounds": {"y": [-500, 500]}}
    signed = protect("regression_laplace", table, wide)
    assert (signed.table["y"] - table["y"]).mean() == pytest.approx(500, abs=100)
    assert (signed.sealed["values_with_laplace_noise"]["y"]) == pytest.approx(1000, abs=120)
    symmetric = protect("regression_laplace", table, {**wide, "symmetric": True})
    assert (symmetric.table["y"] - table["y"]).mean() == pytest.approx(0, abs=160)
    assert (symmetric.sealed["values_with_laplace_noise"]["y"]) > 1980


def test_values_outside_bounds_are_refused_without_saying_which(protect, table):
    with pytest.raises(BadOption, match="y has values outside its bounds"):
        protect("regression_laplace", table, {"epsilon": 1, "bounds": {"y": [0, 1]}})


def test_missing_values_stay_missing(protect, table):
    holed = table.assign(y=table["y"].where(table["x"] > 1))
    made = protect("regression_laplace", holed, {"epsilon": 1}).table
    assert made["y"].isna().equals(holed["y"].isna())
