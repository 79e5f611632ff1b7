from __future__ import annotations

import importlib.util
import math

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar

from sdc.errors import BadOption, CannotProtect
from sdc.methods.banded import Banded
from sdc.methods.synthesise.dp_marginals import _refuse_other_release, rho

INSTALLED = all(importlib.util.find_spec(name) is not None for name in ("opendp", "mbi", "polars"))


@pytest.fixture
def table():
    return pd.DataFrame({"age": [20.0, 40.0, None] * 100, "sex": pd.Categorical(["f", "m", "f"] * 100)})


@pytest.mark.skipif(INSTALLED, reason="the library is there")
def test_without_the_library_the_extra_is_named(protect, table):
    with pytest.raises(CannotProtect, match=r"needs .*opendp.*; pip install 'sdc-release\[dp\]'"):
        protect("dp_marginals", table, {"epsilon": 1, "edges": {"age": [0, 30, 90]}})


def test_a_release_of_polars_that_the_library_cannot_read_is_named():
    with pytest.raises(
        CannotProtect, match=r"works with polars 1\.36\.1, and 2\.1\.0 is installed; pip install"
    ):
        _refuse_other_release("1.36.1", "2.1.0")
    _refuse_other_release("1.36.1", "1.36.1")


def test_numbers_need_public_bands(protect, table):
    with pytest.raises(BadOption, match="age holds numbers"):
        protect("dp_marginals", table, {"epsilon": 1})


def test_the_largest_concentrated_loss_is_spent():
    """0.02436 is the optimum over the order of corollary 13 in Canonne, Kamath, Steinke (2020)."""
    assert rho(1.0, 1e-6) == pytest.approx(0.02436, abs=5e-6)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-9), (1.0, 1e-6), (10.0, 1e-5)])
def test_the_loss_never_gives_more_than_epsilon_and_delta(epsilon, delta):
    """An independent optimum of the bound over the order."""
    loss = rho(epsilon, delta)

    def bound(place):
        order = 1 + math.exp(place)
        return (order - 1) * (order * loss - epsilon) + order * math.log1p(-1 / order) - math.log(order - 1)

    best = minimize_scalar(bound, bounds=(-5, 15), method="bounded", options={"xatol": 1e-12}).fun
    assert best <= math.log(delta) + 1e-9
    assert best == pytest.approx(math.log(delta), abs=1e-5)


def test_whole_numbers_are_drawn_evenly_from_the_whole_numbers_of_their_band():
    table = pd.DataFrame({"n": [0.0, 1.0, 2.0, 9.0] * 1000})
    banded = Banded("saturated_table", table, ("n",), {"n": [-0.5, 0.5, 3, 9]}, 1, public=True, whole=("n",))
    drawn = banded.values(np.repeat([0, 1, 2], 4000)[:, None], np.random.default_rng(0))["n"]
    assert set(drawn[:4000]) == {0}
    assert np.unique(drawn[4000:8000]).tolist() == [1, 2]
    assert np.unique(drawn[8000:]).tolist() == [3, 4, 5, 6, 7, 8, 9]
    assert (drawn[4000:8000] == 1).mean() == pytest.approx(0.5, abs=0.03)
    with pytest.raises(BadOption, match="a band of n holds no whole number"):
        Banded("saturated_table", table, ("n",), {"n": [0.1, 0.9, 10]}, 1, public=True, whole=("n",))


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="needs opendp[mbi]")
@pytest.mark.parametrize(
    ("options", "variables"), [({"epsilon": 3, "delta": 1e-6, "algorithm": "mst"}, 9), ({"epsilon": 1}, 4)]
)
def test_the_last_digits_of_a_budget_stop_nothing(protect, options, variables):
    """The shares of nine variables' selections add up to more than the whole.

    AIM may end with a rest too small to spend.
    """
    rng = np.random.default_rng(0)
    binary = pd.DataFrame(
        {f"v{place}": pd.Categorical(rng.choice(["n", "y"], 400)) for place in range(variables)}
    )
    assert len(protect("dp_marginals", binary, options).table) > 200


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="needs opendp[mbi]")
def test_records_have_the_margins_within_the_noise(protect, table):
    made = protect("dp_marginals", table, {"epsilon": 5, "edges": {"age": [0, 30, 90]}, "algorithm": "mst"})
    assert made.budget.epsilon == 5
    assert (made.table["sex"] == "f").mean() == pytest.approx(2 / 3, abs=0.15)
