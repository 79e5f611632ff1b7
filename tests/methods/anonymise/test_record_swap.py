from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.data.roles import Role
from sdc.errors import CannotProtect
from tests.methods.conftest import roles_of

GEOGRAPHY = ["region", "town"]


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(7)
    homes, size = 600, rng.integers(1, 5, 600)
    region = rng.integers(0, 3, homes)
    town = region * 4 + rng.integers(0, 4, homes)
    of = np.repeat(np.arange(homes), size)
    return pd.DataFrame(
        {
            "home": pd.Categorical(of.astype(str)),
            "region": pd.Categorical([f"r{code}" for code in region[of]]),
            "town": pd.Categorical([f"t{code:02d}" for code in town[of]]),
            "sex": pd.Categorical(rng.choice(["f", "m"], len(of))),
            "age": rng.integers(0, 80, len(of)).astype(float),
            "tenure": pd.Categorical(np.array(["own", "rent"])[rng.integers(0, 2, homes)][of]),
        }
    )


@pytest.fixture(scope="module")
def roles(survey):
    return roles_of(
        survey,
        home=Role.HOUSEHOLD,
        region=Role.QUASI_IDENTIFIER,
        town=Role.QUASI_IDENTIFIER,
        sex=Role.QUASI_IDENTIFIER,
    )


def moved(before, after):
    return (before[GEOGRAPHY].astype(str) != after[GEOGRAPHY].astype(str)).any(axis=1)


def test_households_move_as_a_whole_and_towns_stay_in_their_regions(protect, survey, roles):
    made = protect("record_swap", survey, {"variables": GEOGRAPHY, "rate": 0.2}, roles=roles)
    assert made.table.groupby("home", observed=True)[GEOGRAPHY].nunique().max().max() == 1
    assert made.table.groupby("town", observed=True)["region"].nunique().max() == 1
    assert made.table.drop(columns=GEOGRAPHY).equals(survey.drop(columns=GEOGRAPHY))
    share = made.table[moved(survey, made.table)]["home"].nunique() / 600
    assert share == pytest.approx(0.2, abs=0.01)
    assert made.record["swapped"] == pytest.approx(120, abs=1)


def test_numbers_of_households_of_each_size_stay_in_every_area(protect, survey, roles):
    made = protect(
        "record_swap", survey, {"variables": GEOGRAPHY, "rate": 0.5, "similar": ["tenure"]}, roles=roles
    ).table

    def counts(table):
        return (
            table.assign(size=table.groupby("home", observed=True)["sex"].transform("size"))
            .groupby(["town", "size"], observed=True)
            .size()
        )

    assert counts(made).equals(counts(survey))
    same = survey.groupby(["town", "tenure"], observed=True).size()
    assert (made.groupby(["town", "tenure"], observed=True).size() - same).abs().sum() < 0.2 * len(survey)


def test_those_who_stand_out_move_first_and_across_the_level_where_they_do(protect):
    """One household has the only 'x' of its region; 99 others have 'y'. Nobody else needs to move."""
    table = pd.DataFrame(
        {
            "region": pd.Categorical(["a"] * 50 + ["b"] * 50),
            "town": pd.Categorical(["a1"] * 25 + ["a2"] * 25 + ["b1"] * 25 + ["b2"] * 25),
            "trait": pd.Categorical(["x"] + ["y"] * 99),
        }
    )
    roles = roles_of(
        table, region=Role.QUASI_IDENTIFIER, town=Role.QUASI_IDENTIFIER, trait=Role.QUASI_IDENTIFIER
    )
    made = protect("record_swap", table, {"variables": GEOGRAPHY, "rate": 0.02, "k": 2}, roles=roles)
    assert made.table["region"][0] == "b"
    assert moved(table, made.table).sum() == 2
    assert made.record == {"households": 100, "standing_out": 1, "swapped": 2, "standing_out_not_swapped": 0}


def test_the_rate_holds_for_those_who_stand_out_too_unless_all_are_to_move(protect, survey, roles):
    """With the age among the keys everyone stands out."""
    options = {"variables": GEOGRAPHY, "keys": ["sex", "age"], "rate": 0.1}
    some = protect("record_swap", survey, options, roles=roles).record
    every = protect("record_swap", survey, {**options, "standing_out": "all"}, roles=roles).record
    assert some["swapped"] == 60
    assert 30 <= some["standing_out"] - some["standing_out_not_swapped"] <= 60
    assert every["swapped"] > 500


def test_who_stands_out_only_in_a_town_stays_in_the_region(protect):
    table = pd.DataFrame(
        {
            "region": pd.Categorical(["a"] * 60 + ["b"] * 40),
            "town": pd.Categorical(["a1"] * 30 + ["a2"] * 30 + ["b1"] * 40),
            "trait": pd.Categorical(["x"] + ["y"] * 29 + ["x"] * 15 + ["y"] * 15 + ["x"] * 20 + ["y"] * 20),
        }
    )
    roles = roles_of(
        table, region=Role.QUASI_IDENTIFIER, town=Role.QUASI_IDENTIFIER, trait=Role.QUASI_IDENTIFIER
    )
    for seed in range(10):
        made = protect(
            "record_swap", table, {"variables": GEOGRAPHY, "rate": 0.02, "k": 2}, seed=seed, roles=roles
        ).table
        assert made["town"][0] == "a2"
        assert made["region"].equals(table["region"])


def test_a_partner_is_similar_where_one_is_free(protect, survey, roles):
    made = protect(
        "record_swap",
        survey,
        {"variables": ["town"], "similar": ["tenure"], "rate": 0.1, "k": 2},
        roles=roles,
    ).table
    for town in survey["town"].cat.categories:
        before = survey[(survey["town"] == town)].drop_duplicates("home")["tenure"].value_counts()
        after = made[(made["town"] == town)].drop_duplicates("home")["tenure"].value_counts()
        assert after.equals(before)


def test_where_nobody_can_be_a_partner_it_is_counted(protect):
    table = pd.DataFrame({"town": pd.Categorical(["a"] * 3), "trait": pd.Categorical(["x", "y", "y"])})
    made = protect("record_swap", table, {"variables": ["town"], "keys": ["trait"], "k": 2})
    assert made.record["standing_out_not_swapped"] == 1
    assert made.table.equals(table)


def test_an_area_that_differs_within_a_household_is_refused(protect, survey, roles):
    broken = survey.assign(
        town=survey["town"].where(
            survey.index != survey.index[survey["home"].duplicated()][0], survey["town"].cat.categories[-1]
        )
    )
    with pytest.raises(CannotProtect, match="town differs within 1 households"):
        protect("record_swap", broken, {"variables": GEOGRAPHY}, roles=roles)
