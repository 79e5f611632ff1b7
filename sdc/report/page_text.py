"""Everything a page says, wherever it says it: texts, attributes, tips, comments, embedded data."""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from urllib.parse import unquote

from sdc.report.words import shown

# What stands together in one of these is read as one line: a row of a table is one statement.
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
CAPTIONS = frozenset({"figcaption", "caption", "title", "desc", "summary", "text"})
LINES = HEADINGS | CAPTIONS | {"tr", "li", "p", "dl", "option", "body", "head"}
SECTIONS = frozenset({"section", "article", "figure"})
VOID = frozenset(
    {"meta", "br", "link", "img", "input", "hr", "area", "base", "col", "embed", "source", "track", "wbr"}
)
POSITIONS = frozenset({"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy"})
GEOMETRY = POSITIONS | {"d", "width", "height", "points", "transform", "viewbox", "style"}
MARKED = frozenset(
    {"abbr", "b", "code", "em", "font", "i", "mark", "s", "small", "strong", "sub", "sup", "u"}
)
INLINE = MARKED | {"a", "data", "span", "tspan", "wbr"}
GLUED = re.compile(r"\w[\u00ad\u200b]*\x00+[\u00ad\u200b]*(?:\w|[.,]\d)|\d[.,]\x00+\d")
DEEPEST = 3
ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
DATA_ADDRESS = re.compile(r"data:[\w/+.-]*(?:;[\w=.-]+)*?(;base64)?,([^\s\"'<>]{3,})")
OBJECT = re.compile(r"\{[^{}]*\}|\[[^\[\]{}]*\]")


@dataclass(frozen=True)
class Fragment:
    """A piece of a page: what it says and where.

    `values_of`: it shows values of this variable; `categories_of`: it shows categories of these, in this
    order, or of any where None; `counts`: it counts original records; `tick`: it is a tick of an axis;
    `section`: the part of the page around it; `pieces` of a line: the texts it is made of, without counts.
    """

    place: str
    line: int
    text: str
    values_of: str = ""
    counts: bool = False
    geometry: bool = False
    tick: bool = False
    section: str = ""
    pieces: tuple[str, ...] = ()
    categories_of: tuple[str, ...] | None = None

    @property
    def data(self) -> bool:
        """Is it written for machines, so that commas stand between numbers?"""
        return self.place in {"script", "comment"} or self.place.startswith(
            ("attribute data-", "data embedded")
        )


@dataclass
class _Open:
    tag: str
    values_of: str
    counts: bool
    words: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    line: int = 0
    section: str = ""
    tick: bool = False
    categories_of: tuple[str, ...] | None = None


