from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from methods.conftest import roles_of

from sdc.data.roles import Role
from sdc.errors import BadOption


@pytest.fixture
def table():
    return pd.DataFrame(
        {"x": np.arange(100.0), "s": pd.Categorical(["a"] * 25 + ["b"] * 75), "w": [3.0] * 50 + [1.0] * 50}
    )


def test_records_are_whole_and_some_occur_twice(protect, table):
    made = protect("bootstrap", table).table
    assert set(map(tuple, made.to_numpy())) <= set(map(tuple, table.to_numpy()))
    assert made["x"].nunique() == pytest.approx(100 * (1 - np.exp(-1)), abs=12)


def test_strata_keep_their_sizes(protect, table):
    made = protect("bootstrap", table, {"by": ["s"], "rows": 40}).table
    assert made["s"].value_counts().to_dict() == {"b": 30, "a": 10}


def test_weights_decide_who_is_drawn(protect, table):
    made = protect(
        "bootstrap", table, {"weights": "case", "rows": 4000}, roles=roles_of(table, w=Role.WEIGHT)
    ).table
    assert (made["x"] < 50).mean() == pytest.approx(0.75, abs=0.03)
    assert made["w"].unique() == pytest.approx([200 / 4000])
    with pytest.raises(BadOption, match="no weight"):
        protect("bootstrap", table, {"weights": "case"})


@pytest.mark.parametrize("method", ["bootstrap", "sequential"])
def test_weights_that_nobody_can_be_drawn_by_are_refused_by_name(protect, table, method):
    for weights in (np.nan, 0.0, np.where(table["x"] == 3, -1.0, 1.0)):
        with pytest.raises(BadOption, match="w must not be below 0, and above 0 somewhere"):
            protect(
                method, table.assign(w=weights), {"weights": "case"}, roles=roles_of(table, w=Role.WEIGHT)
            )


def test_nobody_is_drawn_from_a_stratum_without_weight(protect, table):
    missing = table.assign(w=table["w"].where(table["s"] == "b"))
    made = protect(
        "bootstrap", missing, {"weights": "case", "by": ["s"]}, roles=roles_of(table, w=Role.WEIGHT)
    ).table
    assert made["s"].value_counts().to_dict() == {"b": 100, "a": 0}
