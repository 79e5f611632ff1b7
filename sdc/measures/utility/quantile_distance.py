"""How far must values be carried to turn one distribution into the other?"""

from __future__ import annotations

from sdc.catalogue import Better, Column, Family, Need, measure
from sdc.comparison import comparable_numbers, ordered
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair, Side
from sdc.statistics.distribution_distance import scale_of, wasserstein


@measure(family=Family.UTILITY, better=Better.LOWER, needs=(Need.NUMERIC,), parts="distance.VARIABLE")
def quantile_distance(pair: ReleasePair, *, variables: list[Column] | None = None) -> Measurement | NotAssessed:
    """The largest Wasserstein distance of a numeric variable, in units of the original's standard deviation (n - 1).

    The mean absolute difference of the two quantile functions: the area between the curves of a QQ plot. Missing values
    are left out. Where the original does not vary the unit is the standard deviation of both tables pooled. A
    distance, not a test: no p-value holds for dependent tables.

    Reference: Vallender (1974), doi:10.1137/1118101.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    parts = {}
    for column in columns:
        x, y = (ordered(pair, column, side) for side in (Side.ORIGINAL, Side.CANDIDATE))
        parts[f"distance.{column}"] = wasserstein(x, y) / scale_of(x, y)
    return Measurement(max(parts.values()), parts)
