"""Whose value could it be, among those of nearby rank?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Need, OrderedColumn, Protected, Protection, Touches, method, unless_told
from sdc.data.roles import Roles
from sdc.errors import BadOption
from sdc.methods import columns

if TYPE_CHECKING:
    import pandas as pd


@method(
    protection=Protection.PERTURBATIVE,
    touches=Touches.NUMERIC,
    needs={Need.NUMERIC: unless_told("variables")},
    columnwise=True,
)
def rank_swap(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    variables: list[OrderedColumn] | None = None,
    p: Annotated[float, Field(gt=0, le=1)] = 0.15,
    by: list[Column] = [],  # noqa: B006
) -> Protected:
    """Each value is swapped with one whose rank differs by at most the share p of all.

    The partner is drawn evenly among the values not yet swapped.

    Every variable is swapped by itself, so its distribution is kept exactly; equal values are ranked at
    random. Missing stays missing. Variables are numbers, dates or ordered categories. `by` names variables
    within whose classes values are swapped.

    Formula: y_i = x_j and y_j = x_i with |rank(i) − rank(j)| ≤ p n.

    Reference: Moore (1996), Controlled data-swapping techniques for masking public use microdata sets, US
    Bureau of the Census; Karr, Oganian, Reiter, Woo (2006), New measures of data utility (p = 0.15).
    """
    names = (
        columns.known("rank_swap", table, variables)
        if variables
        else columns.numbers("rank_swap", table, roles, None)
    )
    for name in names:
        if columns.is_category(table[name]) and not table[name].cat.ordered:
            raise BadOption("rank_swap", "variables", f"{name} has no order")
    strata = columns.strata("rank_swap", table, by)
    released = table.copy(deep=False)
    for name in names:
        values, source = columns.as_numbers(table[name]), np.arange(len(table))
        for rows in strata:
            held = rows[~np.isnan(values[rows])]
            source[held] = held[_swapped(values[held], p, rng)]
        released[name] = table[name].array.take(source)
    return Protected(released)


def _swapped(values: np.ndarray, p: float, rng: np.random.Generator) -> np.ndarray:
    """For each value the place of the one it gets."""
    from sdc.kernels.rank_swap import partners

    shuffled = rng.permutation(len(values))
    order = shuffled[np.argsort(values[shuffled], kind="stable")]
    partner = partners(len(values), max(1, int(p * len(values))), rng.random(len(values)))
    source = np.empty_like(order)
    source[order] = order[partner]
    return source
