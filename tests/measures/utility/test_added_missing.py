"""added_missing counted by hand and on the golden suppression."""

from __future__ import annotations

import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.utility.added_missing import added_missing


def test_nine_suppressed_household_sizes_of_the_slides(worked_examples, pair_of):
    case = worked_examples["T-suppress"]
    n, m = case["parameters"]["n"], case["parameters"]["m"]
    found = added_missing(
        pair_of({"hsize": ["3"] * n}, {"hsize": [None] * m + ["3"] * (n - m)}, aligned=True)
    )
    assert found.parts["count.hsize"] == 9
    assert found.value == pytest.approx(case["recomputed"], rel=1e-12)


def test_only_values_that_were_there_can_go_missing(pair_of):
    pair = pair_of({"a": ["x", None, "y", None]}, {"a": [None, None, "y", "z"]}, aligned=True)
    assert added_missing(pair).parts == {"count.a": 1, "percent.a": 25}


def test_a_synthetic_table_is_judged_by_the_rise_of_its_missing_values(pair_of):
    pair = pair_of(
        {"a": ["x", None, "y", "z"], "b": ["x", None, "y", "z"]},
        {"a": [None] * 4 + ["x"] * 4, "b": ["x"] * 8},
    )
    assert added_missing(pair).parts == {"count.a": 2, "count.b": 0, "percent.a": 25, "percent.b": 0}


def test_the_golden_suppression_adds_what_r_counted(golden, golden_pair):
    expected = golden("entropy")["outputs"]["candidates"]["local_suppression_k3"]
    before = {
        name: golden("entropy")["outputs"][name]["n_missing"] for name in ("region", "activity", "education")
    }
    found = added_missing(golden_pair("local_suppression_k3"))
    for name, missing in before.items():
        assert found.parts[f"count.{name}"] == expected[name]["n_missing"] - missing


def test_aligned_tables_of_unequal_size_are_not_assessed(pair_of):
    assert isinstance(added_missing(pair_of({"a": ["x", "y"]}, {"a": ["x"]}, aligned=True)), NotAssessed)
