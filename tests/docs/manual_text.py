"""Reads pages of the manual: their blocks of code, headings and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")


class CodeBlock(NamedTuple):
    """Code on a page, and where."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages(folder: Path) -> dict[str, str]:
    return {
        place.relative_to(folder).as_posix(): place.read_text(encoding="utf-8")
        for place in sorted(folder.rglob("*.md"))
    }


def code_blocks(page: str, text: str) -> Iterator[CodeBlock]:
    for found in FENCE.finditer(text):
        yield CodeBlock(page, text.count("\n", 0, found.start()) + 1, found[2], found[3])


def prose(text: str) -> str:
    """The page without its blocks of code, line by line in place."""
    return FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)


def anchors(text: str) -> set[str]:
    """The anchors MkDocs gives the headings of a page."""
    from pymdownx.slugs import slugify

    slug = slugify(case="lower")
    seen: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6} (.+?)\s*$", prose(text), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
        name = slug(plain, "-")
        seen[name] = seen.get(name, 0) + 1
    return {
        name if count == 0 else f"{name}_{count}" for name, number in seen.items() for count in range(number)
    }
