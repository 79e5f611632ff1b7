"""What if nobody could be sure that a person is in the file?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Protected, Protection, method
from sdc.data.roles import Roles
from sdc.errors import CannotProtect
from sdc.methods import columns

if TYPE_CHECKING:
    import pandas as pd


@method(protection=Protection.NON_PERTURBATIVE, aligned=False, keeps_values=True, example={"share": 0.5})
def subsample(
    table: pd.DataFrame,
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
    unit = columns.units(table, roles)
    first = np.unique(unit, return_index=True)[1]
    drawn, factor = np.zeros(len(first), dtype=bool), np.ones(len(first))
    for members in columns.strata("subsample", table.iloc[first].reset_index(drop=True), by):
        number = max(1, round(share * len(members)))
        drawn[rng.choice(members, number, replace=False)] = True
        factor[members] = len(members) / number
    released = table[drawn[unit]].reset_index(drop=True)
    if roles.weight in table.columns:
        released[roles.weight] = released[roles.weight].to_numpy() * factor[unit][drawn[unit]]
    return Protected(
        released, record={"units_drawn": int(drawn.sum()), "units": len(first), "records": len(released)}
    )
