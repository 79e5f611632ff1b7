"""The manual is a site that needs no network: built without a warning, searched from a disk, narrow and wide."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from chromium import IN_A_BROWSER, Visit, opened_browser

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc\s*=\s*["']?(?:https?:)?//|"""
    r"""<link\b[^>]*\bhref\s*=\s*["']?(?:https?:)?//|url\(\s*["']?(?:https?:)?//|@import\s+["'](?:https?:)?//"""
)


@pytest.fixture(scope="module")
def site(manual, tmp_path_factory) -> Path:
    """Built as make docs builds it, from pages without figures."""
    place = tmp_path_factory.mktemp("site")
    config = place / "mkdocs.yml"
    text = (ROOT / "docs" / "manual" / "mkdocs.yml").read_text()
    config.write_text(
        text.replace("../../build/manual", str(manual)).replace("../../build/site", str(place / "site"))
    )
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file", str(config)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert built.returncode == 0, built.stdout + built.stderr
    assert built.stdout + built.stderr == ""
    return place / "site"


def test_nothing_is_fetched_from_elsewhere(site):
    files = [place for place in site.rglob("*") if place.suffix in (".html", ".css")]
    assert len(files) > 100
    assert [
        f"{place.name}: {found[0]}" for place in files if (found := FETCHED.search(place.read_text()))
    ] == []


@pytest.mark.parametrize(
    "tag",
    [
        '<script src="https://unpkg.com/iframe-worker/shim"></script>',
        '<link rel="stylesheet" href="//fonts.googleapis.com/css">',
        "@font-face{src:url(https://fonts.gstatic.com/x.woff2)}",
    ],
)
def test_what_is_fetched_from_elsewhere_would_be_noticed(tag):
    assert FETCHED.search(tag)


def test_notes_and_scripts_of_the_builder_do_not_leave(site):
    assert not list(site.rglob("*.py"))
    assert not list(site.rglob("Dockerfile"))


@pytest.fixture(scope="module")
def browser():
    with opened_browser() as opened:
        yield opened


class TestInABrowser:
    pytestmark = IN_A_BROWSER

    @pytest.mark.parametrize("width", [1280, 390])
    @pytest.mark.parametrize(
        "page", ["index", "catalogue", "how-to/from-sdcmicro", "units/measures/k_anonymity"]
    )
    def test_a_page_fits_and_asks_for_nothing(self, site, browser, page, width):
        visit = Visit(browser, (site / f"{page}.html").as_uri(), viewport={"width": width, "height": 900})
        assert visit.is_within_its_width()
        assert [
            address for address in visit.asked if not address.startswith(("file:", "data:", "blob:"))
        ] == []
        assert visit.said == []

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_the_first_page_can_be_read_by_everybody(self, site, browser, scheme):
        visit = Visit(browser, (site / "index.html").as_uri(), color_scheme=scheme, bypass_csp=True)
        assert [rule for rule in visit.broken_rules() if rule[0] == "color-contrast"] == []

    def test_the_search_finds_a_measure_from_a_disk(self, site, browser):
        visit = Visit(browser, (site / "index.html").as_uri(), viewport={"width": 1280, "height": 900})
        visit.page.locator("input.md-search__input").press_sequentially("k_anonymity")
        found = visit.page.locator(".md-search-result__item a").first
        found.wait_for(timeout=10_000)
        assert "k_anonymity" in found.inner_text().lower().replace(" ", "")
