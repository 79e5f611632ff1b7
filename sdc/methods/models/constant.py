"""One value for every record."""

from __future__ import annotations

import numpy as np

from sdc.catalogue import model
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors


@model()
def constant(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    value: float | str | None = None,
) -> Draw:
    """The `value` given (a label for a category), else the commonest observed one.

    Of equally common values the smallest is taken.

    Reference: Nowok, Raab, Dibben (2016), doi:10.18637/jss.v074.i11.
    """
    del observed, rng
    found, count = np.unique(target.values, return_counts=True)
    held = found[count.argmax()] if value is None else target.values.dtype.type(value)
    return lambda _, rows, __: np.full(rows, held)
