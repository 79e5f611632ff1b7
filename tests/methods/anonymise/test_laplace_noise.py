from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sdc.catalogue.protection import Budget
from sdc.errors import BadOption
from sdc.statistics.noise.privacy_noise import laplace_noisy, laplace_scale


def test_the_scale_is_sensitivity_over_epsilon(worked_examples):
    case = worked_examples["Q-2.5.2-laplace"]
    assert laplace_scale(case["parameters"]["sensitivity"], case["parameters"]["eps"]) == case["recomputed"]


@pytest.mark.parametrize(("low", "high", "epsilon"), [(0, 1, 1), (-50, 150, 0.1), (1e6, 3e6, 8)])
def test_noise_has_the_scale_of_the_mechanism(low, high, epsilon):
    """Of Laplace noise the mean absolute value is the scale, the variance twice its square."""
    values = np.full(200_000, (low + high) / 2)
    noise = laplace_noisy(values, low, high, epsilon, np.random.default_rng(1)) - values
    scale = (high - low) / epsilon
    assert np.abs(noise).mean() == pytest.approx(scale, rel=0.01)
    assert noise.var() == pytest.approx(2 * scale**2, rel=0.03)
    assert noise.mean() == pytest.approx(0, abs=5 * scale * np.sqrt(2 / 200_000))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_no_outcome_tells_two_values_apart_by_more_than_epsilon(epsilon):
    """Histograms of the outcomes of the two most distant values.

    Every log ratio within epsilon, up to sampling error.
    """
    draws = 400_000
    one, other = (
        laplace_noisy(np.full(draws, value), 0, 1, epsilon, np.random.default_rng(seed))
        for seed, value in enumerate((0.0, 1.0))
    )
    edges = np.linspace(-1, 2, 25)
    counts = [np.histogram(sample, edges)[0] for sample in (one, other)]
    errors = np.sqrt(1 / counts[0] + 1 / counts[1])
    ratios = np.abs(np.log(counts[0] / counts[1]))
    assert (ratios <= epsilon + 4 * errors).all()
    assert ratios.max() > 0.8 * epsilon


def test_neighbouring_values_reach_the_same_outcomes():
    """On a common grid: low-order bits of an outcome do not depend on the value."""
    samples = [
        laplace_noisy(np.full(2000, value), 0, 1, 2.0, np.random.default_rng(3)) for value in (0.1, 0.3)
    ]
    step = 2.0 ** np.floor(np.log2(0.5)) / 2**20
    for sample in samples:
        assert (sample / step == np.round(sample / step)).all()


def test_epsilon_is_shared_by_the_variables_and_recorded(protect):
    table = pd.DataFrame({"x": np.full(50_000, 5.0), "y": np.full(50_000, -3.0)})
    made = protect("laplace_noise", table, {"epsilon": 2.0, "x": [0, 10], "y": [-10, 10]})
    assert made.budget == Budget(2.0)
    assert made.record["scale"] == {"x": 10.0, "y": 20.0}
    assert (made.table - table).abs().mean().to_numpy() == pytest.approx([10, 20], rel=0.03)


def test_bounds_are_declared_and_values_outside_are_moved_to_them(protect):
    table = pd.DataFrame({"x": np.array([1e9, 0.0] * 20_000)})
    made = protect("laplace_noise", table, {"epsilon": 20.0, "x": [0, 10]}).table["x"]
    assert made[::2].mean() == pytest.approx(10, abs=0.05)
    clamped = protect("laplace_noise", table, {"epsilon": 1.0, "x": [0, 10], "clamp": True}).table["x"]
    assert clamped.between(0, 10).all()


def test_missing_values_are_filled_or_cost_the_claim(protect):
    table = pd.DataFrame({"x": [1.0, np.nan]})
    assert protect("laplace_noise", table, {"epsilon": 1.0, "x": [0, 10]}).table["x"].notna().all()
    public = protect("laplace_noise", table, {"epsilon": 1.0, "x": [0, 10], "missing_values": "public"})
    assert public.table["x"].isna().tolist() == [False, True]
    assert public.budget is None


@pytest.mark.parametrize(
    "options",
    [{"epsilon": 0, "x": [0, 1]}, {"epsilon": 1, "x": [1, 1]}, {"x": [0, 1]}, {"epsilon": 1, "x": [0]}],
)
def test_budgets_and_bounds_that_mean_nothing_are_refused(protect, options):
    with pytest.raises(ValidationError):
        protect("laplace_noise", pd.DataFrame({"x": [1.0]}), options)


def test_a_variable_must_be_named_and_hold_numbers(protect):
    table = pd.DataFrame({"x": [1.0], "g": pd.Categorical(["a"])})
    with pytest.raises(BadOption, match="name a variable and its bounds"):
        protect("laplace_noise", table, {"epsilon": 1})
    with pytest.raises(BadOption, match="g does not hold numbers"):
        protect("laplace_noise", table, {"epsilon": 1, "g": [0, 1]})
