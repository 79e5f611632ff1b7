"""What would the values have been in other samples, rank by rank?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Need, NumberColumn, Protected, Protection, Touches, method, unless_told
from sdc.data.roles import Roles
from sdc.methods import columns

if TYPE_CHECKING:
    import pandas as pd


@method(
    protection=Protection.PERTURBATIVE,
    touches=Touches.NUMERIC,
    needs={Need.NUMERIC: unless_told("variables")},
    columnwise=True,
)
def resampling(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    variables: list[NumberColumn] | None = None,
    t: Annotated[int, Field(ge=1)] = 3,
    by: list[Column] = [],  # noqa: B006
) -> Protected:
    """Each value becomes the mean of the values of its rank in t sorted bootstrap samples.

    Every variable is resampled by itself; equal values are ranked at random. Missing stays missing. `by`
    names variables within whose classes samples are drawn.

    Formula: y_i = (1 / t) Σ_b x*_b(r_i), x*_b(r) the r-th smallest value of bootstrap sample b, r_i the rank
    of x_i.

    Reference: Heer (1993), A bootstrap procedure to preserve statistical confidentiality in contingency
    tables, Proceedings of the International Seminar on Statistical Confidentiality, Eurostat, 261-271; Karr,
    Oganian, Reiter, Woo (2006), New measures of data utility (t = 3).
    """
    names = columns.numbers("resampling", table, roles, variables)
    strata = columns.strata("resampling", table, by)
    released = table.copy(deep=False)
    for name in names:
        values = table[name].to_numpy().copy()
        for rows in strata:
            held = rows[~np.isnan(values[rows])]
            values[held] = _resampled(values[held], t, rng)
        released[name] = values
    return Protected(released)


def _resampled(values: np.ndarray, t: int, rng: np.random.Generator) -> np.ndarray:
    shuffled = rng.permutation(len(values))
    order = shuffled[np.argsort(values[shuffled], kind="stable")]
    ascending = values[order]
    total = np.zeros(len(values))
    for _ in range(t):
        # The sorted sample, without sorting: how often each rank was drawn.
        drawn = (
            np.bincount(rng.integers(len(values), size=len(values)), minlength=len(values))
            if len(values)
            else np.zeros(0, dtype=int)
        )
        total += np.repeat(ascending, drawn)
    made = np.empty(len(values))
    made[order] = total / t
    return made
