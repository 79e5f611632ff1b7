from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import CannotProtect

TABLE = pd.DataFrame(
    {
        "home": pd.Categorical(["1", "1", "1", "2", "2", None, None]),
        "region": pd.Categorical(["n", "s", "s", None, "n", "n", "s"]),
        "income": [5.0, 7.0, 7.0, 9.0, 9.0, 1.0, 2.0],
        "age": [30.0, 31.0, 5.0, 40.0, 41.0, 60.0, 61.0],
    }
)
ROLES = Roles.of(
    [
        Variable("home", Role.HOUSEHOLD),
        Variable("region", household_level=True),
        Variable("income", type=VariableType.NUMERIC, household_level=True),
        Variable("age", type=VariableType.NUMERIC),
    ]
)


def values(made, name):
    return [None if value is None or pd.isna(value) else value for value in made.table[name]]


def test_all_members_get_the_value_of_the_first(protect):
    made = protect("household_consistency", TABLE, roles=ROLES)
    assert values(made, "income") == [5, 5, 5, 9, 9, 1, 2]
    assert values(made, "age") == TABLE["age"].tolist()
    assert made.record["households_made_consistent"] == {"region": 2, "income": 1}


def test_a_suppressed_value_is_suppressed_for_all_or_filled(protect):
    assert values(protect("household_consistency", TABLE, roles=ROLES), "region") == [
        "n",
        "n",
        "n",
        None,
        None,
        "n",
        "s",
    ]
    filled = protect("household_consistency", TABLE, {"missing_values": "filled"}, roles=ROLES)
    assert values(filled, "region") == ["n", "n", "n", "n", "n", "n", "s"]


def test_the_most_frequent_value_can_be_taken(protect):
    made = protect("household_consistency", TABLE, {"take": "most_frequent"}, roles=ROLES)
    assert values(made, "income") == [7, 7, 7, 9, 9, 1, 2]


def test_any_member_can_be_taken_evenly(protect):
    taken = [
        protect(
            "household_consistency", TABLE, {"take": "any", "variables": ["age"]}, seed=seed, roles=ROLES
        ).table["age"][0]
        for seed in range(600)
    ]
    shares = pd.Series(taken).value_counts(normalize=True)
    assert shares.loc[[30.0, 31.0, 5.0]].to_numpy() == pytest.approx([1 / 3] * 3, abs=0.07)


def test_types_are_kept(protect):
    assert protect("household_consistency", TABLE, roles=ROLES).table.dtypes.equals(TABLE.dtypes)


def test_without_households_or_household_variables_it_is_refused(protect):
    with pytest.raises(CannotProtect, match="no variable has the role household"):
        protect("household_consistency", TABLE)
    plain = Roles.of([Variable("home", Role.HOUSEHOLD), Variable("income", type=VariableType.NUMERIC)])
    with pytest.raises(CannotProtect, match="no variable is declared per household"):
        protect("household_consistency", TABLE, roles=plain)


def test_records_that_vary_in_order_only_get_the_same_frequent_value(protect):
    made = protect(
        "household_consistency",
        TABLE.iloc[::-1].reset_index(drop=True),
        {"take": "most_frequent"},
        roles=ROLES,
    )
    assert np.array_equal(made.table["income"].to_numpy(), [2, 1, 9, 9, 7, 7, 7])
