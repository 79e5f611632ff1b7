"""Protection, criteria, search and scripts in a real browser, on the demonstration data and on a survey."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chromium import IN_A_BROWSER, Visit, opened_browser
from served_pages import served_pages

from sdc.check import check
from sdc.studio.opening import open_workbench
from sdc.studio.workbench import Workbench
from sdc.study.demonstration import demo_data

pytestmark = IN_A_BROWSER
PATHS = ("protection?variable=age&step=1", "criteria?criterion=risk.0", "search", "scripts?language=r")
LONG = 120_000
"""Milliseconds that measuring may take on a slow machine."""


@dataclass(frozen=True)
class Served:
    """A workbench that answers on the loopback."""

    address: str
    token: str
    workbench: Workbench

    def visit(self, browser: Any, path: str, **options: Any) -> Visit:
        visit = Visit(browser, f"{self.address}/?token={self.token}", **options)
        visit.page.goto(f"{self.address}/studio/{path}")
        return visit


def survey_of_incomes(path: Path) -> None:
    """Persons in households with incomes, as in a survey of living conditions."""
    rng = np.random.default_rng(15)
    homes = np.repeat(np.arange(900), rng.integers(1, 5, 900))
    rows = len(homes)
    regions = np.array(
        ["Burgland", "Carinth", "Lower", "Salz", "Styr", "Tirolia", "Upper", "Vienn", "Vorarl"]
    )
    frame = pd.DataFrame(
        {
            "db030": homes + 1,
            "hsize": np.bincount(homes)[homes],
            "db040": rng.choice(regions, 900)[homes],
            "age": np.clip(rng.normal(42, 21, rows), 0, 97).round().astype(int),
            "rb090": rng.choice(["male", "female"], rows),
            "pl030": rng.choice(
                ["1", "2", "3", "4", "5", "6", "7"], rows, p=[0.4, 0.1, 0.1, 0.1, 0.2, 0.05, 0.05]
            ),
            "pb220a": rng.choice(["AT", "EU", "Other"], rows, p=[0.88, 0.05, 0.07]),
            "netIncome": rng.lognormal(9.6, 0.7, rows).round(2),
            "rb050": rng.normal(500, 60, rows).round(3),
        }
    )
    frame.to_csv(path, index=False)


@pytest.fixture(scope="module", params=["households", "incomes"])
def served(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp(request.param)
        patch.setenv("SDC_HOME", str(place / "home"))
        folder = place / "work"
        (folder / "outbox").mkdir(parents=True)
        data = folder / f"{request.param}.csv"
        if request.param == "households":
            shutil.copyfile(demo_data(), data)
        else:
            survey_of_incomes(data)
        workbench = open_workbench(data)
        with served_pages(workbench.home, workbench) as (address, token):
            yield Served(address, token, workbench)
        workbench.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as opened:
        yield opened


def swapped(page: Any) -> None:
    """Wait until what was asked for has come."""
    page.wait_for_load_state("networkidle")


def test_a_producer_protects_judges_and_searches(browser: Any, served: Served):
    visit = served.visit(browser, "protection", viewport={"width": 1280, "height": 900})
    page, text = visit.page, served.workbench.profile_text
    page.locator(".state", has_text="passes").first.wait_for(timeout=LONG)

    page.get_by_label("Variable", exact=True).select_option("age")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("border at 20", exact=True).wait_for()
    page.get_by_role("slider", name="border at 20").focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_text("border at 19", exact=True).wait_for(timeout=LONG)
    assert 19 in text.at(("candidates", "recoded", 0, "with", "age", "bands"))
    page.get_by_label("New border at").fill("67")
    page.get_by_role("button", name="Add", exact=True).last.click()
    page.get_by_text("border at 67", exact=True).wait_for(timeout=LONG)
    page.get_by_role("button", name="Take out the border at 67").click()
    page.get_by_text("border at 67", exact=True).wait_for(state="detached", timeout=LONG)

    suppression = [step["method"] for step in text.at(("candidates", "recoded"))].index("local_suppression")
    page.goto(f"{served.address}/studio/protection?candidate=recoded&step={suppression}")
    page.get_by_label("k", exact=True).fill("5")
    page.get_by_role("button", name="Take these options").click()
    page.locator("#yaml li.changed", has_text="k: 5").wait_for(timeout=LONG)
    page.locator("#numbers td", has_text="5 records in the class").wait_for(timeout=LONG)
    page.get_by_text("before 3").first.wait_for(timeout=LONG)

    page.get_by_role("button", name="Copy recoded").click()
    page.get_by_role("heading", name="Steps of recoded_b").wait_for(timeout=LONG)
    up = page.get_by_role("button", name="Move microaggregation, step 3, up")
    up.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Move microaggregation, step 2, up").wait_for(timeout=LONG)
    assert text.at(("candidates", "recoded_b"))[1]["method"] == "microaggregation"
    page.wait_for_function("document.activeElement.id === 'up-1'", timeout=LONG)
    # Numbers that come meanwhile would move the steps under the pointer.
    page.locator("#cancel").wait_for(state="detached", timeout=LONG)
    page.locator("#step-2 .grip").drag_to(page.locator("#step-0"), target_position={"x": 40, "y": 4})
    page.get_by_role("button", name="Move local_suppression, step 1, up").wait_for(timeout=LONG)
    page.locator("#cancel").wait_for(state="detached", timeout=LONG)
    low = page.locator("#step-1").bounding_box()["height"] - 6
    page.locator("#step-0 .grip").drag_to(page.locator("#step-1"), target_position={"x": 40, "y": low})
    page.get_by_role("button", name="Move local_suppression, step 2, up").wait_for(timeout=LONG)
    moved = [step["method"] for step in text.at(("candidates", "recoded_b"))]
    assert moved == ["global_recode", "local_suppression", "microaggregation"]
    page.get_by_role("button", name="Remove recoded_b").click()
    page.get_by_role("heading", name="Steps of recoded", exact=True).wait_for(timeout=LONG)

    page.goto(f"{served.address}/studio/criteria")
    page.get_by_role("button", name="Take these limits for scientific access").click()
    page.get_by_text("limits were written").wait_for(timeout=LONG)
    assert text.at(("access",)) == "safeguarded"
    assert "Benschop" in text.at(("risk", 0, "because"))
    page.get_by_label("at least", exact=True).first.focus()
    page.keyboard.press("ArrowRight")
    page.locator("#yaml li.changed", has_text="at_least: 4").wait_for(timeout=LONG)
    page.get_by_text("at least 5 or any less would pass").wait_for(timeout=LONG)

    page.goto(f"{served.address}/studio/search?candidate=recoded")
    page.get_by_label(f"Values of k of step {suppression + 1}").fill("4, 6, 9")
    page.get_by_role("button", name="Write the space").click()
    page.get_by_text("The space has 3 candidates.").wait_for(timeout=LONG)
    page.get_by_role("button", name="Start the search").click()
    page.get_by_text("Tried all 3 candidates").wait_for(timeout=LONG)
    assert page.locator("#front svg circle").count() >= 3
    page.get_by_role("button", name="Take recoded_tried_k").first.click()
    page.get_by_text("is now the candidate recommended").wait_for(timeout=LONG)
    assert text.at(("candidates", "recommended", suppression, "with", "k")) in (4, 6, 9)

    text.save()
    assert check(served.workbench.path) is not None
    assert visit.said == []
    assert {asked.startswith(f"{served.address}/") for asked in visit.asked} == {True}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_rooms_are_accessible_and_fit_their_width(browser: Any, served: Served, width: int, scheme: Any):
    size = {"width": width, "height": 900}
    visit = served.visit(browser, "protection", viewport=size, color_scheme=scheme, bypass_csp=True)
    for path in PATHS:
        visit.page.goto(f"{served.address}/studio/{path}")
        swapped(visit.page)
        assert visit.is_within_its_width(), path
        assert visit.small_words() == [], path
        assert visit.broken_rules() == [], path
    assert visit.said == []


def test_what_was_typed_stays_where_it_is_refused(browser: Any, served: Served):
    visit = served.visit(browser, "protection", viewport={"width": 1280, "height": 900})
    page, before = visit.page, served.workbench.profile_text.text
    page.get_by_label("New candidate").fill("no name!")
    page.get_by_role("button", name="Add", exact=True).first.click()
    page.locator("#notices .refused", has_text="cannot be called so").wait_for(timeout=LONG)
    assert page.get_by_label("New candidate").input_value() == "no name!"
    assert page.locator("#notices .refused").evaluate(
        "each => each.getBoundingClientRect().top >= 0 && each.getBoundingClientRect().bottom <= innerHeight"
    )
    assert served.workbench.profile_text.text == before


def test_forms_work_without_script(browser: Any, served: Served):
    visit = served.visit(browser, "protection", java_script_enabled=False)
    page, text = visit.page, served.workbench.profile_text
    page.get_by_label("New candidate").fill("by_hand")
    with page.expect_navigation():
        page.get_by_role("button", name="Add", exact=True).first.click()
    assert page.get_by_role("heading", name="Steps of by_hand").is_visible()
    page.get_by_label("One more step").select_option("rounding")
    with page.expect_navigation():
        page.get_by_role("button", name="Choose").click()
    page.get_by_label("variable", exact=True).select_option("age")
    page.get_by_label("to", exact=True).fill("5")
    with page.expect_navigation():
        page.get_by_role("button", name="Add this step").click()
    assert text.at(("candidates", "by_hand")) == [{"method": "rounding", "with": {"age": {"to": 5}}}]
    with page.expect_navigation():
        page.get_by_role("button", name="Remove by_hand").click()
    assert text.at(("candidates", "by_hand")) is None
