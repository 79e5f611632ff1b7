"""A normal linear regression of ranks, which keeps the distribution of the values."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Targets, model, when_told
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.synthesis.regression import Linear


@model(targets=Targets.NUMBERS, draws_parameters=when_told("bayes"))
def normrank(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    bayes: bool = False,
    ridge: Annotated[float, Field(ge=0)] = 1e-5,
) -> Draw:
    """Normal quantiles of the ranks, r / (n + 1), are regressed and drawn.

    The value is the observed value of the rank drawn.

    Equal values share their mean rank. With `bayes` coefficients are drawn from their posterior.
    Slopes are divided by 1 + `ridge`.

    Reference: Nowok, Raab, Dibben (2016), doi:10.18637/jss.v074.i11.
    """
    from scipy.special import ndtr, ndtri
    from scipy.stats import rankdata

    count = len(target.values)
    fitted = Linear.fitted(CompleteFeature(ndtri(rankdata(target.values) / (count + 1))), observed, ridge)
    used = fitted.drawn(rng) if bayes else fitted
    ordered = np.sort(target.values)

    def draw(synthetic: Predictors, rows: int, stream: np.random.Generator) -> Array:
        rank = np.round(ndtr(used.values(synthetic, rows, stream)) * (count + 1)).astype(np.int64)
        drawn: Array = ordered[np.clip(rank, 1, count) - 1]
        return drawn

    return draw
