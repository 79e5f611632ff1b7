"""What is a number to the nearest hundred?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from sdc.catalogue import OF_NUMBERS, Protected, Protection, always, method
from sdc.data.roles import Roles
from sdc.methods import columns

if TYPE_CHECKING:
    import pandas as pd

    from sdc.data.long_table import AnyTable


class Rounding(BaseModel):
    """Rounding to multiples of `to`: to the nearest, down, up, or at random.

    Halves go up. Random rounding takes one of the two neighbours, without bias.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    to: Annotated[float, Field(gt=0)]
    how: Literal["nearest", "down", "up", "random"] = "nearest"


@method(
    protection=Protection.PERTURBATIVE,
    example={"income": {"to": 100, "how": "random"}, "age": {"to": 5}},
    columnwise=True,
    in_parts=always,
)
def rounding(
    table: AnyTable,
    roles: Roles,
    rng: np.random.Generator,
    /,
    **roundings: Annotated[Rounding, OF_NUMBERS],
) -> Protected:
    """Numbers become multiples of a base.

    `with` maps a variable to its rounding. Random rounding goes up with a chance equal to the share of the
    way, so its expectation is the value itself. Missing stays missing.

    Formula: y = to × ⌊x / to + ½⌋; down: to × ⌊x / to⌋; random: up with chance x / to − ⌊x / to⌋.

    Reference: Hundepool et al. (2012), Statistical Disclosure Control, chapter 3, doi:10.1002/9781118348239.
    """
    columns.numbers("rounding", table, roles, list(roundings), "with")
    for name, asked in roundings.items():
        table = columns.changed(table, [name], partial(_rounded, name, asked, rng))
    return Protected(table)


def _rounded(
    name: str, asked: Rounding, rng: np.random.Generator, part: pd.DataFrame
) -> dict[str, np.ndarray]:
    parts = part[name].to_numpy() / asked.to
    # A value that is a multiple already must stay one, though the quotient is rounded.
    whole = np.round(parts)
    parts = np.where(np.abs(parts - whole) <= 1e-9 * np.maximum(1.0, np.abs(whole)), whole, parts)
    if asked.how == "nearest":
        multiple = np.floor(parts + 0.5)
    elif asked.how == "down":
        multiple = np.floor(parts)
    elif asked.how == "up":
        multiple = np.ceil(parts)
    else:
        multiple = np.floor(parts) + (rng.random(len(parts)) < parts - np.floor(parts))
    pieces = round(1 / asked.to)
    # Dividing by a whole number gives 0.3 where multiplying by 0.1 gives 0.30000000000000004.
    made: np.ndarray = (
        multiple / pieces if pieces > 1 and abs(pieces * asked.to - 1) < 1e-12 else multiple * asked.to
    )
    return {name: made + 0.0}
