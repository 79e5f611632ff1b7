"""The report in a real browser: it renders, asks nobody for anything, prints, and is accessible."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdc.release_pair import ReleasePair
from sdc.report import Edition, RunFacts, page
from sdc.roles import Roles

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason="browser tests need the Python package playwright")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="browser tests need Chromium (Debian: apt-get install chromium)"),
]
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def reports(
    published: RunFacts, withheld: RunFacts, households: pd.DataFrame, household_roles: Roles, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """A published run in both editions and a withheld one, drawn from the demonstration data."""
    frame = households[list(household_roles.released)]
    pair = ReleasePair.from_frames(frame, frame.assign(income=(frame.income / 1000).round() * 1000), household_roles, aligned=True)
    pages = {
        "internal": page(published, Edition.INTERNAL, pair),
        "public": page(published, Edition.PUBLIC, pair),
        "withheld": page(withheld, Edition.INTERNAL, pair),
    }
    folder = tmp_path_factory.mktemp("reports")
    for name, html in pages.items():
        (folder / f"{name}.html").write_text(html)
    return {name: folder / f"{name}.html" for name in pages}


class Visit:
    """A page opened in a context of its own, with all it says and asks for."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        started = time.perf_counter()
        self.page.goto(path.as_uri())
        self.seconds = time.perf_counter() - started


def test_reports_render_quietly_and_ask_for_nothing(browser: Any, reports: dict[str, Path]):
    for path in reports.values():
        visit = Visit(browser, path)
        assert visit.said == []
        assert visit.asked == [path.as_uri()]
        assert visit.seconds < 3
        assert path.stat().st_size < 1_000_000


def test_charts_have_marks_and_nothing_is_wider_than_the_page(browser: Any, reports: dict[str, Path]):
    for width in (1280, 390):
        visit = Visit(browser, reports["internal"], viewport={"width": width, "height": 900})
        drawn = visit.page.eval_on_selector_all("figure svg", "all => all.map(svg => svg.querySelectorAll('rect, path, circle').length)")
        assert len(drawn) > 10
        assert min(drawn) > 0
        assert visit.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_tips_tell_the_numbers_of_a_bar(browser: Any, reports: dict[str, Path]):
    visit = Visit(browser, reports["internal"])
    tips = visit.page.eval_on_selector_all("#histogram-income rect title", "all => all.map(tip => tip.textContent)")
    assert any("original" in tip and "candidate" in tip and "%" in tip for tip in tips)


def test_the_keyboard_reaches_the_report_and_opens_a_measurement(browser: Any, reports: dict[str, Path]):
    visit = Visit(browser, reports["internal"])
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.textContent") == "Skip to the report"
    visit.page.focus("details.measurement summary")
    visit.page.keyboard.press("Enter")
    assert visit.page.evaluate("document.querySelector('details.measurement').open")


def test_a_link_from_a_criterion_arrives_at_its_measurement(browser: Any, reports: dict[str, Path]):
    visit = Visit(browser, reports["withheld"])
    visit.page.click(".criteria a")
    assert visit.page.evaluate("document.querySelector(location.hash).classList.contains('measurement')")


def test_the_print_view_has_pages_and_opens_what_is_closed(browser: Any, reports: dict[str, Path]):
    visit = Visit(browser, reports["internal"])
    pdf = visit.page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") > 3
    visit.page.emulate_media(media="print")
    assert visit.page.evaluate("document.querySelector('.measurement .body p').getBoundingClientRect().height > 0")
    assert visit.page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"


def test_dark_is_dark(browser: Any, reports: dict[str, Path]):
    shades = [
        Visit(browser, reports["internal"], color_scheme=scheme).page.evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert shades == ["rgb(246, 247, 248)", "rgb(17, 20, 24)"]


@pytest.mark.parametrize(("scheme", "report"), [("light", "withheld"), ("dark", "public")])
def test_no_rule_of_axe_is_broken(browser: Any, reports: dict[str, Path], scheme: str, report: str):
    axe = pytest.importorskip("axe_core_python", reason="accessibility tests need the Python package axe-core-python")
    script = next(Path(axe.__file__).parent.rglob("axe.min.js")).read_text()
    visit = Visit(browser, reports[report], color_scheme=scheme, bypass_csp=True)
    visit.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    visit.page.evaluate(script)
    found = visit.page.evaluate("axe.run(document)")
    assert [(broken["id"], broken["nodes"][0]["html"]) for broken in found["violations"]] == []
    assert len(found["passes"]) > 20
