"""Planted values are found wherever they are; ordinary reports pass."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import pytest

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import PageLeaks, headline
from sdc.report import Edition, RunFacts, build, render
from sdc.report.forbidden import Forbidden, known_words
from sdc.report.leaks import refuse_leaks, scan

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
    """400 records.

    Ages 20 to 59 ten times each but for one of 99, one very rich, one of a region nobody else is from.
    """
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
    frame.loc[399, ["age", "region", "income", "born"]] = [
        99,
        "Rarevillage",
        RICHEST,
        pd.Timestamp("1901-02-03"),
    ]
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
    # Of the two divorced one is from Southland; of the ten aged 20, who are all from Southland, five are
    # unmarried.
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
    assert "an extreme of income" in text.splitlines()[0]
    assert "line 1, text of p" in text
    for value in ("359395", "Finn", "Haas", "Rarevillage", "Southland", "divorced"):
        assert value not in text


def test_the_first_line_of_a_refusal_counts_its_places_and_names_few_kinds():
    assert headline(str(PageLeaks(["line 1, text of p: an extreme of age"]))).endswith(
        "in 1 place: an extreme of age (1)"
    )
    hits = [f"line {line}, text of p: an extreme of v{line % 9}" for line in range(18)]
    assert headline(str(PageLeaks(hits))).endswith(
        "in 18 places: an extreme of v0 (2); an extreme of v1 (2); an extreme of v2 (2); 6 more kinds"
    )


def test_the_public_report_passes_and_the_internal_one_does_not(published: RunFacts, forbidden: Forbidden):
    refuse_leaks(render(build(published, Edition.PUBLIC)), forbidden)
    assert "a count of original records below 10" in {
        hit.what for hit in scan(render(build(published, Edition.INTERNAL)), forbidden)
    }


def test_a_value_planted_in_a_profile_is_found_in_the_page_made_from_it(
    published: RunFacts, forbidden: Forbidden
):
    from dataclasses import replace

    titled = published.profile.model_copy(update={"title": "Survey without Finn Haas"})
    assert found(json.dumps(render(build(replace(published, profile=titled), Edition.PUBLIC))), forbidden)


def test_running_numbers_are_no_names(forbidden: Forbidden):
    held = {"number": range(10_000, 40_000), "passport": ["20471", "12345678901"]}
    assert found("<p>20,000 and 20000 and 30471</p>", forbidden, held) == []
    assert found("<p>passport 12345678901</p>", forbidden, held) == [
        "a value of the direct identifier passport"
    ]
    assert found("<p>passport 20,471</p>", forbidden, {"passport": ["20471"] * 50}) == [
        "a value of the direct identifier passport"
    ]


def test_a_short_number_written_apart_is_a_name_and_a_decimal_is_none(forbidden: Forbidden):
    held = {"file": ["12-34"]}
    assert found("<p>file, 12-34</p>", forbidden, held) == ["a value of the direct identifier file"]
    assert found("<p>12.34 and 7.12, 34 and 12.34 %</p>", forbidden, held) == []


def test_a_name_of_many_words_is_known_by_its_first(forbidden: Forbidden):
    names = {"address": ["12 Long Lane, Upper Village, North Riding of Somewhere, near the old mill"]}
    body = "<p>who lives at 12 Long Lane, Upper Village, North Riding of Somewhere, near the mill?</p>"
    assert found(body, forbidden, names) == ["a value of the direct identifier address"]


def test_names_are_read_one_by_one_and_only_those_said_are_held(forbidden: Forbidden):
    many = (f"Person {number} Nobody" for number in range(50_000))
    held = forbidden.naming(page("<p>Person 4321 Nobody</p>"), {"name": many})
    assert set(held.texts) - set(forbidden.texts) == {"person 4321 nobody"}


def test_a_surname_that_is_also_a_region_or_stands_in_the_profile_cannot_be_told_apart(
    published: RunFacts, forbidden: Forbidden
):
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


EARNINGS = 63412.5
CODED = Roles.of(
    [
        Variable("land", Role.QUASI_IDENTIFIER),
        Variable("work", Role.QUASI_IDENTIFIER),
        Variable("rooms", Role.QUASI_IDENTIFIER),
        Variable("rent", Role.SENSITIVE, NUMERIC),
        Variable("pay", Role.SENSITIVE, NUMERIC),
        Variable("debt", Role.OTHER, NUMERIC),
    ]
)


@pytest.fixture(scope="module")
def coded() -> Forbidden:
    """400 records with categories that are whole numbers: one of work 6 is from Carinthia.

    One rent is 0.2, one pay 0, one 63,412.5, one debt 500.
    """
    rows = np.arange(400)
    frame = pd.DataFrame(
        {
            "land": np.where(rows % 2, "Carinthia", "Tyrol"),
            "work": np.where(rows % 4 < 2, "1", "2"),
            "rooms": np.where(rows % 3, "3", "4"),
            "rent": 300.0 + rows % 20,
            "pay": 20000.0 + rows % 20,
            "debt": 40.0 + rows % 20,
        }
    )
    frame.loc[[1, *range(2, 60, 2)], "work"] = "6"
    frame.loc[0, ["rent", "pay", "debt"]] = [0.2, 0.0, 500.0]
    frame.loc[1, "pay"] = EARNINGS
    return Forbidden.of(ReleasePair.from_frames(frame, frame, CODED))


RENT, PAY, DEBT, PAIR = (
    "an extreme of rent",
    "an extreme of pay",
    "an extreme of debt",
    "a rare combination of land, work",
)


@pytest.mark.parametrize(
    ("ordinary", "planted", "what"),
    [
        (
            "<title>5 to 9: original 0.2\u202f%, candidate 0.2 %</title>",
            "<title>0.2 to 9: original 7.1\u202f%</title>",
            RENT,
        ),
        ("<title>5 to 9: original 0.2&#x202f;%</title>", "<title>5 to 9: 0.2, original 1 %</title>", RENT),
        ("<title>5 to 9: 0.2 per cent</title>", "<title>5 to 9: 0.2 per person</title>", RENT),
    ],
)
def test_a_share_is_no_value_and_a_value_beside_it_is(
    ordinary: str, planted: str, what: str, coded: Forbidden
):
    svg = '<svg><rect data-values-of="rent">{}</rect></svg>'
    assert found(svg.format(ordinary), coded) == []
    assert found(svg.format(planted), coded) == [what]


@pytest.mark.parametrize("said", ["63412.5 %", "63,412.5\u202f%", "63,412 %"])
def test_a_sign_of_percent_hides_no_value(said: str, coded: Forbidden):
    assert found(f"<p>{said}</p>", coded) == [PAY]


@pytest.mark.parametrize("said", ["20,000", "20\u202f000", "1,000,000", "20,000.5", "0", "−20,000"])
def test_an_ordinary_tick_is_no_extreme(said: str, coded: Forbidden):
    assert found(f'<svg><text class="tick middle" data-values-of="pay">{said}</text></svg>', coded) == []


def test_thousands_are_one_number_and_nought_alone_is_another(coded: Forbidden):
    assert found('<table><tr><th data-values-of="pay">20,000 to 40,000</th></tr></table>', coded) == []
    assert found('<table><tr><th data-values-of="pay">0 to 40,000</th></tr></table>', coded) == [PAY]
    assert found("<p>pay: 0</p>", coded) == [PAY]
    assert found('<script>{"pay": [20,0]}</script>', coded) == []
    assert found('<div data-values-of="pay" data-x="20,0,000"></div>', coded) == [PAY]


def test_a_round_tick_is_no_extreme_and_any_other_is(coded: Forbidden):
    tick = '<svg><text class="tick" data-values-of="{}">{}</text></svg>'
    assert found(tick.format("debt", "500"), coded) == []
    assert found('<svg><text data-values-of="debt">500</text></svg>', coded) == [DEBT]
    assert found("<p>debt of 500</p>", coded) == [DEBT]
    assert found(tick.format("pay", "63,412.5"), coded) == [PAY]
    assert found(tick.format("pay", "63,412"), coded) == [PAY]
    assert found(tick.format("rent", "0.2"), coded) == [RENT]


@pytest.mark.parametrize("written", ["63412.5", "63,412.5", "63,412.50", "63\u202f412.5", "63412", "63,412"])
@pytest.mark.parametrize(
    "body",
    [
        "<p>up to {}</p>",
        "<p>({}, 12 %)</p>",
        "<svg><rect><title>20,000 to {}: original 0.2 %</title></rect></svg>",
        '<div aria-label="20,000 to {}"></div>',
        '<div data-x="{}"></div>',
        '<div data-points="1 2 {} 4"></div>',
        '<td data-count="original">{}</td>',
        "<!-- {} -->",
    ],
)
def test_an_extreme_with_or_without_groups_is_found_in_every_place(body: str, written: str, coded: Forbidden):
    assert PAY in found(body.format(written), coded)


@pytest.mark.parametrize("written", ["63412.5", "63,412.5"])
@pytest.mark.parametrize(
    "body", ['<path d="M1 2L{} 4"></path>', '<circle cx="{}"></circle>', '<g style="--x: {}"></g>']
)
def test_an_extreme_in_a_drawing_is_found(body: str, written: str, coded: Forbidden):
    assert found(f"<svg>{body.format(written)}</svg>", coded) == [PAY]


@pytest.mark.parametrize(
    "body",
    [
        "<title>Carinthia: original 7.3\u202f%, candidate 6.6\u202f%</title>",
        "<table><tr><th>Carinthia</th><td>6.6 %</td><td>6 %</td></tr></table>",
        "<p>Carinthia: 0.6, 1,006 and 6,000 euros in 6 steps</p>",
        '<table><tr><th>Carinthia</th><td data-count="original">fewer than 10</td><td data-count="original">16</td></tr></table>',
        "<p>Tyrol, 6</p>",
        "<p>work 6</p>",
    ],
)
def test_digits_of_a_number_are_no_code(body: str, coded: Forbidden):
    assert found(body, coded) == []


@pytest.mark.parametrize(
    "body",
    [
        "<title>Carinthia, 6: 0.2\u202f%</title>",
        "<title>6, Carinthia: 0.2\u202f%</title>",
        "<p>Carinthia 6</p>",
        "<p>in Carinthia people whose work is 6 are few</p>",
        "<p>Carinthia, 3 rooms, work 6</p>",
        "<table><tr><th>Carinthia</th><td>6</td><td>6.6 %</td></tr></table>",
        "<table><tr><th>Carinthia</th><td>6</td><td>4</td></tr></table>",
        '<div data-cell="Carinthia|6"></div>',
        '<div aria-label="Carinthia and 6"></div>',
        '<script>[{"land":"Carinthia","work":6}]</script>',
        '<script>[["Carinthia","6"]]</script>',
        '<p>Carinthia <span data-values-of="work">6</span></p>',
    ],
)
def test_a_code_that_stands_by_itself_makes_a_rare_combination(body: str, coded: Forbidden):
    assert [what for what in found(body, coded) if what.startswith("a rare combination") and "work" in what]


def test_a_statistic_of_two_variables_is_a_value_of_neither(coded: Forbidden):
    assert found("<title>pay and rent: 0.2</title><p>distance.rent: 0.2</p>", coded) == []
    assert RENT in found("<p>Tyrol and rent: 0.2</p>", coded)


def test_a_count_of_records_is_no_extreme_unless_there_are_fewer_records():
    frame = pd.DataFrame({"land": ["a", "b"] * 1000, "pay": 5000.0 + np.arange(2000) % 20})
    frame.loc[0, "pay"] = 1234.0
    frame.loc[1, "pay"] = 9876.0
    roles = Roles.of([Variable("land", Role.QUASI_IDENTIFIER), Variable("pay", Role.SENSITIVE, NUMERIC)])
    held = Forbidden.of(ReleasePair.from_frames(frame, frame, roles))
    assert found('<p data-count="original">1,234</p>', held) == []
    assert found('<p data-count="original">9,876</p>', held) == [PAY]
    assert found("<p>1,234</p>", held) == [PAY]


def test_a_count_of_records_is_no_extreme_that_rounds_to_it():
    """A step that blanked 1,197 values said nothing of the one person who has 1196.55."""
    frame = pd.DataFrame({"land": ["a", "b"] * 1000, "pay": 5000.0 + np.arange(2000) % 20})
    frame.loc[0, "pay"] = 1196.55
    roles = Roles.of([Variable("land", Role.QUASI_IDENTIFIER), Variable("pay", Role.SENSITIVE, NUMERIC)])
    held = Forbidden.of(ReleasePair.from_frames(frame, frame, roles))
    assert found("<dl><dt>total</dt><dd>1,197</dd></dl>", held) == [PAY]
    assert found('<dl><dt>total</dt><dd data-count="original">1,197</dd></dl>', held) == []
    assert found('<dl><dt>total</dt><dd data-count="original">1196.55</dd></dl>', held) == [PAY]


def test_the_refusal_names_sections_kinds_and_what_to_do(coded: Forbidden):
    planted = page(
        '<section id="variables"><figure id="histogram-pay"><p>63,412.5</p></figure></section><section id="Finn-Haas"><p>63,412.5</p></section>'
    )
    with pytest.raises(PageLeaks) as refused:
        refuse_leaks(planted, coded.naming(planted, NAMES))
    text = str(refused.value)
    assert "an extreme of pay (2)" in text
    assert "text of p in #histogram-pay: an extreme of pay" in text
    assert "refused.html" in text
    assert "Finn" not in text


def test_a_hash_that_reads_like_a_number_beyond_all_numbers_is_no_error() -> None:
    from sdc.report.words import token

    assert (token("7e81234").value, token("7e-81234").value) == (7e100, 7e-100)


@pytest.fixture(scope="module")
def all_coded() -> Forbidden:
    """Keys that share their codes and their words.

    One person has relat 2 and sex 1, and one drinks and does not smoke.
    """
    rows = 400
    half, quarter = np.arange(rows) % 2 + 1, np.arange(rows) // 2 % 2 + 1
    frame = pd.DataFrame(
        {
            "urbrur": half,
            "sex": quarter,
            "relat": np.where(quarter == 1, 1, 2),
            "smoke": "yes",
            "drink": "yes",
        }
    ).astype(str)
    frame.loc[0, "relat"] = "2"
    frame.loc[np.arange(rows) % 3 == 0, ["smoke", "drink"]] = ["no", "no"]
    frame.loc[np.arange(rows) % 3 == 1, ["smoke", "drink"]] = ["yes", "no"]
    frame.loc[3, "drink"] = "yes"
    return Forbidden.of(
        ReleasePair.from_frames(
            frame, frame, Roles.of([Variable(name, Role.QUASI_IDENTIFIER) for name in frame])
        )
    )


def telling(names: list[str] | None, said: str) -> str:
    marked = "" if names is None else f" data-categories-of='{json.dumps(names)}'"
    return f"<section data-categories-of='[]'><figure{marked}><svg><rect><title>{said}</title></rect></svg></figure></section>"


def test_a_place_that_names_its_variables_tells_their_categories_in_their_order(all_coded: Forbidden):
    rare = ["a rare combination of relat, sex"]
    assert found(telling(["urbrur", "sex"], "2, 1: 43.4 %"), all_coded) == []
    assert found(telling(["relat", "sex"], "2, 1: 0.3 %"), all_coded) == rare
    assert found(telling(["relat", "sex"], "1, 2: 0 %"), all_coded) == [], (
        "nobody has these, and the other way round they are rare"
    )
    assert found(telling(["sex", "relat"], "1, 2: 0.3 %"), all_coded) == rare
    assert found(telling(["sex", "urbrur", "relat"], "1, 1, 2: 0.3 %"), all_coded) == [
        "a rare combination of relat, sex, urbrur"
    ]
    assert found(telling(["smoke", "drink"], "yes, no: 30 %"), all_coded) == []
    assert found(telling(["drink", "smoke"], "yes, no: 0.3 %"), all_coded) == [
        "a rare combination of drink, smoke"
    ]


def test_where_categories_do_not_come_in_order_any_of_the_named_may_be_meant(all_coded: Forbidden):
    assert found(telling(["relat", "sex"], "furthest apart: 1, 2"), all_coded) == [
        "a rare combination of relat, sex"
    ]


def test_numbers_of_a_place_that_tells_no_categories_are_no_codes_unless_a_variable_stands_beside_them(
    all_coded: Forbidden,
):
    section = "<section data-categories-of='[]'><li><p>3</p><p>at least 2</p><span>1</span><span>2</span></li><p>{}</p></section>"
    assert found(section.format(""), all_coded) == []
    assert found(section.format("relat 2, sex 1"), all_coded) == ["a rare combination of relat, sex"]


@pytest.mark.parametrize(
    "marked", ["", " data-categories-of", " data-categories-of='relat'", ' data-categories-of="{}"']
)
def test_where_nothing_readable_is_named_a_code_may_be_of_any_variable(marked: str, all_coded: Forbidden):
    assert "a rare combination of relat, sex" in found(f"<figure{marked}><p>2, 1</p></figure>", all_coded)


def test_a_number_told_as_a_value_of_one_variable_is_none_of_another(coded: Forbidden):
    said = '<svg><text data-values-of="{}">63,412.5</text></svg>'
    assert found(said.format("debt"), coded) == []
    assert found(said.format("pay"), coded) == [PAY]
    assert found("<svg><text>63,412.5</text></svg>", coded) == [PAY]


def test_the_reports_own_words_are_categories_only_where_categories_are_told(all_coded: Forbidden):
    row = "<section{}><table><tr><th>smoke</th><td>no</td><td>drink</td><td>yes</td></tr></table></section>"
    assert found(row.format(" data-categories-of='[]'"), all_coded) == []
    assert found(row.format(""), all_coded) != []


def test_a_digit_behind_a_name_may_go_on_with_it() -> None:
    """q1 and q10 are two variables, and so are q and q10: naming one of them says nothing of the other."""
    original = pd.DataFrame({"q": [0, *[7] * 30], "q1": [0, *[5] * 30], "q10": [3, *[4] * 30]})
    pair = ReleasePair.from_frames(
        original, original, Roles.of([Variable(name, Role.SENSITIVE, NUMERIC) for name in original])
    )
    held = Forbidden.of(pair)
    assert held.extremes == {"q": (0.0,), "q1": (0.0,), "q10": (3.0,)}
    assert scan(page("<p>q10 and q1 were changed</p>"), held) == ()
    assert {hit.what for hit in scan(page("<p>q1 0</p>"), held)} == {"an extreme of q1"}
    assert {hit.what for hit in scan(page("<p>q10 3</p>"), held)} == {"an extreme of q10"}
    assert {hit.what for hit in scan(page("<p>q0</p>"), held)} == {"an extreme of q"}


def test_a_share_with_zeros_behind_the_point_is_no_code() -> None:
    """Codes of occupations, of which one person has 49 and nobody in the candidate.

    49.0 % of women is no occupation.
    """
    original = pd.DataFrame({"occupation": ["49", *["12"] * 30]})
    candidate = original.assign(occupation=["12"] * 31)
    held = Forbidden.of(
        ReleasePair.from_frames(original, candidate, Roles.of([Variable("occupation", Role.OTHER)]))
    )
    assert held.texts == {"49": "a rare value of occupation"}
    assert scan(page("<p>49.0 % of the women</p><p>so 49 and 49.0 are equal</p>"), held) == ()
