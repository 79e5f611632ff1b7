"""How much worse do estimates get?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Better, Column, Family, Need, measure
from sdc.comparison import comparable_numbers, ordered
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair, Side
from sdc.statistics.bootstrap_moments import Moments, bootstrap_mean, bootstrap_median, bootstrap_share_below

Array = np.ndarray[Any, Any]
Estimator = Literal["mean", "median", "share_below"]


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    needs=(Need.NUMERIC,),
    parts="bias.TEXT.VARIABLE variance.TEXT.VARIABLE mse.TEXT.VARIABLE ratio.TEXT.VARIABLE",
)
def estimator_error(
    pair: ReleasePair,
    *,
    estimators: Annotated[list[Estimator], Field(min_length=1)] | None = None,
    bootstraps: Annotated[int, Field(ge=2, le=1_000_000)] = 1000,
    at: Annotated[float, Field(gt=0, lt=1)] = 0.25,
    variables: list[Column] | None = None,
    rng: np.random.Generator,
) -> Measurement | NotAssessed:
    """The largest ratio of the candidate's mean squared error to the original's, over estimators and numeric variables.

    The truth is the original's own estimate. Bias and variance are those of the bootstrap: exact for the mean and for
    the distribution function `share_below` (at the original's quantile `at`), by `bootstraps` draws for the median; both
    tables meet the same draws. Parts `bias`, `variance` and `mse` are the candidate's, by estimator and variable.
    Identical tables give 1; below 1 the candidate spreads less than the original. Missing values are left out.
    No p-value is given: the tables are dependent.

    Reference: Efron (1979), doi:10.1214/aos/1176344552.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    parts: dict[str, float] = {}
    seed = int(rng.integers(2**63))
    for column in columns:
        x, y = (ordered(pair, column, side) for side in (Side.ORIGINAL, Side.CANDIDATE))
        point = float(np.quantile(x, at, method="inverted_cdf"))
        for estimator in estimators or ("mean", "median", "share_below"):
            before, after = (_moments(estimator, values, point, bootstraps, seed) for values in (x, y))
            truth = _estimate(estimator, x, point)
            error, original_error = after.mean_squared_error(truth), before.mean_squared_error(truth)
            if error and not original_error:
                return NotAssessed(f"the {estimator} of {column} has no error in the original: there is nothing to compare the candidate's with")
            parts[f"bias.{estimator}.{column}"] = after.bias(truth)
            parts[f"variance.{estimator}.{column}"] = after.variance
            parts[f"mse.{estimator}.{column}"] = error
            parts[f"ratio.{estimator}.{column}"] = error / original_error if error else float(original_error == 0)
    return Measurement(max(value for name, value in parts.items() if name.startswith("ratio.")), parts)


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
