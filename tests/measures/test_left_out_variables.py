"""A measure over all numeric variables says which of them it left out, and its value opens no gate."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.catalogue.registry import Need, measures
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.profile.parts import compared_number, is_about_all

OVER_NUMBERS = sorted(
    name for name, entry in measures().items() if Need.NUMERIC in entry.needs or name == "indicator_change"
)
ROLES = Roles(
    [Variable(name, Role.OTHER, VariableType.NUMERIC) for name in ("age", "income", "spending", "wealth")]
)


def people() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, 120),
            **{name: rng.lognormal(10, 0.4, 120) for name in ("income", "spending", "wealth")},
        }
    )


def pair(**changed: object) -> ReleasePair:
    original = people()
    return ReleasePair.from_frames(original, original.assign(**changed), ROLES, aligned=True)


def tens() -> list[str]:
    return [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in people()["age"]]


@pytest.mark.parametrize("name", OVER_NUMBERS)
def test_a_number_recoded_into_labels_is_compared_or_named(name):
    found = assess(name, pair(age=tens())).outcome
    assert isinstance(found, Measurement)
    if name == "ks_distance":
        assert found.parts["bands.age"] == 7
        assert found.not_compared == ()
    else:
        assert found.not_compared == ("age",)
        assert found.parts["not_compared"] == 1
        assert compared_number(measures()[name], found, None) is None


def renamed(**changed: object) -> ReleasePair:
    """The ages in a column called 1, as some files have it, and two columns that a point tells apart."""
    names = {"age": "1", "spending": "wealth.1"}
    original = people().rename(columns=names)
    roles = Roles([Variable(name, Role.OTHER, VariableType.NUMERIC) for name in original.columns])
    return ReleasePair.from_frames(original, original.assign(**changed), roles, aligned=True)


@pytest.mark.parametrize("name", sorted({*OVER_NUMBERS} - {"ks_distance"}))
def test_a_variable_called_like_the_end_of_a_part_is_named_too(name):
    """eigenvalue_change has a part original.1, and dependence_change one of income and wealth.1."""
    assert assess(name, renamed(**{"1": tens()})).outcome.not_compared == ("1",)


@pytest.mark.parametrize(
    ("name", "part", "of_all"),
    [
        ("eigenvalue_change", "original.1", False),
        ("grouping_sensitivity", "spread.cell_ks", False),
        ("cluster_utility", "original.1", False),
        ("eigenvalue_change", "not_compared", True),
        ("summary_change", "mean.income", True),
        ("summary_change", "original.mean.income", True),
        ("dependence_change", "correlation.income.wealth", True),
        ("indicator_change", "change.mean.income", True),
    ],
)
def test_a_part_over_all_variables_is_about_fewer_where_one_is_left_out(name, part, of_all):
    """A part with a point in its name may be one of all variables, and then it opens no gate either."""
    found = assess(name, pair(age=tens())).outcome
    assert is_about_all(measures()[name], found, part) is of_all
    assert (compared_number(measures()[name], found, part) is not None) is (of_all and part in found.parts)
    assert is_about_all(measures()[name], assess(name, pair()).outcome, part)


def test_a_single_band_tells_nothing_and_is_not_compared():
    """Everybody is between 18 and 79: at no age could the tables differ."""
    found = assess("ks_distance", pair(age=["18-79"] * 120)).outcome
    assert found.not_compared == ("age",)
    two = ["18-49" if age < 50 else "50-79" for age in people()["age"]]
    assert assess("ks_distance", pair(age=two)).outcome.not_compared == ()


@pytest.mark.parametrize("name", OVER_NUMBERS)
def test_nothing_is_named_where_all_was_compared_or_variables_were_named(name):
    assert assess(name, pair()).outcome.not_compared == ()
    named = (
        {"pairs": [["income", "wealth"]]}
        if name == "density_overlap"
        else {"variables": ["income", "wealth"]}
    )
    assert assess(name, pair(age=tens()), named).outcome.not_compared == ()


@pytest.mark.parametrize("name", OVER_NUMBERS)
def test_a_value_over_no_variable_at_all_is_not_assessed(name):
    labels = {
        column: [f"{value:.0f}-{value + 1:.0f}" for value in people()[column]] for column in ROLES.numeric
    }
    assert isinstance(assess(name, pair(**labels)).outcome, NotAssessed)


@pytest.mark.parametrize("name", ["cluster_utility", "ecdf_distance", "eigenvalue_change"])
def test_a_variable_that_lost_most_of_its_values_is_named(name):
    kept = people()["income"].where(np.arange(120) % 3 == 0)
    found = assess(name, pair(income=kept)).outcome
    assert found.not_compared == ("income",)
    assert found.parts["variables"] == 3
