"""il1s against the formula and sdcMicro."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.measurement import NotAssessed
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


def test_a_change_without_a_scale_is_not_assessed(pair_of):
    found = il1s(pair_of({"a": [1, 1]}, {"a": [1, 2]}, aligned=True))
    assert isinstance(found, NotAssessed)
    assert "a is constant" in found.reason
