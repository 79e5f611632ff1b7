"""How far did values move, relative to their spread?"""

from __future__ import annotations

import math

import numpy as np

from sdc.catalogue import NOT_SYNTHETIC, Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import aligned_numbers, paired
from sdc.statistics.distances.distribution_distance import scale_of


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.DEVIATIONS_ROOT_TWO,
    against="0: nothing done",
    needs=(Need.ALIGNED, Need.NUMERIC),
    valid_after=NOT_SYNTHETIC,
    alternatives=("quantile_distance", "propensity_mse"),
    parts="sum sum.VARIABLE il1 il1.VARIABLE il1_left_out",
)
def il1s(pair: ReleasePair, *, variables: list[Column] | None = None) -> Measurement | NotAssessed:
    """The mean over records and variables of |x - y| / (sqrt(2) S), with S the original's deviation (n - 1).

    Where the original does not vary, S is the standard deviation of both tables pooled. `sum` is the same
    without dividing by the number of values, as sdcMicro reports it; `il1` is its sum of 100 |x - y| / |x|,
    without the values x = 0, which `il1_left_out` counts. Values missing in either table are left out. A
    distance, not a test: no p-value is given.

    Formula: (1 / (n p)) Σ_i Σ_j |x_ij − y_ij| / (√2 S_j).

    Reference: Yancey, Winkler and Creecy (2002), doi:10.1007/3-540-47804-3_11.
    """
    columns = aligned_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    by_variable, relative, values, zeros = {}, {}, 0, 0
    for column in columns:
        x, y = paired(pair, column)
        if x.size:
            by_variable[column] = float(np.abs(x - y).sum()) / (math.sqrt(2) * scale_of(x, y))
            held = x != 0
            relative[column] = 100 * float((np.abs(x - y)[held] / np.abs(x[held])).sum())
            values, zeros = values + x.size, zeros + int((~held).sum())
    if not values:
        return NotAssessed("no record has a numeric value in both tables")
    total = math.fsum(by_variable.values())
    parts = {"sum": total, "il1": math.fsum(relative.values()), "il1_left_out": zeros}
    parts.update({f"sum.{column}": part for column, part in by_variable.items()})
    parts.update({f"il1.{column}": part for column, part in relative.items()})
    return Measurement(total / values, parts)
