from __future__ import annotations

import importlib.util
import math

import pandas as pd
import pytest

from sdc.errors import BadOption, CannotProtect
from sdc.methods.synthesise.dp_marginals import rho

INSTALLED = all(importlib.util.find_spec(name) is not None for name in ("opendp", "mbi", "polars"))


@pytest.fixture
def table():
    return pd.DataFrame({"age": [20.0, 40.0, None] * 100, "sex": pd.Categorical(["f", "m", "f"] * 100)})


@pytest.mark.skipif(INSTALLED, reason="the library is there")
def test_without_the_library_the_extra_is_named(protect, table):
    with pytest.raises(CannotProtect, match=r"needs .*opendp.*; pip install 'sdc-release\[dp\]'"):
        protect("dp_marginals", table, {"epsilon": 1, "edges": {"age": [0, 30, 90]}})


def test_numbers_need_public_bands(protect, table):
    with pytest.raises(BadOption, match="age holds numbers"):
        protect("dp_marginals", table, {"epsilon": 1})


def test_a_concentrated_loss_spends_exactly_the_budget():
    spent = rho(1.0, 1e-6)
    assert spent + 2 * math.sqrt(spent * math.log(1e6)) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="needs opendp[mbi]")
def test_records_have_the_margins_within_the_noise(protect, table):
    made = protect("dp_marginals", table, {"epsilon": 5, "edges": {"age": [0, 30, 90]}, "algorithm": "mst"})
    assert made.budget.epsilon == 5
    assert (made.table["sex"] == "f").mean() == pytest.approx(2 / 3, abs=0.15)
