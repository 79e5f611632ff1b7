"""Pictures for the documents, with Chromium and the package playwright.

    python docs/images/screenshots.py REPORT.html   # the report's
    python docs/images/screenshots.py ADDRESS RUN   # the review pages', of a run that was referred
    python docs/images/screenshots.py ADDRESS       # the workbench's

ADDRESS is the one that `sdc serve`, or `sdc studio --demo`, printed.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
# Name, part of the report (none: its top), light or dark.
PICTURES = (
    ("report.png", "", "light"),
    ("report-dark.png", "", "dark"),
    ("report-pairs.png", "#pairs", "light"),
    ("report-variable.png", "#variable-income", "light"),
    ("report-multiples.png", "#multiples", "light"),
)


def of_report(browser: Any, report: Path) -> None:
    for name, part, scheme in PICTURES:
        page = browser.new_page(
            viewport={"width": 1280, "height": 1180 if scheme == "light" else 800}, color_scheme=scheme
        )
        page.goto(report.absolute().as_uri())
        if part:
            page.evaluate(
                "document.querySelectorAll('details.folded, details:has(> .variables), details:has(>"
                " .figures)').forEach(one => { one.open = true })"
            )
        (page.locator(part) if part else page).screenshot(path=HERE / name)
        print(HERE / name)


def of_pages(browser: Any, address: str, run: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 930})
    page.goto(address)
    page.screenshot(path=HERE / "review-list.png")
    page.set_viewport_size({"width": 1280, "height": 1560})
    page.goto(f"{address.partition('?')[0]}runs/{run}")
    page.screenshot(path=HERE / "review-run.png")


ROOMS = ("data", "variables", "protection", "criteria", "search", "run")


def of_workbench(browser: Any, address: str) -> None:
    """Every room at the width of a laptop; variables also on a phone, dark."""
    page = browser.new_page(viewport={"width": 1280, "height": 1100})
    page.goto(address)
    if page.get_by_role("button", name="End the tour").count():
        page.get_by_role("button", name="End the tour").click()
    for room in ROOMS:
        page.set_viewport_size({"width": 1280, "height": 1700 if room == "variables" else 1100})
        page.goto(f"{address.partition('?')[0]}studio/{room}")
        _settled(page)
        page.screenshot(path=HERE / f"studio-{room}.png")
        print(HERE / f"studio-{room}.png")
    context = browser.new_context(viewport={"width": 390, "height": 1000}, color_scheme="dark")
    phone = context.new_page()
    phone.goto(address)
    phone.goto(f"{address.partition('?')[0]}studio/variables")
    _settled(phone)
    phone.screenshot(path=HERE / "studio-phone.png")


def _settled(page: Any) -> None:
    """Wait until what is counted in the background is there."""
    page.wait_for_load_state("networkidle")
    while page.locator(".later, progress").count():
        page.wait_for_timeout(300)
    page.wait_for_timeout(500)


def main(place: str, run: str = "") -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        if place.startswith("http") and run:
            of_pages(browser, place, run)
        elif place.startswith("http"):
            of_workbench(browser, place)
        else:
            of_report(browser, Path(place))


if __name__ == "__main__":
    main(*sys.argv[1:])
