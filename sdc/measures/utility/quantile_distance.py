"""How far must values be carried to turn one distribution into the other?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import BOTH, comparable_numbers, ordered
from sdc.statistics.distances.distribution_distance import scale_of, wasserstein

QUARTILES = (0.25, 0.5, 0.75)


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.DEVIATIONS,
    against="0: nothing done",
    needs=(Need.NUMERIC,),
    parts="distance.VARIABLE original.TEXT.VARIABLE candidate.TEXT.VARIABLE",
)
def quantile_distance(
    pair: ReleasePair,
    *,
    quantiles: Annotated[list[Annotated[float, Field(gt=0, lt=1)]], Field(min_length=1)] | None = None,
    variables: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """The largest Wasserstein distance of a numeric variable, in units of the original's deviation (n - 1).

    The mean absolute difference of the two quantile functions: the area between the curves of a QQ plot. The
    parts `original.quantile_25` and so on, and the candidate's, are the `quantiles` of each table (quartiles
    unless named; linear between order statistics). Missing values are left out. Where the original does not
    vary the unit is the standard deviation of both tables pooled. A distance, not a test: no p-value holds
    for dependent tables.

    Formula: max_v (1 / S_v) ∫_0^1 |F_v^{-1}(u) − G_v^{-1}(u)| du.

    Reference: Vallender (1974), doi:10.1137/1118101.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    shares, distance, levels = quantiles or QUARTILES, {}, {}
    for column in columns:
        x, y = (ordered(pair, column, side) for side in BOTH)
        distance[f"distance.{column}"] = wasserstein(x, y) / scale_of(x, y)
        for side, values in zip(BOTH, (x, y), strict=True):
            found = np.quantile(values, shares).tolist()
            levels.update(
                {
                    f"{side.value}.quantile_{100 * share:g}.{column}": value
                    for share, value in zip(shares, found, strict=True)
                }
            )
    return Measurement(max(distance.values()), {**distance, **levels})
