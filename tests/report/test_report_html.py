"""The page itself: well formed, self-contained, usable without a mouse or sight."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from sdc.report import Edition, RunFacts, build, render

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Collects elements and complains about those that do not close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()


def read(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    return page


@pytest.fixture(params=["published", "withheld", "referred"])
def facts(request: pytest.FixtureRequest) -> RunFacts:
    held: RunFacts = request.getfixturevalue(request.param)
    return held


@pytest.fixture(params=list(Edition))
def html(facts: RunFacts, request: pytest.FixtureRequest) -> str:
    return render(build(facts, request.param))


def test_elements_close_in_order(html: str):
    page = read(html)
    assert page.faults == []
    assert page.open == []


def test_ids_are_unique_and_links_inside_the_page_arrive(html: str):
    page = read(html)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for tag, attributes in page.elements if tag == "a"]
    assert links
    assert {link[1:] for link in links if link} <= set(ids)


def test_nothing_is_fetched(html: str):
    assert "http://" not in html
    assert "https://" not in html
    page = read(html)
    assert not [
        tag for tag, _ in page.elements if tag in {"script", "link", "iframe", "img", "object", "embed"}
    ]
    assert not [
        name
        for _, attributes in page.elements
        for name in attributes
        if name in {"src", "srcset", "onclick", "onload"}
    ]
    assert not re.search(r"url\(|@import", html)


def test_texts_of_the_profile_are_escaped(html: str):
    assert "<2025>" not in html
    assert "Small survey &lt;2025&gt; &amp; more" in html


def test_the_page_can_be_read_by_a_screen_reader(html: str):
    page = read(html)
    tags = [tag for tag, _ in page.elements]
    for landmark in ("header", "nav", "main", "footer", "h1"):
        assert tags.count(landmark) == 1 or landmark == "header"
    assert next(attributes for tag, attributes in page.elements if tag == "html")["lang"] == "en-GB"
    assert next(attributes for tag, attributes in page.elements if tag == "a")["href"] == "#main"
    assert tags.count("caption") == tags.count("table")
    assert all(attributes.get("scope") in {"col", "row"} for tag, attributes in page.elements if tag == "th")
    assert all(
        "aria-hidden" in attributes or "aria-label" in attributes
        for tag, attributes in page.elements
        if tag == "svg"
    )
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_page_follows_light_dark_and_print(html: str):
    for rule in ("prefers-color-scheme: dark", "@media print", "prefers-reduced-motion", ":focus-visible"):
        assert rule in html


def test_a_withheld_page_says_what_would_have_to_change(withheld: RunFacts):
    html = render(build(withheld, Edition.INTERNAL))
    assert "What would have to change" in html
    assert "“k_anonymity” must rise from 2 to at least 3 records in the class (Rule 4.2)." in html
