"""The report's own figures as pictures: shown in a notebook, saved as files."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.errors import BadStudy, Fault
from sdc.report.edition import THRESHOLD, Edition
from sdc.report.figures import figure_registry
from sdc.report.figures.draw import variable_figures
from sdc.report.figures.parts import parts_figure
from sdc.report.figures.scene import Drawer, Scene, shared
from sdc.report.forbidden import Forbidden
from sdc.report.render import environment
from sdc.study import document
from sdc.study.text_table import TextTable

if TYPE_CHECKING:
    from sdc.data.release_pair import ReleasePair
    from sdc.report.facts import RunFacts
    from sdc.report.views import Figure

TITLE, GAP = 26, 18
ENDINGS = (".svg", ".html")


class DrawnFigures(Sequence["DrawnFigure"]):
    """Figures of the report: they show themselves in a notebook and are saved as SVG or HTML.

    >>> study = sdc.Study(households, keys=["region", "age", "sex"])
    >>> pictures = study.risk("k_anonymity").plot()
    >>> len(pictures), pictures[0].svg.startswith("<svg")
    (1, True)
    """

    def __init__(self, figures: Sequence[Figure], why_none: str = "") -> None:
        self._figures, self.why_none = tuple(map(DrawnFigure, figures)), why_none

    def __getitem__(self, place: Any) -> Any:
        return self._figures[place]

    def __len__(self) -> int:
        return len(self._figures)

    def __iter__(self) -> Iterator[DrawnFigure]:
        return iter(self._figures)

    @property
    def titles(self) -> list[str]:
        return [each.title for each in self]

    @property
    def svg(self) -> str:
        """All of them below each other, as one picture.

        >>> sdc.Study(households, keys=["region", "sex"]).risk("k_anonymity").plot().svg[:4]
        '<svg'
        """
        drawn = [each for each in self if each.figure.drawing is not None]
        width = max((each.size[0] for each in drawn), default=320)
        parts, y = [], 0
        for each in drawn:
            parts.append(f'<text class="strong" x="4" y="{y + 17}">{escape(each.title)}</text>')
            parts.append(each.placed(y + TITLE))
            y += TITLE + each.size[1] + GAP
        return _picture(max(width, 320), max(y, 1), "".join(parts), ", ".join(self.titles))

    def save(self, path: str | Path) -> Path:
        """Write the figures into a file that ends in .svg or .html; where it is.

        >>> study = sdc.Study(households, keys=["region", "sex"])
        >>> study.risk("k_anonymity").plot().save("crowds.svg").name
        'crowds.svg'
        """
        place = document.writable(path, ENDINGS, "save")
        place.write_text(self.svg if place.suffix.lower() == ".svg" else _page(self), encoding="utf-8")
        return place

    def __repr__(self) -> str:
        if not self._figures:
            return self.why_none or "no figure"
        return "\n".join(f"{each.title}: {each.caption}" for each in self)

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self) or f"<p>{escape(self.why_none)}</p>"


class DrawnFigure:
    """One figure of the report: a drawing, the sentence that says what to see in it, and its numbers.

    >>> study = sdc.Study(households, keys=["region", "age", "sex"])
    >>> crowds = study.risk("k_anonymity").plot()[0]
    >>> crowds.title
    'Sizes of the classes'
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    @property
    def title(self) -> str:
        return self.figure.title

    @property
    def caption(self) -> str:
        return self.figure.caption

    @property
    def size(self) -> tuple[int, int]:
        drawing = self.figure.drawing
        return (drawing.width, drawing.height) if drawing else (0, 0)

    @property
    def table(self) -> str:
        """The numbers of the figure as text."""
        return str(TextTable(self.figure.heads, self.figure.rows, self.title))

    @property
    def _key(self) -> str:
        """Which colour is whose, where the drawing itself does not say it."""
        drawing = self.figure.drawing
        marks = drawing.marks if drawing else ()
        styles = {style for mark in marks for style in mark.style.split() if mark.kind != "text"}
        said = {mark.text for mark in marks if mark.kind == "text"}
        if not {"original", "candidate"} <= styles or {"original", "candidate"} <= said:
            return ""
        y = self.size[1] + 2
        return (
            f'<text class="original strong" x="44" y="{y}">original</text>'
            f'<text class="candidate strong" x="104" y="{y}">candidate</text>'
        )

    def placed(self, y: int) -> str:
        """The drawing inside a larger one, so far from its top."""
        inner = _drawing(self.figure).replace("<svg ", f'<svg x="0" y="{y}" ', 1)
        return f'{inner}<g transform="translate(0 {y})">{self._key}</g>'

    @property
    def svg(self) -> str:
        """The drawing as a file of its own."""
        width, height = self.size
        inner = _inner(_drawing(self.figure)) + self._key
        return _picture(width, height + (8 if self._key else 0), inner, self.title)

    def _repr_svg_(self) -> str | None:
        return self.svg if self.figure.drawing else None

    def _repr_html_(self) -> str:
        if self.figure.drawing is None:
            return TextTable(self.figure.heads, self.figure.rows, self.title, (self.caption,)).html()
        # As an image of its own the drawing keeps its style, and the notebook keeps its own.
        encoded = base64.b64encode(self.svg.encode()).decode()
        return (
            f"<figure><strong>{escape(self.title)}</strong><br>"
            f'<img src="data:image/svg+xml;base64,{encoded}" alt="{escape(self.title)}">'
            f"<figcaption>{escape(self.caption)}</figcaption></figure>"
        )


