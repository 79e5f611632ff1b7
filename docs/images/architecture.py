"""Draws the rooms of the house from the import contract: python docs/images/architecture.py."""

from __future__ import annotations

import ast
import tomllib
from html import escape
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).parents[2]
PLACE = Path(__file__).with_name("architecture.svg")
WIDE, HIGH, GAP, EDGE = 1080, 78, 12, 16
INK, PAPER, LINE, ROOM = "#1d2733", "#ffffff", "#8fa3b8", "#eef3f8"


def layers() -> list[list[str]]:
    """The packages from the top of the house to its ground floor, those of one layer together."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rooms = next(contract for contract in contracts if contract.get("containers") == ["sdc"])["layers"]
    split = [[f"sdc/{name.strip()}" for name in layer.replace("|", ":").split(":")] for layer in rooms]
    return [split[0], ["flows"], ["tasks"], *split[1:]]


def sentence(name: str) -> str:
    """What a package or module says of itself."""
    place = ROOT / name / "__init__.py"
    text = (place if place.exists() else ROOT / f"{name}.py").read_text()
    return (ast.get_docstring(ast.parse(text)) or "").splitlines()[0]


def picture() -> str:
    """The rooms as SVG; each may import those below it."""
    marks, top = [], EDGE
    for layer in layers():
        width = (WIDE - 2 * EDGE - GAP * (len(layer) - 1)) / len(layer)
        for place, name in enumerate(layer):
            left = EDGE + place * (width + GAP)
            marks.append(
                f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{HIGH}" rx="6"'
                f' fill="{ROOM}" stroke="{LINE}"/>'
            )
            marks.append(f'<text x="{left + 12:.1f}" y="{top + 22}" font-weight="bold">{escape(name)}</text>')
            for line, words in enumerate(wrap(sentence(name), int(width / 6.5) - 2)[:3]):
                at = top + 39 + 14 * line
                marks.append(f'<text x="{left + 12:.1f}" y="{at}" font-size="11">{escape(words)}</text>')
        top += HIGH + GAP
    height = top - GAP + EDGE
    style = f'font-family="sans-serif" font-size="13" fill="{INK}"'
    about = "Rooms of the code base; each may import those below it"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height}" role="img"'
        f' aria-label="{about}" {style}>\n<rect width="{WIDE}" height="{height}" fill="{PAPER}"/>\n'
        + "\n".join(marks)
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    PLACE.write_text(picture())
