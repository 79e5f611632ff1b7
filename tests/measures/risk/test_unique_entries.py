from __future__ import annotations

import pandas as pd
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.data.roles import MissingRule
from sdc.measures.risk.unique_entries import unique_entries


@pytest.mark.parametrize("case", ["Q-2.1.2-PUE-Z", "Q-2.1.2-PUE-X", "Q-2.1.2-PUE-Y"])
def test_the_share_of_unique_classes_is_that_of_the_worked_example(example_pair, worked_examples, case):
    held = worked_examples[case]
    assert unique_entries(example_pair(held["inputs"]["keys"])).value == pytest.approx(
        held["recomputed"], abs=1e-15
    )


@pytest.mark.parametrize("case", ["Q-2.1.2-PUE-Z-record", "Q-2.1.2-PUE-X-record"])
def test_the_share_of_records_is_a_part(example_pair, worked_examples, case):
    held = worked_examples[case]
    assert unique_entries(example_pair(held["inputs"]["keys"])).parts["share_of_records"] == pytest.approx(
        held["recomputed"]
    )


def test_each_table_has_its_own_uniques(example_pair, worked_examples):
    original, candidate, population = (
        worked_examples[f"Q-2.1.2-PUE-{table}"]["inputs"]["keys"] for table in "XYZ"
    )
    pair = example_pair(original, None, candidate, population=population)
    assert unique_entries(pair).value == 0
    assert unique_entries(pair, table="original").value == pytest.approx(9 / 11)
    assert unique_entries(pair, table="population").parts == {
        "share_of_records": 21 / 30,
        "classes": 25,
        "unique_classes": 21,
    }


def test_without_a_population_its_uniques_are_not_assessed(example_pair):
    assert unique_entries(example_pair([["a"]]), table="population") == NotAssessed(
        "this release has no population file"
    )


def test_uniques_of_the_demonstration_data_are_those_of_sdcmicro(household_pair, golden):
    expected = golden("frequencies_and_individual_risk")["outputs"]
    pair = household_pair(["region", "sex", "marital_status", "education", "activity"])
    own, wildcard = unique_entries(pair), unique_entries(pair, missing=MissingRule.WILDCARD)
    assert own.parts["unique_classes"] == expected["missing_is_own_category"]["records_with_fk_1"]
    assert (
        wildcard.parts["share_of_records"]
        == expected["missing_is_wildcard_alpha_1"]["records_with_fk_1"] / 5915
    )


def test_a_table_without_records_is_not_assessed(example_pair):
    pair = example_pair([["a"]])
    empty = type(pair).from_frames(
        pd.DataFrame({"key_0": pd.Series([], dtype=str)}), pd.DataFrame({"key_0": ["a"]}), pair.roles
    )
    assert isinstance(unique_entries(empty, table="original"), NotAssessed)
