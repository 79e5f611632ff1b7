"""Beyond which value is everyone the same?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from sdc.catalogue import OF_NUMBERS, MissingValues, Protected, Protection, always, method
from sdc.data.roles import Roles
from sdc.errors import CannotProtect
from sdc.methods import columns

if TYPE_CHECKING:
    import pandas as pd

    from sdc.data.long_table import AnyTable

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
    in_parts=always,
)
def top_bottom_code(
    table: AnyTable, roles: Roles, _rng: np.random.Generator, /, **ends: Annotated[Ends, OF_NUMBERS]
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
    record = {}
    for name, asked in ends.items():
        table, record[name] = _coded(table, name, asked)
    return Protected(table, record=record)


def _coded(table: AnyTable, name: str, asked: Ends) -> tuple[AnyTable, dict[str, int]]:
    shares = asked.top_share is not None or asked.bottom_share is not None
    known = columns.gathered(table, name, _known) if shares else np.empty(0)
    above = _tail(known, asked.top, asked.top_share)
    below = -_tail(-known, _minus(asked.bottom), asked.bottom_share)
    high = columns.gathered(table, name, lambda values: values[values > above])
    low = columns.gathered(table, name, lambda values: values[values < below])
    stand_ins = (
        _stand_in(name, high, above, asked.replace),
        _stand_in(name, low, below, asked.replace),
    )

    def change(part: pd.DataFrame) -> dict[str, np.ndarray]:
        values = part[name].to_numpy()
        made = values.copy()
        made[values > above], made[values < below] = stand_ins
        return {name: made}

    return columns.changed(table, [name], change), {"above": high.size, "below": low.size}


def _known(values: np.ndarray) -> np.ndarray:
    known: np.ndarray = values[~np.isnan(values)]
    return known


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _tail(known: np.ndarray, threshold: float | None, share: float | None) -> float:
    """The value beyond which the upper tail begins; infinite where there is none."""
    if share is None:
        return np.inf if threshold is None else threshold
    ascending = np.sort(known)
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
