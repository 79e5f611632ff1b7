"""A page as a run asks for it: drawn, and refused where it would leak."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import PageLeaks
from sdc.report import Edition, RunFacts, page
from sdc.report.page import with_missing

ROLES = Roles.of(
    [
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
    ]
)


@pytest.fixture(scope="module")
def pair() -> ReleasePair:
    frame = pd.DataFrame(
        {
            "age": [20.0 + number % 40 for number in range(400)],
            "region": ["North", "South"] * 200,
            "income": 1500.5,
        }
    )
    frame.loc[7, "income"] = 76543.21
    return ReleasePair.from_frames(frame, frame.assign(income=1500.5), ROLES)


def test_both_editions_are_drawn(published: RunFacts, pair: ReleasePair):
    for edition in Edition:
        assert 'id="histogram-age"' in page(published, edition, pair)


def test_without_a_pair_nothing_is_drawn(published: RunFacts):
    assert 'id="histogram-age"' not in page(published, Edition.PUBLIC)


def test_a_run_that_released_nothing_has_no_public_drawings(withheld: RunFacts, pair: ReleasePair):
    assert 'id="histogram-age"' in page(withheld, Edition.INTERNAL, pair)
    assert 'id="histogram-age"' not in page(withheld, Edition.PUBLIC, pair)


@pytest.mark.parametrize("said", ["largest income 76,543.21", "asked for by Finn Haas"])
def test_a_public_page_that_leaks_is_refused_and_the_internal_one_is_not(
    published: RunFacts, pair: ReleasePair, said: str
):
    facts = replace(published, profile=published.profile.model_copy(update={"description": said}))
    names = {"name": ["Finn Haas"]}
    assert said in page(facts, Edition.INTERNAL, pair, identifiers=names)
    with pytest.raises(PageLeaks) as refused:
        page(facts, Edition.PUBLIC, pair, identifiers=names)
    assert "Finn" not in str(refused.value)
    assert "76,543" not in str(refused.value)


def test_missing_values_a_variable_gained_are_counted(published: RunFacts):
    frame = pd.DataFrame(
        {"age": [20.0, None, 30.0, 40.0], "region": ["North", "South", None, "North"], "income": 1.5}
    )
    pair = ReleasePair.from_frames(frame, frame.assign(age=[None, None, 30.0, None]), ROLES, aligned=True)
    uncounted = replace(
        published, candidates=(replace(published.candidates[0], missing_added={}), published.candidates[1])
    )
    assert with_missing(uncounted, pair).focus.missing_added == {"age": 2, "region": 0, "income": 0}
    assert with_missing(published, pair) is published
