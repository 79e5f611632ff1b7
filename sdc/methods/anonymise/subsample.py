"""What if nobody could be sure that a person is in the file?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Protected, Protection, always, method
from sdc.data.roles import Roles
from sdc.errors import CannotProtect
from sdc.methods import columns

if TYPE_CHECKING:
    import pandas as pd

    from sdc.data.long_table import AnyTable


@method(
    protection=Protection.NON_PERTURBATIVE,
    aligned=False,
    keeps_values=True,
    example={"share": 0.5},
    in_parts=always,
)
def subsample(
    table: AnyTable,
    roles: Roles,
    rng: np.random.Generator,
    *,
    share: Annotated[float, Field(gt=0, lt=1)],
    by: list[Column] = [],  # noqa: B006
) -> Protected:
    """A simple random sample without replacement of households where the roles have them, else of records.

    `by` names variables in whose classes the share is drawn separately (of a household, those of its first
    member). At least one of each class is drawn. Weights are multiplied by the number of units over that
    drawn, class by class, so that they still add up in expectation. Records keep their order.

    Formula: S simple random of size share × N in each class, w'_i = w_i N_c / n_c.

    Reference: Hundepool et al. (2012), Statistical Disclosure Control, chapter 3, doi:10.1002/9781118348239.
    """
    if not len(table):
        raise CannotProtect("subsample", "the table has no records")
    columns.known("subsample", table, by, "by")
    # Households and classes say who is drawn.
    asked = [name for name in table.columns if name in (roles.household, *by)]
    drawn, factor, units = _sampled(columns.loaded(table, asked), roles, rng, share, by)
    records = np.flatnonzero(drawn)
    released, weight = columns.chosen(table, records), roles.weight
    if weight is not None and weight in table.columns:
        factors = columns.in_parts_of(released, factor[records])
        released = columns.changed(
            released, [weight], lambda part: {weight: part[weight].to_numpy() * next(factors)}
        )
    return Protected(released, record={**units, "records": len(released)})


def _sampled(
    table: pd.DataFrame, roles: Roles, rng: np.random.Generator, share: float, by: list[str]
) -> tuple[np.ndarray, np.ndarray, dict[str, int]]:
    """Whether each record is drawn, by which factor its weight grows, and how many units were drawn."""
    unit = columns.units(table, roles)
    first = np.unique(unit, return_index=True)[1]
    drawn, factor = np.zeros(len(first), dtype=bool), np.ones(len(first))
    for members in columns.strata("subsample", table.iloc[first].reset_index(drop=True), by):
        number = max(1, round(share * len(members)))
        drawn[rng.choice(members, number, replace=False)] = True
        factor[members] = len(members) / number
    return drawn[unit], factor[unit], {"units_drawn": int(drawn.sum()), "units": len(first)}
