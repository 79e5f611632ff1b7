from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.assess import assess
from sdc.measures.risk.release_difference import release_difference
from sdc.release_pair import ReleasePair
from sdc.roles import MissingRule, Role, Roles, Variable, VariableType

ROLES = Roles.of(
    [
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
    ]
)
BANDS = {"now": lambda age: f"{age // 10 * 10}-{age // 10 * 10 + 9}", "before": lambda age: f"{(age - 5) // 10 * 10 + 5}-{(age - 5) // 10 * 10 + 14}"}


def source():
    """Of the sixteen half decades from 20 to 99, seven that do not touch have one person, the others five."""
    alone = [26, 38, 45, 57, 69, 75, 88]
    crowd = [age for age in range(20, 100, 5) if age not in {each // 5 * 5 for each in alone}]
    ages = alone + [age for age in crowd for _ in range(5)]
    return pd.DataFrame({"age": ages, "region": "north", "income": np.arange(len(ages)) * 10.0})


def banded(original, rule):
    return original.assign(age=[BANDS[rule](int(age)) for age in original["age"]])


def pair_of(original, candidate, *earlier, **further):
    return ReleasePair.from_frames(original, candidate, ROLES, aligned=True, earlier=list(earlier), **further)


def test_seven_records_that_only_the_combination_singles_out_are_found_exactly():
    original = source()
    outcome = release_difference(pair_of(original, banded(original, "now"), banded(original, "before")))
    assert outcome.value == pytest.approx(7 / len(original))
    assert outcome.by_record["size_in_join"].tolist() == [1] * 7 + [5] * (len(original) - 7)
    assert outcome.parts["classes_below_k_in_join"] == 7
    assert outcome.parts["records_below_k_in_join"] == 7
    assert assess("k_anonymity", pair_of(original, banded(original, "now"))).value >= 5
    assert assess("k_anonymity", pair_of(original, banded(original, "before"))).value >= 5


def test_the_safe_twin_passes():
    original = source()
    outcome = release_difference(pair_of(original, banded(original, "now"), banded(original, "now")))
    expected = {
        "classes_below_k_in_join": 0,
        "records_below_k_in_join": 0,
        "small_count_changes": 0,
        "newly_revealed_values": 0,
        "suppressed_in_vain": 0,
    }
    assert outcome.value == 0
    assert outcome.parts == {**expected, "earlier_releases": 1}


def test_an_earlier_release_in_another_order_is_traced_by_its_labels():
    original = source()
    shuffled = banded(original, "before").sample(frac=1, random_state=1)
    outcome = release_difference(pair_of(original, banded(original, "now"), shuffled))
    assert outcome.value == pytest.approx(7 / len(original))
    assert "newly_revealed_values" not in outcome.parts


def test_an_earlier_release_of_fewer_people_is_traced_by_its_labels():
    original = source()
    outcome = release_difference(pair_of(original, banded(original, "now"), banded(original, "before")[:-3]))
    assert outcome.value == pytest.approx(7 / len(original))


def test_what_is_alone_in_one_release_already_is_not_owed_to_the_combination():
    original = pd.DataFrame({"age": [20, 20, 20, 50], "region": "north", "income": 1.0})
    outcome = release_difference(pair_of(original, original, original))
    assert outcome.value == 0


def test_three_releases_are_combined_at_once():
    original = pd.DataFrame({"age": 30, "region": list("aabbccdd"), "income": 1.0})
    groups = [{"a": "1", "b": "1", "c": "2", "d": "2"}, {"a": "1", "c": "1", "b": "2", "d": "2"}]
    releases = [original.assign(region=original["region"].map(group)) for group in groups]
    blurred = original.assign(region="*")
    two = release_difference(pair_of(original, blurred, releases[0]))
    three = release_difference(pair_of(original, blurred, *releases))
    assert (two.parts["classes_below_k_in_join"], three.parts["classes_below_k_in_join"]) == (0, 4)
    assert three.value == 0


def test_values_suppressed_before_and_shown_now_are_counted_and_the_other_way_round():
    original = source()
    now, before = original.copy(), original.copy()
    before.loc[[0, 1, 2], "income"] = np.nan
    now.loc[[2, 3], "income"] = np.nan
    outcome = release_difference(pair_of(original, now, before))
    assert outcome.parts["newly_revealed_values"] == 2
    assert outcome.parts["suppressed_in_vain"] == 1


def test_counts_that_differ_by_less_than_k_are_counted():
    original = pd.DataFrame({"age": 30, "region": list("aaaabbbbbbcc"), "income": 1.0})
    before = original[original.index != 0][:-2]
    # a: 3 then 4, b: 6 and 6, c: not before.
    pair = pair_of(original, original, before)
    assert release_difference(pair).parts["small_count_changes"] == 1
    assert release_difference(pair_of(original, original, original[4:])).parts["small_count_changes"] == 0


def test_a_blank_matches_everyone_under_the_wildcard_rule():
    original = pd.DataFrame({"age": 30, "region": list("aaaabbbb"), "income": 1.0})
    now, before = original.copy(), original.copy()
    now.loc[[0, 1], "region"] = None
    before.loc[[1, 2], "region"] = None
    strict = release_difference(pair_of(original, now, before))
    lenient = release_difference(pair_of(original, now, before, missing=MissingRule.WILDCARD))
    assert strict.by_record["size_in_join"].tolist() == [1, 1, 1, 1, 4, 4, 4, 4]
    # A blank in both fits all eight, a blank in one release the four of its region and the record blank in both.
    assert lenient.by_record["size_in_join"].tolist() == [4, 8, 4, 4, 5, 5, 5, 5]


def test_labels_that_cannot_be_traced_are_named():
    original = pd.DataFrame({"age": 30, "region": list("aabbccdd"), "income": 1.0})
    grouped = original.assign(region=original["region"].map({"a": "1", "b": "1", "c": "2", "d": "2"}))
    outcome = release_difference(pair_of(original, original, grouped[:-1]))
    assert "region" in outcome.reason
    assert "earlier release 1" in outcome.reason


def test_without_earlier_releases_it_is_not_assessed():
    original = source()
    assert "earlier" in assess("release_difference", pair_of(original, original)).not_assessed
