"""What do groups of similar records have in common, plus noise as large as their differences?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import (
    Column,
    Need,
    NumberColumn,
    OfRecords,
    Protected,
    Protection,
    Touches,
    method,
    unless_told,
)
from sdc.data.roles import Roles
from sdc.errors import CannotProtect
from sdc.methods import columns
from sdc.statistics.microaggregation.grouping import Features, TooFew, grouped, representative
from sdc.statistics.noise.normal_noise import covariance, noise

if TYPE_CHECKING:
    import pandas as pd


@method(
    protection=Protection.PERTURBATIVE,
    touches=Touches.NUMERIC,
    needs={Need.NUMERIC: unless_told("variables")},
    columnwise=True,
)
def noisy_microaggregation(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    variables: list[NumberColumn] | None = None,
    k: Annotated[int, Field(ge=2), OfRecords()] = 3,
    grouping: Literal[
        "mdav", "z_score_projection", "principal_component", "univariate"
    ] = "z_score_projection",
    by: list[Column] = [],  # noqa: B006
) -> Protected:
    """Numbers are microaggregated; then normal noise replaces the covariance that was lost.

    Groups are made as in microaggregation, by default along the sum of z-scores with k = 3 as in the
    reference. The noise has mean 0 and the covariance (n - 1, complete records) of the differences between
    original and group mean. Missing stays missing.

    Formula: y_i = a_i + e_i, a_i the group mean, e ~ N(0, Cov(x − a)).

    Reference: Oganian, Karr (2006), doi:10.1007/11930242_10; Karr, Oganian, Reiter, Woo (2006), New measures
    of data utility.
    """
    names = columns.numbers("noisy_microaggregation", table, roles, variables)
    values = table[names].to_numpy()
    features = Features.numeric(list(values.T))
    means = np.full(values.shape, np.nan)
    for rows in columns.strata("noisy_microaggregation", table, by):
        try:
            group = grouped(features, rows, k, grouping)
        except TooFew as few:
            problem = (
                f"{names[few.column]} has {few.observed} values {'in a class' if by else 'in the table'},"
                f" fewer than k = {k}"
            )
            raise CannotProtect("noisy_microaggregation", problem) from None
        for place in range(len(names)):
            means[rows, place] = representative(values[rows, place], group[:, place], nominal=False)
    released = table.copy(deep=False)
    released[names] = means + noise(rng, len(values), covariance(values - means))
    return Protected(released)
