"""Named variables, or those of some records, are drawn anew; all else is kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.registry import find_measure
from sdc.catalogue.validity import believable
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadOption


def incomes(rows: int = 4000, seed: int = 1) -> pd.DataFrame:
    """Income is 1,000 times the age, plus noise with a standard deviation of 2,000.

    Sex is independent of both.
    """
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows).astype(float)
    return pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["f", "m"], rows)),
            "age": age,
            "income": 1000 * age + rng.normal(0, 2000, rows),
        }
    )


def test_only_what_is_named_changes_and_it_keeps_its_relation_to_the_rest(protect):
    table = incomes()
    made = protect("partial_synthesis", table, {"variables": ["income"], "model": "norm"}).table
    pd.testing.assert_frame_equal(made[["sex", "age"]], table[["sex", "age"]])
    assert (made["income"] != table["income"]).mean() > 0.99
    slope, intercept = np.polyfit(made["age"], made["income"], 1)
    # the standard error of the slope is 2000 / (17.3 sqrt(4000)) = 1.8
    assert slope == pytest.approx(1000, abs=8)
    assert np.std(made["income"] - intercept - slope * made["age"]) == pytest.approx(2000, rel=0.05)
    # drawn given the age alone: what is left of income has nothing to do with the person's own
    left = [frame["income"] - 1000 * frame["age"] for frame in (made, table)]
    assert abs(np.corrcoef(*left)[0, 1]) < 0.05


def test_records_outside_the_condition_keep_their_values_and_models_are_of_those_inside(protect):
    """Above 75 income is 200,000 and more; a model of everybody would draw less."""
    table = incomes().assign(
        income=lambda held: held["income"].where(held["age"] < 75, held["income"] + 200_000)
    )
    made = protect(
        "partial_synthesis",
        table,
        {"variables": ["income"], "where": "age >= 75 and sex in ['f', 'm']", "model": "norm"},
    )
    old = table["age"] >= 75
    assert made.record["records"] == old.sum()
    pd.testing.assert_series_equal(made.table.loc[~old, "income"], table.loc[~old, "income"])
    assert (made.table.loc[old, "income"] != table.loc[old, "income"]).all()
    assert made.table.loc[old, "income"].mean() == pytest.approx(table.loc[old, "income"].mean(), abs=500)


def test_several_variables_are_drawn_in_the_order_in_which_they_are_named(protect):
    made = protect("partial_synthesis", incomes(), {"variables": ["age", "income"], "model": "norm"})
    assert made.record["predictors"] == {"age": ["sex"], "income": ["sex", "age"]}
    assert made.record["models"] == {"age": "norm", "income": "norm"}
    assert np.corrcoef(made.table["age"], made.table["income"])[0, 1] == pytest.approx(0.993, abs=0.005)


def test_members_of_a_household_share_what_is_theirs(protect):
    table = incomes(300).assign(
        home=pd.Categorical(np.repeat(np.arange(100), 3).astype(str)), rent=np.repeat(np.arange(100.0), 3)
    )
    held = [
        Variable("rent", Role.SENSITIVE, VariableType.NUMERIC, household_level=True),
        Variable("home", Role.HOUSEHOLD),
    ]
    roles = Roles.of([*held, *(Variable(name, Role.OTHER) for name in ("sex", "age", "income"))])
    made = protect("partial_synthesis", table, {"variables": ["rent"]}, roles=roles).table
    assert (made["rent"] != table["rent"]).any()
    rents = made["rent"].to_numpy().reshape(100, 3)
    assert (rents == rents[:, :1]).all()
    pd.testing.assert_series_equal(made["home"], table["home"])


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"variables": ["pay"]}, "no variable is called 'pay'"),
        ({"variables": ["income"], "where": "age > 200"}, "it holds in fewer than 20 records"),
        ({"variables": ["income"], "where": "years > 20"}, "no variable is called 'years'"),
        ({"variables": ["income"], "models": {"pay": "norm"}}, "no variable is called 'pay'"),
    ],
)
def test_what_cannot_be_done_is_said(protect, options, problem):
    with pytest.raises(BadOption, match=problem):
        protect("partial_synthesis", incomes(200), options)


def test_the_weight_and_the_household_are_never_drawn(protect):
    table = incomes(100).assign(w=1.0)
    roles = Roles.of(
        [
            Variable("w", Role.WEIGHT, VariableType.NUMERIC),
            *(Variable(name, Role.OTHER) for name in ("sex", "age", "income")),
        ]
    )
    with pytest.raises(BadOption, match="w is the household number or the weight"):
        protect("partial_synthesis", table, {"variables": ["w"]}, roles=roles)


class Planned:
    method = "partial_synthesis"

    def __init__(self, *variables: str) -> None:
        self.options = {"variables": list(variables)}


def test_counts_of_keys_are_believed_while_the_keys_are_kept():
    roles = Roles.of(
        [
            Variable("sex", Role.QUASI_IDENTIFIER),
            Variable("age", Role.QUASI_IDENTIFIER),
            Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
        ]
    )
    counts, linkage = find_measure("k_anonymity"), find_measure("record_linkage")
    assert believable(counts, {}, [Planned("income")], roles).valid
    assert not believable(counts, {}, [Planned("age")], roles).valid
    assert believable(linkage, {}, [Planned("income")], roles).valid
