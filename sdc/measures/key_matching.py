"""How an intruder compares what is known with what is released: by value, by class, or by label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.sharing import shared
from sdc.measures.classing import Binning, ClassesOf
from sdc.measures.found import Found
from sdc.measures.overlapping_labels import Contained, overlapping
from sdc.statistics.counts.equivalence import alike, narrow

if TYPE_CHECKING:
    from sdc.arrays import Array
    from sdc.data.classes import Classed


BOTH = (Side.ORIGINAL, Side.CANDIDATE)
GLANCE = 10_000


def compared_by(
    pair: ReleasePair,
    columns: Sequence[str],
    *,
    bins: int | None = None,
    binning: Binning = "equal_frequency",
    edges: Mapping[str, Sequence[float]] | None = None,
    classes: ClassesOf = "pooled",
    overlap: bool = False,
) -> list[str | Classed] | NotAssessed:
    """How each column is compared between original and candidate, or why it cannot be.

    With `overlap`, ranges may overlap.

    Numbers are compared by the classes of the edges given (a value beyond them matches nothing), else by so
    many bins, else by value. Bins are made on both tables pooled or on the candidate alone; a variable with
    no more values than bins is compared by its values. A generalised column is compared by the labels of the
    candidate.
    """
    lacking = [column for column in columns if any(column not in pair.table(side).columns for side in BOTH)]
    if lacking:
        return NotAssessed(f"not in both tables: {', '.join(lacking)}")
    return pair.incomparable(columns, overlap=overlap) or [
        _compared(pair, column, bins, binning, (edges or {}).get(column, ()), classes) for column in columns
    ]


def _compared(
    pair: ReleasePair,
    column: str,
    bins: int | None,
    binning: Binning,
    edges: Sequence[float],
    classes: ClassesOf,
) -> str | Classed:
    if not all(pair.table(side).is_numeric(column) for side in BOTH) or not pair.roles[column].numeric:
        return column
    if edges:
        return pair.classed(column, edges=edges, closed=True)
    if bins is None or _has_few_values(pair, column, bins):
        return column
    return pair.classed(
        column, bins=bins, equal_frequency=binning == "equal_frequency", closed=classes == "candidate"
    )


@shared
def _has_few_values(pair: ReleasePair, column: str, few: int) -> bool:
    import numpy as np

    def distinct(rows: slice) -> int:
        pooled = np.concatenate([pair.numbers(column, side)[rows] for side in BOTH])
        return int(np.unique(pooled[~np.isnan(pooled)]).size)

    return distinct(slice(GLANCE)) <= few and distinct(slice(None)) <= few


@shared
def classes_together(pair: ReleasePair, columns: Sequence[str | Classed]) -> Array:
    """The class on the columns of each record of the original, then of the candidate."""
    import numpy as np

    together = (np.concatenate([pair.places(column, side) for side in BOTH]) for column in columns)
    return narrow(*alike(together))


def found_in(classes: Array, targets: Array, own: int) -> tuple[Found, Found]:
    """Which records of the original, and of the candidate, each record of the original finds."""
    import numpy as np

    def counted(classes: Array, records: slice) -> Array:
        """How many of the records are in the class of each record of the original."""
        counts = np.bincount(classes[records], minlength=int(classes.max(initial=-1)) + 1)
        return narrow(counts, classes.size)[classes[:own]]

    tables = slice(own), slice(own, None)
    matches = [counted(classes, records) for records in tables]
    cells = narrow(*alike([classes, targets]))
    hits = [counted(cells, records) for records in tables]
    return Found(matches[0], hits[0]), Found(matches[1], hits[1])


def found_by(pair: ReleasePair, keys: Sequence[str | Classed], target: str | Classed) -> tuple[Found, Found]:
    """Which records each original record finds by keys and target; by containment where ranges overlap."""
    if not overlapping(pair, keys):
        return found_in(classes_together(pair, keys), classes_together(pair, [target]), pair.original.rows)
    return _contained(pair, keys).found(*(pair.places(target, side) for side in BOTH))


@shared
def _contained(pair: ReleasePair, keys: Sequence[str | Classed]) -> Contained:
    return Contained.of(pair, keys, Side.ORIGINAL)


def riskiest(
    targets: Sequence[str], assessed: Callable[[str], Measurement | NotAssessed]
) -> Measurement | NotAssessed:
    """The largest value over several targets with its parts, and the value of each.

    It is not assessed when one of them is not.
    """
    outcomes = {target: assessed(target) for target in targets}
    for outcome in outcomes.values():
        if isinstance(outcome, NotAssessed):
            return outcome
    values = {target: outcome for target, outcome in outcomes.items() if isinstance(outcome, Measurement)}
    worst = max(values.values(), key=lambda outcome: outcome.value)
    return Measurement(
        worst.value,
        {**worst.parts, **{f"value.{target}": each.value for target, each in values.items()}},
        by_record=worst.by_record,
    )
