"""il1s against the formula and sdcMicro."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.utility.il1s import il1s


def columns(rows):
    return {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}


def test_the_formula_is_a_mean_and_sdcmicro_reports_the_sum(worked_examples, pair_of):
    inputs = worked_examples["T-IL1s-mean"]["inputs"]
    found = il1s(pair_of(columns(inputs["X"]), columns(inputs["Y"]), aligned=True))
    assert found.value == pytest.approx(worked_examples["T-IL1s-mean"]["recomputed"], rel=1e-12)
    assert found.parts["sum"] == pytest.approx(worked_examples["T-IL1s-sum"]["recomputed"], rel=1e-12)


@pytest.mark.parametrize("name", ["mdav3", "noise", "rank_swap"])
def test_the_golden_pairs_agree_with_sdcmicro(name, golden, golden_pair):
    expected = golden("numeric_risk_and_loss")["outputs"][name]
    found = il1s(golden_pair(name))
    assert found.value == pytest.approx(expected["IL1s_mean"], rel=1e-9)
    assert found.parts["sum"] == pytest.approx(expected["IL1s_sum"], rel=1e-9)
    for variable, value in expected["IL1s_sum_by_variable"].items():
        assert found.parts[f"sum.{variable}"] == pytest.approx(value, rel=1e-9)


def test_missing_values_are_left_out(pair_of):
    found = il1s(pair_of({"a": [0, 2, np.nan, 7]}, {"a": [1, 2, 3, np.nan]}, aligned=True))
    assert found.value == pytest.approx(1 / (np.sqrt(2) * np.std([0, 2], ddof=1)) / 2)


def test_a_constant_that_changed_is_measured_in_the_unit_of_both_tables(pair_of):
    found = il1s(pair_of({"a": [1, 1], "b": [0, 2]}, {"a": [1, 2], "b": [0, 2]}, aligned=True))
    assert found.value == pytest.approx(1 / (np.sqrt(2) * np.std([1, 1, 1, 2], ddof=1)) / 4, rel=1e-12)


def test_a_constant_that_did_not_change_adds_nothing(pair_of):
    assert il1s(pair_of({"a": [1, 1]}, {"a": [1, 1]}, aligned=True)).value == 0


def test_without_a_value_in_both_tables_nothing_is_assessed(pair_of):
    assert isinstance(il1s(pair_of({"a": [1, np.nan]}, {"a": [np.nan, 1]}, aligned=True)), NotAssessed)


@pytest.mark.parametrize("name", ["mdav3", "noise", "rank_swap"])
def test_relative_distances_of_the_golden_pairs_agree_with_sdcmicro(name, golden, golden_pair):
    expected = golden("numeric_risk_and_loss")["outputs"][name]
    found = il1s(golden_pair(name)).parts
    assert found["il1"] == pytest.approx(expected["IL1_sum"], rel=1e-9)
    assert found["il1_left_out"] == expected["IL1_terms_left_out"]


def test_relative_distances_by_hand(pair_of):
    """A hundred times 1/2 and 1/4; a value of 0 has no relative distance."""
    found = il1s(pair_of({"a": [2, -4, 0]}, {"a": [3, -3, 5]}, aligned=True)).parts
    assert (found["il1"], found["il1.a"], found["il1_left_out"]) == (75, 75, 1)
