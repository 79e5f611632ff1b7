from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import Measurement
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.measures.risk.reconstruction import reconstruction
from sdc.statistics.attribution.reconstruction import most_frequent_within, right_share

REGION = ["north"] * 4 + ["south"] * 4 + ["west"] * 2
OFFICE = ["a"] * 4 + ["b"] * 4 + ["c"] * 2


def measured(
    original: dict[str, list[object]], candidate: dict[str, list[object]], roles: Roles, **options: object
) -> Measurement:
    pair = ReleasePair.from_frames(pd.DataFrame(original), pd.DataFrame(candidate), roles, aligned=True)
    outcome = reconstruction(pair, **options)
    assert isinstance(outcome, Measurement)
    return outcome


def roles(*names: str) -> Roles:
    return Roles.of(Variable(name, Role.QUASI_IDENTIFIER) for name in names)


def test_a_variable_that_determines_another_gives_back_what_was_perturbed():
    """3 of 10 regions are false; within each office the most frequent is the true one."""
    changed = ["north", "north", "north", "west", "south", "south", "north", "south", "west", "south"]
    found = measured(
        {"region": REGION, "office": OFFICE}, {"region": changed, "office": OFFICE}, roles("region", "office")
    )
    # Office c has west and south once each: south is more frequent in all records, so one of its two is
    # wrong.
    assert found.parts["released.region"] == pytest.approx(0.7)
    assert found.parts["by_one.region"] == pytest.approx(0.8)
    assert found.value == pytest.approx(0.1)
    assert "released.office" not in found.parts


def test_blanks_are_filled_and_what_is_shown_is_kept():
    """4 of 10 are blank and the office tells 3: in office d nothing is shown."""
    office = ["a"] * 4 + ["b"] * 4 + ["c", "d"]
    blanked = ["north", None, "north", "north", "south", "south", None, None, "west", None]
    found = measured(
        {"region": REGION, "office": office}, {"region": blanked, "office": office}, roles("region", "office")
    )
    assert found.parts["released.region"] == pytest.approx(0.6)
    assert found.parts["by_one.region"] == pytest.approx(0.9)
    assert found.value == pytest.approx(0.3)


def test_what_was_not_changed_is_nothing_to_reconstruct():
    held = {"region": REGION, "office": OFFICE}
    found = measured(held, held, roles("region", "office"))
    assert (found.value, found.parts) == (0.0, {})


def test_true_values_that_are_missing_do_not_count():
    original = {"region": ["north", "north", None, "south"], "office": ["a", "a", "b", "b"]}
    found = measured(
        original, {**original, "region": [None, "north", "south", "south"]}, roles("region", "office")
    )
    assert found.parts["released.region"] == pytest.approx(2 / 3)
    assert found.parts["by_one.region"] == 1.0


def test_the_number_of_records_in_a_household_tells_its_size():
    """The sizes of one household of 2 and one of 3 are blank; other households of 2 and of 3 show theirs."""
    homes = ["1", "1", "2", "2", "2", "3", "3", "4", "4", "4"]
    size = [2, 2, 3, 3, 3, 2, 2, 3, 3, 3]
    held = Roles.of(
        [Variable("home", Role.HOUSEHOLD), Variable("size", Role.QUASI_IDENTIFIER, VariableType.NUMERIC)]
    )
    found = measured(
        {"home": homes, "size": size},
        {"home": homes, "size": [2, 2, 3, 3, 3, None, None, None, None, None]},
        held,
    )
    assert found.parts["released.size"] == pytest.approx(0.5)
    assert found.parts["by_one.size"] == 1.0
    assert found.value == pytest.approx(0.5)


def test_a_record_without_a_household_number_is_a_household_of_one():
    """The size is blank for three people without a number.

    Of those alone at home the number 7 shows size one.
    """
    size = ["two", "two", "one", "one", "one", "one"]
    blanked = ["two", "two", "one", None, None, None]
    house = ["5", "5", "7", None, None, None]
    people = Roles.of([Variable("size", Role.QUASI_IDENTIFIER), Variable("house", Role.HOUSEHOLD)])
    found = measured({"size": size, "house": house}, {"size": blanked, "house": house}, people)
    assert found.parts["by_one.size"] == 1


def test_a_tree_finds_what_two_variables_tell_together():
    """Two signs make four kinds of 100 records; ten of each are blank. One sign alone tells half of them."""
    first, second = np.tile([0, 0, 1, 1], 100), np.tile([0, 1, 0, 1], 100)
    kind = pd.Series(first * 2 + second).astype(str)
    shown = kind.where(np.arange(400) % 40 > 3)
    original = {"first": first.astype(str), "second": second.astype(str), "kind": kind}
    found = measured(original, {**original, "kind": shown}, roles("first", "second", "kind"))
    assert found.parts["released.kind"] == pytest.approx(0.9)
    assert found.parts["by_one.kind"] == pytest.approx(0.95)
    assert found.parts["by_tree.kind"] == 1.0
    assert found.value == pytest.approx(0.1)


def test_a_weight_tells_the_region_it_was_made_for():
    held = Roles.of(
        [Variable("region", Role.QUASI_IDENTIFIER), Variable("weight", Role.WEIGHT, VariableType.NUMERIC)]
    )
    weight = [1.5] * 4 + [2.5] * 4 + [3.5] * 2
    changed = ["north", "north", "north", "west", "south", "south", "north", "south", "west", "west"]
    found = measured({"region": REGION, "weight": weight}, {"region": changed, "weight": weight}, held)
    assert found.parts["released.region"] == pytest.approx(0.8)
    assert found.parts["by_one.region"] == 1.0
    assert found.value == pytest.approx(0.2)


def test_only_the_variables_named_are_looked_at():
    changed = {"region": REGION[::-1], "office": OFFICE[::-1]}
    found = measured(
        {"region": REGION, "office": OFFICE}, changed, roles("region", "office"), variables=["office"]
    )
    assert all(part.endswith(".office") for part in found.parts)
    assert found.parts


def test_records_that_are_not_in_place_cannot_be_compared():
    pair = ReleasePair.from_frames(
        pd.DataFrame({"region": REGION}), pd.DataFrame({"region": REGION}), roles("region")
    )
    assert "one for one" in str(assess("reconstruction", pair).not_assessed)


def test_the_most_frequent_value_of_a_level():
    levels = np.array([0, 0, 0, 1, 1, 2, 3])
    codes = np.array([2, 2, 1, 1, 0, -1, 1])
    # In level 1 codes 1 and 0 are there once each: 1 is there three times in all.
    assert most_frequent_within(levels, codes).tolist() == [2, 2, 2, 1, 1, -1, 1]
    assert most_frequent_within(levels, np.full(7, -1)).tolist() == [-1] * 7


def test_a_guess_is_taken_everywhere_or_only_for_blanks():
    truth, released = np.array([0, 0, 1, 1, -1]), np.array([0, -1, 1, -1, 0])
    assert right_share(np.array([0, 0, 0, 0, 0]), released, truth) == 0.75
    assert right_share(np.array([0, 0, 1, 1, 0]), np.array([1, 1, 0, 0, 0]), truth) == 1.0
