"""Correlations of both tables, and which of them changed most."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.data import sql
from sdc.data.release_pair import Side
from sdc.data.sharing import shared
from sdc.measures.comparison import comparable_numbers
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, rect, text
from sdc.report.figures.boxes import boxes, is_discrete
from sdc.report.figures.contours import contours, surface
from sdc.report.figures.figure_registry import PAIRS, figure
from sdc.report.figures.pairs import looked_at, most_changed, row_names, selection
from sdc.report.figures.spread import is_mostly_one_value
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sdc.catalogue.measurement import Assessment
    from sdc.data.release_pair import ReleasePair
    from sdc.report.figures.scene import Scene

MOST_VARIABLES, MOST_PAIRS = 10, 3
AFFORDABLE = 100_000_000
"""Records in all pairs together that are correlated for one report."""
CELL, GAP, TITLE = 34, 26, 62


@dataclass(frozen=True)
class Correlations:
    """Pearson's correlations of both tables, by pair of variables; None where one of them does not vary.

    `known` is how many variables there are, also those not examined. `measured` are the changes
    dependence_change gave, and `source` its name and kind, where it was measured.
    """

    names: tuple[str, ...]
    original: dict[tuple[str, str], float | None]
    candidate: dict[tuple[str, str], float | None]
    known: int
    measured: dict[tuple[str, str], float] = field(default_factory=dict)
    source: str = ""

    def change(self, pair: tuple[str, str]) -> float | None:
        """The change that was measured, of whatever kind of correlation; else that of Pearson's."""
        if self.measured:
            return self.measured.get(pair)
        before, after = self.original[pair], self.candidate[pair]
        return None if before is None or after is None else after - before


def correlations(
    pair: ReleasePair, names: Sequence[str], assessment: Assessment | None = None
) -> Correlations:
    """Over records with both values, computed in DuckDB.

    Changes are those of a dependence_change where one was measured.
    """
    held = looked_at(names, pair.original.rows + pair.candidate.rows, AFFORDABLE, MOST_VARIABLES)
    found = Correlations(
        held,
        _correlations(pair, held, Side.ORIGINAL),
        _correlations(pair, held, Side.CANDIDATE),
        len(names),
    )
    if assessment is None or not isinstance(assessment.outcome, Measurement):
        return found
    parts = assessment.outcome.parts
    measured = {
        both: parts[part]
        for both in combinations(held, 2)
        if (part := f"correlation.{both[0]}.{both[1]}") in parts
    }
    kind = str(assessment.options.get("kind", "pearson"))
    return (
        replace(
            found,
            measured=measured,
            source=assessment.alias if kind == "pearson" else f"{assessment.alias}, {kind}",
        )
        if measured
        else found
    )


@shared
def _correlations(pair: ReleasePair, names: Sequence[str], side: Side) -> dict[tuple[str, str], float | None]:
    import math

    table = pair.table(side)
    pairs = list(combinations(names, 2))
    number = {name: f"CAST({sql.name(name)} AS DOUBLE)" for name in names}
    found = table.fetch(
        f"SELECT {', '.join(f'corr({number[one]}, {number[two]})' for one, two in pairs)} FROM"
        f" {sql.name(table.name)}"
    )[0]
    return {
        both: None if value is None or math.isnan(value) else float(value)
        for both, value in zip(pairs, found, strict=True)
    }


def matrices(held: Correlations) -> Figure:
    """Three triangles (change, original, candidate) of the variables whose correlations changed most."""
    changes = {pair: held.change(pair) for pair in held.original}
    shown = most_changed(
        held.names, {pair: abs(change or 0) for pair, change in changes.items()}, MOST_VARIABLES
    )
    # The last variable has a row of its own and no column.
    side, breadth = len(shown) * CELL, max((len(shown) - 1) * CELL, TITLE)
    left, marks = row_names(shown, 40, CELL)
    pairs = list(combinations(shown, 2))
    blocks = (("change", changes), ("original", held.original), ("candidate", held.candidate))
    for block, (title, values) in enumerate(blocks):
        x = left + block * (breadth + GAP)
        marks.append(text(x, 14, title, f"strong {title}" if block else "strong"))
        marks += [
            text(x + number * CELL + CELL / 2, 32, str(number + 1), "tick middle")
            for number in range(len(shown) - 1)
        ]
        for one, two in pairs:
            marks += _cell(
                x + shown.index(one) * CELL,
                40 + shown.index(two) * CELL,
                values[one, two],
                f"{one} and {two}, {title}",
            )
    worst = max(held.original, key=lambda pair: abs(changes[pair] or 0))
    caption = f"{_worst(held, worst)} {selection(len(shown), len(held.names), held.known, 'numbers')}"
    rows = tuple(
        (f"{one} and {two}", *(_said(values[one, two]) for _, values in blocks)) for one, two in pairs
    )
    drawing = Drawing(
        int(left + 3 * breadth + 2 * GAP),
        44 + side,
        tuple(marks),
        "Change of correlations, and those of original and candidate",
    )
    heads = ("variables", "change", "original", "candidate")
    return Figure("correlations", "Correlations", caption, drawing, heads, rows, wide=True, categories_of=())


