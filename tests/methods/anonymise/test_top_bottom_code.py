from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sdc.errors import CannotProtect

TABLE = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10, np.nan]})


def column(made):
    return [None if np.isnan(value) else value for value in made.table["x"]]


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ({"top": 8}, [1, 2, 3, 4, 5, 6, 7, 8, 8, 8, None]),
        ({"bottom": 3, "top": 9}, [3, 3, 3, 4, 5, 6, 7, 8, 9, 9, None]),
        ({"top_share": 0.3}, [1, 2, 3, 4, 5, 6, 7, 7, 7, 7, None]),
        ({"bottom_share": 0.2}, [3, 3, 3, 4, 5, 6, 7, 8, 9, 10, None]),
        ({"top": 7, "replace": "mean"}, [1, 2, 3, 4, 5, 6, 7, 9, 9, 9, None]),
        ({"bottom": 4, "replace": "median"}, [2, 2, 2, 4, 5, 6, 7, 8, 9, 10, None]),
        ({"top": 9, "replace": "missing"}, [1, 2, 3, 4, 5, 6, 7, 8, 9, None, None]),
        ({"top": 99, "replace": "mean"}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, None]),
    ],
)
def test_tails_become_one_value(protect, ends, expected):
    assert column(protect("top_bottom_code", TABLE, {"x": ends})) == expected


def test_the_numbers_of_values_in_the_tails_are_on_record(protect):
    assert protect("top_bottom_code", TABLE, {"x": {"top": 8, "bottom": 2}}).record["x"] == {
        "above": 2,
        "below": 1,
    }


def test_a_share_takes_all_that_are_equal(protect):
    table = pd.DataFrame({"x": [1.0, 2, 5, 5, 5]})
    assert protect("top_bottom_code", table, {"x": {"top_share": 0.2}}).table["x"].tolist() == [1, 2, 2, 2, 2]


def test_a_share_of_equal_values_leaves_them(protect):
    assert protect("top_bottom_code", pd.DataFrame({"x": [5.0, 5.0]}), {"x": {"top_share": 0.5}}).table[
        "x"
    ].tolist() == [5, 5]


def test_the_mean_of_fewer_than_three_is_refused_without_telling_them(protect):
    with pytest.raises(CannotProtect, match="x has 2 values in a tail, too few for their mean"):
        protect("top_bottom_code", TABLE, {"x": {"top": 8, "replace": "mean"}})


@pytest.mark.parametrize(
    "ends", [{}, {"top": 1, "top_share": 0.1}, {"bottom": 3, "top": 2}, {"top_share": 1.5}]
)
def test_ends_that_contradict_themselves_are_refused(protect, ends):
    with pytest.raises(ValidationError):
        protect("top_bottom_code", TABLE, {"x": ends})
