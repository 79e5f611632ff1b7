"""What do groups of at least k alike records have in common?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import (
    Column,
    ColumnName,
    Need,
    OfRecords,
    Protected,
    Protection,
    Touches,
    method,
    unless_told,
)
from sdc.data.roles import Roles, VariableType
from sdc.errors import BadOption, CannotProtect
from sdc.methods import columns
from sdc.statistics.microaggregation.grouping import Features, TooFew, grouped, representative

if TYPE_CHECKING:
    import pandas as pd


@method(
    protection=Protection.PERTURBATIVE,
    touches=Touches.NUMERIC,
    needs={Need.NUMERIC: unless_told("variables")},
    columnwise=True,
)
def microaggregation(
    table: pd.DataFrame,
    roles: Roles,
    _rng: np.random.Generator,
    *,
    variables: (
        list[Annotated[str, ColumnName((VariableType.NUMERIC,), unless=("grouping", "mdav"))]] | None
    ) = None,
    k: Annotated[int, Field(ge=2), OfRecords()] = 3,
    grouping: Literal["mdav", "z_score_projection", "principal_component", "univariate"] = "mdav",
    average: Literal["mean", "median"] = "mean",
    by: list[Column] = [],  # noqa: B006
) -> Protected:
    """Each value is replaced by what a group of at least k alike records has in common.

    mdav: while 3 k records are left, the one farthest from their mean with its k - 1 nearest, and the one
    farthest from that one with its own; then, with 2 k left, one more group, and the rest (k to 2 k - 1) is
    the last. Distances are Euclidean over standard deviations (denominator n); of records at equal distance
    the first in the file is taken. The other groupings cut the sum of z-scores, the first principal
    component, or each variable by itself, into runs of k in order. With categories among the variables
    distances are Gower's, and a group has its most frequent category, its median rank (ordinal) and its mean
    (of dates, to the day). Missing stays missing: records that miss the same variables are grouped together,
    rarer ones join the nearest group. Means are kept. `by` names variables within whose classes records are
    grouped.

    Formula: y_i = mean of x_j over j in G(i), |G(i)| ≥ k, the groups chosen to keep Σ_i ‖x_i − y_i‖² small.

    Reference: Domingo-Ferrer, Mateo-Sanz (2002), doi:10.1109/69.979982; Domingo-Ferrer, Torra (2005),
    doi:10.1007/s10618-005-0007-5.
    """
    names = (
        columns.known("microaggregation", table, variables)
        if variables
        else columns.numbers("microaggregation", table, roles, None)
    )
    mixed = [name for name in names if not columns.is_number(table[name])]
    if mixed and grouping != "mdav":
        raise BadOption(
            "microaggregation", "grouping", f"{mixed[0]} does not hold numbers, which only mdav can group"
        )
    values = [columns.as_numbers(table[name]) for name in names]
    nominal = np.array([columns.is_category(table[name]) and not table[name].cat.ordered for name in names])
    group = _groups(
        table, names, Features.mixed(values, nominal) if mixed else Features.numeric(values), k, grouping, by
    )
    released = table.copy(deep=False)
    for place, name in enumerate(names):
        median = average == "median" or columns.is_category(table[name])
        shared = representative(values[place], group[:, place], bool(nominal[place]), median)
        released[name] = columns.like(
            table[name], np.round(shared) if columns.is_date(table[name]) else shared
        )
    return Protected(released, record=_record(names, values, group, nominal))


def _groups(
    table: pd.DataFrame, names: list[str], features: Features, k: int, grouping: str, by: list[str]
) -> np.ndarray:
    """The group of each value, -1 where it is missing: a row for each record, a column for each variable."""
    group = np.full((len(table), len(names)), -1, dtype=np.int32)
    for rows in columns.strata("microaggregation", table, by):
        try:
            made = grouped(features, rows, k, grouping)
        except TooFew as few:
            where = "a class of " + ", ".join(by) if by else "the table"
            raise CannotProtect(
                "microaggregation",
                f"{names[few.column]} has {few.observed} values in {where}, fewer than k = {k}",
            ) from None
        made[made >= 0] += group.max(initial=-1) + 1
        group[rows] = made
    return group


def _record(
    names: list[str], values: list[np.ndarray], group: np.ndarray, nominal: np.ndarray
) -> dict[str, object]:
    """How many groups, and what share of each variable's variance lies within them."""
    within = {}
    for place, name in enumerate(names):
        held = group[:, place] >= 0
        column = values[place][held]
        if nominal[place] or not held.any():
            continue
        spread = float(np.sum((column - column.mean()) ** 2))
        lost = float(np.sum((column - representative(column, group[held, place], nominal=False)) ** 2))
        within[name] = lost / spread if spread > 0 else 0.0
    return {"groups": int(np.unique(group[group >= 0]).size), "variance_within_groups": within}
