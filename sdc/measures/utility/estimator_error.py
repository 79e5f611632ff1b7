"""How much worse do estimates get?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, NumberColumn, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import BOTH, comparable_numbers, ordered
from sdc.statistics.estimates.bootstrap_moments import (
    Moments,
    bootstrap_mean,
    bootstrap_median,
    bootstrap_share_below,
)
from sdc.statistics.estimates.intervals import reach

Estimator = Literal["mean", "median", "share_below"]
Share = Annotated[float, Field(gt=0, lt=1)]

ALL: tuple[Estimator, ...] = ("mean", "median", "share_below")


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.RATIO,
    against="1: nothing done",
    needs=(Need.NUMERIC,),
    parts=(
        "bias.TEXT.VARIABLE variance.TEXT.VARIABLE mse.TEXT.VARIABLE ratio.TEXT.VARIABLE"
        " original.TEXT.VARIABLE candidate.TEXT.VARIABLE"
    ),
)
def estimator_error(
    pair: ReleasePair,
    *,
    estimators: Annotated[list[Estimator], Field(min_length=1)] | None = None,
    bootstraps: Annotated[int, Field(ge=2, le=1_000_000)] = 1000,
    at: Share = 0.25,
    x0: dict[NumberColumn, float] | None = None,
    p: dict[NumberColumn, Share] | None = None,
    level: Share = 0.95,
    variables: list[Column] | None = None,
    rng: np.random.Generator,
) -> Measurement | NotAssessed:
    """The largest ratio of the candidate's mean squared error to the original's, over estimators and numbers.

    The truth is the original's own estimate. Bias and variance are those of the bootstrap: exact for the mean
    and for the distribution function `share_below` (at the point `x0` given of a variable, else at the
    original's quantile `at`), by `bootstraps` draws for the median; both tables meet the same draws.
    `original.` and `candidate.` before an estimator's name are the estimates themselves. Of share_below they
    have a normal interval at `level` too (share_below_low, share_below_high) and, where a share `p` is given
    of a variable, the two-sided p-value of F(x0) = p (share_below_p): a test of one table each. Parts `bias`,
    `variance` and `mse` are the candidate's, by estimator and variable. Identical tables give 1; below 1 the
    candidate spreads less than the original. Missing values are left out. Between the tables no p-value is
    given: they are dependent.

    Formula: max of MSE(y) / MSE(x), MSE(z) = (E*[t(z*)] − t(x))² + Var*(t(z*)), E* and Var* over bootstrap
    samples z* of z.

    Reference: Efron (1979), doi:10.1214/aos/1176344552.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    points, shares, wanted = x0 or {}, p or {}, estimators or ALL
    if problem := _problem(columns, points, shares, wanted):
        return problem
    parts: dict[str, float] = {}
    seed = int(rng.integers(2**63))
    for column in columns:
        x, y = (ordered(pair, column, side) for side in BOTH)
        point = points.get(column, float(np.quantile(x, at, method="inverted_cdf")))
        for side, values in zip(BOTH, (x, y), strict=True):
            levels: dict[str, float] = {
                estimator: _estimate(estimator, values, point) for estimator in wanted
            }
            if "share_below" in wanted:
                levels.update(_tested(levels["share_below"], values.size, level, shares.get(column)))
            parts.update({f"{side.value}.{name}.{column}": value for name, value in levels.items()})
        for estimator in wanted:
            before, after = (_moments(estimator, values, point, bootstraps, seed) for values in (x, y))
            truth = _estimate(estimator, x, point)
            error, original_error = after.mean_squared_error(truth), before.mean_squared_error(truth)
            if error and not original_error:
                return NotAssessed(
                    f"the {estimator} of {column} has no error in the original: there is nothing to compare"
                    " the candidate's with"
                )
            parts[f"bias.{estimator}.{column}"] = after.bias(truth)
            parts[f"variance.{estimator}.{column}"] = after.variance
            parts[f"mse.{estimator}.{column}"] = error
            parts[f"ratio.{estimator}.{column}"] = (
                error / original_error if error else float(original_error == 0)
            )
    return Measurement(max(value for name, value in parts.items() if name.startswith("ratio.")), parts)


def _problem(
    columns: Sequence[str],
    points: Mapping[str, float],
    shares: Mapping[str, float],
    wanted: Sequence[Estimator],
) -> NotAssessed | None:
    """Why a given point or share would say nothing."""
    if points and "share_below" not in wanted:
        return NotAssessed("x0 is given, and share_below is not among the estimators")
    if strangers := [name for name in points if name not in columns]:
        return NotAssessed(f"x0 is given of {strangers[0]}, which is not compared")
    if pointless := [name for name in shares if name not in points]:
        return NotAssessed(f"p is given of {pointless[0]}, and no x0 of it")
    return None


def _tested(share: float, records: int, level: float, supposed: float | None) -> dict[str, float]:
    """The interval of a share, and the p-value of the supposed one."""
    from scipy.special import ndtr

    half = reach(level) * math.sqrt(share * (1 - share) / records)
    found = {"share_below_low": max(share - half, 0.0), "share_below_high": min(share + half, 1.0)}
    if supposed is not None:
        found["share_below_p"] = 2 * float(
            ndtr(-abs(share - supposed) / math.sqrt(supposed * (1 - supposed) / records))
        )
    return found


def _moments(estimator: Estimator, values: Array, point: float, draws: int, seed: int) -> Moments:
    if estimator == "mean":
        return bootstrap_mean(values)
    if estimator == "share_below":
        return bootstrap_share_below(values, point)
    return bootstrap_median(values, draws, np.random.default_rng(seed))


def _estimate(estimator: Estimator, values: Array, point: float) -> float:
    if estimator == "mean":
        return bootstrap_mean(values).mean
    if estimator == "share_below":
        return bootstrap_share_below(values, point).mean
    return float(np.median(values))
