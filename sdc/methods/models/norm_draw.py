"""A normal linear regression with coefficients drawn from their posterior."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Targets, always, model
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.synthesis.regression import Linear


@model(targets=Targets.NUMBERS, draws_parameters=always)
def norm_draw(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    ridge: Annotated[float, Field(ge=0)] = 1e-5,
) -> Draw:
    """As norm, but variance and coefficients are themselves drawn.

    Several syntheses then differ by the uncertainty of these parameters. Slopes are divided by 1 + `ridge`.

    Reference: Rubin (1987), doi:10.1002/9780470316696, example 5.1.
    """
    return Linear.fitted(target, observed, ridge).drawn(rng).values
