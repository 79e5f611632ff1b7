"""Every link of the manual and of the README leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from manual_text import anchors, pages, prose

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"!?\[(?:[^]\[]|\[[^]]*\])*\]\(([^)\s]+)\)")


def broken(page: str, text: str, folder: Path) -> list[str]:
    """Relative links of a page that lead to no file, or to no heading of it."""
    faults = []
    for target in LINK.findall(prose(text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        place = ((folder / page).parent / name).resolve() if name else folder / page
        if not place.exists():
            faults.append(f"{page}: {target} is not there")
        elif anchor and anchor not in anchors(place.read_text(encoding="utf-8")):
            faults.append(f"{page}: {target} has no such heading")
    return faults


def test_links_and_anchors_of_the_manual_resolve(manual):
    held = pages(manual)
    assert len(held) > 100
    assert sum(len(LINK.findall(text)) for text in held.values()) > 500
    assert [fault for page, text in held.items() for fault in broken(page, text, manual)] == []


def test_a_broken_link_would_be_noticed(tmp_path):
    (tmp_path / "there.md").write_text("# There\n\n## A heading\n")
    text = "[a](there.md) [b](there.md#a-heading) [c](gone.md) [d](there.md#gone) `[e](no.md)`\n```\n[f](no.md)\n```\n"
    text = text.replace("`[e](no.md)` ", "").replace("`[e](no.md)`", "")
    assert len(broken("page.md", text, tmp_path)) == 2


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "profiles/demo/README.md"])
def test_links_of_pages_outside_the_manual_resolve(page):
    assert broken(page, (ROOT / page).read_text(encoding="utf-8"), ROOT) == []


def test_install_first_release_and_own_data_are_one_click_from_the_first_page(manual):
    linked = LINK.findall((manual / "index.md").read_text(encoding="utf-8"))
    assert {"installation.md", "getting-started.md", "own-data.md"} <= set(linked[:4])


def test_every_page_by_hand_is_in_the_navigation(manual):
    config = (ROOT / "docs" / "manual" / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [page for page in pages(manual) if not page.startswith("units/m") and page not in config]
    assert missing == []
