from __future__ import annotations

import pandas as pd
import pytest

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.data.roles import MissingRule
from sdc.measures.risk.k_anonymity import k_anonymity

FIVE = ["region", "sex", "marital_status", "education", "activity"]
SIX = [*FIVE, "household_size"]


def test_the_smallest_class_of_the_worked_example_has_two_records(example_pair, worked_examples):
    case = worked_examples["Q-2.2.2-k"]
    assert k_anonymity(example_pair(case["inputs"]["keys"])).value == case["recomputed"]


def test_nine_records_of_the_worked_example_violate_two_anonymity(example_pair, worked_examples):
    case = worked_examples["Q-2.2.2-k-X"]
    outcome = k_anonymity(example_pair(case["inputs"]["keys"]), k=2)
    records, classes = case["recomputed"]
    assert outcome.parts["records_below_2"] == records == classes
    assert outcome.parts["share_below_k"] == pytest.approx(records / 14)


@pytest.mark.parametrize(
    ("case", "keys", "missing", "complete"),
    [
        ("complete_records_only", FIVE, MissingRule.OWN_CATEGORY, True),
        ("missing_is_wildcard_alpha_1", FIVE, MissingRule.WILDCARD, False),
        ("missing_is_own_category", FIVE, MissingRule.OWN_CATEGORY, False),
        ("six_keys_complete_records_only", SIX, MissingRule.OWN_CATEGORY, True),
        ("six_keys_missing_is_wildcard_alpha_1", SIX, MissingRule.WILDCARD, False),
        ("six_keys_missing_is_own_category", SIX, MissingRule.OWN_CATEGORY, False),
    ],
)
def test_records_below_k_are_those_of_sdcmicro(
    household_pair, households, golden, case, keys, missing, complete
):
    expected = golden("frequencies_and_individual_risk")["outputs"][case]
    outcome = k_anonymity(
        household_pair(keys, households["education"].notna() if complete else None), missing=missing
    )
    assert outcome.value == expected["smallest_fk"]
    assert outcome.parts["classes"] == expected["n_distinct_keys"]
    for k in (2, 3, 5):
        assert outcome.parts[f"records_below_{k}"] == expected[f"records_below_{k}"]


def test_local_suppression_reaches_its_k_with_missing_as_wildcard_only(household_pair, golden, golden_pair):
    expected = golden("local_suppression")["outputs"]["k_3"]
    pair = household_pair(SIX, candidate=golden_pair("local_suppression_k3"))
    assert k_anonymity(pair, missing=MissingRule.WILDCARD).value == expected["smallest_fk_after_wildcard"]
    assert (
        k_anonymity(pair).parts["records_below_3"]
        == expected["records_below_k_after_missing_as_own_category"]
    )


def test_the_rule_of_the_pair_holds_unless_another_is_asked_for(example_pair):
    keys = [["a", "x"], ["a", None], ["b", "y"]]
    assert k_anonymity(example_pair(keys)).parts["records_below_2"] == 3
    assert k_anonymity(example_pair(keys, missing=MissingRule.WILDCARD)).parts["records_below_2"] == 1
    assert (
        k_anonymity(example_pair(keys, missing=MissingRule.WILDCARD), missing=MissingRule.OWN_CATEGORY).parts[
            "records_below_2"
        ]
        == 3
    )


def test_an_empty_candidate_is_not_assessed(example_pair):
    pair = example_pair([["a"], ["b"]])
    empty = type(pair).from_frames(
        pd.DataFrame({"key_0": ["a"]}), pd.DataFrame({"key_0": pd.Series([], dtype=str)}), pair.roles
    )
    assert isinstance(k_anonymity(empty), NotAssessed)


def test_one_record_is_a_class_of_one(example_pair):
    assert k_anonymity(example_pair([["a", "b"]])) == Measurement(
        1,
        {"share_below_k": 1, "classes": 1, **{f"records_below_{size}": 1 for size in range(2, 21)}},
    )


def test_people_are_counted_below_every_size_up_to_twenty(example_pair):
    """One class each of 1, 2, 4, 12 and 20 people: below 5 are 1 + 2 + 4, below 13 also 12, below 20 no more."""
    people = [
        [name] for name, size in (("a", 1), ("b", 2), ("c", 4), ("d", 12), ("e", 20)) for _ in range(size)
    ]
    outcome = k_anonymity(example_pair(people), k=5)
    counted = {
        int(name.rpartition("_")[2]): number
        for name, number in outcome.parts.items()
        if name.startswith("records_below_")
    }
    assert counted == {
        2: 1,
        3: 3,
        4: 3,
        **dict.fromkeys(range(5, 13), 7),
        **dict.fromkeys(range(13, 21), 19),
    }
    assert outcome.parts["share_below_k"] == pytest.approx(7 / 39)
