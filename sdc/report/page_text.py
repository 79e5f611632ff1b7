"""Everything a page says, wherever it says it: texts, attributes, tips, comments, embedded data."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

# What stands together in one of these is read as one line: a row of a table is one statement.
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
LINES = HEADINGS | {"tr", "li", "p", "figcaption", "caption", "text", "title", "desc", "summary", "dl", "option", "body", "head"}
VOID = frozenset({"meta", "br", "link", "img", "input", "hr", "area", "base", "col", "embed", "source", "track", "wbr"})
POSITIONS = frozenset({"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy"})
GEOMETRY = POSITIONS | {"d", "width", "height", "points", "transform", "viewbox", "style"}
ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
DATA_ADDRESS = re.compile(r"data:[\w/+.-]*(?:;[\w=-]+)*;base64,([A-Za-z0-9+/=]{8,})")
OBJECT = re.compile(r"\{[^{}]*\}|\[[^\[\]{}]*\]")


@dataclass(frozen=True)
class Fragment:
    """A piece of a page: what it says and where. `values_of`: it tells values of this variable; `counts`: it counts original records."""

    place: str
    line: int
    text: str
    values_of: str = ""
    counts: bool = False
    geometry: bool = False


@dataclass
class _Open:
    tag: str
    values_of: str
    counts: bool
    words: list[str] = field(default_factory=list)
    line: int = 0


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.fragments: list[Fragment] = []
        self.lines: list[Fragment] = []
        self.stack = [_Open("", "", counts=False)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held, above, line = dict(attrs), self.stack[-1], self.getpos()[0]
        opened = _Open(tag, held.get("data-values-of") or above.values_of, counts=above.counts or held.get("data-count") == "original", line=line)
        for name, value in attrs:
            if value:
                self._said(f"attribute {name} of {tag}", value, opened, geometry=name in GEOMETRY)
        if tag not in VOID:
            self.stack.append(opened)

    def handle_endtag(self, tag: str) -> None:
        if not any(opened.tag == tag for opened in self.stack[1:]):
            return
        while len(self.stack) > 1:
            closed = self.stack.pop()
            if closed.tag in LINES:
                self.lines.append(Fragment(f"text of {closed.tag}", closed.line, " ".join(closed.words), closed.values_of, closed.counts))
            else:
                self.stack[-1].words.extend(closed.words)
            if closed.tag == tag:
                return

    def handle_data(self, data: str) -> None:
        tag = self.stack[-1].tag
        if data.strip():
            self._said(tag if tag in {"script", "style"} else f"text of {tag}", data, self.stack[-1], geometry=tag == "style")
            if tag not in {"script", "style"}:
                self.stack[-1].words.append(data)

    def handle_comment(self, data: str) -> None:
        self._said("comment", data, self.stack[-1])

    def handle_decl(self, decl: str) -> None:
        self._said("declaration", decl, self.stack[-1])

    def handle_pi(self, data: str) -> None:
        self._said("instruction", data, self.stack[-1])

    def unknown_decl(self, data: str) -> None:
        self._said("declaration", data, self.stack[-1])

    def _said(self, place: str, text: str, opened: _Open, *, geometry: bool = False) -> None:
        line = self.getpos()[0]
        plain = unescaped(text)
        self.fragments.append(Fragment(place, line, plain, opened.values_of, opened.counts, geometry))
        if place == "script":
            self.lines.extend(Fragment("script", line, found) for found in OBJECT.findall(plain))
        elif place.startswith("attribute") and not geometry:
            self.lines.append(self.fragments[-1])
        for inner in _embedded(text):
            self.fragments.append(Fragment(f"data embedded in {place}", line, inner))


@dataclass(frozen=True)
class PageText:
    """`fragments` as they stand in the page, and `lines`: what is said together."""

    fragments: tuple[Fragment, ...]
    lines: tuple[Fragment, ...]


def read(page: str) -> PageText:
    """All a page says. Entities and escapes are undone; data in base64 are opened."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    for opened in reversed(reader.stack):
        reader.lines.append(Fragment(f"text of {opened.tag or 'page'}", opened.line, " ".join(opened.words), opened.values_of, opened.counts))
    return PageText(tuple(reader.fragments), tuple(line for line in reader.lines if line.text.strip()))


def unescaped(text: str) -> str:
    """A text without entities (also where they were escaped twice) and without the escapes of JSON and JavaScript."""
    return ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), html.unescape(text))


def _embedded(text: str) -> Iterator[str]:
    for found in DATA_ADDRESS.findall(text):
        try:
            yield unescaped(base64.b64decode(found, validate=False).decode("utf-8", "replace"))
        except (binascii.Error, ValueError):
            continue
