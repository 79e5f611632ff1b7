"""Do variables still go together as they did?"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from sdc.catalogue import Better, Column, Family, Need, measure
from sdc.comparison import BOTH, comparable_numbers
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair
from sdc.statistics.dependence import Correlation, correlation, covariance


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
    gaps = {(column, side): missing for column in columns for side in BOTH if (missing := np.isnan(pair.numbers(column, side))).any()}
    for one, other in combinations(columns, 2):
        found = []
        for side in BOTH:
            x, y = pair.numbers(one, side), pair.numbers(other, side)
            if blank := [gaps[column, side] for column in (one, other) if (column, side) in gaps]:
                both = ~np.logical_or.reduce(blank)
                x, y = x[both], y[both]
            found.append((covariance(x, y), correlation(x, y, kind)))
        parts[f"covariance.{one}.{other}"] = found[1][0] - found[0][0]
        parts[f"correlation.{one}.{other}"] = found[1][1] - found[0][1]
    return Measurement(max(abs(value) for name, value in parts.items() if name.startswith("correlation.")), parts)
