"""How well every two-way table of the candidate fits that of the original, as a heat map."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from sdc.catalogue.measurement import Measurement
from sdc.data import sharing
from sdc.data.release_pair import Side
from sdc.measures.comparison import classed
from sdc.report.drawing import Drawing, Mark, rect, text
from sdc.report.figures.figure_registry import TABLES, figure
from sdc.report.figures.pairs import left_out, looked_at, most_changed, row_names, selection
from sdc.report.figures.plot import percent
from sdc.report.figures.scene import shared
from sdc.report.views import Figure
from sdc.statistics.counts.contingency import TwoCounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdc.catalogue.measurement import Assessment
    from sdc.data.release_pair import ReleasePair
    from sdc.report.figures.scene import Scene

MOST_VARIABLES, FEWER_VARIABLES = 14, 8
AFFORDABLE = 200_000_000
"""Records in all pairs together that are counted for one report."""
GROUPS = 5
CELL, MOST_CELLS = 30, 1_000_000


@dataclass(frozen=True)
class Fits:
    """Total variation by pair of the variables examined.

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

        This much comes from how they depend on each other.
        """
        return max(self.values[both] - max(self.singles.get(name, 0.0) for name in both), 0.0)


def fits(pair: ReleasePair, names: Sequence[str], assessment: Assessment | None = None) -> Fits:
    """Total variation between the two tables for each pair of variables: the share of records to move.

    It is the part `specks` of a table_fit, where that was measured. Otherwise numbers are cut into five
    groups; a missing value is a category.
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
    singles = {name: single_table(pair, name, GROUPS).total_variation for name in held}
    values = _counted(pair, held)
    return Fits(held, values, len(sound), tuple(name for name in names if name not in sound), singles=singles)


@sharing.shared
def _counted(pair: ReleasePair, held: Sequence[str]) -> dict[tuple[str, str], float]:
    """Total variation by pair of variables, counted once for both editions."""
    places = {
        name: [pair.places(classed(pair, name, GROUPS), side) + 1 for side in (Side.ORIGINAL, Side.CANDIDATE)]
        for name in held
    }
    return {
        (one, two): TwoCounts.of(*_crossed(places[one], places[two])).total_variation
        for one, two in combinations(held, 2)
    }


def single_table(pair: ReleasePair, name: str, groups: int) -> TwoCounts:
    cells = pair.cells([classed(pair, name, groups)])
    return TwoCounts.of(cells.original, cells.candidate)


def _crossed(one: list[Any], two: list[Any]) -> list[Any]:
    """Counts of the cells of two coded columns, in both tables.

    Empty cells are included only while they are few.
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
    """A square for each pair: darker where more records would have to move.

    Only moves beyond what single variables explain are counted.
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


@figure(chapter=TABLES, order=10, measures=("table_fit",), from_tables=True, public=True)
def fit_of_two_way_tables(scene: Scene) -> Iterator[Figure | None]:
    pair = scene.pair
    taken = next((held for held in scene.drawer.taken("table_fit") if held.options.get("ways", 2) == 2), None)
    found = fits(pair, shared(pair), taken) if pair.original.rows and pair.candidate.rows else None
    if found and found.values:
        yield heat_map(found)
