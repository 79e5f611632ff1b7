"""The report in a real browser: it renders, asks nobody for anything, prints, and is accessible."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from chromium import IN_A_BROWSER, Visit, opened_browser

from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement
from sdc.data.database import Database
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.gate.decision import Decision, Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.profile import Criterion
from sdc.report import Edition, RunFacts, page

pytestmark = IN_A_BROWSER


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def reports(
    published: RunFacts,
    withheld: RunFacts,
    households: pd.DataFrame,
    household_roles: Roles,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Path]:
    """A published run in both editions and a withheld one, drawn from the demonstration data."""
    frame = households[list(household_roles.released)]
    pair = ReleasePair.from_frames(
        frame, frame.assign(income=(frame.income / 1000).round() * 1000), household_roles, aligned=True
    )
    pages = {
        "internal": page(published, Edition.INTERNAL, pair),
        "public": page(published, Edition.PUBLIC, pair),
        "withheld": page(withheld, Edition.INTERNAL, pair),
    }
    folder = tmp_path_factory.mktemp("reports")
    for name, html in pages.items():
        (folder / f"{name}.html").write_text(html)
    return {name: folder / f"{name}.html" for name in pages}


def test_reports_render_quietly_and_ask_for_nothing(browser: Any, reports: dict[str, Path]):
    for path in reports.values():
        visit = Visit(browser, path.as_uri())
        assert visit.said == []
        assert visit.asked == [path.as_uri()]
        assert path.stat().st_size < 1_000_000


def test_charts_have_marks_and_nothing_is_wider_than_the_page(browser: Any, reports: dict[str, Path]):
    for width in (1280, 390):
        visit = Visit(browser, reports["internal"].as_uri(), viewport={"width": width, "height": 900})
        drawn = visit.page.eval_on_selector_all(
            "figure svg", "all => all.map(svg => svg.querySelectorAll('rect, path, circle').length)"
        )
        assert len(drawn) > 10
        assert min(drawn) > 0
        assert visit.is_within_its_width()


CUT = """all => all.flatMap(svg => [...svg.querySelectorAll('text')].filter(text => {
    const box = text.getBBox(), paper = svg.viewBox.baseVal;
    return box.x < 0 || box.x + box.width > paper.width || box.y < 0 || box.y + box.height > paper.height + 1;
}).map(text => text.textContent))"""


UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true })"


def test_no_word_in_a_drawing_is_cut_off(browser: Any, reports: dict[str, Path]):
    for path in reports.values():
        visit = Visit(browser, path.as_uri())
        visit.page.evaluate(UNFOLD)
        assert visit.page.eval_on_selector_all("figure svg", CUT) == []


@pytest.mark.parametrize("width", [1280, 700, 390])
def test_words_in_drawings_can_be_read(browser: Any, reports: dict[str, Path], width: int):
    for path in reports.values():
        visit = Visit(browser, path.as_uri(), viewport={"width": width, "height": 844})
        visit.page.evaluate(UNFOLD)
        assert visit.small_words() == []
        assert visit.is_within_its_width()


def test_the_first_screen_has_verdict_margins_and_what_is_worth_a_look(
    browser: Any, reports: dict[str, Path]
):
    for name in ("internal", "withheld"):
        visit = Visit(browser, reports[name].as_uri(), viewport={"width": 1280, "height": 900})
        assert visit.page.eval_on_selector(".board", "board => board.getBoundingClientRect().bottom") <= 900
        assert visit.page.locator(".board h2").all_inner_texts()[:2] == [
            "Tightest criteria",
            "Reported, not judged, worth a look",
        ]


def test_a_report_is_a_few_screens_until_something_is_unfolded(browser: Any, reports: dict[str, Path]):
    visit = Visit(browser, reports["internal"].as_uri(), viewport={"width": 1280, "height": 900})
    assert visit.page.evaluate("document.documentElement.scrollHeight") <= 8 * 900


def wide(facts: RunFacts) -> RunFacts:
    """Three candidates that wait for people, nine criteria with intervals, and twenty numbers only reported."""
    judged = [f"attack_{place}" for place in range(9)]
    limits = [
        Criterion(measure="singling_out", at_most=0.5, because="rule", **{"as": name}) for name in judged
    ]
    reported = [
        Criterion(measure="propensity_mse", **{"as": f"propensity_number_{place}"}) for place in range(20)
    ]
    profile = facts.profile.model_copy(update={"risk": tuple(limits), "utility": tuple(reported)})
    held = []
    for place, name in enumerate(("recoded", "swapped", "synthetic")):
        taken = {each: 0.1 + 0.05 * number + 0.01 * place for number, each in enumerate(judged)}
        found = tuple(
            Finding(
                each, "risk", name, value + 0.2 <= 0.5, "refer", value + 0.2, None, 0.5, 0.3 - value, "rule"
            )
            for each, value in taken.items()
        )
        assessed = (
            *(
                Assessment(
                    "singling_out", each, name, Measurement(value, {}, Interval(value - 0.05, value + 0.2))
                )
                for each, value in taken.items()
            ),
            *(Assessment("propensity_mse", each.alias, name, Measurement(17.25)) for each in reported),
        )
        held.append(JudgedCandidate(name, Decision(name, found), assessed, facts.candidates[0].made))
    return replace(facts, profile=profile, verdict=Verdict.REFERRED, candidates=tuple(held), chosen="recoded")


def test_a_wide_report_of_three_candidates_is_eight_screens_and_its_summary_one(
    browser: Any, published: RunFacts, tmp_path: Path
):
    names = [f"income_of_kind_{place:02}" for place in range(25)]
    frame = pd.DataFrame(
        {name: [float(row * (1 + place) % 97) for row in range(300)] for place, name in enumerate(names)}
    )
    roles = Roles.of([Variable(name, Role.OTHER, VariableType.NUMERIC) for name in names])
    pair = ReleasePair.from_frames(frame, frame.round(-1), roles)
    (tmp_path / "wide.html").write_text(page(wide(published), Edition.INTERNAL, pair))
    visit = Visit(browser, (tmp_path / "wide.html").as_uri(), viewport={"width": 1280, "height": 900})
    assert visit.page.locator(".criteria > li").count() == 9
    assert visit.page.locator(".matrix thead th").count() == 4
    assert visit.page.evaluate("document.documentElement.scrollHeight") <= 8 * 900
    assert visit.page.eval_on_selector(".board", "board => board.getBoundingClientRect().bottom") <= 900


def test_a_link_to_a_folded_variable_unfolds_it(browser: Any, reports: dict[str, Path]):
    visit = Visit(browser, reports["internal"].as_uri())
    visit.page.evaluate(UNFOLD.replace("true", "false"))
    visit.page.evaluate("location.hash = document.querySelector('details article.variable').id")
    unfolded = visit.page.wait_for_function("document.querySelector('details:has(> .variables)').open")
    assert unfolded.json_value() is True


def test_names_of_the_widest_letters_are_whole_in_figures_of_pairs(
    browser: Any, published: RunFacts, tmp_path: Path
):
    names = ["WWWWWWWWWWWWMMMM", *(f"py{place:03}n" for place in range(10, 120, 10))]
    frame = pd.DataFrame(
        {name: [float(row * (1 + place) % 97) for row in range(300)] for place, name in enumerate(names)}
    )
    roles = Roles.of([Variable(name, Role.OTHER, VariableType.NUMERIC) for name in names])
    (tmp_path / "wide.html").write_text(
        page(published, Edition.INTERNAL, ReleasePair.from_frames(frame, frame.round(-1), roles))
    )
    visit = Visit(browser, (tmp_path / "wide.html").as_uri())
    assert (
        visit.page.eval_on_selector_all("#correlations text.end, #two-way-fits text.end", "all => all.length")
        == 2 * 10 + 2 * 12
    )
    visit.page.evaluate(UNFOLD)
    assert visit.page.eval_on_selector_all("#correlations svg, #two-way-fits svg", CUT) == []


def test_tips_tell_the_numbers_of_a_bar(browser: Any, reports: dict[str, Path]):
    visit = Visit(browser, reports["internal"].as_uri())
    tips = visit.page.eval_on_selector_all(
        "#histogram-income rect title", "all => all.map(tip => tip.textContent)"
    )
    assert any("original" in tip and "candidate" in tip and "%" in tip for tip in tips)


def test_the_keyboard_reaches_the_report_and_opens_a_measurement(browser: Any, reports: dict[str, Path]):
    visit = Visit(browser, reports["internal"].as_uri())
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.textContent") == "Skip to the report"
    visit.page.focus("details.measurement summary")
    visit.page.keyboard.press("Enter")
    assert visit.page.evaluate("document.querySelector('details.measurement').open")


def test_a_link_from_a_criterion_arrives_at_its_measurement(browser: Any, reports: dict[str, Path]):
    visit = Visit(browser, reports["withheld"].as_uri())
    visit.page.click(".criteria a")
    assert visit.page.evaluate("document.querySelector(location.hash).classList.contains('measurement')")


def test_the_print_view_has_pages_and_opens_what_is_closed(browser: Any, reports: dict[str, Path]):
    visit = Visit(browser, reports["internal"].as_uri())
    pdf = visit.page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") > 3
    visit.page.emulate_media(media="print")
    assert visit.page.evaluate(
        "document.querySelector('.measurement .body p').getBoundingClientRect().height > 0"
    )
    assert visit.page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"


def test_the_first_two_printed_pages_are_the_summary_for_a_board(browser: Any, reports: dict[str, Path]):
    """An A4 page within its margins is 688 by 1001 pixels."""
    for name in ("internal", "withheld"):
        visit = Visit(browser, reports[name].as_uri(), viewport={"width": 688, "height": 1001})
        visit.page.emulate_media(media="print")
        assert (
            visit.page.eval_on_selector("#criteria", "part => part.getBoundingClientRect().bottom + scrollY")
            <= 2 * 1001
        )
        assert (
            visit.page.eval_on_selector("#criteria + section", "part => getComputedStyle(part).breakBefore")
            == "page"
        )


def test_dark_is_dark(browser: Any, reports: dict[str, Path]):
    shades = [
        Visit(browser, reports["internal"].as_uri(), color_scheme=scheme).page.evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    assert shades == ["rgb(246, 247, 248)", "rgb(17, 20, 24)"]


@pytest.mark.parametrize(
    ("report", "scheme"),
    [
        ("internal", "light"),
        ("internal", "dark"),
        ("public", "light"),
        ("public", "dark"),
        ("withheld", "light"),
    ],
)
def test_no_rule_of_axe_is_broken(browser: Any, reports: dict[str, Path], report: str, scheme: str):
    assert Visit(browser, reports[report].as_uri(), color_scheme=scheme, bypass_csp=True).broken_rules() == []


def test_the_report_of_a_million_records_is_small_and_opens(
    browser: Any, published: RunFacts, tmp_path: Path
):
    """Drawn by the report's own functions from two tables in DuckDB, without a whole release around them."""
    place = tmp_path / "report.html"
    place.write_text(page(published, Edition.INTERNAL, a_million()))
    assert place.stat().st_size < 10_000_000
    started = time.perf_counter()
    visit = Visit(browser, place.as_uri())
    drawn = visit.page.eval_on_selector_all(
        "figure svg", "all => all.map(svg => svg.querySelectorAll('rect, path, circle').length)"
    )
    print(f"{place.stat().st_size:,} bytes, opened in {time.perf_counter() - started:.2f} s")  # noqa: T201
    assert visit.said == []
    assert len(drawn) > 8
    assert min(drawn) > 0


