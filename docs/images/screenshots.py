"""Pictures for the documents, with Chromium and the package playwright.

python docs/images/screenshots.py REPORT.html             # the report's python docs/images/screenshots.py
ADDRESS RUN             # the review pages', at the address `sdc serve` printed, of a run that was referred
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


def main(place: str, run: str = "") -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        if place.startswith("http"):
            of_pages(browser, place, run)
        else:
            of_report(browser, Path(place))


if __name__ == "__main__":
    main(*sys.argv[1:])
