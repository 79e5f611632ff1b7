from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.risk.log_linear_risk import log_linear_risk
from sdc.statistics.regression.log_linear import (
    Multiplier,
    SparseTable,
    fitted_hierarchy,
    fitted_main_effects,
    uniques_at_risk,
)

FIVE = ["region", "sex", "marital_status", "education", "activity"]


@pytest.mark.parametrize("model", ["standard", "clogg_eliason", "pseudo_likelihood", "weighted"])
def test_tau_is_that_of_sdcmicro(household_pair, households, golden, model):
    expected = golden("log_linear_risk")["outputs"][model]
    outcome = log_linear_risk(household_pair(FIVE, households["education"].notna()), model=model)
    assert outcome.parts["tau1"] == pytest.approx(expected["tau1"], rel=1e-6)
    assert outcome.parts["tau2"] == pytest.approx(expected["tau2"], rel=1e-6)
    assert outcome.value == pytest.approx(expected["tau2_over_n"], rel=1e-6)
    assert outcome.parts["sample_uniques"] == expected["sample_uniques"]


@pytest.mark.parametrize("model", ["standard", "clogg_eliason", "weighted"])
def test_single_keys_on_the_whole_grid_give_the_same_fit(model):
    rng = np.random.default_rng(9)
    cells = rng.choice(60, 25, replace=False)
    codes = np.column_stack(np.unravel_index(cells, (3, 4, 5)))
    table = SparseTable(codes, (3, 4, 5), rng.integers(1, 9, 25).astype(float))
    multiplier = (
        Multiplier(rng.uniform(0.2, 2, 25), 0.1) if model == "clogg_eliason" else Multiplier(np.ones(25))
    )
    predictor = rng.uniform(0, 1, 25) if model == "weighted" else None
    assert fitted_main_effects(table, multiplier, predictor) == pytest.approx(
        fitted_hierarchy(table, multiplier, [[0], [1], [2]], predictor), rel=1e-9
    )


def test_the_fit_is_the_largest_likelihood():
    rng = np.random.default_rng(2)
    cells = rng.choice(12, 9, replace=False)
    codes = np.column_stack(np.unravel_index(cells, (3, 4)))
    counts, weights = rng.integers(1, 9, 9).astype(float), rng.uniform(0, 1, 9)
    grid = np.indices((3, 4)).reshape(2, -1)
    observed, column = np.zeros(12), np.zeros(12)
    observed[cells], column[cells] = counts, weights
    design = np.column_stack(
        [grid[0][:, None] == np.arange(3), grid[1][:, None] == np.arange(1, 4), column[:, None]]
    ).astype(float)

    def loss(beta):
        return float(np.exp(design @ beta).sum() - observed @ (design @ beta))

    best = minimize(
        loss,
        np.zeros(7),
        jac=lambda beta: design.T @ (np.exp(design @ beta) - observed),
        method="BFGS",
        options={"gtol": 1e-10},
    ).x
    fitted = fitted_main_effects(SparseTable(codes, (3, 4), counts), Multiplier(np.ones(9)), weights)
    assert fitted == pytest.approx(np.exp(design @ best)[cells], rel=1e-6)


def test_a_saturated_model_expects_what_was_counted(household_pair):
    pair = household_pair(["sex", "region"])
    saturated = log_linear_risk(pair, terms=[["sex", "region"]])
    assert saturated.value == 0
    codes = np.array([[0, 0], [0, 1], [1, 1]])
    table = SparseTable(codes, (2, 2), np.array([4.0, 2.0, 3.0]))
    assert fitted_hierarchy(table, Multiplier(np.ones(3)), [[0, 1]]) == pytest.approx([4, 2, 3])


def test_taus_of_one_unique_by_hand():
    # lambda 2, p 1/4: v = 1.5.
    assert uniques_at_risk(np.array([2.0]), np.array([0.25])) == pytest.approx(
        (np.exp(-1.5), (1 - np.exp(-1.5)) / 1.5)
    )
    # The whole population sampled: the unique is alone there.
    assert uniques_at_risk(np.array([2.0]), np.array([1.0])) == (1, 1)


def test_interactions_change_the_expectation(household_pair, households):
    pair = household_pair(FIVE, households["education"].notna())
    pairs = log_linear_risk(
        pair, terms=[["region", "sex"], ["marital_status", "education"], ["activity", "education"]]
    )
    assert pairs.value != pytest.approx(log_linear_risk(pair).value, rel=1e-3)


def test_terms_of_other_variables_and_huge_grids_are_not_assessed(household_pair):
    pair = household_pair(FIVE)
    assert log_linear_risk(pair, terms=[["age"]]) == NotAssessed("terms name what is no key: age")
    wide = household_pair([*FIVE, "age", "household_size", "occupation"])
    assert isinstance(log_linear_risk(wide, terms=[["age", "sex"]]), NotAssessed)
    assert 0 < log_linear_risk(wide).value < 1
