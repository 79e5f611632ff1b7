"""How many original values lie so close to the masked ones that an interval around these gives them away?"""

from __future__ import annotations

from math import sqrt
from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import NOT_SYNTHETIC, Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import comparable_numbers
from sdc.statistics.distances.robust_distance import robust_distances, scale


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="1: nothing done",
    bounds=(0, 1),
    needs=(Need.ALIGNED, Need.NUMERIC),
    valid_after=NOT_SYNTHETIC,
    alternatives=("class_attribution", "attribute_inference"),
    parts="share.VARIABLE:lower:0..1 robust",
)
def interval_disclosure(
    pair: ReleasePair,
    *,
    variables: list[Column] | None = None,
    k: Annotated[float, Field(gt=0)] = 0.05,
    robust: bool = True,
) -> Measurement | NotAssessed:
    """The share of records whose original values all lie in the intervals around the masked ones.

    The interval of variable j is [y - k s_j, y + k s_j], closed, with s_j the standard deviation (n - 1) of
    the candidate. Row i of the candidate is row i of the original; a value missing in either table is left
    out, and a record counts with the values it has. share.VARIABLE is that of a single variable. With
    `robust`, the part of that name has intervals of k s_j d_i: s_j from the median absolute deviation, d_i
    the record's robust Mahalanobis distance over the root of the number of variables, so that outlying
    records, which are easier to recognise, have wider ones; it is taken over records with all values.

    Formula: (1 / n) Σ_i Π_j 1{|x_ij − y_ij| ≤ k s_j}.

    Reference: Mateo-Sanz, Sebe and Domingo-Ferrer (2004), doi:10.1007/978-3-540-25955-8_16; Templ and Meindl
    (2008), doi:10.1007/978-3-540-87471-3_10; Maronna and Zamar (2002), doi:10.1198/004017002188618509.
    """
    columns = comparable_numbers(pair, variables, lost_count=False)
    if isinstance(columns, NotAssessed):
        return columns
    if pair.original.rows != pair.candidate.rows:
        return NotAssessed(
            f"the original has {pair.original.rows} records and the candidate {pair.candidate.rows}: they are"
            " not aligned"
        )
    original, masked = (
        np.array([pair.numbers(column, side) for column in columns])
        for side in (Side.ORIGINAL, Side.CANDIDATE)
    )
    known = ~np.isnan(original) & ~np.isnan(masked)
    if not known.any():
        return NotAssessed("no value is there in both tables")
    spread = np.array([_deviation(column[~np.isnan(column)]) for column in masked])
    inside = _within(original, masked, k * spread[:, None])
    tried = known.any(axis=0)
    parts = {
        f"share.{name}": float(inside[place][known[place]].mean())
        for place, name in enumerate(columns)
        if known[place].any()
    }
    complete = known.all(axis=0)
    if robust and complete.any():
        whole = masked[:, complete]
        reach = robust_distances(list(whole)) / sqrt(len(columns))
        widths = k * np.array([scale(column) for column in whole])[:, None] * reach
        parts["robust"] = float(_within(original[:, complete], whole, widths).all(axis=0).mean())
    return Measurement(float((inside | ~known).all(axis=0)[tried].mean()), parts)


def _within(original: Array, masked: Array, width: Array) -> Array:
    close: Array = (original >= masked - width) & (original <= masked + width)
    return close


def _deviation(values: Array) -> float:
    return float(np.std(values, ddof=1)) if values.size > 1 else 0.0
