"""Did means, variances and medians stay where they were?"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import comparable_numbers, ordered, paired
from sdc.statistics.distances.distribution_distance import scale_of
from sdc.statistics.estimates.intervals import reach


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.DEVIATIONS,
    against="0: nothing done",
    needs=(Need.NUMERIC,),
    parts=(
        "mean.VARIABLE variance.VARIABLE median.VARIABLE standardised.VARIABLE mean_in_interval.VARIABLE"
        " paired_p.VARIABLE original.TEXT.VARIABLE candidate.TEXT.VARIABLE"
    ),
)
def summary_change(
    pair: ReleasePair,
    *,
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95,
    variables: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """The largest change of a mean over the numeric variables, in the original's standard deviations (n - 1).

    `mean`, `variance` and `median` are candidate minus original, `standardised` the change of the mean in
    that unit. Where the original does not vary, the unit is the standard deviation of both tables pooled.
    `mean_in_interval` is 1 where the candidate's mean lies in the normal confidence interval of the
    original's at `level`: no information about the mean is lost. `original.` and `candidate.` before mean,
    variance, median, mean_low and mean_high (the interval's ends) are the levels in each table. Missing
    values are left out. For aligned tables only, `paired_p` is the p-value of the paired t test over records
    with a value in both: the one test of means that holds for dependent tables.

    Formula: max_v |mean(y_v) − mean(x_v)| / S_v.

    Reference: Benschop, Machingauta and Welch (2019), Statistical Disclosure Control: A Practice Guide, World
    Bank.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    parts: dict[str, float] = {}
    for column in columns:
        x, y = (ordered(pair, column, side) for side in (Side.ORIGINAL, Side.CANDIDATE))
        before, after = _summary(x, level), _summary(y, level)
        change = after["mean"] - before["mean"]
        parts.update(
            {f"{name}.{column}": after[name] - before[name] for name in ("mean", "variance", "median")}
        )
        parts[f"standardised.{column}"] = abs(change) / scale_of(x, y)
        parts[f"mean_in_interval.{column}"] = before["mean_low"] <= after["mean"] <= before["mean_high"]
        for side, held in (("original", before), ("candidate", after)):
            parts.update({f"{side}.{name}.{column}": value for name, value in held.items()})
        if pair.aligned and pair.original.rows == pair.candidate.rows:
            parts[f"paired_p.{column}"] = _paired_p(*paired(pair, column))
    return Measurement(max(parts[f"standardised.{column}"] for column in columns), parts)


def _summary(values: Array, level: float) -> dict[str, float]:
    mean, variance = float(values.mean()), _variance(values)
    half = reach(level) * math.sqrt(variance / values.size)
    return {
        "mean": mean,
        "variance": variance,
        "median": float(np.median(values)),
        "mean_low": mean - half,
        "mean_high": mean + half,
    }


def _variance(values: Array) -> float:
    return float(values.var(ddof=1)) if values.size > 1 else 0.0


def _paired_p(x: Array, y: Array) -> float:
    """The two-sided p-value; 1 where nothing changed, or where a single pair says nothing."""
    from scipy.special import stdtr

    difference = y - x
    if difference.size < 2 or not difference.any():
        return 1.0
    spread = math.sqrt(_variance(difference) / difference.size)
    return 2 * float(stdtr(difference.size - 1, -abs(float(difference.mean())) / spread)) if spread else 0.0
