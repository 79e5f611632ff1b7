"""Do variables still go together as they did?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from sdc.catalogue import Better, Column, Family, Need, measure
from sdc.comparison import BOTH, comparable_numbers
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair, Side
from sdc.statistics.dependence import Correlation, correlation, kendall, midranks, together
from sdc.statistics.ordering import places

Array = np.ndarray[Any, Any]


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    bounds=(0, 2),
    needs=(Need.NUMERIC,),
    parts="correlation.VARIABLE.VARIABLE covariance.VARIABLE.VARIABLE",
)
def dependence_change(
    pair: ReleasePair, *, kind: Correlation = Correlation.PEARSON, variables: list[Column] | None = None
) -> Measurement | NotAssessed:
    """The largest absolute change of a correlation over all pairs of numeric variables.

    `correlation` and `covariance` (n - 1) are candidate minus original. Each pair uses the records that have both
    values; a variable that does not vary has correlation 0. Kendall's is tau-b. No p-value is given: the
    tables are dependent.

    Reference: Benschop, Machingauta and Welch (2019), Statistical Disclosure Control: A Practice Guide, World Bank.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    if len(columns) < 2:
        return NotAssessed("fewer than two numeric variables have values in both tables")
    before, after = (_together(pair, columns, side, kind) for side in BOTH)
    parts: dict[str, float] = {}
    for one, other in before:
        for name, first, last in zip(("covariance", "correlation"), before[one, other], after[one, other], strict=True):
            parts[f"{name}.{one}.{other}"] = last - first
    return Measurement(max(abs(value) for name, value in parts.items() if name.startswith("correlation.")), parts)


def _together(pair: ReleasePair, columns: Sequence[str], side: Side, kind: Correlation) -> dict[tuple[str, str], tuple[float, float]]:
    """Covariance and correlation of every two variables, over the records that have both values.

    Values are sorted once a variable, and ranked once but for the records that only another variable lacks.
    """
    found = {chosen: together(*(pair.numbers(column, side) for column in chosen)) for chosen in combinations(columns, 2)}
    if kind is Correlation.PEARSON:
        return found
    place = {column: places(pair.numbers(column, side)) for column in columns}
    if kind is Correlation.KENDALL:
        return {(one, other): (held, kendall(place[one], place[other])) for (one, other), (held, _) in found.items()}
    gaps = {column for column in columns if place[column].min() < 0}
    alone = {column: midranks(place[column], place[column]) for column in columns}

    def ranks(column: str, beside: str) -> Array:
        return midranks(place[column], place[beside]) if beside in gaps else alone[column]

    return {(one, other): (held, correlation(ranks(one, other), ranks(other, one))) for (one, other), (held, _) in found.items()}
