"""Do categories still occur together as before? Mosaics, and how well every two-way table fits."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from sdc.catalogue.measurement import Measurement
from sdc.data.release_pair import Side
from sdc.measures.comparison import classed
from sdc.report.drawing import Drawing, Mark, rect, text
from sdc.report.figures.pairs import breadth, left_out, looked_at, most_changed, row_names, selection
from sdc.report.figures.plot import percent
from sdc.report.views import Figure
from sdc.statistics.counts.contingency import TwoCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.catalogue.measurement import Assessment
    from sdc.data.release_pair import ReleasePair
    from sdc.report.figures.draw import Drawer

MOST_VARIABLES, FEWER_VARIABLES = 14, 8
AFFORDABLE = 200_000_000
"""Records in all pairs together that are counted for one report."""
GROUPS, MOST_LEVELS, FEW_LEVELS = 5, 8, 4
CELL, MOST_CELLS = 30, 1_000_000
MOSAIC, GAP = 300, 60
Weights = dict[tuple[str, ...], float]


@dataclass(frozen=True)
class Fits:
    """Total variation by pair of the variables looked at.

    `known` is how many there are, `left_out` those that cannot be compared.
    """

    names: tuple[str, ...]
    values: dict[tuple[str, str], float]
    known: int
    left_out: tuple[str, ...] = ()
    source: str = ""
    """The measurement the values are parts of, where there is one."""
    singles: dict[str, float] = field(default_factory=dict)
    """Total variation of each variable by itself, in the same groups."""

    def net(self, both: tuple[str, str]) -> float:
        """What a table of two has beyond the worse of its single variables.

        That much is owed to how they go together.
        """
        return max(self.values[both] - max(self.singles.get(name, 0.0) for name in both), 0.0)


def fits(pair: ReleasePair, names: Sequence[str], assessment: Assessment | None = None) -> Fits:
    """Total variation between the two tables for each pair of variables.

    The share of records that would have to move.

    It is the part `specks` of a table_fit, where that was measured. Else numbers are cut into five groups; a
    missing value is a category.
    """
    sound = [name for name in names if pair.incomparable([name]) is None]
    if assessment and isinstance(assessment.outcome, Measurement):
        parts = assessment.outcome.parts
        found = {
            both: parts[part]
            for both in combinations(names, 2)
            if (part := f"specks.{both[0]}+{both[1]}") in parts
        }
        those = tuple(name for name in names if any(name in both for both in found))
        if found and len(found) == len(those) * (len(those) - 1) // 2:
            groups = int(assessment.options.get("groups", GROUPS))
            singles = {name: single_table(pair, name, groups).total_variation for name in those}
            return Fits(
                those,
                found,
                len(those),
                tuple(name for name in names if name not in sound),
                assessment.alias,
                singles,
            )
    held = looked_at(sound, pair.original.rows + pair.candidate.rows, AFFORDABLE, FEWER_VARIABLES)
    places = {
        name: [pair.places(classed(pair, name, GROUPS), side) + 1 for side in (Side.ORIGINAL, Side.CANDIDATE)]
        for name in held
    }
    values = {
        (one, two): TwoCounts.of(*_crossed(places[one], places[two])).total_variation
        for one, two in combinations(held, 2)
    }
    singles = {name: single_table(pair, name, GROUPS).total_variation for name in held}
    return Fits(held, values, len(sound), tuple(name for name in names if name not in sound), singles=singles)


def single_table(pair: ReleasePair, name: str, groups: int) -> TwoCounts:
    cells = pair.cells([classed(pair, name, groups)])
    return TwoCounts.of(cells.original, cells.candidate)


def _crossed(one: list[Any], two: list[Any]) -> list[Any]:
    """Counts of the cells of two coded columns, in both tables.

    Of cells nobody is in only while they are few.
    """
    import numpy as np

    width = 1 + max(int(codes.max(initial=0)) for codes in two)
    size = width * (1 + max(int(codes.max(initial=0)) for codes in one))
    cells = [a.astype(np.int64) * width + b for a, b in zip(one, two, strict=True)]
    if size > MOST_CELLS:
        met, codes = np.unique(np.concatenate(cells), return_inverse=True)
        cells, size = np.split(codes, [cells[0].size]), met.size
    return [np.bincount(each, minlength=size) for each in cells]


def heat_map(held: Fits) -> Figure:
    """A square for each pair.

    The darker, the more records would have to move beyond what single variables explain.
    """
    names = most_changed(held.names, held.values, MOST_VARIABLES)
    found = {pair: held.values[pair] for pair in combinations(names, 2)}
    net = {pair: held.net(pair) for pair in found}
    left, marks = row_names(names, 24, CELL)
    darkest = max(*net.values(), 0.02)
    marks += [
        text(left + number * CELL + CELL / 2, 16, str(number + 1), "tick middle")
        for number in range(len(names) - 1)
    ]
    for (one, two), value in net.items():
        x, y = left + names.index(one) * CELL, 24 + names.index(two) * CELL
        square = rect(
            x,
            y,
            CELL - 2,
            CELL - 2,
            "plus",
            tip=f"{one} and {two}: {percent(found[one, two])}, net {percent(value)}",
        )
        marks.append(
            Mark(
                square.kind,
                square.style,
                (*square.attributes, ("fill-opacity", f"{(value / darkest) ** 0.7:.2f}")),
                tip=square.tip,
            )
        )
        style = "tick middle" + (" inverse" if value > 0.55 * darkest else " dark")
        marks.append(
            text(x + CELL / 2 - 1, y + CELL / 2 + 3, f"{100 * value:.{0 if darkest >= 0.1 else 1}f}", style)
        )
    worst = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    named = "; ".join(f"{one} and {two} {percent(value)}" for (one, two), value in worst[:3])
    caption = (
        f"How many records would have to move to another cell for the two tables to agree. Worst: {named}."
    )
    caption += f" As {held.source} measured it." if held.source else ""
    furthest = max(net, key=lambda pair: (net[pair], pair))
    caption += (
        " In the squares, in percent, what is left of it beyond the worse of the two variables alone: most"
        f" for {' and '.join(furthest)}."
    )
    told = (
        f"{caption}"
        f" {selection(len(names), len(held.names), held.known, 'variables')}{left_out(held.left_out)}"
    )
    drawing = Drawing(
        int(left + len(names) * CELL), 30 + len(names) * CELL, tuple(marks), "Fit of two-way tables"
    )
    rows = tuple((f"{one} and {two}", percent(value), percent(net[one, two])) for (one, two), value in worst)
    heads = ("variables", "records that would have to move", "beyond single variables")
    return Figure(
        "two-way-fits", "Fit of two-way tables", told, drawing, heads, rows, wide=True, categories_of=()
    )


@dataclass(frozen=True)
class Mosaic:
    """Weighted shares of both tables by the values of two or three variables."""

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    original: Weights
    candidate: Weights
    weighted: bool


def mosaic(pair: ReleasePair, names: tuple[str, ...], drawer: Drawer) -> Mosaic | None:
    """Sums of weights (or records) by combination; records with a missing value are left out.

    In public counts are rounded to the threshold, and combinations of fewer original records are left out of
    both.
    """
    if pair.incomparable(names) is not None or any(pair.containment(name) for name in names):
        return None
    sides = [_weights(pair, names, side, drawer) for side in (Side.ORIGINAL, Side.CANDIDATE)]
    if drawer.public:
        few = {key for key, count in _counts(pair, names).items() if count < drawer.threshold}
        sides = [{key: weight for key, weight in held.items() if key not in few} for held in sides]
    if not all(sides):
        return None
    seen = [sorted({key[place] for held in sides for key in held}) for place in range(len(names))]
    levels = tuple(
        tuple(level for level in pair.levels(name) if level in found)
        for name, found in zip(names, seen, strict=True)
    )
    worded = tuple(
        tuple(drawer.value(name, level) for level in held) for name, held in zip(names, levels, strict=True)
    )
    weights = [
        {tuple(map(drawer.value, names, key)): weight for key, weight in held.items()} for held in sides
    ]
    return Mosaic(names, worded, weights[0], weights[1], pair.roles.weight is not None)


def _counts(pair: ReleasePair, names: tuple[str, ...]) -> dict[tuple[str, ...], int]:
    held = pair.combinations(names, Side.ORIGINAL)
    keys = (
        tuple(levels[code] for code, levels in zip(codes, held.levels, strict=True))
        for codes in held.codes.tolist()
    )
    return dict(zip(keys, held.count.tolist(), strict=True))


def _weights(pair: ReleasePair, names: tuple[str, ...], side: Side, drawer: Drawer) -> Weights:
    held = pair.combinations(names, side)
    weights = held.count if held.weights is None else held.weights
    made: Weights = {}
    for codes, count, weight in zip(held.codes.tolist(), held.count.tolist(), weights.tolist(), strict=True):
        kept = round(count / drawer.threshold) * drawer.threshold if drawer.public else count
        if min(codes) >= 0 and kept:
            made[tuple(levels[code] for code, levels in zip(codes, held.levels, strict=True))] = (
                weight * kept / count
            )
    return made


def mosaics(held: Mosaic) -> Figure:
    """One square for each table, cut along the first variable, then across the second (and along the third)."""
    marks: list[Mark] = []
    left = 12 + max(breadth(level) for level in held.levels[1])
    for block, (title, weights) in enumerate((("original", held.original), ("candidate", held.candidate))):
        x = left + block * (MOSAIC + GAP)
        marks.append(text(x, 12, title, f"strong {title}"))
        marks += _tiles(held, weights, (x, 36.0, float(MOSAIC), float(MOSAIC)), ())
        marks += _column_names(held, weights, x)
    marks += _row_names(held, left - 6)
    colours = _colour_names(held, left) if len(held.names) > 2 else []
    name = " by ".join(held.names)
    height = MOSAIC + (68 if colours else 44)
    drawing = Drawing(
        int(left + 2 * MOSAIC + GAP + 8),
        height,
        (*marks, *colours),
        f"Mosaic of {name} in original and candidate",
    )
    caption = _caption(held)
    return Figure(
        "mosaic-" + "-".join(held.names),
        f"Mosaic of {name}",
        caption,
        drawing,
        (name, "original", "candidate"),
        _rows(held),
        wide=True,
        categories_of=held.names,
    )


def _caption(held: Mosaic) -> str:
    what = "Weighted shares" if held.weighted else "Shares"
    third = (
        f" Each tile is cut once more, from left to right, by {held.names[2]}, which the colours tell."
        if len(held.names) > 2
        else ""
    )
    first, second, *_ = held.names
    return (
        f"{what} of the records: the width of a column is the share of {first}, the height of a tile that of"
        f" {second} within it.{third}"
    )


def _colour_names(held: Mosaic, x: float) -> list[Mark]:
    """The values of the third variable beneath, each beside its colour."""
    marks, foot = [text(x, MOSAIC + 57, f"{held.names[2]}:", "axis")], MOSAIC + 48
    x += 14 + len(held.names[2]) * 6.6
    for place, level in enumerate(held.levels[2]):
        marks += [rect(x, foot, 11, 11, f"level-{place % 8}"), text(x + 16, foot + 9, level, "tick")]
        x += 34 + len(level) * 6.2
    return marks


def _inside(weights: Weights, key: tuple[str, ...]) -> float:
    return sum(weight for levels, weight in weights.items() if levels[: len(key)] == key)


def _tiles(
    held: Mosaic, weights: Weights, box: tuple[float, float, float, float], key: tuple[str, ...]
) -> list[Mark]:
    """Cut a box among the levels of the next variable, across at every second cut."""
    x, y, width, height = box
    depth, total = len(key), _inside(weights, key)
    marks: list[Mark] = []
    for place, level in enumerate(held.levels[depth]):
        share = _inside(weights, (*key, level)) / total if total else 0.0
        part = (x, y, width * share, height) if depth % 2 == 0 else (x, y, width, height * share)
        if depth + 1 < len(held.names):
            marks += _tiles(held, weights, part, (*key, level))
        elif share:
            whole = _inside(weights, (*key, level)) / max(_inside(weights, ()), 1e-12)
            tip = f"{', '.join((*key, level))}: {percent(whole)}"
            marks.append(
                rect(
                    part[0] + 0.75,
                    part[1] + 0.75,
                    part[2] - 1.5,
                    part[3] - 1.5,
                    f"level-{place % 8}",
                    tip=tip,
                )
            )
        x, y = (x + part[2], y) if depth % 2 == 0 else (x, y + part[3])
    return marks


def _column_names(held: Mosaic, weights: Weights, x: float) -> list[Mark]:
    marks, total = [], max(_inside(weights, ()), 1e-12)
    for level in held.levels[0]:
        width = MOSAIC * _inside(weights, (level,)) / total
        fits = int(width / 6.2)
        if fits >= 2:
            marks.append(
                text(
                    x + width / 2, 31, level if len(level) <= fits else level[: fits - 1] + "…", "tick middle"
                )
            )
        x += width
    return marks


def _row_names(held: Mosaic, x: float) -> list[Mark]:
    """Names of the second variable beside the first column of the first mosaic."""
    marks, y, first = [], 36.0, held.levels[0][0]
    total = max(_inside(held.original, (first,)), 1e-12)
    for level in held.levels[1]:
        height = MOSAIC * _inside(held.original, (first, level)) / total
        if height >= 10:
            marks.append(text(x, y + height / 2 + 4, level, "tick end"))
        y += height
    return marks


def _rows(held: Mosaic) -> tuple[tuple[str, ...], ...]:
    totals = [max(_inside(weights, ()), 1e-12) for weights in (held.original, held.candidate)]
    keys = sorted(held.original.keys() | held.candidate.keys())
    return tuple(
        (
            ", ".join(key),
            percent(held.original.get(key, 0) / totals[0]),
            percent(held.candidate.get(key, 0) / totals[1]),
        )
        for key in keys
    )
