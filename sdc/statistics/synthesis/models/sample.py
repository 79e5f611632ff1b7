"""A value drawn from those observed, whatever the other variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from sdc.statistics.synthesis.feature import Feature, Predictors

Array = np.ndarray[Any, Any]


def sample(target: Feature, observed: Predictors, synthetic: Predictors, rng: np.random.Generator) -> Array:
    """Draws with replacement, one for each row of the synthetic predictors."""
    del observed
    drawn: Array = rng.choice(target.values, len(synthetic[0].values))
    return drawn
