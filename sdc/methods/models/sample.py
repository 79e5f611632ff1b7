"""A value drawn from those observed, whatever the other variables."""

from __future__ import annotations

import numpy as np

from sdc.catalogue import model
from sdc.statistics.sampling.bootstrap import bootstrap
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors


@model()
def sample(target: CompleteFeature, observed: Predictors, rng: np.random.Generator) -> Draw:
    """Draws from the observed values, with replacement.

    Reference: Efron (1979), doi:10.1214/aos/1176344552.
    """
    del observed, rng
    return lambda _, rows, stream: target.values[bootstrap(len(target.values), rows, stream)]
