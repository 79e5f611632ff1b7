"""The review pages in a real browser.

They render, ask nobody else, sort, filter, compare, print, and are accessible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from chromium import IN_A_BROWSER, Visit, opened_browser
from review_home import MADE, finish
from served_pages import served_pages

from sdc.run.home import Home

pytestmark = IN_A_BROWSER


@dataclass(frozen=True)
class Served:
    """Review pages that answer on the loopback, over runs of every ending."""

    address: str
    token: str
    runs: dict[str, str]

    def visit(self, browser: Any, path: str, **options: Any) -> Visit:
        visit = Visit(browser, f"{self.address}/?token={self.token}", **options)
        visit.page.goto(self.address + path)
        return visit

    @property
    def paths(self) -> list[str]:
        return [
            "/",
            f"/runs/{self.runs['referred']}",
            f"/compare?run={self.runs['referred']}&run={self.runs['published']}",
            "/series/survey",
            f"/runs/{self.runs['referred']}/what-if?at_least.k_anonymity=9",
        ]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = Home.at(tmp_path_factory.mktemp("review") / "home")
    runs = {outcome: finish(home, outcome) for outcome in (*MADE, "failed")}
    for _ in range(60):
        finish(home, "failed", producer="robot", profile="nightly")
    with served_pages(home) as (address, token):
        yield Served(address, token, runs)


@pytest.fixture(scope="module")
def browser(served: Served) -> Iterator[Any]:
    with opened_browser() as opened:
        yield opened


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_render_quietly_and_ask_only_their_own_host(browser: Any, served: Served, width: int):
    visit = served.visit(browser, "/", viewport={"width": width, "height": 900})
    for path in [*served.paths, f"/runs/{served.runs['withheld']}/record", f"/runs/{served.runs['failed']}"]:
        visit.page.goto(served.address + path)
        assert visit.page.title().endswith("Review pages")
        assert visit.is_within_its_width()
    assert visit.said == []
    assert {asked.startswith(f"{served.address}/") for asked in visit.asked} == {True}


@pytest.mark.parametrize("width", [1280, 390])
def test_words_in_drawings_can_be_read(browser: Any, served: Served, width: int):
    visit = served.visit(browser, "/", viewport={"width": width, "height": 900})
    before, after = served.runs["referred"], served.runs["published"]
    drawn = 0
    for path in ("/series/survey", f"/compare?before={before}&after={after}", f"/runs/{before}"):
        visit.page.goto(served.address + path)
        drawn += visit.page.locator("svg text").count()
        assert visit.small_words() == [], path
        assert visit.is_within_its_width(), path
    assert drawn > 5


def follow(page: Any, link: Any) -> None:
    """Click, and wait until the next page is there: nothing is read from the one that is left."""
    with page.expect_navigation():
        link.click()


def test_the_token_is_not_left_in_the_address(browser: Any, served: Served):
    visit = Visit(browser, f"{served.address}/?token={served.token}")
    assert visit.page.url == f"{served.address}/"
    assert visit.page.evaluate("document.cookie") == ""


def test_the_list_filters_sorts_and_turns_its_pages_without_script(browser: Any, served: Served):
    visit = served.visit(browser, "/", java_script_enabled=False)
    page = visit.page
    assert page.locator("table.runs tbody tr").count() == 50
    follow(page, page.get_by_role("link", name="next"))
    assert page.locator("table.runs tbody tr").count() == 14
    page.get_by_label("Profile").select_option("survey")
    follow(page, page.get_by_role("button", name="Filter"))
    assert page.locator("table.runs tbody tr").count() == 4
    follow(page, page.get_by_role("link", name="state", exact=True))
    assert page.locator("table.runs tbody .state").all_text_contents() == [
        "failed",
        "published",
        "referred",
        "withheld",
    ]
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("state")
    follow(page, page.get_by_role("link", name="state").first)
    assert page.locator("table.runs tbody .state").all_text_contents() == [
        "withheld",
        "referred",
        "published",
        "failed",
    ]
    follow(page, page.get_by_role("navigation", name="Runs by state").get_by_role("link", name="1 referred"))
    assert page.locator("table.runs tbody .state").all_text_contents() == ["referred"]
    follow(page, page.locator("table.runs tbody th a"))
    assert page.url == f"{served.address}/runs/{served.runs['referred']}"


def test_two_runs_chosen_on_the_list_are_compared(browser: Any, served: Served):
    page = served.visit(browser, "/?profile=survey").page
    for outcome in ("referred", "withheld"):
        page.get_by_label(f"Compare {served.runs[outcome]}").check()
    follow(page, page.get_by_role("button", name="Compare the two chosen"))
    assert page.locator("h1").inner_text() == "Two runs compared"
    assert "k_anonymity of coarse" in page.locator("#measurements").inner_text()


def test_the_report_is_framed_without_rights_and_opens_as_a_page(browser: Any, served: Served):
    visit = served.visit(browser, f"/runs/{served.runs['published']}")
    visit.page.locator("iframe").scroll_into_view_if_needed()
    assert visit.page.frame_locator("iframe").locator("h1").inner_text() == "The report of this run"
    assert visit.page.locator("iframe").get_attribute("sandbox") == ""
    follow(visit.page, visit.page.get_by_role("link", name="Open it as a page"))
    assert visit.page.locator("h1").inner_text() == "The report of this run"
    assert visit.said == []


def test_criteria_have_their_bars(browser: Any, served: Served):
    page = served.visit(browser, f"/runs/{served.runs['referred']}").page
    assert page.locator(".criteria .gauge").count() == 2
    assert page.locator(".criteria .gauge .dot").first.bounding_box()["width"] > 5


def test_the_print_view_has_what_is_known_and_no_forms(browser: Any, served: Served):
    visit = served.visit(browser, f"/runs/{served.runs['referred']}")
    assert visit.page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    visit.page.emulate_media(media="print")
    assert not any(area.is_visible() for area in visit.page.locator("textarea").all())
    assert not visit.page.locator("iframe").is_visible()
    assert visit.page.locator(".criteria").is_visible()
    assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    # A4 between its margins, in pixels.
    visit.page.set_viewport_size({"width": 688, "height": 1000})
    for path in served.paths:
        visit.page.goto(served.address + path)
        assert visit.is_within_its_width(), path


def test_the_keyboard_reaches_the_form(browser: Any, served: Served):
    page = served.visit(browser, f"/runs/{served.runs['referred']}").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    page.focus("#by")
    for expected in ("role", "passphrase", "reason", "days", "decision"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == expected


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rule_of_axe_is_broken(browser: Any, served: Served, scheme: str):
    list_page, *others = served.paths
    more = [
        f"/runs/{served.runs['published']}",
        f"/runs/{served.runs['failed']}",
        f"/runs/{served.runs['published']}/record",
        "/nowhere",
    ]
    visit = served.visit(browser, "/", color_scheme=scheme, bypass_csp=True)
    for path in [f"{list_page}?profile=survey", *others, *more]:
        visit.page.goto(served.address + path)
        assert visit.broken_rules() == [], path
