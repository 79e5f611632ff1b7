"""Shares of the categories of a variable in both tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sdc.measures.comparison import is_number
from sdc.report import wording
from sdc.report.build import Drawn
from sdc.report.drawing import Drawing, rect, text
from sdc.report.figures.figure_registry import variable_figure
from sdc.report.figures.plot import Scale, percent
from sdc.report.figures.scene import MISSING
from sdc.report.views import Figure
from sdc.statistics.coarsening.bands import parse_band

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.data.release_pair import ReleasePair
    from sdc.report.drawing import Mark
    from sdc.report.figures.scene import Drawer

MOST = 14
WIDTH, ROW, NAMES = 310, 30, 118
OTHERS = "other values"


@dataclass(frozen=True)
class Category:
    """A value with its records in both tables; `joined` says how many values it stands for."""

    label: str
    original: int
    candidate: int
    joined: int = 1


def categories(pair: ReleasePair, name: str, drawer: Drawer) -> list[Category] | None:
    """The values of a variable that may be shown, in their order.

    It is None where the tables cannot be matched or too little is left.
    """
    held = pair.containment(name)
    if held is not None and held.problem:
        return None
    cells = pair.cells([name])
    found = [
        Category(MISSING if code < 0 else cells.levels[0][code], int(original), int(candidate))
        for code, original, candidate in zip(
            cells.codes[:, 0].tolist(), cells.original, cells.candidate, strict=True
        )
    ]
    ordered = in_order(found, pair.roles[name].order)
    shown = joined(ordered, drawer.least if drawer.public else 0)
    named = {each.label: drawer.value(name, each.label) for each in found if each.label != MISSING}
    return (
        [replace(each, label=named.get(each.label, each.label)) for each in shown] if len(shown) > 1 else None
    )


def in_order(found: Sequence[Category], order: Sequence[str]) -> list[Category]:
    """In declared order, by the numbers labels stand for, or the most frequent first; missing comes last."""
    bands = {category.label: parse_band(category.label) for category in found if category.label != MISSING}
    ranged = all(bands.values())

    def place(category: Category) -> tuple[bool, float, str]:
        if category.label in order:
            return (False, order.index(category.label), "")
        band = bands.get(category.label)
        return (
            category.label == MISSING,
            band.low if ranged and band else -category.original,
            category.label,
        )

    return sorted(found, key=place)


def joined(found: Sequence[Category], least: int, most: int = MOST) -> list[Category]:
    """Rare values, values the candidate does not have and values beyond the most shown become one.

    Where even together they are too few, the smallest of the others joins them: nobody finds them by
    subtraction.
    """
    too_few = [
        bool(least and (0 < category.original < least or not category.candidate)) for category in found
    ]
    hidden = [category for category, hides in zip(found, too_few, strict=True) if hides]
    shown = [category for category, hides in zip(found, too_few, strict=True) if not hides]
    by_size = sorted(shown, key=lambda category: (-category.original, category.label))
    hidden += by_size[most:]
    shown = [category for category in shown if category in by_size[:most]]
    while hidden and shown and sum(category.original for category in hidden) < least:
        smallest = min(shown, key=lambda category: (category.original, category.label))
        shown.remove(smallest)
        hidden.append(smallest)
    if not hidden:
        return shown
    together = Category(
        OTHERS, sum(held.original for held in hidden), sum(held.candidate for held in hidden), len(hidden)
    )
    return [
        *shown,
        replace(
            together,
            label=f"{len(hidden)} {OTHERS}" if len(hidden) > 1 else hidden[0].label if not least else OTHERS,
        ),
    ]


def bars(name: str, found: Sequence[Category]) -> Figure:
    """Two bars for each value, with the share at their end."""
    totals = [max(sum(held.original for held in found), 1), max(sum(held.candidate for held in found), 1)]
    pairs = [(held.original / totals[0], held.candidate / totals[1]) for held in found]
    scale = Scale(0, max(max(pair) for pair in pairs) or 1, NAMES, WIDTH - 46)
    marks: list[Mark] = []
    rows = []
    for place, (held, (first, second)) in enumerate(zip(found, pairs, strict=True)):
        top = 6 + place * ROW
        marks.append(text(NAMES - 8, top + 17, _fit(held.label), "end"))
        for share, style, y in ((first, "original", top + 2), (second, "candidate", top + 13)):
            marks.append(rect(NAMES, y, scale(share) - NAMES, 9, style))
        tip = f"{held.label}: original {percent(first)}, candidate {percent(second)}"
        marks += [
            text(scale(max(first, second)) + 6, top + 17, percent(second), "tick"),
            rect(0, top, WIDTH, ROW, "hover", tip=tip),
        ]
        rows.append((held.label, percent(first), percent(second)))
    worst = max(range(len(found)), key=lambda place: abs(pairs[place][0] - pairs[place][1]))
    first, second = pairs[worst]
    apart = (
        f"Furthest apart: {found[worst].label}, {percent(first)} of the original and {percent(second)} of the"
        " candidate."
    )
    caption = apart if first != second else "The same in both tables."
    drawing = Drawing(WIDTH, 12 + ROW * len(found), tuple(marks), f"Bars of {name} in original and candidate")
    heads = ("value", "original", "candidate")
    return Figure(
        wording.anchor("bars", name), "Shares", caption, drawing, heads, tuple(rows), categories_of=(name,)
    )


def shift(found: Sequence[Category]) -> float:
    """The largest difference of two shares that are drawn."""
    totals = [max(sum(held.original for held in found), 1), max(sum(held.candidate for held in found), 1)]
    return max(abs(held.original / totals[0] - held.candidate / totals[1]) for held in found)


def _fit(label: str, most: int = 18) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


@variable_figure(order=20)
def category_shares(pair: ReleasePair, name: str, drawer: Drawer) -> Drawn | None:
    """The bars of a variable that holds no numbers."""
    found = None if is_number(pair, name) else categories(pair, name, drawer)
    return Drawn((bars(name, found),), shift(found)) if found else None