def _worst(held: Correlations, worst: tuple[str, str]) -> str:
    """Which correlation changed most, and by how much: as measured where it was measured."""
    if (change := held.change(worst)) is None:
        return "No pair of variables varies in both tables."
    if held.source:
        pearson = " Original and candidate are Pearson's." if "," in held.source else ""
        return (
            f"Largest change: {worst[0]} and {worst[1]}, by {wording.number(change, 3)}"
            f" ({held.source}).{pearson}"
        )
    before, after = held.original[worst], held.candidate[worst]
    return f"Largest change: {worst[0]} and {worst[1]}, from {before:.2f} to {after:.2f}.".replace("-", "−")


def _said(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _cell(x: float, y: float, value: float | None, tip: str) -> list[Mark]:
    if value is None:
        return [rect(x, y, CELL - 2, CELL - 2, "empty", tip=f"{tip}: does not vary")]
    square = rect(x, y, CELL - 2, CELL - 2, "plus" if value >= 0 else "minus", tip=f"{tip}: {_said(value)}")
    opacity = ("fill-opacity", f"{min(abs(value), 1) ** 0.7:.2f}")
    shaded = Mark(square.kind, square.style, (*square.attributes, opacity), tip=square.tip)
    style = "tick middle" + (" inverse" if abs(value) > 0.55 else " dark")
    return [shaded, text(x + CELL / 2 - 1, y + CELL / 2 + 3, _said(value), style)]


def moved_most(held: Correlations, among: Collection[str], most: int = MOST_PAIRS) -> list[tuple[str, str]]:
    """The pairs of some variables whose correlation changed most.

    Of equal ones, those that are most correlated in the original come first.
    """
    those = {
        pair: value for pair, value in held.original.items() if value is not None and set(pair) <= set(among)
    }
    known = [(round(abs(held.change(pair) or 0.0), 9), abs(value), pair) for pair, value in those.items()]
    return [pair for _, _, pair in sorted(known, key=lambda each: (-each[0], -each[1], each[2]))[:most]]


def with_choice(shown: Figure, smooth: Sequence[str], every: int) -> Figure:
    """The figure, saying of which numbers pairs are drawn beneath it, where that is not of all."""
    if len(smooth) == every:
        return shown
    chosen = f"Beneath, pairs of the {len(smooth)} numbers that are not mostly one value."
    return replace(shown, caption=f"{shown.caption} {chosen}")


@figure(chapter=PAIRS, order=10, measures=("dependence_change",), from_tables=True, public=True)
def pairs_of_numbers(scene: Scene) -> Iterator[Figure | None]:
    """The correlations, and the pairs that moved most or that the profile names.

    Contours of a pair; boxes where one of them has few values, but a quantile of a few records is not for the
    public.
    """
    pair, drawer = scene.pair, scene.drawer
    names = comparable_numbers(pair, lost_count=False)
    if isinstance(names, NotAssessed) or len(names) < 2:
        return
    found = correlations(pair, names, next(iter(drawer.taken("dependence_change")), None))
    smooth = [name for name in found.names if not is_mostly_one_value(pair, name)]
    named = scene.facts.profile.figures.pairs
    drawn = named or moved_most(found, smooth)
    yield with_choice(matrices(found), smooth if drawn and not named else found.names, len(found.names))
    for both in drawn:
        discrete = [] if drawer.public else [name for name in both if is_discrete(pair, name)]
        if discrete:
            other = next(name for name in both if name != discrete[0])
            yield boxes(pair, (discrete[0], other), drawer)
        else:
            held = surface(pair, both, drawer)
            yield contours(held) if held else None
