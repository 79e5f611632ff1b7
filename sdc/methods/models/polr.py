"""A proportional-odds regression of an ordered category."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Targets, model
from sdc.statistics.synthesis.category_regression import ProportionalOdds
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors


@model(targets=Targets.CATEGORIES)
def polr(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    ridge: Annotated[float, Field(ge=0)] = 1e-2,
) -> Draw:
    """The level is drawn with the fitted probabilities of a proportional-odds regression.

    The log-odds of lying at or below each level are linear, with common slopes.

    Coefficients are penalised by `ridge`, just enough to stay finite where a predictor determines the level.

    Reference: McCullagh (1980), doi:10.1111/j.2517-6161.1980.tb01109.x.
    """
    del rng
    return ProportionalOdds.fitted(target, observed, ridge).values
