"""Records that can be compared on several numbers at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import NOT_COMPARED, NotAssessed
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import BOTH, comparable_numbers

if TYPE_CHECKING:
    from sdc.arrays import Array


LEAST_SHARE = 0.5


@dataclass(frozen=True)
class CompleteRecords:
    """The records of either table that have a value in every column: a row for each, a column for each."""

    columns: tuple[str, ...]
    original: Array
    candidate: Array
    thinned: tuple[str, ...] = ()
    """Variables left out because the candidate, and not the original, has fewer than half of the values."""

    def parts(self) -> dict[str, float]:
        return {
            "variables": len(self.columns),
            "original_records": len(self.original),
            "candidate_records": len(self.candidate),
            **{f"{NOT_COMPARED}.{name}": 1 for name in self.thinned},
        }


def complete_records(pair: ReleasePair, variables: Sequence[str] | None) -> CompleteRecords | NotAssessed:
    """The complete records on the numeric variables named, or why there are none.

    Unless named, the variables are those of which both tables have at least half of the values.
    """
    import numpy as np

    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    thinned: tuple[str, ...] = ()
    held = [np.column_stack([pair.numbers(column, side) for column in columns]) for side in BOTH]
    if not variables:
        before, after = ((~np.isnan(points)).mean(axis=0) >= LEAST_SHARE for points in held)
        often = before & after
        chosen = often if often.any() else np.ones(len(columns), dtype=bool)
        lost = before & ~after & ~chosen
        thinned = tuple(column for column, left in zip(columns, lost, strict=True) if left)
        columns = tuple(column for column, kept in zip(columns, chosen, strict=True) if kept)
        held = [points[:, chosen] for points in held]
    original, candidate = (points[~np.isnan(points).any(axis=1)] for points in held)
    if lacking := [
        side.value for side, points in zip(BOTH, (original, candidate), strict=True) if not len(points)
    ]:
        return NotAssessed(
            f"no record of the {' and the '.join(lacking)} has a value in each of {len(columns)} variables"
        )
    return CompleteRecords(columns, original, candidate, thinned)
