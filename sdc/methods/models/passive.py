"""A value that follows from others by a formula."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sdc.arrays import Array
from sdc.catalogue import Targets, model
from sdc.statistics.synthesis.expression import Expression, Formula


@model(targets=Targets.NUMBERS)
def passive(values: Mapping[str, Array], *, formula: Formula) -> Array:
    """The `formula` of the synthetic values, so that a derived variable agrees with what it is derived from.

    It is missing where a variable in it is, or where it has no value (a division by 0).

    Reference: van Buuren, Groothuis-Oudshoorn (2011), doi:10.18637/jss.v045.i03, section 3.4.
    """
    with np.errstate(all="ignore"):
        made = np.asarray(Expression.of(formula).value(values), dtype=np.float64)
    return np.where(np.isfinite(made), made, np.nan)
