"""Small multiples: a row for a variable, a column for a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from sdc.measures.comparison import is_number
from sdc.report.drawing import Drawing, Mark, line, rect, text
from sdc.report.figures.categories import Category, categories
from sdc.report.figures.categories import shift as shift_of_categories
from sdc.report.figures.distribution import shift as shift_of_numbers
from sdc.report.figures.figure_registry import MULTIPLES, figure
from sdc.report.figures.pairs import breadth
from sdc.report.figures.plot import Scale, percent, short
from sdc.report.figures.spread import Spread, spread
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdc.data.release_pair import ReleasePair
    from sdc.report.figures.scene import Drawer, Scene

MOST_ROWS, MOST_COLUMNS = 6, 6
WIDE, TALL, GAP, TOP = 150, 54, 18, 30
Held = Spread | list[Category]


@dataclass(frozen=True)
class Cell:
    """A variable in one candidate: as numbers or as categories, and ks_distance where it was measured."""

    held: Held
    measured: float | None

    @property
    def shift(self) -> float:
        return (
            shift_of_numbers(self.held) if isinstance(self.held, Spread) else shift_of_categories(self.held)
        )


def multiples(pairs: Mapping[str, ReleasePair], drawers: Mapping[str, Drawer]) -> Figure | None:
    """The variables that moved most in any candidate; only where there are several candidates."""
    shown = list(pairs)[:MOST_COLUMNS]
    if len(shown) < 2:
        return None
    names = dict.fromkeys(name for candidate in shown for name in pairs[candidate].roles.analysed)
    rows = {
        name: {candidate: _cell(pairs[candidate], name, drawers[candidate]) for candidate in shown}
        for name in names
    }
    moved = {
        name: max((cell.shift for cell in cells.values() if cell), default=0.0)
        for name, cells in rows.items()
    }
    chosen = sorted((name for name in rows if moved[name] > 0), key=lambda name: -moved[name])[:MOST_ROWS]
    return (
        _figure({name: rows[name] for name in chosen}, shown, sum(move > 0 for move in moved.values()))
        if chosen
        else None
    )


def _cell(pair: ReleasePair, name: str, drawer: Drawer) -> Cell | None:
    if name not in pair.original.columns or name not in pair.candidate.columns:
        return None
    held = spread(pair, name, drawer) if is_number(pair, name) else categories(pair, name, drawer)
    return Cell(held, drawer.part("ks_distance", f"distance.{name}")) if held else None


def _figure(rows: Mapping[str, Mapping[str, Cell | None]], shown: Sequence[str], moved: int) -> Figure:
    left = 12 + max(breadth(name) for name in rows)
    marks = [text(left + place * (WIDE + GAP), 14, name, "strong") for place, name in enumerate(shown)]
    table = []
    for row, (name, cells) in enumerate(rows.items()):
        top = TOP + row * (TALL + GAP + 14)
        marks.append(text(left - 8, top + TALL / 2 + 4, name, "end"))
        for place, candidate in enumerate(shown):
            if cell := cells[candidate]:
                marks += _small(cell, left + place * (WIDE + GAP), top)
        table.append((name, *(_told(cells[candidate]) for candidate in shown)))
    drawing = Drawing(
        int(left + len(shown) * (WIDE + GAP)),
        TOP + len(rows) * (TALL + GAP + 14),
        tuple(marks),
        "Variables by candidate",
    )
    which = (
        "All variables that moved"
        if moved == len(rows)
        else f"The {len(rows)} of {moved} variables that moved most in any candidate"
    )
    caption = (
        f"{which}: the original filled, the candidate outlined. Beneath: the largest difference drawn, and"
        " ks_distance as it was measured."
    )
    return Figure(
        "multiples",
        "Every candidate, variable by variable",
        caption,
        drawing,
        ("variable", *shown),
        tuple(table),
        wide=True,
        categories_of=(),
    )


def _told(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    return (
        percent(cell.shift)
        if cell.measured is None
        else f"{percent(cell.shift)}, ks_distance {short(cell.measured)}"
    )


def _small(cell: Cell, x: float, y: float) -> list[Mark]:
    bars = _of_numbers(cell.held, x) if isinstance(cell.held, Spread) else _of_categories(cell.held, x)
    scale = Scale(0, max(max(both) for _, _, both in bars) or 1.0, y + TALL, y)
    marks = [line(x, y + TALL, x + WIDE, y + TALL, "base")]
    for start, width, both in bars:
        for height, style, gap in ((both[0], "original", 0.4), (both[1], "candidate", 1.2)):
            marks.append(rect(start + gap / 2, scale(height), width - gap, y + TALL - scale(height), style))
    return [
        *marks,
        text(x, y + TALL + 12, _told(cell), "tick"),
        rect(x, y, WIDE, TALL, "hover", tip=_told(cell)),
    ]


def _of_numbers(held: Spread, x: float) -> list[tuple[float, float, tuple[float, float]]]:
    """Frequent single values as thin bars at the left, then the bins.

    For each it gives where it begins, how wide it is, and its height in both tables.
    """
    first, second = held.shares
    alone = [
        (x + 8 * place, 6.0, _shares(spike.original, spike.candidate, held))
        for place, spike in enumerate(held.spikes)
    ]
    tallest = max([max(both) for _, _, both in alone], default=0.0)
    edges, start = held.edges.tolist(), x + (8 * len(alone) + 4 if alone else 0)
    across = Scale(edges[0], edges[-1], start, x + WIDE, log=held.log)
    places = [(across(low), across(high) - across(low)) for low, high in pairwise(edges)]
    bins = [(*place, (float(one), float(two))) for place, one, two in zip(places, first, second, strict=True)]
    # Bars of single values would leave nothing to see of the others: both reach the top.
    largest = max(max(both) for _, _, both in bins) or 1.0
    ratio = tallest / largest if tallest else 1.0
    return [*alone, *((begin, width, (both[0] * ratio, both[1] * ratio)) for begin, width, both in bins)]


def _shares(original: int, candidate: int, held: Spread) -> tuple[float, float]:
    return original / max(held.total[0], 1), candidate / max(held.total[1], 1)


def _of_categories(found: Sequence[Category], x: float) -> list[tuple[float, float, tuple[float, float]]]:
    totals = [max(sum(each.original for each in found), 1), max(sum(each.candidate for each in found), 1)]
    width = min(WIDE / len(found), 26)
    return [
        (x + place * width, width - 2, (each.original / totals[0], each.candidate / totals[1]))
        for place, each in enumerate(found)
    ]


@figure(chapter=MULTIPLES, measures=("ks_distance",), from_tables=True)
def candidates_side_by_side(scene: Scene) -> Iterator[Figure | None]:
    """Every candidate beside the others, the one the report is about first."""
    facts = scene.facts
    if facts.focus is None:
        return
    others = {name: other for name, other in scene.others.items() if name != facts.focus.name}
    pairs = {facts.focus.name: scene.pair, **others}
    measured = {candidate.name: candidate.assessments for candidate in facts.candidates}
    yield multiples(
        pairs, {name: replace(scene.drawer, assessments=measured.get(name, ())) for name in pairs}
    )
