"""A headless Chromium for tests: pages opened in contexts of their own, with all they say and ask for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]
IN_A_BROWSER = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="browser tests need Chromium (Debian: apt-get install chromium)"
    ),
]
SMALL_WORDS = """all => all.flatMap(svg => [...svg.querySelectorAll('text')].map(text => [
    parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width,
    (svg.closest('figure') || svg.parentElement).id, text.textContent,
]).filter(([size]) => size > 0 && size < 9.99))"""


@contextmanager
def opened_browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="browser tests need the Python package playwright"
    )
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


class Visit:
    """A page in a context of its own.

    `said` is what came to the console, `asked` every address it asked for.
    """

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)

    def is_within_its_width(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))

    def small_words(self) -> list[tuple[float, str, str]]:
        """Words in drawings of fewer than 10 pixels: their size, the figure, the word."""
        return [tuple(found) for found in self.page.eval_on_selector_all("svg", SMALL_WORDS)]

    def broken_rules(self) -> list[tuple[str, str]]:
        """Rules of axe the page breaks, everything closed opened.

        The context must have been made with bypass_csp.
        """
        axe = pytest.importorskip(
            "axe_core_python", reason="accessibility tests need the Python package axe-core-python"
        )
        script = next(Path(axe.__file__).parent.rglob("axe.min.js")).read_text()
        self.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        self.page.evaluate(script)
        found = self.page.evaluate("axe.run(document, {iframes: false})")
        assert len(found["passes"]) > 15
        return [(broken["id"], broken["nodes"][0]["html"]) for broken in found["violations"]]
