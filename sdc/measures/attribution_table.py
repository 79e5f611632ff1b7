"""How often an intruder is right in each class of key and target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.data.classes import Cells, Classed
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.key_matching import BOTH
from sdc.measures.overlapping_labels import Contained, overlapping
from sdc.statistics.attribution.lookup import AttributionCells
from sdc.statistics.counts.equivalence import alike
from sdc.statistics.counts.segments import spread

if TYPE_CHECKING:
    from sdc.arrays import Array


MOST_NAMED = 100


@dataclass(frozen=True)
class AttributionTable:
    """The cells of key and target with original records in them; `levels` is the number of targets.

    `inclusion` is the share of the people of each cell's key who are in the original, by the population file;
    `name` says what a cell is, and is None where ranges overlap.
    """

    cells: AttributionCells
    levels: int
    inclusion: Array
    name: Callable[[int], str] | None = None

    def named(self, scores: Array, least: int) -> dict[str, float]:
        """CAP by name of the matched cells with at least so many original records, smallest gain first."""
        import numpy as np

        if self.name is None:
            return {"classes_left_out": int(self.cells.matched.sum())}
        gains = self.cells.in_original - scores
        shown = np.flatnonzero(self.cells.matched & (self.cells.records >= least))
        shown = shown[np.lexsort((-self.cells.records[shown], gains[shown]))][:MOST_NAMED]
        found = {}
        for cell in shown.tolist():
            told = {
                "cap_original": self.cells.in_original[cell],
                "cap_candidate": scores[cell],
                "records": self.cells.records[cell],
            }
            found.update({f"{part}.{self.name(cell)}": float(value) for part, value in told.items()})
        if shown.size:
            found[f"worst_class.{self.name(int(shown[0]))}"] = float(gains[shown[0]])
        return {**found, "classes_left_out": int(self.cells.matched.sum()) - shown.size}


def attribution_table(
    pair: ReleasePair, keys: Sequence[str | Classed], target: str | Classed, *, population: bool
) -> AttributionTable:
    """The table by the classes both tables share or, where ranges of the keys overlap, by containment."""
    import numpy as np

    columns = [*keys, target]
    if overlapping(pair, keys):
        return _by_containment(pair, keys, target, population=population)
    table = pair.crosstab(keys, target)
    known = np.flatnonzero(table.original > 0)
    inclusion = spread(_inclusion(pair, keys), table.offsets)[known] if population else np.ones(known.size)
    levels = len(table.levels) + int((table.target < 0).any())
    no_class = None
    if isinstance(target, Classed) and target.limits is not None:
        no_class = pair.cells(columns).codes[:, -1] > len(target.edges)
    cells = AttributionCells.of(table.offsets, table.original, table.candidate, no_class)
    return AttributionTable(
        cells, levels, inclusion, lambda cell: _named(columns, pair.cells(columns), int(known[cell]))
    )


def _inclusion(pair: ReleasePair, keys: Sequence[str | Classed]) -> Array:
    """For the classes of original and candidate, the share of the people who are in the original."""
    import numpy as np

    original, candidate, people = pair.counts(keys, *BOTH, Side.POPULATION)
    held = (original > 0) | (candidate > 0)
    share: Array = original[held] / np.maximum(np.maximum(people, original)[held], 1)
    return share


def _by_containment(
    pair: ReleasePair, keys: Sequence[str | Classed], target: str | Classed, *, population: bool
) -> AttributionTable:
    import numpy as np

    sides = [Side.ORIGINAL, *([Side.POPULATION] if population else [])]
    contained = Contained.of(pair, keys, *sides)
    exact, released = contained.found(*(pair.places(target, side) for side in BOTH))
    people = contained.people[Side.ORIGINAL]
    _, first, records = np.unique(
        alike([people, pair.places(target, Side.ORIGINAL)])[0], return_index=True, return_counts=True
    )
    # A key that no range holds is matched with nobody, and finds itself in the original.
    hits, matches = (np.where(exact.matched, counts, 1)[first] for counts in (exact.hits, exact.matches))
    cells = AttributionCells(records, hits, matches, released.hits[first], released.matches[first])
    levels = np.unique(np.concatenate([pair.places(target, side) for side in BOTH])).size
    inclusion = np.ones(first.size)
    if population:
        own, all_people = ((contained.holds @ contained.held(side))[people[first]] for side in sides)
        inclusion = own / np.maximum(np.maximum(all_people, own), 1)
    return AttributionTable(cells, levels, inclusion)


def _named(columns: Sequence[str | Classed], cells: Cells, place: int) -> str:
    """Variables with their values, or the borders of their classes."""
    told = []
    for column, code, levels in zip(columns, cells.codes[place].tolist(), cells.levels, strict=True):
        text = "missing" if code < 0 else column.label(code) if isinstance(column, Classed) else levels[code]
        told.append(f"{column if isinstance(column, str) else column.name}={text}")
    return ", ".join(told)
