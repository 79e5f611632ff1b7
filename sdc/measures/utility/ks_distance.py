"""How far apart are the distribution functions of a variable, at worst?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.bands import in_bands, placed
from sdc.measures.comparison import comparable_numbers, ordered
from sdc.statistics.distances.distribution_distance import critical_distance, kolmogorov_smirnov
from sdc.statistics.distances.paired_law import exchanged_distances

SHARES = (5, 25, 50, 75, 90, 95, 99)
"""Percentages of the law that are told."""


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0: nothing done; critical_if_independent.VARIABLE!: a fresh sample, 95 times in 100 at most",
    bounds=(0, 1),
    needs=(Need.NUMERIC,),
    parts=(
        "distance.VARIABLE critical_if_independent.VARIABLE exceeded.VARIABLE:higher:0..1 law.VARIABLE.NUMBER"
        " bands.VARIABLE"
    ),
)
def ks_distance(
    pair: ReleasePair,
    *,
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05,
    paired_draws: Annotated[int, Field(ge=0, le=100_000)] = 0,
    variables: list[Column] | None = None,
    rng: np.random.Generator,
) -> Measurement | NotAssessed:
    """The largest Kolmogorov-Smirnov distance between original and candidate over the numeric variables.

    Missing values are left out. A variable that the candidate has in bands is compared, beside others that
    are numbers still, at the limits of the bands: nobody can see how far it moved inside of one, and
    `bands.VARIABLE` counts them. A variable that is named must hold numbers.

    A distance, not a test: the candidate is made from the original, so no p-value of the two-sample test
    would hold. `critical_if_independent` is the distance that independent samples of these sizes would exceed
    with probability `alpha` (one case of twenty), for orientation only.

    With `paired_draws`, and records in the order of the original, the law of the distance under dependence is
    drawn: original and candidate value of each record change places or not, with probability one half.
    `law.VARIABLE.95` is the distance that 95 % of the draws do not exceed, `exceeded.VARIABLE` the share of
    the draws, and of the distance itself, that are as large or larger.

    Formula: max_v sup_t |F_v(t) − G_v(t)|.

    Reference: Smirnov (1948), doi:10.1214/aoms/1177730256.
    """
    columns = comparable_numbers(pair, variables, bands=True)
    if isinstance(columns, NotAssessed):
        return columns
    if paired_draws and not pair.aligned:
        return NotAssessed("paired draws need the candidate's records in the order of the original's")
    parts: dict[str, float] = {}
    for column in columns:
        x, y = (_in_order(pair, column, side) for side in (Side.ORIGINAL, Side.CANDIDATE))
        parts[f"distance.{column}"] = kolmogorov_smirnov(x, y)
        parts[f"critical_if_independent.{column}"] = critical_distance(x.size, y.size, alpha)
        if in_bands(pair, column):
            parts[f"bands.{column}"] = np.unique(y).size
        if paired_draws:
            parts |= _law(pair, column, parts[f"distance.{column}"], rng, paired_draws)
    return Measurement(max(parts[f"distance.{column}"] for column in columns), parts)


def _in_order(pair: ReleasePair, column: str, side: Side) -> Array:
    if not in_bands(pair, column):
        return ordered(pair, column, side)
    values = placed(pair, column, side)
    return np.sort(values[~np.isnan(values)])


def _law(
    pair: ReleasePair, column: str, distance: float, rng: np.random.Generator, draws: int
) -> dict[str, float]:
    """The quantiles of the law of the distance, over records with both values."""
    x, y = (placed(pair, column, side) for side in (Side.ORIGINAL, Side.CANDIDATE))
    both = ~(np.isnan(x) | np.isnan(y))
    drawn = exchanged_distances(x[both], y[both], draws, rng) if both.any() else np.zeros(draws)
    found = {f"law.{column}.{share}": float(np.quantile(drawn, share / 100)) for share in SHARES}
    # sums of shares differ in the last digit
    as_large = np.count_nonzero(drawn >= distance - 1e-12)
    return {**found, f"exceeded.{column}": (1 + as_large) / (1 + draws)}
