"""Formulas as users write them."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.regression.formula import Factor, parse


def written(text):
    return [":".join(map(str, term)) for term in parse(text).terms]


def test_a_formula_has_a_response_and_terms():
    model = parse("log(income) ~ age + region")
    assert model.response == Factor("income", "log")
    assert model.terms == ((Factor("age"),), (Factor("region"),))
    assert model.variables == ("income", "age", "region")


def test_a_response_may_compare_with_a_value():
    assert parse("health == bad ~ age").response == Factor("health", comparison="==", value="bad")
    assert parse("health=='very bad'~age").response.value == "very bad"
    assert parse('education == "master+" ~ age').response.value == "master+"
    assert parse("age >= 65 ~ sex").response == Factor("age", comparison=">=", value="65")
    assert parse("change < -1.5 ~ sex").response.value == "-1.5"


def test_products_and_their_short_form():
    assert written("y ~ a:b") == ["a:b"]
    assert written("y ~ a * b + c") == ["a", "b", "a:b", "c"]
    assert written("y ~ a * b * c") == ["a", "b", "c", "a:b", "a:c", "b:c", "a:b:c"]
    assert written("y ~ a + a + a*b") == ["a", "b", "a:b"]


def test_powers_functions_and_comparisons_are_factors():
    assert written("y ~ age + age^2 + log1p(wealth):sex + (age >= 65) + sqrt(x)^3") == [
        "age",
        "age^2",
        "log1p(wealth):sex",
        "age >=",
        "sqrt(x)^3",
    ]


def test_odd_names_stand_in_backquotes():
    assert parse("`net income` ~ `2nd job` + größe").variables == ("net income", "2nd job", "größe")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a variable is expected at the beginning"),
        ("income", "'~' is expected after 'income'"),
        ("income ~", "a variable is expected after '~'"),
        ("income ~ age +", "a variable is expected after '+'"),
        ("income ~ age region", "'+' or the end is expected after 'age'"),
        ("income ~ exp(age)", "'exp' is no function"),
        ("income ~ age^0.5", "'0.5' is no power"),
        ("income ~ age^sex", "a whole number is expected after '^'"),
        ("income ~ 3", "a variable is expected after '~'"),
        ("income ~ age - sex", "'-' has no meaning"),
        ("health == ~ age", "a value is expected after '=='"),
        ("income ~ (age", "')' is expected after 'age'"),
        ("income ~ age + log(income)", "both sides"),
        ("income ~ age & sex", "'&' has no meaning"),
    ],
)
def test_faults_say_what_was_expected_where(text, said):
    with pytest.raises(ValueError) as fault:
        parse(text)
    assert said in str(fault.value)


def test_what_a_function_has_no_value_for_is_missing():
    numbers = np.array([np.e, 0.0, -1.0, np.nan])
    assert Factor("x", "log").of_numbers(numbers) == pytest.approx([1, np.nan, np.nan, np.nan], nan_ok=True)
    assert Factor("x", power=2).of_numbers(numbers) == pytest.approx([np.e**2, 0, 1, np.nan], nan_ok=True)
    assert Factor("x", comparison=">=", value="0").of_numbers(numbers) == pytest.approx(
        [1, 1, 0, np.nan], nan_ok=True
    )