def _drawing(figure: Figure) -> str:
    module = environment().get_template("parts.html").module
    return str(module.drawing(figure.drawing)).strip()  # type: ignore[attr-defined]


def _inner(svg: str) -> str:
    return svg[svg.index(">") + 1 : svg.rindex("</svg>")]


@cache
def _style() -> str:
    """What the report's style sheet says of drawings, in its light colours."""
    sheet = environment().get_template("style.css").render()
    colours = re.search(r":root \{(.*?)\}", sheet, re.DOTALL)
    assert colours is not None
    rules = "\n".join(line for line in sheet.splitlines() if line.startswith("svg "))
    return f":root {{{colours[1]}}}\n{rules}".replace("color-scheme: light dark;", "")


def _picture(width: int, height: int, inner: str, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-label="{escape(label)}"><style>{_style()}</style>'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>{inner}</svg>'
    )


def _page(figures: DrawnFigures) -> str:
    body = figures._repr_html_()
    return f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Figures</title>{body}</html>"


def drawn_of(facts: RunFacts, pair: ReleasePair, measures: Sequence[str]) -> DrawnFigures:
    """The figures of these measures, drawn from what was measured: their own, or the parts."""
    scene = Scene(facts, pair, _drawer(facts, pair))
    registered = [each for each in figure_registry.figures().values() if set(each.measures) & set(measures)]
    found = [(each, made) for each in registered for made in each.drawn(scene)]
    with_own = {name for each, _ in found for name in each.measures}
    focus = facts.focus
    others = [
        parts_figure(assessment)
        for assessment in (focus.assessments if focus else ())
        if assessment.measure in measures and assessment.measure not in with_own
    ]
    return DrawnFigures(
        [*(made for _, made in found), *(made for made in others if made)], "none of these was measured"
    )


def drawn_variable(facts: RunFacts, pair: ReleasePair, name: str) -> DrawnFigures:
    """A variable in original and candidate."""
    if name not in shared(pair):
        problem = f"{name!r} is no variable that is analysed in both tables"
        raise BadStudy([Fault("plot", problem, f"known here: {', '.join(shared(pair))}")])
    drawn = variable_figures(pair, _drawer(facts, pair))[name]
    return DrawnFigures(drawn.figures, f"{name} cannot be drawn")


def _drawer(facts: RunFacts, pair: ReleasePair) -> Drawer:
    forbidden = Forbidden.of(pair, threshold=THRESHOLD)
    focus = facts.focus
    return Drawer(Edition.INTERNAL, facts.profile, forbidden, THRESHOLD, focus.assessments if focus else ())
