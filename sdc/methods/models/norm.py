"""A normal linear regression with the estimated coefficients."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Targets, model
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.synthesis.regression import Linear


@model(targets=Targets.NUMBERS)
def norm(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    ridge: Annotated[float, Field(ge=0)] = 1e-5,
) -> Draw:
    """Fitted mean plus a normal residual of the estimated variance. Slopes are divided by 1 + `ridge`.

    Reference: Raghunathan, Reiter, Rubin (2003), Multiple imputation for statistical disclosure limitation,
    Journal of Official Statistics 19, 1-16.
    """
    del rng
    return Linear.fitted(target, observed, ridge).values
