"""Beyond which value is everyone the same?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from sdc.catalogue import OF_NUMBERS, MissingValues, Protected, Protection, method
from sdc.data.roles import Roles
from sdc.errors import CannotProtect
from sdc.methods import columns

if TYPE_CHECKING:
    import pandas as pd

Share = Annotated[float, Field(gt=0, lt=1)]
FEW = 3


class Ends(BaseModel):
    """Where the tails begin, as values or as shares of the records, and what replaces them."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    top: float | None = None
    bottom: float | None = None
    top_share: Share | None = None
    bottom_share: Share | None = None
    replace: Literal["threshold", "mean", "median", "missing"] = "threshold"

    @model_validator(mode="after")
    def _sound(self) -> Self:
        given = {
            name for name in ("top", "bottom", "top_share", "bottom_share") if getattr(self, name) is not None
        }
        problem = "say where the tails begin: top, bottom, top_share or bottom_share" if not given else ""
        problem = "say top or top_share, not both" if {"top", "top_share"} <= given else problem
        problem = "say bottom or bottom_share, not both" if {"bottom", "bottom_share"} <= given else problem
        if self.top is not None and self.bottom is not None and self.bottom >= self.top:
            problem = "bottom must lie below top"
        if problem:
            raise ValueError(problem)
        return self


@method(
    protection=Protection.NON_PERTURBATIVE,
    example={"income": {"top_share": 0.05}, "age": {"top": 85}},
    missing=MissingValues.ADDED,
    columnwise=True,
)
def top_bottom_code(
    table: pd.DataFrame, roles: Roles, _rng: np.random.Generator, /, **ends: Annotated[Ends, OF_NUMBERS]
) -> Protected:
    """Numbers above a top or below a bottom all become the same.

    `with` maps a variable to its ends. A share takes that many of the largest (smallest) values and all equal
    to the last of them; the threshold is then the nearest value left. A tail is replaced by the threshold,
    the tail's mean or median (of at least three values: that of fewer would reveal them), or a missing value.
    Missing stays missing.

    Formula: y = min(x, top) and y = max(x, bottom), or the tail's mean, median or a missing value beyond
    them.

    Reference: Hundepool et al. (2012), Statistical Disclosure Control, chapter 3, doi:10.1002/9781118348239.
    """
    columns.numbers("top_bottom_code", table, roles, list(ends), "with")
    released, record = table.copy(deep=False), {}
    for name, asked in ends.items():
        values = table[name].to_numpy()
        above, below = (
            _tail(values, asked.top, asked.top_share),
            -_tail(-values, _minus(asked.bottom), asked.bottom_share),
        )
        made = values.copy()
        for tail, threshold in ((values > above, above), (values < below, below)):
            made[tail] = _stand_in(name, values[tail], threshold, asked.replace)
        released[name] = made
        record[name] = {
            "above": int(np.count_nonzero(values > above)),
            "below": int(np.count_nonzero(values < below)),
        }
    return Protected(released, record=record)


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _tail(values: np.ndarray, threshold: float | None, share: float | None) -> float:
    """The value beyond which the upper tail begins; infinite where there is none."""
    if share is None:
        return np.inf if threshold is None else threshold
    ascending = np.sort(values[~np.isnan(values)])
    if not ascending.size:
        return np.inf
    last = ascending[max(ascending.size - int(np.ceil(share * ascending.size)), 0)]
    left = ascending[ascending < last]
    return float(left[-1]) if left.size else float(last)


def _stand_in(name: str, tail: np.ndarray, threshold: float, replace: str) -> float:
    if replace == "missing" or not tail.size:
        return np.nan
    if replace == "threshold":
        return threshold
    if tail.size < FEW:
        raise CannotProtect(
            "top_bottom_code", f"{name} has {tail.size} values in a tail, too few for their {replace}"
        )
    return float(np.mean(tail) if replace == "mean" else np.median(tail))
