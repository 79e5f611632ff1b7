"""Forms made from the options' own schema, and what is read back from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdc.catalogue.registry import measures, methods
from sdc.profile.load import load_profile
from sdc.studio.form_reading import read_form
from sdc.studio.forms import FieldKind, new_variable, option_fields
from sdc.study.document import plain

ROLES = load_profile(Path("profiles/demo/published.yaml")).roles
UNITS = {**methods(), **measures()}


def sent(fields):
    """What a browser would send of a form nobody touched."""
    for each in fields:
        if each.inside:
            yield from sent(each.inside)
        elif each.asked.kind is FieldKind.VARIABLES:
            yield from ((each.name, name) for name in each.picked)
        else:
            yield each.name, each.value


@pytest.mark.parametrize("name", sorted(UNITS))
def test_a_form_nobody_touched_says_what_the_profile_says(name):
    entry = UNITS[name]
    filled, _ = read_form(entry, entry.example, ROLES, list(sent(option_fields(entry, entry.example, ROLES))))
    assert filled.options == plain(entry.example)
    assert not filled.faults


def field(entry, name, given=None):
    return next(each for each in option_fields(entry, given or {}, ROLES) if each.label == name)


def test_a_number_has_its_bounds_its_default_and_its_help():
    k = field(methods()["local_suppression"], "k")
    assert (k.kind, k.asked.least, k.default) == ("whole", 2, "3")
    assert k.words == "a whole number of at least 2"
    p = field(methods()["rank_swap"], "p")
    assert (p.kind, p.asked.least, p.asked.most, p.default) == ("number", 0, 1, "0.15")
    assert field(methods()["local_suppression"], "cap").help.startswith("`cap` is the largest share")


def test_words_variables_and_yes_or_no_are_chosen():
    grouping = field(methods()["microaggregation"], "grouping")
    assert grouping.asked.choices == ("mdav", "z_score_projection", "principal_component", "univariate")
    assert field(methods()["local_suppression"], "by_household").kind == "yes_no"
    x = field(methods()["coordinate_grid"], "x")
    assert x.required
    assert set(x.asked.choices) == {*ROLES.numeric, "weight"}
    assert field(methods()["pram"], "variables").asked.choices == tuple(ROLES.released)


def test_options_of_variables_are_groups_with_fields_of_their_own():
    recode = methods()["global_recode"]
    age = field(recode, "age", {"age": {"width": 10}})
    assert age.kind == "group"
    inner = {each.label: each for each in age.inside}
    assert inner["width"].value == "10"
    assert inner["period"].asked.choices == ("month", "quarter", "year")
    assert inner["width"].name == "option/age/width"
    chosen, _ = new_variable(recode, {"age": {"width": 10}}, ROLES)
    assert "age" not in chosen.asked.choices
    assert "region" in chosen.asked.choices
    assert set(new_variable(methods()["rounding"], {}, ROLES)[0].asked.choices) == {*ROLES.numeric, "weight"}
    assert new_variable(methods()["pram"], {}, ROLES) == ()


def test_one_more_variable_is_read_with_its_value():
    filled, _ = read_form(
        methods()["global_recode"],
        {},
        ROLES,
        [("new", "age"), ("new/value/width", "10"), ("new/value/top", "80")],
    )
    assert filled.options == {"age": {"width": 10, "top": 80}}


def test_a_variable_may_be_left_out_again():
    given = {"age": {"width": 10}, "household_size": {"bands": [2, 4]}}
    entry = methods()["global_recode"]
    pairs = [*sent(option_fields(entry, given, ROLES)), ("remove/age", "yes")]
    assert read_form(entry, given, ROLES, pairs)[0].options == {"household_size": {"bands": [2, 4]}}


def test_what_equals_its_default_is_not_written_unless_it_stood_there():
    entry = methods()["local_suppression"]
    assert read_form(entry, {}, ROLES, [("option/k", "3")])[0].options == {}
    assert read_form(entry, {"k": 5}, ROLES, [("option/k", "3")])[0].options == {"k": 3}


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (("option/k", "1"), "k must be at least 2"),
        (("option/k", "three"), "a whole number is wanted"),
        (("option/cap", "2"), "at most 1"),
        (("option/missing", "never"), "choose one of own_category, wildcard"),
        (("option/by_household", "maybe"), "choose true or false"),
        (("option/importance", "[sex"), "cannot be read"),
    ],
)
def test_what_cannot_be_is_said_at_its_field(pair, said):
    filled, fields = read_form(methods()["local_suppression"], {}, ROLES, [pair])
    name = pair[0].partition("/")[2]
    assert said in filled.faults["option", name]
    shown = next(each for each in fields if each.label == name)
    assert said in shown.fault
    assert shown.value == pair[1]


def test_a_list_may_be_typed_without_brackets_and_keeps_its_order():
    entry = methods()["local_suppression"]
    typed_in = [("option/importance", "sex, region")]
    assert read_form(entry, {}, ROLES, typed_in)[0].options == {"importance": ["sex", "region"]}
    variables = [("option/keys", "age"), ("option/keys", "region")]
    assert read_form(entry, {}, ROLES, variables)[0].options == {"keys": ["region", "age"]}
    told = read_form(entry, {"keys": ["age", "region"]}, ROLES, variables)[0].options
    assert told == {"keys": ["age", "region"]}


def test_options_that_must_be_told_are_missed():
    filled, _ = read_form(methods()["subsample"], {}, ROLES, [])
    assert list(filled.faults) == [("option", "share")]
