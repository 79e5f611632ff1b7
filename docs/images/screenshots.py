"""Pictures of a report for the documents: python docs/images/screenshots.py REPORT.html (needs Chromium and the package playwright)."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
# Name, part of the report (none: its top), light or dark.
PICTURES = (
    ("report.png", "", "light"),
    ("report-dark.png", "", "dark"),
    ("report-pairs.png", "#pairs", "light"),
    ("report-variable.png", "#variable-income", "light"),
)


def main(report: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        for name, part, scheme in PICTURES:
            page = browser.new_page(viewport={"width": 1280, "height": 1180 if scheme == "light" else 800}, color_scheme=scheme)
            page.goto(report.absolute().as_uri())
            (page.locator(part) if part else page).screenshot(path=HERE / name)
            print(HERE / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
