from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.errors import BadOption, CannotProtect
from sdc.statistics.synthesis.cells import fitted_cells


@pytest.fixture(scope="module")
def chain():
    """b follows a, c follows b; given b, a and c are independent."""
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=5000)
    b = np.where(rng.random(5000) < 0.8, a, 1 - a)
    c = np.where(rng.random(5000) < 0.8, b, 1 - b)
    return pd.DataFrame(
        {name: pd.Categorical.from_codes(codes, ["n", "y"]) for name, codes in (("a", a), ("b", b), ("c", c))}
    )


def agreement(frame, one, other):
    return (frame[one] == frame[other]).mean()


def test_margins_named_are_kept_and_the_rest_follows(protect, chain):
    made = protect("ipf_tables", chain, {"margins": [["a", "b"], ["b", "c"]]})
    for one, other in (("a", "b"), ("b", "c"), ("a", "c")):
        assert agreement(made.table, one, other) == pytest.approx(agreement(chain, one, other), abs=0.03)
    lone = protect("ipf_tables", chain, {"margins": [["a", "b"]]}).table
    assert agreement(lone, "b", "c") == pytest.approx(0.5, abs=0.03)
    assert made.record["margins"] == [["a", "b"], ["b", "c"]]


def test_fitted_cells_have_the_margins_and_independence_given_them():
    """2 x 2 x 2 by hand: p(a, b) p(c | b)."""
    ab, bc = np.array([[30.0, 10.0], [20.0, 40.0]]), np.array([[10.0, 40.0], [25.0, 25.0]])
    cells, gap = fitted_cells([((0, 1), ab), ((1, 2), bc)], (2, 2, 2))
    expected = ab[:, :, None] * bc[None] / bc.sum(axis=1)[None, :, None] / 100
    assert cells == pytest.approx(expected)
    assert gap < 1e-9


def test_a_margin_may_name_its_variables_in_any_order():
    table = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert fitted_cells([((1, 0), table)], (3, 2))[0] == pytest.approx(table.T / 21)


def test_structural_zeros_stay_empty_and_margins_hold(protect, chain):
    both = chain[~((chain["a"] == "y") & (chain["c"] == "n"))]
    made = protect(
        "ipf_tables", both, {"zeros": ["a == 'y' and c == 'n'"], "margins": [["a", "b"], ["b", "c"]]}
    ).table
    assert not ((made["a"] == "y") & (made["c"] == "n")).any()
    assert made["b"].value_counts(normalize=True)["y"] == pytest.approx((both["b"] == "y").mean(), abs=0.03)


@pytest.mark.parametrize("noise", [{"noise": "laplace"}, {"noise": "gaussian", "delta": 1e-6}])
def test_with_epsilon_margins_are_near_and_the_budget_is_all_of_it(protect, chain, noise):
    made = protect("ipf_tables", chain, {"epsilon": 2.0, "complete": ["a", "b", "c"], **noise})
    assert made.budget.epsilon == 2.0
    assert made.budget.delta == noise.get("delta", 0.0)
    assert agreement(made.table, "a", "b") == pytest.approx(agreement(chain, "a", "b"), abs=0.05)
    assert not made.table.isna().any().any()


def test_zeros_that_leave_nothing_are_refused(protect, chain):
    with pytest.raises(BadOption, match="every cell"):
        protect("ipf_tables", chain, {"zeros": ["a == 'y' or not a == 'y'"]})


def test_an_empty_margin_is_refused(protect, chain):
    with pytest.raises((CannotProtect, BadOption)):
        protect("ipf_tables", chain, {"margins": [["a", "nothing"]]})
