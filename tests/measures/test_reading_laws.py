"""Every measure says what its number counts and what to read it against.

What it says of nothing done is true.
"""

from __future__ import annotations

import math

import pandas as pd
import pytest
from test_utility_laws import TABLE, pair_of

from sdc.catalogue.registry import measures
from sdc.catalogue.units import Unit, Yardstick
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Roles
from sdc.measures.assess import assess
from sdc.profile.parts import can_have
from sdc.run.randomness import Randomness

MEASURES = measures()
NOTHING = [
    name for name, entry in MEASURES.items() if any(stick.words == "nothing done" for stick in entry.against)
]


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_says_what_to_read_its_number_against(name: str):
    entry = MEASURES[name]
    assert all(stick.words for stick in entry.against)
    for stick in (*entry.against, *([entry.usual] if entry.usual else [])):
        if isinstance(stick.number, str):
            assert can_have(entry, stick.number, ["VARIABLE"])
        else:
            assert entry.bounds[0] <= stick.number <= entry.bounds[1]


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_done_gives_what_the_measure_says(
    name: str, households: pd.DataFrame, household_roles: Roles
):
    utility = MEASURES[name].family.value == "utility"
    records = households[list(household_roles.released)].sample(400, random_state=2).reset_index(drop=True)
    same = (
        pair_of(TABLE, TABLE)
        if utility
        else ReleasePair.from_frames(records, records, household_roles, aligned=True)
    )
    found = assess(name, same, MEASURES[name].example, randomness=Randomness.from_seed(7)).outcome
    (stick,) = [stick for stick in MEASURES[name].against if stick.words == "nothing done"]
    assert found.value == pytest.approx(
        stick.number if isinstance(stick.number, float) else found.parts[stick.number], abs=1e-9
    )


@pytest.mark.parametrize(
    "name", [name for name, entry in MEASURES.items() if entry.unit.whole and math.isfinite(entry.bounds[1])]
)
def test_a_number_in_per_cent_or_per_mille_lies_on_that_scale(name: str):
    unit, (low, high) = MEASURES[name].unit, MEASURES[name].bounds
    assert high - max(low, 0) == unit.whole


def test_a_yardstick_is_a_number_or_a_part():
    assert Yardstick.declared("0: nothing done") == Yardstick(0.0, "nothing done")
    assert Yardstick.declared(" base_rate!: chance") == Yardstick("base_rate", "chance", alarms=True)


def test_parts_tell_their_unit_by_a_word_of_their_name():
    by_name = {
        part.name: part.unit
        for entry in (MEASURES["k_anonymity"], MEASURES["added_missing"], MEASURES["linkability"])
        for part in entry.parts
    }
    assert by_name["records_below_2"] is Unit.RECORDS
    assert by_name["share_below_k"] is Unit.SHARE
    assert by_name["percent.VARIABLE"] is Unit.PER_CENT
    assert by_name["attack_rate"] is Unit.SHARE
    assert by_name["classes"] is Unit.NUMBER