class _Reader(HTMLParser):
    def __init__(self, depth: int) -> None:
        super().__init__(convert_charrefs=True)
        self.depth = depth
        self.run: list[tuple[str, _Open, int]] = []
        self.fragments: list[Fragment] = []
        self.lines: list[Fragment] = []
        self.stack = [_Open("", "", counts=False)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._break(tag)
        held, above, line = dict(attrs), self.stack[-1], self.getpos()[0]
        opened = _Open(
            tag,
            held.get("data-values-of") or above.values_of,
            counts=above.counts or held.get("data-count") == "original",
            line=line,
        )
        opened.categories_of = (
            _names(held["data-categories-of"]) if "data-categories-of" in held else above.categories_of
        )
        opened.section = (tag in SECTIONS and held.get("id")) or above.section
        opened.tick = tag == "text" and "tick" in (held.get("class") or "").split()
        for name, value in attrs:
            if value:
                self._said(f"attribute {name} of {tag}", value, opened, geometry=name in GEOMETRY)
        if tag not in VOID:
            self.stack.append(opened)

    def handle_endtag(self, tag: str) -> None:
        self._break(tag)
        if not any(opened.tag == tag for opened in self.stack[1:]):
            return
        while len(self.stack) > 1:
            closed = self.stack.pop()
            if closed.tag in LINES:
                self.lines.append(_line(closed))
            else:
                self.stack[-1].words.extend(closed.words)
                self.stack[-1].pieces.extend(closed.pieces)
            if closed.tag == tag:
                return

    def handle_data(self, data: str) -> None:
        tag = self.stack[-1].tag
        if tag not in {"script", "style"}:
            self.run.append((data, self.stack[-1], self.getpos()[0]))
        if data.strip():
            self._said(
                tag if tag in {"script", "style"} else f"text of {tag}",
                data,
                self.stack[-1],
                geometry=tag == "style",
            )
            if tag not in {"script", "style"}:
                self.stack[-1].words.append(data)
                if not self.stack[-1].counts:
                    self.stack[-1].pieces.append(data)

    def _break(self, tag: str) -> None:
        """What tags within a line have cut apart is read as one once the line ends."""
        if tag in INLINE:
            return
        pieces, self.run = self.run, []
        if not GLUED.search("\0".join(data for data, *_ in pieces)):
            return
        _, opened, line = pieces[0]
        joined = unescaped("".join(data for data, *_ in pieces))
        values_of = opened.values_of if len({held.values_of for _, held, _ in pieces}) == 1 else ""
        counts = all(held.counts for _, held, _ in pieces)
        place = f"text of {opened.tag}"
        self.fragments.append(
            Fragment(
                place,
                line,
                joined,
                values_of,
                counts,
                section=opened.section,
                pieces=(joined,),
                categories_of=opened.categories_of,
            )
        )

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
        tick = opened.tick and place == "text of text"
        self.fragments.append(
            Fragment(
                place,
                line,
                plain,
                opened.values_of,
                opened.counts,
                geometry,
                tick,
                opened.section,
                (plain,),
                opened.categories_of,
            )
        )
        if place == "script":
            self.lines.extend(
                Fragment("script", line, found, section=opened.section, pieces=(found,))
                for found in OBJECT.findall(plain)
            )
        elif place.startswith("attribute") and not geometry:
            self.lines.append(self.fragments[-1])
        for inner in _embedded(text) if self.depth < DEEPEST else ():
            within = f"data embedded in {place}"
            self.fragments.append(Fragment(within, line, inner, section=opened.section))
            if "<" in inner:
                held = read(inner, self.depth + 1)
                self.fragments.extend(
                    replace(each, place=within, line=line, section=opened.section) for each in held.fragments
                )
                self.lines.extend(
                    replace(each, place=within, line=line, section=opened.section) for each in held.lines
                )


def _names(written: str | None) -> tuple[str, ...] | None:
    """Variables from a list in JSON; what cannot be read names none, and all are thought of."""
    try:
        names = json.loads(written or "")
    except ValueError:
        return None
    return tuple(map(str, names)) if isinstance(names, list) else None


def _line(opened: _Open) -> Fragment:
    place, text = f"text of {opened.tag or 'page'}", " ".join(opened.words)
    return Fragment(
        place,
        opened.line,
        text,
        opened.values_of,
        opened.counts,
        section=opened.section,
        pieces=tuple(opened.pieces),
        categories_of=opened.categories_of,
    )


@dataclass(frozen=True)
class PageText:
    """`fragments` as they are in the page, and `lines`: what belongs to one line."""

    fragments: tuple[Fragment, ...]
    lines: tuple[Fragment, ...]


def read(page: str, depth: int = 0) -> PageText:
    """All a page says. Entities and escapes are undone.

    Data in base64 or with percent signs are opened, and what is a page is read as one.
    """
    reader = _Reader(depth)
    reader.feed(page)
    reader.close()
    reader.handle_endtag("")
    for opened in reversed(reader.stack):
        reader.lines.append(_line(opened))
    return PageText(tuple(reader.fragments), tuple(line for line in reader.lines if line.text.strip()))


def unescaped(text: str) -> str:
    """A text as a reader sees it, without entities and without the escapes of JSON and JavaScript.

    Entities that were escaped twice are removed too.
    """
    return shown(ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), html.unescape(text)))


def _embedded(text: str) -> Iterator[str]:
    plain = unquote(text) if "%" in text else text
    if plain != text:
        yield unescaped(plain)
    for is_base64, found in DATA_ADDRESS.findall(text):
        try:
            content = (
                base64.b64decode(unquote(found), validate=False).decode("utf-8", "replace")
                if is_base64
                else unquote(found)
            )
        except (binascii.Error, ValueError):
            continue
        yield unescaped(content)
