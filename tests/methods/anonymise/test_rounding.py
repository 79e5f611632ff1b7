from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sdc.errors import BadOption

TABLE = pd.DataFrame({"x": [14.0, 15.0, -15.0, 26.0, np.nan, 30.0]})


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("nearest", [10, 20, -10, 30, None, 30]),
        ("down", [10, 10, -20, 20, None, 30]),
        ("up", [20, 20, -10, 30, None, 30]),
    ],
)
def test_numbers_become_multiples(protect, how, expected):
    made = protect("rounding", TABLE, {"x": {"to": 10, "how": how}}).table["x"]
    assert [None if np.isnan(value) else value for value in made] == expected


def test_multiples_of_a_tenth_are_written_as_such_and_stay_as_they_are(protect):
    table = pd.DataFrame({"x": [0.3, 0.7, 1.1, 2.9]})
    for how in ("nearest", "down", "up", "random"):
        assert protect("rounding", table, {"x": {"to": 0.1, "how": how}}).table["x"].tolist() == [
            0.3,
            0.7,
            1.1,
            2.9,
        ]


def test_random_rounding_has_the_value_as_its_expectation(protect):
    table = pd.DataFrame({"x": np.full(40_000, 13.0)})
    made = protect("rounding", table, {"x": {"to": 10, "how": "random"}}).table["x"]
    assert set(made) == {10.0, 20.0}
    assert made.mean() == pytest.approx(13, abs=4 * 10 * np.sqrt(0.3 * 0.7 / 40_000))


def test_no_negative_zero_is_released(protect):
    made = protect("rounding", pd.DataFrame({"x": [-2.0]}), {"x": {"to": 10}}).table["x"]
    assert str(made[0]) == "0.0"


def test_text_and_bases_that_are_no_number_above_zero_are_refused(protect):
    with pytest.raises(BadOption, match="g does not hold numbers"):
        protect("rounding", pd.DataFrame({"g": pd.Categorical(["a"])}), {"g": {"to": 5}})
    with pytest.raises(ValidationError):
        protect("rounding", TABLE, {"x": {"to": 0}})
