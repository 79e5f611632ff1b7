"""What keys tell about people, counted by hand."""

from __future__ import annotations

import pandas as pd

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType
from sdc.studio.live_risk import giveaways, live_risk

PEOPLE = pd.DataFrame(
    {
        "sex": ["f", "f", "f", "m", "m", "m"],
        "region": ["a", "a", "b", "a", "b", "b"],
        "job": ["x", "x", "x", "x", "x", "y"],
        "age": [20, 20, 31, 44, 58, 58],
    }
)


def pair_of(
    frame: pd.DataFrame, keys: list[str], missing: MissingRule = MissingRule.OWN_CATEGORY
) -> ReleasePair:
    roles = Roles.of(
        Variable(
            name,
            Role.QUASI_IDENTIFIER if name in keys else Role.OTHER,
            VariableType.NUMERIC if name == "age" else VariableType.CATEGORICAL,
        )
        for name in frame
    )
    return ReleasePair.from_frames(frame, frame, roles, missing=missing)


def test_uniques_and_small_classes_on_the_keys():
    # Classes on sex and region: f-a 2, f-b 1, m-a 1, m-b 2.
    found = live_risk(pair_of(PEOPLE, ["sex", "region"]), ["sex", "region"], ["job", "age"], 3)
    assert (found.records, found.uniques, found.below, found.smallest) == (6, 2, 6, 1)


def test_what_dropping_and_adding_would_do():
    found = live_risk(pair_of(PEOPLE, ["sex", "region"]), ["sex", "region"], ["job", "age"], 3)
    # Without region: f 3, m 3. Without sex: a 3, b 3. With job, m-b-x and m-b-y are two more.
    assert {each.name: (each.uniques, each.change) for each in found.effects} == {
        "sex": (0, -2),
        "region": (0, -2),
        "job": (4, 2),
        "age": (2, 0),
    }
    assert [each.is_key for each in found.effects] == [True, True, False, False]


def test_contributions_are_those_of_suda():
    # Both uniques are unique on the pair alone: each set holds both keys.
    found = live_risk(pair_of(PEOPLE, ["sex", "region"]), ["sex", "region"], [], 3)
    assert [each.contribution for each in found.effects] == [100, 100]


def test_the_riskiest_keys_together_come_first():
    found = live_risk(pair_of(PEOPLE, ["sex", "region", "job"]), ["sex", "region", "job"], [], 3)
    # Alone: job singles out 1. Pairs: sex-region 2, sex-job m-y 1, region-job b-y 1. All: f-b-x, m-a-x, m-b-x, m-b-y.
    assert [(each.keys, each.uniques) for each in found.riskiest] == [
        (("sex", "region", "job"), 4),
        (("sex", "region"), 2),
        (("job",), 1),
        (("sex", "job"), 1),
        (("region", "job"), 1),
    ]


def test_rare_categories_as_one_make_fewer_unique():
    frame = pd.DataFrame({"place": ["big"] * 96 + ["p", "q", "r", "s"]})
    (effect,) = live_risk(pair_of(frame, ["place"]), ["place"], [], 3).effects
    assert (effect.coarser, effect.how) == (-4, "its 4 rarest categories as one")


def test_bands_of_a_number_make_fewer_unique():
    frame = pd.DataFrame({"age": [*range(80), 79]})
    (effect,) = live_risk(pair_of(frame, ["age"]), ["age"], [], 3).effects
    # Ages 0 to 78 are unique now; in bands of 10 nobody is.
    assert (effect.coarser, effect.how) == (-79, "bands of 10")


def test_bands_are_wider_than_one_value():
    frame = pd.DataFrame({"age": [1, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 9, 9]})
    (effect,) = live_risk(pair_of(frame, ["age"]), ["age"], [], 3).effects
    # 2 and 8 are unique now; in bands of 2 both share one with others.
    assert (effect.coarser, effect.how) == (-2, "bands of 2")


def test_a_missing_key_as_wildcard_matches_everybody():
    frame = pd.DataFrame({"sex": ["f", "f", "m", None]})
    own = live_risk(pair_of(frame, ["sex"]), ["sex"], [], 2)
    wild = live_risk(pair_of(frame, ["sex"], MissingRule.WILDCARD), ["sex"], [], 2)
    assert (own.uniques, wild.uniques) == (2, 0)


def test_without_keys_nobody_is_unique():
    found = live_risk(pair_of(PEOPLE, []), [], ["job"], 3)
    assert (found.uniques, found.below, found.effects[0].change) == (0, 0, 1)


def test_a_variable_that_tells_another_is_named(workbench):
    """Households are in one region, and their equivalised income is nearly their own."""
    profile = workbench.reading().profile
    table = workbench.workplace().warehouse.database.table("original")
    found = {(each.by, each.of) for each in giveaways(table, profile)}
    assert ("equivalised_income", "region") in found
    assert ("sex", "region") not in found
