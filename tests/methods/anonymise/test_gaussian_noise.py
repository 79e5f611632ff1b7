from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError
from scipy.stats import norm

from sdc.catalogue.protection import Budget
from sdc.errors import BadOption
from sdc.statistics.noise.privacy_noise import analytic_sigma, classical_sigma, normal_delta


def exact_delta(sigma, epsilon):
    """sup over sets of P(M(x) in S) - e^epsilon P(M(x') in S) for sensitivity 1, by integrating the positive part."""
    grid = np.linspace(-12 * sigma - 1, 12 * sigma + 1, 400_001)
    excess = norm.pdf(grid, 1, sigma) - exp(epsilon) * norm.pdf(grid, 0, sigma)
    return np.trapezoid(np.maximum(excess, 0), grid)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1.0, 1e-5), (2.5, 1e-6), (10.0, 1e-3)])
def test_the_analytic_sigma_spends_exactly_delta(epsilon, delta):
    sigma = analytic_sigma(1.0, epsilon, delta)
    assert exact_delta(sigma, epsilon) == pytest.approx(delta, rel=1e-3)
    assert exact_delta(sigma * 0.99, epsilon) > delta
    assert normal_delta(sigma, epsilon) <= delta


def test_it_needs_less_noise_than_the_classical_one_and_scales_with_sensitivity():
    assert classical_sigma(2.0, 0.5, 1e-5) == pytest.approx(2 * sqrt(2 * log(1.25e5)) / 0.5)
    assert analytic_sigma(1.0, 0.5, 1e-5) < classical_sigma(1.0, 0.5, 1e-5)
    assert analytic_sigma(7.0, 1.5, 1e-5) == pytest.approx(7 * analytic_sigma(1.0, 1.5, 1e-5))


def test_the_classical_sigma_is_that_of_the_worked_example(worked_examples):
    held = worked_examples["Q-2.5.6-gauss"]
    asked = held["parameters"]
    assert classical_sigma(asked["sensitivity"], asked["eps"], asked["delta"]) == pytest.approx(
        held["recomputed"], rel=1e-12
    )


def test_the_classical_sigma_breaks_its_promise_beyond_an_epsilon_of_one_and_the_analytic_keeps_it(
    worked_examples,
):
    held = worked_examples["Q-2.5.6-gauss-eps10"]
    asked = held["parameters"]
    spent = normal_delta(classical_sigma(asked["sensitivity"], asked["eps"], asked["delta"]), asked["eps"])
    assert spent == pytest.approx(held["recomputed"], rel=1e-6)
    assert spent > asked["delta"]
    assert (
        normal_delta(analytic_sigma(asked["sensitivity"], asked["eps"], asked["delta"]), asked["eps"])
        <= asked["delta"]
    )


def test_the_tail_the_classical_proof_needs_is_not_there(worked_examples):
    held = worked_examples["Q-2.5.6-proof-claim"]
    delta = held["parameters"]["delta"]
    assert norm.sf(sqrt(2 * log(1.25 / delta)) / 2) == pytest.approx(held["recomputed"], rel=1e-12)
    assert normal_delta(analytic_sigma(1.0, 1.0, delta), 1.0) <= delta


def test_very_small_and_very_large_budgets_have_a_sigma():
    for epsilon in (1e-3, 50.0, 400.0):
        sigma = analytic_sigma(1.0, epsilon, 1e-8)
        assert 0 < sigma < 1e6
        assert normal_delta(sigma, epsilon) <= 1e-8


@pytest.mark.parametrize(
    ("epsilon", "calibration"), [(0.5, "classical"), (1.0, "analytic"), (4.0, "analytic")]
)
def test_noise_has_the_sigma_on_record(protect, epsilon, calibration):
    table = pd.DataFrame({"x": np.full(60_000, 5.0), "y": np.full(60_000, 0.0)})
    made = protect("gaussian_noise", table, {"epsilon": epsilon, "delta": 1e-5, "x": [0, 10], "y": [-1, 1]})
    assert made.budget == Budget(epsilon, 1e-5)
    assert made.record["calibration"] == calibration
    unit = (classical_sigma if calibration == "classical" else analytic_sigma)(sqrt(2), epsilon, 1e-5)
    assert made.record["sigma"] == pytest.approx({"x": 10 * unit, "y": 2 * unit})
    assert (made.table - table).std().to_numpy() == pytest.approx([10 * unit, 2 * unit], rel=0.02)


def test_outcomes_of_two_values_differ_by_no_more_than_the_budget(protect):
    """P(S | x) <= e^epsilon P(S | x') + delta for tail sets of the two most distant values, up to sampling error."""
    draws, epsilon, delta = 300_000, 1.0, 0.01
    samples = [
        protect(
            "gaussian_noise",
            pd.DataFrame({"x": np.full(draws, value)}),
            {"epsilon": epsilon, "delta": delta, "x": [0, 1]},
            seed=seed,
        ).table["x"]
        for seed, value in enumerate((0.0, 1.0))
    ]
    gaps = []
    for cut in np.linspace(-4, 6, 41):
        first, second = ((sample > cut).mean() for sample in samples)
        gaps.append(second - exp(epsilon) * first)
        assert gaps[-1] <= delta + 4 * sqrt((second + exp(2 * epsilon) * first) / draws) + 1e-12
    assert max(gaps) > 0.6 * delta


def test_missing_values_are_filled_or_cost_the_claim(protect):
    table = pd.DataFrame({"x": [1.0, np.nan]})
    options = {"epsilon": 1.0, "delta": 1e-5, "x": [0, 10]}
    assert protect("gaussian_noise", table, options).table["x"].notna().all()
    assert protect("gaussian_noise", table, {**options, "missing_values": "public"}).budget is None


def test_the_classical_calibration_is_refused_where_it_proves_nothing(protect):
    with pytest.raises(BadOption, match="proves nothing for epsilon of 1 or more"):
        protect(
            "gaussian_noise",
            pd.DataFrame({"x": [1.0]}),
            {"epsilon": 1.0, "delta": 1e-5, "calibration": "classical", "x": [0, 1]},
        )
    with pytest.raises(ValidationError):
        protect("gaussian_noise", pd.DataFrame({"x": [1.0]}), {"epsilon": 1.0, "delta": 1.0, "x": [0, 1]})
