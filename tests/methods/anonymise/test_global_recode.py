from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sdc.catalogue.registry import find_method
from sdc.data.roles import Roles, Variable, VariableType
from sdc.errors import BadOption, CannotProtect

ROLES = Roles.of(
    [
        Variable("age", type=VariableType.NUMERIC),
        Variable("height", type=VariableType.NUMERIC),
        Variable("region"),
        Variable("school", type=VariableType.ORDINAL, order=("none", "primary", "secondary", "degree")),
        Variable("occupation"),
        Variable("born", type=VariableType.DATE),
    ]
)
TABLE = pd.DataFrame(
    {
        "age": [3.0, 18, 25, 64, 65, np.nan],
        "height": [1.5, 1.62, 1.9, 1.75, np.nan, 1.6],
        "region": pd.Categorical(["N", "NE", "S", None, "S", "W"]),
        "school": pd.Categorical(
            ["none", "degree", "primary", None, "secondary", "none"],
            ["none", "primary", "secondary", "degree"],
            ordered=True,
        ),
        "occupation": pd.Categorical(["5213", "5221", "1100", "52", None, "1111"]),
        "born": pd.to_datetime(["2021-05-06", "2006-01-01", "1999-12-31", None, "1959-07-14", "1959-09-30"]),
    }
)


def recode(**given):
    entry = find_method("global_recode")
    return entry.function(TABLE, ROLES, np.random.default_rng(0), **entry.arguments(given))


def column(made, name):
    return [None if value is None or pd.isna(value) else value for value in made.table[name]]


def test_whole_numbers_get_bands_with_both_ends_in_them():
    assert column(recode(age={"width": 10}), "age") == ["0-9", "10-19", "20-29", "60-69", "60-69", None]
    assert column(recode(age={"width": 10, "start": 5, "top": 65}), "age") == [
        "-5 to 4",
        "15-24",
        "25-34",
        "55-64",
        "65+",
        None,
    ]


def test_other_numbers_get_half_open_bands():
    assert column(recode(height={"width": 0.25}), "height") == [
        "[1.5,1.75)",
        "[1.5,1.75)",
        "[1.75,2)",
        "[1.75,2)",
        None,
        "[1.5,1.75)",
    ]


def test_bands_are_given_by_their_edges_or_by_their_labels():
    expected = ["0-17", "18-64", "18-64", "18-64", "65+", None]
    assert column(recode(age={"bands": [0, 18, 65]}), "age") == expected
    assert column(recode(age={"bands": ["0-17", "18-64", "65+"]}), "age") == expected


def test_band_labels_sort_as_their_numbers_do():
    made = recode(age={"width": 3}).table["age"]
    assert made.cat.ordered
    assert made.sort_values().dropna().tolist() == ["3-5", "18-20", "24-26", "63-65", "63-65"]


def test_groups_keep_what_they_do_not_name_unless_told_otherwise():
    made = recode(region={"groups": {"north": ["N", "NE"]}})
    assert column(made, "region") == ["north", "north", "S", None, "S", "W"]
    assert made.labels["region"] == {"N": "north", "NE": "north", "S": "S", "W": "W"}
    others = recode(region={"groups": {"north": ["N", "NE"]}, "others": "rest"})
    assert column(others, "region") == ["north", "north", "rest", None, "rest", "rest"]


def test_grouped_ordinals_stay_ordered():
    made = recode(school={"groups": {"low": ["none", "primary"]}}).table["school"]
    assert made.cat.ordered
    assert list(made.cat.categories) == ["low", "secondary", "degree"]


def test_codes_are_cut_to_their_leading_digits():
    made = recode(occupation={"digits": 2})
    assert column(made, "occupation") == ["52", "52", "11", "52", None, "11"]
    assert made.labels["occupation"]["5213"] == "52"


def test_a_hierarchy_gives_the_ancestor_at_a_level():
    tree = {"N": ["north", "land"], "NE": ["north", "land"], "S": ["south", "land"], "W": ["west", "land"]}
    assert column(recode(region={"hierarchy": tree, "level": 2}), "region") == [
        "land",
        "land",
        "land",
        None,
        "land",
        "land",
    ]
    assert column(recode(region={"hierarchy": tree}), "region") == [
        "north",
        "north",
        "south",
        None,
        "south",
        "west",
    ]


def test_dates_become_months_quarters_or_years():
    assert column(recode(born={"period": "quarter"}), "born") == [
        "2021-Q2",
        "2006-Q1",
        "1999-Q4",
        None,
        "1959-Q3",
        "1959-Q3",
    ]


def test_groups_of_whole_numbers_are_named_without_a_point():
    made = recode(age={"groups": {"minor": [3], "grown": [18, 25, 64, 65]}})
    assert column(made, "age") == ["minor", "grown", "grown", "grown", "grown", None]


def test_levels_before_and_after_are_on_record():
    assert recode(age={"bands": [18, 65]}).record["age"] == {"levels_before": 5, "levels_after": 3}


def test_an_unknown_variable_is_named_with_the_nearest_known():
    with pytest.raises(BadOption, match=r"no variable is called 'regio'; did you mean 'region'"):
        recode(regio={"digits": 1})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"region": {"width": 5}}, "region: width needs a numeric variable"),
        ({"age": {"digits": 1}}, "age: digits needs codes"),
        ({"age": {"period": "year"}}, "age: period needs a variable of type date"),
        ({"region": {"hierarchy": {"N": ["north"]}}}, "region: 3 of its values have no ancestor"),
        ({"age": {"bands": ["0-17", "18-60"]}}, "age: 2 of its values lie in none of the bands"),
    ],
)
def test_what_the_domain_does_not_allow_is_refused_by_name_without_a_value(given, words):
    with pytest.raises(CannotProtect, match=words):
        recode(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"width": 10, "digits": 2},
        {},
        {"bands": [18, 0]},
        {"bands": ["0-17", "17-20"]},
        {"bands": ["young"]},
        {"width": 0},
        {"groups": {"a": ["x"], "b": ["x"]}},
        {"width": 5, "bottom": 9, "top": 8},
    ],
)
def test_a_recoding_that_says_too_much_or_too_little_is_refused(given):
    with pytest.raises(ValidationError):
        recode(age=given)


def test_a_variable_may_have_the_name_of_anything():
    table = pd.DataFrame({"table": [1.0, 12.0], "rng": pd.Categorical(["ab", "cd"])})
    entry = find_method("global_recode")
    made = entry.function(
        table,
        ROLES,
        np.random.default_rng(0),
        **entry.arguments({"table": {"width": 10}, "rng": {"digits": 1}}),
    )
    assert made.table["table"].tolist() == ["0-9", "10-19"]
    assert made.table["rng"].tolist() == ["a", "c"]
