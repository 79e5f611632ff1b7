"""records_changed counted by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.measures.assess import assess
from sdc.measures.utility.records_changed import records_changed


def test_half_of_the_genders_of_the_lecture_were_changed(worked_examples, pair_of):
    inputs = worked_examples["K-changed"]["inputs"]
    found = records_changed(pair_of({"gender": inputs["x"]}, {"gender": inputs["y"]}, aligned=True))
    assert isinstance(found, Measurement)
    assert found.parts["count.gender"] == worked_examples["K-changed"]["recomputed"] == 5
    assert found.value == found.parts["share.gender"] == 0.5


def test_a_value_made_missing_is_changed_and_missing_in_both_is_not(pair_of):
    pair = pair_of({"a": ["x", None, "y", None]}, {"a": [None, None, "y", "z"]}, aligned=True)
    assert records_changed(pair).parts == {"count.a": 2, "share.a": 0.5}


def test_numbers_are_compared_as_numbers_whatever_their_type(pair_of):
    pair = pair_of({"a": [1, 2, 3]}, {"a": [1.0, 2.5, np.nan]}, aligned=True)
    assert records_changed(pair).parts["count.a"] == 2


def test_a_number_made_a_band_is_changed_everywhere(pair_of):
    pair = pair_of({"age": [21, 25]}, {"age": ["20-29", "20-29"]}, aligned=True)
    assert records_changed(pair).value == 1


def test_dates_are_compared_as_dates(pair_of):
    first = pd.to_datetime(["2020-01-01", "2020-01-02"])
    assert records_changed(pair_of({"d": first.date}, {"d": first}, aligned=True)).value == 0


@pytest.mark.parametrize("name", ["mdav3", "noise", "rank_swap"])
def test_changes_of_the_golden_pairs_agree_with_base_r(name, golden, golden_pair):
    expected = golden("numeric_risk_and_loss")["outputs"][name]["values_changed"]
    found = records_changed(golden_pair(name))
    assert {f"count.{variable}": count for variable, count in expected.items()}.items() <= found.parts.items()


def test_rows_are_met_in_the_order_in_which_they_were_written(pair_of):
    numbers = np.arange(300_000)
    assert records_changed(pair_of({"a": numbers}, {"a": numbers.astype(float)}, aligned=True)).value == 0


def test_tables_of_unequal_size_are_not_assessed(pair_of):
    found = records_changed(pair_of({"a": [1, 2]}, {"a": [1]}, aligned=True))
    assert isinstance(found, NotAssessed)
    assert "2 records" in found.reason


def test_a_synthetic_table_is_not_assessed(pair_of):
    assert assess("records_changed", pair_of({"a": [1, 2]}, {"a": [1, 2]})).value is None
