"""A multinomial logistic regression of a category."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Targets, model, when_told
from sdc.statistics.synthesis.category_regression import Multinomial
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors


@model(targets=Targets.CATEGORIES, draws_parameters=when_told("bayes"))
def polyreg(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    bayes: bool = False,
    ridge: Annotated[float, Field(ge=0)] = 1e-2,
) -> Draw:
    """The level is drawn with the fitted probabilities of a multinomial regression.

    The difference of the logarithms of two probabilities is linear in the predictors.

    Coefficients are penalised by `ridge`, just enough to stay finite where a predictor determines the level.
    With `bayes` they are drawn from their posterior, assumed to be normal around the estimates with the
    inverse Hessian as covariance.

    Reference: McFadden (1974), Conditional logit analysis of qualitative choice behavior, in Frontiers in
    Econometrics, 105-142; Rubin (1987), doi:10.1002/9780470316696, pages 169-170.
    """
    fitted = Multinomial.fitted(target, observed, ridge)
    return (fitted.drawn(observed, len(target.values), ridge, rng) if bayes else fitted).values
