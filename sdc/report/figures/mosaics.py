"""Mosaics of two and three variables, in both tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.data.release_pair import Side
from sdc.measures.comparison import is_number
from sdc.report.drawing import Drawing, Mark, rect, text
from sdc.report.figures.figure_registry import TABLES, figure
from sdc.report.figures.pairs import breadth
from sdc.report.figures.plot import percent
from sdc.report.figures.scene import shared
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.data.release_pair import ReleasePair
    from sdc.report.figures.scene import Drawer, Scene

MOST_LEVELS, FEW_LEVELS = 8, 4
MOST_CELLS = 1_000_000
MOSAIC, GAP = 300, 60
Weights = dict[tuple[str, ...], float]


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

    In the public edition counts are rounded to the threshold, and combinations of fewer original records are
    left out of both.
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
    levels = tuple(pair.in_order(name, set(found)) for name, found in zip(names, seen, strict=True))
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
    """One square for each table, cut along the first variable, across the second and along the third."""
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


def crossed(pair: ReleasePair) -> tuple[str, ...]:
    """Variables worth a mosaic: the first key, the first sensitive variable (or second key), and one more.

    The first two have a handful of values, the third has few.
    """
    few = [
        name
        for name in shared(pair)
        if not is_number(pair, name)
        and not pair.containment(name)
        and 1 < _different(pair, name) <= MOST_LEVELS
    ]
    keys = [name for name in pair.roles.quasi_identifiers if name in few]
    others = [
        name for name in (*pair.roles.sensitive, *keys[1:], *few) if name in few and name not in keys[:1]
    ]
    first = list(dict.fromkeys([*keys[:1], *others]))
    third = [
        name
        for name in (*keys[1:], *first[2:])
        if name not in first[:2] and _different(pair, name) <= FEW_LEVELS
    ]
    return (*first[:2], *third[:1])


def _different(pair: ReleasePair, name: str) -> int:
    """How many values both tables have of a variable that was not made coarser."""
    return len(pair.cells([name]).levels[0])


@figure(chapter=TABLES, order=20, from_tables=True, public=True)
def mosaics_of_tables(scene: Scene) -> Iterator[Figure | None]:
    """Mosaics of tables; in public of two variables only.

    A table of three would reveal what the table of two leaves out.
    """
    names = crossed(scene.pair)
    for count in (2,) if scene.drawer.public else (2, 3):
        held = mosaic(scene.pair, names[:count], scene.drawer) if len(names) >= count else None
        yield mosaics(held) if held else None
