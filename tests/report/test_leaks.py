"""Planted values are found wherever they are; ordinary reports pass."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import pytest

from sdc.errors import PageLeaks
from sdc.release_pair import ReleasePair
from sdc.report import Edition, RunFacts, build, render
from sdc.report.forbidden import Forbidden, known_words
from sdc.report.leaks import refuse_leaks, scan
from sdc.roles import Role, Roles, Variable, VariableType

RICHEST = 359395.63
NUMERIC = VariableType.NUMERIC
ROLES = Roles.of(
    [
        Variable("age", Role.QUASI_IDENTIFIER, NUMERIC),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("marital_status", Role.QUASI_IDENTIFIER),
        Variable("income", Role.SENSITIVE, NUMERIC),
        Variable("born", Role.OTHER, VariableType.DATE),
    ]
)


def people() -> pd.DataFrame:
    """400 records: ages 20 to 59 ten times each but for one of 99, one very rich, one of a region nobody else is from."""
    rows = 400
    frame = pd.DataFrame(
        {
            "age": np.arange(rows) % 40 + 20,
            "region": np.where(np.arange(rows) % 2, "Northland", "Southland"),
            "marital_status": np.where(np.arange(rows) < 200, "widowed", "unmarried"),
            "income": 1000.0 + np.arange(rows) % 40,
            "born": pd.Timestamp("1960-05-04"),
        }
    )
    frame.loc[399, ["age", "region", "income", "born"]] = [99, "Rarevillage", RICHEST, pd.Timestamp("1901-02-03")]
    frame.loc[398, "marital_status"] = "divorced"
    frame.loc[397, "marital_status"] = "divorced"
    return frame


@pytest.fixture(scope="module")
def forbidden() -> Forbidden:
    original = people()
    candidate = original.assign(region=original.region.replace("Rarevillage", "Northland"))
    return Forbidden.of(ReleasePair.from_frames(original, candidate, ROLES))


def page(body: str) -> str:
    return f"<!DOCTYPE html><html><head><title>A report</title></head><body><main>{body}</main></body></html>"


NAMES = {"name": ["Finn Haas", "Zebulon", "Criteria", "Jo", None], "number": [4711, 8150042]}


def found(body: str, forbidden: Forbidden, names: Mapping[str, Iterable[object]] = NAMES) -> list[str]:
    return sorted({hit.what for hit in scan(page(body), forbidden.naming(page(body), names))})


INCOME = ["an extreme of income"]


@pytest.mark.parametrize(
    "body",
    [
        "<p>The largest is 359395.63.</p>",
        "<p>The largest is 359,395.63 euros</p>",
        "<p>The largest is 359\u202f395.63</p>",
        "<p>The largest is 359.395,63</p>",
        "<p>About 359,396</p>",
        "<p>About 359,400</p>",
        "<p>3.5939563e5</p>",
        "<p>359395.6<!-- --></p>",
        "<!-- 359395.63 -->",
        '<td title="359395.63">rich</td>',
        '<data value="359395.63">many</data>',
        '<div aria-label="up to 359,395.63"></div>',
        "<svg><rect><title>[300000, 359395.63]</title></rect></svg>",
        '<svg><path d="M1 2L359395.63 4"></path></svg>',
        '<p style="--x: 359395.63">x</p>',
        '<script type="application/json">{"data": [{"x": 1, "y": 359395.63}]}</script>',
        "<script>var spec = {values: [1, 2, 359395.63]};</script>",
        "<style>p { width: 359395.63px; }</style>",
        "<p>&#51;59395.63</p>",
        f'<img alt="x" src="data:image/svg+xml;base64,{base64.b64encode(b"<text>359395.63</text>").decode()}">',
    ],
)
def test_an_extreme_is_found_wherever_it_is(body: str, forbidden: Forbidden):
    assert found(body, forbidden) == INCOME


@pytest.mark.parametrize(
    "body",
    [
        "<p>age 99</p>",
        "<p>age: 99</p>",
        '<script>{"age": 99}</script>',
        '<svg><text data-values-of="age">99</text></svg>',
        '<svg><g data-values-of="age"><text>60 to 99</text></g></svg>',
    ],
)
def test_a_short_extreme_is_found_where_the_variable_is_spoken_of(body: str, forbidden: Forbidden):
    assert found(body, forbidden) == ["an extreme of age"]


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("<p>seen: Finn Haas</p>", "a value of the direct identifier name"),
        ("<p>seen: Finn <b>Haas</b></p>", "a value of the direct identifier name"),
        ('<p title="FINN  HAAS">x</p>', "a value of the direct identifier name"),
        ('<script>{"who": "Finn\\u0020Haas"}</script>', "a value of the direct identifier name"),
        ("<p>zebulon</p>", "a value of the direct identifier name"),
        ("<p>number 8150042</p>", "a value of the direct identifier number"),
        ("<p>in Rarevillage</p>", "a rare value of region"),
        ('<script>["Rarevillage"]</script>', "a rare value of region"),
        ("<p>born 1901-02-03</p>", "an extreme of born"),
    ],
)
def test_texts_of_single_people_are_found(body: str, what: str, forbidden: Forbidden):
    assert what in found(body, forbidden)


@pytest.mark.parametrize(
    "body",
    [
        "<table><tr><td>Southland</td><td>divorced</td><td>1</td></tr></table>",
        "<svg><rect><title>Southland, divorced</title></rect></svg>",
        '<div data-cell="Southland|divorced"></div>',
        '<script>[{"region": "Southland", "marital_status": "divorced"}]</script>',
        "<p>Southland, age 20, unmarried</p>",
    ],
)
def test_a_combination_few_records_share_is_found(body: str, forbidden: Forbidden):
    # Of the two divorced one is from Southland; of the ten aged 20, who are all from Southland, five are unmarried.
    assert [what for what in found(body, forbidden) if what.startswith("a rare combination")]


@pytest.mark.parametrize(
    "body",
    [
        '<table><tr><td data-count="original">3</td></tr></table>',
        '<p data-count="original">there are <b>3</b></p>',
        '<script type="application/json">{"marks": [{"original": 3, "candidate": 40}]}</script>',
        '<script type="application/json">{"original_count": [100, 3]}</script>',
        "<script>var o = {count_original: 3};</script>",
    ],
)
def test_a_small_count_of_original_records_is_found(body: str, forbidden: Forbidden):
    assert found(body, forbidden) == ["a count of original records below 10"]


@pytest.mark.parametrize(
    "body",
    [
        "<p>99 criteria, 359 records, 359,000 and 360,000 euros</p>",
        '<p data-count="original">fewer than 10</p>',
        '<p data-count="original">0</p>',
        '<p data-count="original">5,915</p>',
        "<p>criteria of jo</p>",
        "<p>Northland, widowed: 25 %</p>",
        "<p>Northland and Southland</p>",
        "<p>divorced</p>",
        "<p>age 20 to 59</p>",
        '<svg><path d="M3594 359.4L99 20"></path></svg>',
        f"<p>{'359395' * 10}a and 20250127T359396Z-abc</p>",
        "<script>{'candidate': 3}</script>",
        "<p>born 1960-05-04</p>",
        "<p>4711</p>",
        "<p>doi:10.8150042/jss</p>",
    ],
)
def test_what_says_nothing_of_single_people_passes(body: str, forbidden: Forbidden):
    assert found(body, forbidden) == []


def test_the_refusal_names_places_and_kinds_but_no_value(forbidden: Forbidden):
    planted = page("<p>359395.63</p><p>Finn Haas of Rarevillage</p><p>Southland, divorced</p>")
    with pytest.raises(PageLeaks) as refused:
        refuse_leaks(planted, forbidden.naming(planted, NAMES))
    text = str(refused.value)
    assert "an extreme of income" in text
    assert "line 1, text of p" in text
    for value in ("359395", "Finn", "Haas", "Rarevillage", "Southland", "divorced"):
        assert value not in text


def test_the_public_report_passes_and_the_internal_one_does_not(published: RunFacts, forbidden: Forbidden):
    refuse_leaks(render(build(published, Edition.PUBLIC)), forbidden)
    assert "a count of original records below 10" in {hit.what for hit in scan(render(build(published, Edition.INTERNAL)), forbidden)}


def test_a_value_planted_in_a_profile_is_found_in_the_page_made_from_it(published: RunFacts, forbidden: Forbidden):
    from dataclasses import replace

    titled = published.profile.model_copy(update={"title": "Survey without Finn Haas"})
    assert found(json.dumps(render(build(replace(published, profile=titled), Edition.PUBLIC))), forbidden)


def test_running_numbers_are_no_names(forbidden: Forbidden):
    held = {"number": range(10_000, 40_000), "passport": ["20471", "12345678901"]}
    assert found("<p>20,000 and 20000 and 30471</p>", forbidden, held) == []
    assert found("<p>passport 12345678901</p>", forbidden, held) == ["a value of the direct identifier passport"]
    assert found("<p>passport 20,471</p>", forbidden, {"passport": ["20471"] * 50}) == ["a value of the direct identifier passport"]


def test_a_name_of_many_words_is_known_by_its_first(forbidden: Forbidden):
    names = {"address": ["12 Long Lane, Upper Village, North Riding of Somewhere, near the old mill"]}
    body = "<p>who lives at 12 Long Lane, Upper Village, North Riding of Somewhere, near the mill?</p>"
    assert found(body, forbidden, names) == ["a value of the direct identifier address"]


def test_names_are_read_one_by_one_and_only_those_said_are_held(forbidden: Forbidden):
    many = (f"Person {number} Nobody" for number in range(50_000))
    held = forbidden.naming(page("<p>Person 4321 Nobody</p>"), {"name": many})
    assert set(held.texts) - set(forbidden.texts) == {"person 4321 nobody"}


def test_a_surname_that_is_also_a_region_or_stands_in_the_profile_cannot_be_told_apart(published: RunFacts, forbidden: Forbidden):
    frame = people().replace({"region": {"Northland": "Upper Northland"}})
    pair = ReleasePair.from_frames(frame, frame, ROLES)
    titled = published.profile.model_copy(update={"description": "The Lincoln survey, ordered by P4711X"})
    known = known_words(titled, pair)
    body = page("<p>Southland, Lincoln, Zebulon, P4711X</p><p>Upper Northland</p><p>the Lincoln survey</p>")
    names = ["Southland", "Lincoln", "Zebulon", "Upper Northland", "The Lincoln"]
    held = forbidden.naming(body, {"surname": names, "code": ["p4711x"]}, lambda: known)
    assert set(held.texts) - set(forbidden.texts) == {"zebulon", "p4711x", "the lincoln"}


def test_a_value_many_records_share_is_no_secret():
    frame = people()
    frame.loc[:20, "income"] = RICHEST
    held = Forbidden.of(ReleasePair.from_frames(frame, frame, ROLES))
    assert RICHEST not in held.extremes["income"]


def test_a_hash_that_reads_like_a_number_beyond_all_numbers_is_no_error() -> None:
    from sdc.report.words import token

    assert (token("7e81234").value, token("7e-81234").value) == (7e100, 7e-100)
