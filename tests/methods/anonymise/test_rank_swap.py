from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadOption
from sdc.kernels.rank_swap import partners


def swap(table, seed=0, **given):
    roles = Roles.of(
        Variable(
            name,
            Role.SENSITIVE,
            VariableType.NUMERIC if table[name].dtype == float else VariableType.CATEGORICAL,
        )
        for name in table
    )
    entry = find_method("rank_swap")
    return entry.function(table, roles, np.random.default_rng(seed), **entry.arguments(given)).table


def test_every_variable_keeps_exactly_its_values_and_no_rank_moves_too_far():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"x": rng.normal(size=501), "y": rng.integers(0, 9, 501).astype(float)})
    made = swap(table, p=0.1)
    for name in table:
        assert sorted(made[name]) == sorted(table[name])
    moved = made["x"].rank() - table["x"].rank()
    assert moved.abs().max() <= 50
    assert (moved != 0).mean() > 0.9


def test_partners_are_mutual_within_the_window_and_nobody_waits_in_vain():
    for n, window in ((1, 1), (2, 1), (7, 2), (100, 13), (64, 64)):
        partner = partners(n, window, np.random.default_rng(n).random(n))
        assert (partner[partner] == np.arange(n)).all()
        assert np.abs(partner - np.arange(n)).max() <= window
        alone = np.flatnonzero(partner == np.arange(n))
        assert (np.diff(alone) > window).all()


def test_partners_are_drawn_evenly():
    """With four ranks and a window of 3 the lowest swaps with each other one in a third of the cases."""
    rng = np.random.default_rng(0)
    drawn = np.bincount([partners(4, 3, rng.random(4))[0] for _ in range(6000)], minlength=4) / 6000
    assert drawn[0] == 0
    assert drawn[1:] == pytest.approx([1 / 3] * 3, abs=0.025)


def test_draws_just_below_one_stay_in_the_window():
    assert partners(4, 3, np.full(4, np.nextafter(1, 0))).tolist() == [3, 2, 1, 0]


def test_missing_stays_missing_and_classes_keep_their_own_values():
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"x": rng.normal(size=200), "g": pd.Categorical(rng.choice(["a", "b"], 200))})
    table.loc[::7, "x"] = np.nan
    made = swap(table, variables=["x"], by=["g"], p=0.5)
    assert made["x"].isna().equals(table["x"].isna())
    for rows in table.groupby("g", observed=True).groups.values():
        assert sorted(made.loc[rows, "x"].dropna()) == sorted(table.loc[rows, "x"].dropna())


def test_ordered_categories_and_dates_can_be_swapped_but_not_names():
    school = pd.Categorical(["low", "mid", "top"] * 20, ["low", "mid", "top"], ordered=True)
    table = pd.DataFrame(
        {
            "school": school,
            "day": pd.date_range("2020-01-01 08:30", periods=60),
            "name": pd.Categorical(list("ab") * 30),
        }
    )
    made = swap(table, variables=["school", "day"], p=0.3)
    assert made.dtypes.equals(table.dtypes)
    assert made["school"].value_counts().equals(table["school"].value_counts())
    assert sorted(made["day"]) == sorted(table["day"])
    assert not made["day"].equals(table["day"])
    with pytest.raises(BadOption, match="name has no order"):
        swap(table, variables=["name"])


def test_another_seed_swaps_others():
    table = pd.DataFrame({"x": np.arange(100.0)})
    assert swap(table, 1).equals(swap(table, 1))
    assert not swap(table, 1).equals(swap(table, 2))
