"""How much of a variable's spread is error now?"""

from __future__ import annotations

import math

import numpy as np

from sdc.catalogue import NOT_SYNTHETIC, Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import aligned_numbers, paired
from sdc.statistics.distances.distribution_distance import varying


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0: nothing done",
    needs=(Need.ALIGNED, Need.NUMERIC),
    valid_after=NOT_SYNTHETIC,
    alternatives=("quantile_distance", "dependence_change"),
    parts="mse.VARIABLE r2.VARIABLE left_out.VARIABLE",
)
def squared_error(pair: ReleasePair, *, variables: list[Column] | None = None) -> Measurement | NotAssessed:
    """The mean over variables of 1 - R²: squared differences over the original's squared deviations.

    Differences are those of aligned records.

    R² can be negative. Records missing in either table are left out of a variable and counted in
    `left_out.VARIABLE`. Where the original does not vary, the squared deviations are (n - 1) times the
    variance of both tables pooled; a constant that did not change has no R² and is left out of the mean. No
    p-value is given: the value describes these very records.

    Formula: mean over v of Σ_i (x_iv − y_iv)² / Σ_i (x_iv − mean(x_v))².

    Reference: Domingo-Ferrer and Torra (2001), in Confidentiality, Disclosure and Data Access, chapter 5,
    Elsevier.
    """
    columns = aligned_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    parts: dict[str, float] = {}
    losses = []
    for column in columns:
        x, y = paired(pair, column)
        parts[f"left_out.{column}"] = pair.original.rows - x.size
        if not x.size:
            continue
        error, varied = float(((x - y) ** 2).sum()), varying(x, y)
        parts[f"mse.{column}"] = error / x.size
        if np.ptp(varied) > 0:
            spread = float(((varied - varied.mean()) ** 2).sum()) * max(x.size - 1, 1) / (varied.size - 1)
            parts[f"r2.{column}"] = 1 - error / spread
            losses.append(error / spread)
    if not any(f"mse.{column}" in parts for column in columns):
        return NotAssessed("no record has a numeric value in both tables")
    return Measurement(math.fsum(losses) / len(losses) if losses else 0.0, parts)
