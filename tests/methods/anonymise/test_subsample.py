from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.data.roles import Role
from tests.methods.conftest import roles_of

TABLE = pd.DataFrame(
    {
        "home": pd.Categorical(np.repeat([f"h{number}" for number in range(40)], 3)),
        "area": pd.Categorical(np.repeat(["a"] * 10 + ["b"] * 30, 3)),
        "weight": np.full(120, 10.0),
        "x": np.arange(120.0),
    }
)
ROLES = roles_of(TABLE, home=Role.HOUSEHOLD, weight=Role.WEIGHT)


def test_whole_households_are_drawn_and_weights_still_add_up(protect):
    made = protect("subsample", TABLE, {"share": 0.25}, roles=ROLES)
    assert len(made.table) == 30
    assert made.table.groupby("home", observed=True).size().tolist() == [3] * 10
    assert made.table["weight"].sum() == pytest.approx(TABLE["weight"].sum())
    assert made.table["x"].is_monotonic_increasing
    assert made.record == {"units_drawn": 10, "units": 40, "records": 30}


def test_the_share_is_drawn_in_every_class(protect):
    made = protect("subsample", TABLE, {"share": 0.1, "by": ["area"]}, roles=ROLES).table
    assert made.groupby("area", observed=True)["home"].nunique().to_dict() == {"a": 1, "b": 3}
    assert made.groupby("area", observed=True)["weight"].sum().to_dict() == pytest.approx(
        {"a": 300, "b": 900}
    )


def test_every_record_has_the_same_chance(protect):
    table = TABLE[["x"]].head(20)
    drawn = np.zeros(20)
    for seed in range(600):
        drawn[protect("subsample", table, {"share": 0.3}, seed=seed).table["x"].astype(int)] += 1
    assert drawn / 600 == pytest.approx(np.full(20, 0.3), abs=0.08)
