"""Do all members of a household still have the household's values in common?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from sdc.catalogue import (
    Column,
    MissingValues,
    Need,
    Protected,
    Protection,
    Touches,
    always,
    method,
    unless_told,
)
from sdc.data.roles import Roles
from sdc.errors import CannotProtect
from sdc.methods import columns

if TYPE_CHECKING:
    import pandas as pd


@method(
    protection=Protection.PERTURBATIVE,
    touches=Touches.HOUSEHOLD_LEVEL,
    needs={Need.HOUSEHOLD: always, Need.HOUSEHOLD_LEVEL: unless_told("variables")},
    example={"variables": ["income", "education"], "take": "any"},
    missing=MissingValues.ADDED,
)
def household_consistency(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    variables: list[Column] | None = None,
    take: Literal["first", "any", "most_frequent"] = "first",
    missing_values: Literal["spread", "filled"] = "spread",
) -> Protected:
    """Every member of a household gets one and the same value of each household-level variable.

    Steps before it may have changed members differently. The value is that of the first member, of any one
    (drawn evenly), or the most frequent (of equals, that of the earlier member). Where a member's value is
    missing (suppressed), it is missing for all, or the others would reveal it; with `filled` a value one
    member has is given to all. Records without a household number stay as they are. `variables` are those the
    profile declares per household. Where members differed, values become false; to suppress keys of a
    household together and keep them true, use `by_household` of local_suppression.

    Formula: y_iv = x_{j(h)v} for every member i of household h, j(h) the first, a random or the most frequent
    member's value.

    Reference: Hundepool et al. (2012), Statistical Disclosure Control, chapter 3, doi:10.1002/9781118348239.
    """
    import pandas as pd

    if roles.household is None or roles.household not in table.columns:
        raise CannotProtect("household_consistency", "no variable has the role household")
    declared = [
        variable.name for variable in roles if variable.household_level and variable.name in table.columns
    ]
    names = columns.known("household_consistency", table, variables if variables is not None else declared)
    if not names:
        raise CannotProtect("household_consistency", "no variable is declared per household")
    codes, homes = columns.coded(table[roles.household])
    rows = np.flatnonzero(codes >= 0)
    home = codes[rows]
    released, inconsistent = table.copy(deep=False), {}
    for name in names:
        values, _ = columns.coded(table[name])
        source = np.arange(len(table))
        source[rows] = rows[_chosen(values[rows], home, len(homes), take, rng)]
        made = pd.Series(table[name].array.take(source), index=table.index)
        released[name] = (
            made.mask(_in_homes_with(values[rows] < 0, home, rows, len(table)))
            if missing_values == "spread"
            else made
        )
        inconsistent[name] = _inconsistent(values[rows], home)
    return Protected(released, record={"households_made_consistent": inconsistent})


def _chosen(
    values: np.ndarray, home: np.ndarray, homes: int, take: str, rng: np.random.Generator
) -> np.ndarray:
    """For each record the place of the member whose value its household takes.

    An observed value is taken wherever there is one.
    """
    places = np.arange(len(values))
    frequent = np.zeros(len(values))
    if take == "most_frequent":
        pair = home.astype(np.int64) * (int(values.max(initial=0)) + 2) + values
        _, kind, count = np.unique(pair, return_inverse=True, return_counts=True)
        frequent = -count[kind].astype(np.float64)
    lot = rng.random(len(values)) if take == "any" else places
    order = np.lexsort([lot, frequent, values < 0, home])
    first = order[np.flatnonzero(np.diff(home[order], prepend=-1))]
    leader = np.zeros(homes, dtype=np.int64)
    leader[home[first]] = first
    chosen: np.ndarray = leader[home]
    return chosen


def _in_homes_with(marked: np.ndarray, home: np.ndarray, rows: np.ndarray, records: int) -> np.ndarray:
    """Records of households with a marked member."""
    inside = np.zeros(records, dtype=bool)
    inside[rows] = np.isin(home, home[marked])
    return inside


def _inconsistent(values: np.ndarray, home: np.ndarray) -> int:
    """Households whose members differ."""
    pairs = np.unique(np.column_stack([home, values]), axis=0)
    return int(np.count_nonzero(np.unique(pairs[:, 0], return_counts=True)[1] > 1))
