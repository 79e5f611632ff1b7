from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Roles, Variable, VariableType
from sdc.measures.risk.record_linkage import record_linkage
from sdc.statistics.synthesis.selection import lasso, standardised


def example(seed):
    """Example 4.5.3.

    Two pairs, each of a variable and a linear function of it, without any sequence among the pairs.
    """
    rng = np.random.default_rng(seed)
    x1, x3 = rng.exponential(2, 1000), rng.beta(0.5, 0.5, 1000)
    return pd.DataFrame(
        {"X1": x1, "X2": 2 * x1 + rng.normal(0, 0.1, 1000), "X3": x3, "X4": 5 * x3 + rng.normal(0, 0.1, 1000)}
    )


def test_the_lasso_finds_the_pairs(protect, worked_examples):
    """Example 4.5.4, with predictors and targets standardised."""
    wanted = worked_examples["Q-4.5.4-lasso"]["recomputed"]
    found = [
        protect("all_others", example(seed), {"penalty": 0.01}).record["predictors"] for seed in range(10)
    ]
    assert found == [wanted] * 10


def test_sequential_regressions_distort_and_this_one_does_not(protect):
    """Examples 4.5.3 and 4.5.4.

    X4 drawn from X2, of which it is independent, is normal and no longer U-shaped.
    """
    table = example(0)
    others = protect("all_others", table).table
    sequence = protect("sequential", table, {"model": "norm", "visit": ["X2", "X4", "X3", "X1"]}).table
    distances = {
        name: [stats.ks_2samp(frame[name], table[name]).statistic for frame in (others, sequence)]
        for name in table
    }
    assert all(kept < 0.06 for kept, _ in distances.values())
    assert distances["X4"][1] > 0.1
    assert others.corr().to_numpy() == pytest.approx(table.corr().to_numpy(), abs=0.05)


def test_a_second_pass_draws_from_synthetic_values_alone(protect):
    """With r the correlation of a pair, X1 drawn given the observed X2 has correlation r with it, by way of the synthetic one r cubed."""
    rng = np.random.default_rng(1)
    table = example(1)
    table["X2"] = table["X1"] + 2 * rng.normal(size=1000)
    once, twice = (
        protect("all_others", table).table,
        protect("all_others", table, {"second_pass": True}).table,
    )
    near, far = (np.corrcoef(table["X2"], frame["X1"])[0, 1] for frame in (once, twice))
    assert near > far + 0.1
    assert stats.ks_2samp(twice["X3"], table["X3"]).statistic < 0.08


@pytest.mark.parametrize("second_pass", [False, True])
def test_records_are_found_again_by_the_nearest_neighbour(protect, second_pass):
    """A blind guess finds 1 record of 1000."""
    table = example(0)
    made = protect("all_others", table, {"second_pass": second_pass}).table
    linked = record_linkage(
        ReleasePair.from_frames(
            table, made, Roles.of(Variable(name, type=VariableType.NUMERIC) for name in table), aligned=True
        )
    )
    assert linked.value > 0.2
    assert linked.parts["baseline"] == 0.001


def test_ridge_selects_by_size(protect):
    found = protect("all_others", example(2), {"select": "ridge", "least": 0.2}).record["predictors"]
    assert found["X1"] == ["X2"]
    assert found["X4"] == ["X3"]


def test_the_lasso_meets_its_optimality_conditions():
    """Gradient equal to the penalty where a coefficient is not 0, at most it where it is."""
    rng = np.random.default_rng(0)
    matrix = standardised(rng.normal(size=(100, 6)))
    target = standardised((matrix[:, :2] @ [1.0, -0.5] + rng.normal(size=100))[:, None])[:, 0]
    found = lasso(matrix, target, 0.2)
    slope = matrix.T @ (target - matrix @ found) / 100
    assert slope[found != 0] == pytest.approx(0.2 * np.sign(found[found != 0]), abs=1e-6)
    assert (np.abs(slope[found == 0]) <= 0.2 + 1e-6).all()


def test_mixed_variables_are_drawn_too(protect, mixed):
    made = protect("all_others", mixed)
    assert made.table.dtypes.equals(mixed.dtypes)
    assert made.record["models"]["sex"] in ("logreg", "polyreg", "sample")
