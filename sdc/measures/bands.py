"""Compares a number with the bands that the candidate has of it, at the limits of the bands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.data.release_pair import ReleasePair, Side
from sdc.data.sharing import shared

if TYPE_CHECKING:
    from sdc.arrays import Array


def recoded_numbers(pair: ReleasePair) -> tuple[str, ...]:
    """The numeric variables of which the original holds numbers and the candidate labels, or nothing."""
    return tuple(
        name
        for name in pair.roles.numeric
        if name in pair.original.columns
        and pair.original.is_numeric(name)
        and not (name in pair.candidate.columns and pair.candidate.is_numeric(name))
    )


def in_bands(pair: ReleasePair, column: str) -> bool:
    """Whether the candidate has bands of a numeric variable, each value in one of them.

    A single band has no limit inside at which anything could be compared.
    """
    import numpy as np

    if column not in recoded_numbers(pair) or column not in pair.candidate.columns:
        return False
    held = pair.containment(column)
    if held is None or held.partition is None or not held.partition.sound:
        return False
    return np.unique(held.partition.low).size != 1


@shared
def placed(pair: ReleasePair, column: str, side: Side) -> Array:
    """The numbers of a column in row order, NaN where missing; not to be written to.

    Where the candidate has bands of it, a value is the lower end of the band that holds it: what lies below a
    limit of the bands lies below it still.
    """
    import numpy as np

    held = pair.containment(column) if in_bands(pair, column) else None
    if held is None or held.partition is None:
        return pair.numbers(column, side)
    ends = dict(zip(held.partition.labels, held.partition.low.tolist(), strict=True))
    values = np.array([ends.get(label, np.nan) for label in pair.labels(column)] + [np.nan])
    outside = [place for place, label in enumerate(pair.labels(column)) if label not in ends]
    values[outside] = [float(pair.labels(column)[place]) for place in outside]
    values[np.isneginf(values)] = np.nanmin(values[np.isfinite(values)], initial=0.0) - 1
    numbers: Array = values[pair.places(column, side)]
    numbers.setflags(write=False)
    return numbers
