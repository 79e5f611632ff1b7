"""A value drawn from the observed ones whose predicted mean is nearest."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Targets, always, model
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors, spread_of
from sdc.statistics.synthesis.regression import Linear


@model(targets=Targets.NUMBERS, draws_parameters=always)
def pmm(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    donors: Annotated[int, Field(ge=1)] = 5,
    ridge: Annotated[float, Field(ge=0)] = 1e-5,
) -> Draw:
    """Predictive mean matching: each record gets the value of one of the `donors` records of nearest mean.

    Observed means use the estimated coefficients, synthetic means use coefficients drawn from their
    posterior. The donor is drawn evenly. Slopes are divided by 1 + `ridge`.

    Reference: Little (1988), doi:10.2307/1391878; Morris, White, Royston (2014), doi:10.1186/1471-2288-14-75.
    """
    fitted = Linear.fitted(target, observed, ridge)
    used, count = fitted.drawn(rng), min(donors, len(target.values))
    unit = spread_of(target.values)
    means = np.round(fitted.means(observed, len(target.values)) / unit, 9)
    order = np.argsort(means, kind="stable")
    means, values = means[order], target.values[order]

    def draw(synthetic: Predictors, rows: int, stream: np.random.Generator) -> Array:
        wanted = used.means(synthetic, rows) / unit
        place = np.searchsorted(means, wanted)
        window = np.clip(place[:, None] + np.arange(-count, count), 0, len(means) - 1)
        distance = np.abs(means[window] - wanted[:, None])
        # A record at the edge of the window is there more than once; it counts once.
        distance[:, 1:][window[:, 1:] == window[:, :-1]] = np.inf
        nearest = np.argsort(distance, axis=1, kind="stable")[:, :count]
        pick = nearest[np.arange(rows), np.floor(stream.random(rows) * count).astype(np.int64)]
        drawn: Array = values[window[np.arange(rows), pick]]
        return drawn

    return draw
