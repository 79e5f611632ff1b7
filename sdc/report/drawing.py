"""Marks of a chart in pixels, with tips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Mark:
    """One SVG element. `style` names classes of the style sheet.

    `values_of` is the variable whose values a text or tip shows.
    """

    kind: str
    style: str
    attributes: tuple[tuple[str, str], ...]
    text: str = ""
    tip: str = ""
    values_of: str = ""


@dataclass(frozen=True)
class Drawing:
    """A chart: size, marks from back to front, and a sentence for those who cannot see it."""

    width: int
    height: int
    marks: tuple[Mark, ...]
    label: str


def pixels(number: float) -> str:
    """A coordinate to a tenth of a pixel: enough to see, too little to read a value back from."""
    text = f"{number:.1f}"
    return text.removesuffix(".0")


def _mark(
    kind: str,
    style: str,
    coordinates: dict[str, float],
    *,
    text: str = "",
    tip: str = "",
    values_of: str = "",
) -> Mark:
    return Mark(
        kind,
        style,
        tuple((name.replace("_", "-"), pixels(value)) for name, value in coordinates.items()),
        text,
        tip,
        values_of,
    )


def rect(
    x: float, y: float, width: float, height: float, style: str, *, tip: str = "", values_of: str = ""
) -> Mark:
    return _mark(
        "rect",
        style,
        {"x": x, "y": y, "width": max(width, 0), "height": max(height, 0)},
        tip=tip,
        values_of=values_of,
    )


def line(x1: float, y1: float, x2: float, y2: float, style: str, *, tip: str = "") -> Mark:
    return _mark("line", style, {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, tip=tip)


def circle(x: float, y: float, radius: float, style: str, *, tip: str = "", values_of: str = "") -> Mark:
    return _mark("circle", style, {"cx": x, "cy": y, "r": radius}, tip=tip, values_of=values_of)


def text(x: float, y: float, words: str, style: str = "label", *, values_of: str = "") -> Mark:
    return _mark("text", style, {"x": x, "y": y}, text=words, values_of=values_of)


def path(points: Sequence[tuple[float, float]], style: str, *, closed: bool = False, tip: str = "") -> Mark:
    """A line through points."""
    moves = "M" + "L".join(f"{pixels(x)} {pixels(y)}" for x, y in points) + ("Z" if closed else "")
    return Mark("path", style, (("d", moves),), tip=tip)


def outline(rings: Sequence[Sequence[tuple[float, float]]], style: str, *, tip: str = "") -> Mark:
    """Several closed lines as one mark."""
    moves = "".join("M" + "L".join(f"{pixels(x)} {pixels(y)}" for x, y in ring) + "Z" for ring in rings)
    return Mark("path", style, (("d", moves),), tip=tip)
