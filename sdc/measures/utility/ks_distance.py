"""How far apart are the distribution functions of a variable, at worst?"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import comparable_numbers, ordered
from sdc.statistics.distances.distribution_distance import critical_distance, kolmogorov_smirnov


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0: nothing done; critical_if_independent.VARIABLE!: a fresh sample, 95 times in 100 at most",
    bounds=(0, 1),
    needs=(Need.NUMERIC,),
    parts="distance.VARIABLE critical_if_independent.VARIABLE",
)
def ks_distance(
    pair: ReleasePair,
    *,
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05,
    variables: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """The largest Kolmogorov-Smirnov distance between original and candidate over the numeric variables.

    Missing values are left out. A distance, not a test: the candidate is made from the original, so no
    p-value of the two-sample test would hold. `critical_if_independent` is the distance that independent
    samples of these sizes would exceed with probability `alpha` (one case of twenty), for orientation only.

    Formula: max_v sup_t |F_v(t) − G_v(t)|.

    Reference: Smirnov (1948), doi:10.1214/aoms/1177730256.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    parts: dict[str, float] = {}
    for column in columns:
        x, y = (ordered(pair, column, side) for side in (Side.ORIGINAL, Side.CANDIDATE))
        parts[f"distance.{column}"] = kolmogorov_smirnov(x, y)
        parts[f"critical_if_independent.{column}"] = critical_distance(x.size, y.size, alpha)
    return Measurement(max(parts[f"distance.{column}"] for column in columns), parts)
