"""The whole path in a real browser: a raw file, its variables, protection, criteria, the run, its report."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from chromium import IN_A_BROWSER, Visit, opened_browser
from served_pages import served_pages

from sdc.check import check
from sdc.studio.opening import open_workbench
from sdc.studio.workbench import Workbench
from sdc.study.demonstration import demo_data

pytestmark = IN_A_BROWSER
ROOMS = ("data", "variables", "protection", "criteria", "search", "run")
LONG = 240_000
"""Milliseconds a release may take on a slow machine."""


@dataclass(frozen=True)
class Served:
    """A workbench that answers on the loopback."""

    address: str
    token: str
    workbench: Workbench

    def visit(self, browser: Any, room: str, **options: Any) -> Visit:
        visit = Visit(browser, f"{self.address}/?token={self.token}", **options)
        visit.page.goto(f"{self.address}/studio/{room}")
        return visit


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("SDC_HOME", str(tmp_path / "home"))
    folder = tmp_path / "work"
    folder.mkdir()
    shutil.copyfile(demo_data(), folder / "households.csv")
    workbench = open_workbench(folder / "households.csv", touring=True)
    with served_pages(workbench.home, workbench) as (address, token):
        yield Served(address, token, workbench)
    workbench.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as opened:
        yield opened


def settled(page: Any) -> None:
    """Wait until all that comes later has come."""
    page.wait_for_load_state("networkidle")
    for _ in range(100):
        if not page.locator(".later").count():
            return
        page.wait_for_timeout(200)


@pytest.mark.flow
def test_from_a_raw_file_to_a_published_release(browser: Any, served: Served):
    visit = served.visit(browser, "data", viewport={"width": 1280, "height": 900})
    page, text = visit.page, served.workbench.profile_text
    page.get_by_text("every byte of the file reads as UTF-8").wait_for()
    page.get_by_role("link", name="Next: Variables").click()

    page.get_by_text("5,286").wait_for()
    page.get_by_label("Role of education").select_option("other")
    page.get_by_text("before 5,286").wait_for()
    assert text.at(("variables", "education")) == "other"
    assert "education: other" in page.locator("#yaml li.changed").inner_text()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("before 4,518").wait_for()
    assert text.at(("variables", "education")) == "quasi_identifier"

    page.goto(f"{served.address}/studio/protection?candidate=recoded&step=1")
    page.get_by_label("k", exact=True).fill("4")
    page.get_by_role("button", name="Take these options").click()
    page.locator("#yaml li.changed", has_text="k: 4").wait_for()

    page.goto(f"{served.address}/studio/run")
    page.get_by_role("button", name="Create the outbox").click()
    page.get_by_text("No faults.").wait_for()
    page.get_by_label("Title").fill("Households")
    page.get_by_label("People decide").select_option("never")
    page.get_by_role("button", name="Take it over").click()
    page.locator("#yaml li.changed", has_text="required: never").wait_for()
    assert text.at(("approval", "required")) == "never"
    page.get_by_text("No faults.").wait_for()
    page.get_by_role("button", name="Save and run the release").click()
    page.get_by_role("button", name="Cancel the run").wait_for()
    page.get_by_role("link", name="Open the report").wait_for(timeout=LONG)
    assert "published" in page.locator(".ended").get_attribute("class")
    assert list((served.workbench.path.parent / "outbox").glob("households-*/MANIFEST.json"))
    assert check(served.workbench.path)
    page.get_by_role("link", name="Open the report").click()
    page.get_by_role("heading", level=1).first.wait_for()
    assert "Households" in page.locator("h1").first.inner_text()
    assert visit.said == []
    assert {asked.startswith(f"{served.address}/") for asked in visit.asked} == {True}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_rooms_are_accessible_quiet_and_fit_their_width(
    browser: Any, served: Served, width: int, scheme: Any
):
    visit = served.visit(
        browser, "data", viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    for room in ROOMS:
        visit.page.goto(f"{served.address}/studio/{room}")
        settled(visit.page)
        assert visit.is_within_its_width(), room
        assert visit.small_words() == [], room
        assert visit.broken_rules() == [], room
    assert visit.said == []


def test_a_role_is_changed_and_saved_by_keys_alone(browser: Any, served: Served):
    page = served.visit(browser, "variables").page
    settled(page)
    page.get_by_label("Role of education").focus()
    page.keyboard.type("oth")
    page.locator("#yaml li.changed").first.wait_for()
    assert served.workbench.profile_text.at(("variables", "education")) == "other"
    # Whoever works by keys is still where they were.
    assert page.evaluate("document.activeElement.name") == "role:education"
    page.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Saved as households.yaml.").wait_for()
    assert served.workbench.path.exists()


def test_everything_works_without_script(browser: Any, served: Served):
    page = served.visit(browser, "variables", java_script_enabled=False).page
    page.get_by_label("Role of education").select_option("other")
    with page.expect_navigation():
        page.get_by_role("button", name="Take over the table").click()
    assert served.workbench.profile_text.at(("variables", "education")) == "other"
    with page.expect_navigation():
        page.get_by_role("button", name="Undo").click()
    assert served.workbench.profile_text.at(("variables", "education")) == "quasi_identifier"


def test_two_tabs_do_not_write_over_each_other(browser: Any, served: Served):
    first, second = (served.visit(browser, "variables").page for _ in range(2))
    for page in (first, second):
        settled(page)
    first.get_by_label("Role of education").select_option("other")
    first.locator("#yaml li.changed").first.wait_for()
    second.get_by_label("Role of sex").select_option("other")
    second.get_by_text("edited elsewhere").wait_for()
    assert served.workbench.profile_text.at(("variables", "sex")) == "quasi_identifier"
    second.get_by_label("Role of sex").select_option("other")
    second.locator("#yaml li.changed", has_text="sex: other").wait_for()
    assert served.workbench.profile_text.at(("variables", "sex")) == "other"


def test_a_server_that_is_gone_is_said_on_the_page(browser: Any, served: Served):
    visit = served.visit(browser, "variables")
    settled(visit.page)
    visit.context.set_offline(True)
    visit.page.get_by_label("Role of education").select_option("other")
    visit.page.get_by_text("The workbench does not answer.").wait_for()


def test_the_tour_leads_through_the_rooms(browser: Any, served: Served):
    page = served.visit(browser, "data").page
    page.get_by_role("heading", name="1 of").wait_for()
    page.get_by_role("link", name="Go on: Variables").click()
    page.get_by_role("heading", name="2 of").wait_for()
    page.get_by_role("button", name="End the tour").click()
    page.get_by_role("button", name="Guided tour").wait_for()
    assert page.get_by_role("heading", name="2 of").count() == 0
