"""squared_error against the lecture."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.utility.squared_error import squared_error


def test_the_ages_of_the_lecture_paired_by_row(worked_examples, pair_of):
    inputs = worked_examples["K-MSE-age"]["inputs"]
    found = squared_error(pair_of({"age": inputs["x"]}, {"age": inputs["y"]}, aligned=True))
    assert found.parts["mse.age"] == pytest.approx(worked_examples["K-MSE-age"]["recomputed"], rel=1e-12)
    assert found.parts["r2.age"] == pytest.approx(worked_examples["K-R2-age"]["recomputed"], rel=1e-12)
    assert found.value == pytest.approx(1 - worked_examples["K-R2-age"]["recomputed"], rel=1e-12)


def test_the_value_is_the_mean_over_variables(pair_of):
    found = squared_error(pair_of({"a": [0, 2], "b": [0, 2]}, {"a": [0, 2], "b": [1, 2]}, aligned=True))
    assert found.value == (0 + 0.5) / 2


def test_records_missing_in_either_table_are_left_out_and_counted(pair_of):
    found = squared_error(pair_of({"a": [0, 2, 5]}, {"a": [1, 2, np.nan]}, aligned=True))
    assert (found.parts["mse.a"], found.parts["left_out.a"]) == (0.5, 1)


def test_a_constant_has_no_r2_and_is_left_out_of_the_mean(pair_of):
    found = squared_error(pair_of({"a": [1, 1], "b": [0, 2]}, {"a": [1, 1], "b": [1, 2]}, aligned=True))
    assert (found.value, found.parts["mse.a"]) == (0.5, 0)
    assert "r2.a" not in found.parts
    assert squared_error(pair_of({"a": [1, 1]}, {"a": [1, 1]}, aligned=True)).value == 0


def test_a_constant_that_changed_is_measured_in_the_unit_of_both_tables(pair_of):
    """The error of a is 4; the values 1, 1, 1 and 3 have the variance 1, and n - 1 is 1."""
    found = squared_error(pair_of({"a": [1, 1], "b": [0, 2]}, {"a": [1, 3], "b": [0, 2]}, aligned=True))
    assert found.value == pytest.approx((4 + 0) / 2, rel=1e-12)
    assert found.parts["r2.a"] == pytest.approx(-3, rel=1e-12)


def test_without_a_value_in_both_tables_nothing_is_assessed(pair_of):
    assert isinstance(
        squared_error(pair_of({"a": [1, np.nan]}, {"a": [np.nan, 1]}, aligned=True)), NotAssessed
    )


def test_unequal_tables_are_not_assessed(pair_of):
    assert isinstance(squared_error(pair_of({"a": [1, 2]}, {"a": [1]}, aligned=True)), NotAssessed)
