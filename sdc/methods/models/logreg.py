"""A logistic regression of a category of two levels."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Targets, model, when_told
from sdc.errors import CannotProtect
from sdc.statistics.synthesis.category_regression import Multinomial
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors


@model(targets=Targets.CATEGORIES, draws_parameters=when_told("bayes"))
def logreg(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    bayes: bool = False,
    ridge: Annotated[float, Field(ge=0)] = 1e-2,
) -> Draw:
    """The level is drawn with its fitted probability.

    Coefficients are penalised by `ridge`, just enough to stay finite where a predictor determines the level.
    With `bayes` they are drawn from their posterior, assumed to be normal around the estimates with the
    inverse Hessian as covariance.

    Reference: Cox (1958), doi:10.1111/j.2517-6161.1958.tb00292.x;
    Rubin (1987), doi:10.1002/9780470316696, pages 169-170.
    """
    if len(np.unique(target.values)) > 2:
        raise CannotProtect("logreg", "a variable of more than two categories needs polyreg or polr")
    fitted = Multinomial.fitted(target, observed, ridge)
    return (fitted.drawn(observed, len(target.values), ridge, rng) if bayes else fitted).values
