"""Do variables still go together as they did?"""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np

from sdc.catalogue import Better, Column, Family, Need, measure
from sdc.comparison import BOTH, comparable_numbers
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair, Side
from sdc.statistics.dependence import Correlation, correlation, covariance, midranks


@measure(family=Family.UTILITY, better=Better.LOWER, bounds=(0, 2), needs=(Need.NUMERIC,))
def dependence_change(
    pair: ReleasePair, *, kind: Correlation = Correlation.PEARSON, variables: list[Column] | None = None
) -> Measurement | NotAssessed:
    """The largest absolute change of a correlation over all pairs of numeric variables.

    `correlation` and `covariance` (n - 1) are candidate minus original. Each pair uses the records that have both
    values; a variable that does not vary has correlation 0. Kendall's is tau-b.

    Reference: Benschop, Machingauta and Welch (2019), Statistical Disclosure Control: A Practice Guide, World Bank.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    if len(columns) < 2:
        return NotAssessed("fewer than two numeric variables have values in both tables")
    parts: dict[str, float] = {}
    for one, other in combinations(columns, 2):
        before, after = (_together(pair, one, other, side, kind) for side in BOTH)
        parts[f"covariance.{one}.{other}"] = after[0] - before[0]
        parts[f"correlation.{one}.{other}"] = after[1] - before[1]
    return Measurement(max(abs(value) for name, value in parts.items() if name.startswith("correlation.")), parts)


def _together(pair: ReleasePair, one: str, other: str, side: Side, kind: Correlation) -> tuple[float, float]:
    """Covariance and correlation over the records that have both values; ranks of all records are made once."""
    x, y = pair.numbers(one, side), pair.numbers(other, side)
    either = np.isnan(x) | np.isnan(y)
    if either.any():
        x, y = x[~either], y[~either]
    elif kind is Correlation.SPEARMAN:
        of_one, of_other = (pair.once(("midranks", column, side), partial(midranks, pair.numbers(column, side))) for column in (one, other))
        return covariance(x, y), correlation(of_one, of_other)
    return covariance(x, y), correlation(x, y, kind)