def a_million() -> ReleasePair:
    database = Database.in_memory()
    for seed, table in enumerate(("original", "candidate")):
        chance = [f"(hash(i, {seed}, {place}) % 1000003) / 1000003.0" for place in range(5)]
        columns = [
            f"CAST(18 + floor(70 * {chance[0]}) AS BIGINT) AS age",
            f"'region ' || CAST(floor(16 * {chance[1]}) AS INT) AS region",
            f"'job ' || CAST(floor(20 * {chance[2]}) AS INT) AS job",
            f"round(exp(9 + 2 * {chance[3]}), 2) AS income",
            f"round(exp(8 + {chance[3]} + {chance[4]}), 2) AS spending",
            f"1 + {chance[4]} AS weight",
        ]
        database.cursor().execute(
            f"CREATE TABLE {table} AS SELECT {', '.join(columns)} FROM range(1000000) AS t(i)"
        )
    numbers = [Variable(name, Role.SENSITIVE, VariableType.NUMERIC) for name in ("income", "spending")]
    keys = [
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("job", Role.QUASI_IDENTIFIER),
    ]
    roles = Roles.of([*keys, *numbers, Variable("weight", Role.WEIGHT, VariableType.NUMERIC)])
    return ReleasePair(database.table("original"), database.table("candidate"), roles, aligned=True)
