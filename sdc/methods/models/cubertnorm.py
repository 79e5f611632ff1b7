"""A normal linear regression of the cube root."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Targets, model, when_told
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.synthesis.regression import Linear


@model(targets=Targets.NUMBERS, draws_parameters=when_told("bayes"))
def cubertnorm(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    bayes: bool = False,
    ridge: Annotated[float, Field(ge=0)] = 1e-5,
) -> Draw:
    """The cube root is regressed and drawn; its cube is the value.

    With `bayes`, coefficients are drawn from their posterior. Slopes are divided by 1 + `ridge`.

    Reference: Nowok, Raab, Dibben (2016), doi:10.18637/jss.v074.i11.
    """
    fitted = Linear.fitted(CompleteFeature(np.cbrt(target.values)), observed, ridge)
    used = fitted.drawn(rng) if bayes else fitted

    def draw(synthetic: Predictors, rows: int, stream: np.random.Generator) -> Array:
        drawn: Array = used.values(synthetic, rows, stream) ** 3
        return drawn

    return draw
