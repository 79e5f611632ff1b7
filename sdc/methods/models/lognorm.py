"""A normal linear regression of the logarithm."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Targets, model, when_told
from sdc.errors import CannotProtect
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.synthesis.regression import Linear


@model(targets=Targets.NUMBERS, draws_parameters=when_told("bayes"))
def lognorm(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    bayes: bool = False,
    ridge: Annotated[float, Field(ge=0)] = 1e-5,
) -> Draw:
    """The logarithm is regressed and drawn; its exponential is the value.

    With `bayes`, coefficients are drawn from their posterior. Slopes are divided by 1 + `ridge`.

    Reference: Nowok, Raab, Dibben (2016), doi:10.18637/jss.v074.i11.
    """
    if (target.values <= 0).any():
        raise CannotProtect(
            "lognorm",
            "a variable with values of 0 or less cannot be modelled so; name these values as spikes or choose"
            " another model",
        )
    fitted = Linear.fitted(CompleteFeature(np.log(target.values)), observed, ridge)
    used = fitted.drawn(rng) if bayes else fitted

    def draw(synthetic: Predictors, rows: int, stream: np.random.Generator) -> Array:
        drawn: Array = np.exp(np.minimum(used.values(synthetic, rows, stream), 700.0))
        return drawn

    return draw
