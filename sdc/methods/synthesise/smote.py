"""Which records could lie between a record and its neighbours?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Protected, Protection, method
from sdc.data.roles import Roles
from sdc.errors import BadOption
from sdc.methods import columns
from sdc.methods.synthetic import SyntheticFrame, drawn_names, number_matrix, number_names, shares_of, written
from sdc.statistics.sampling.shares_of_a_gap import Law, shares_of_a_gap
from sdc.statistics.sampling.smote import between, nearest_neighbours
from sdc.statistics.sampling.smote import smote as draws

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array


@method(protection=Protection.SYNTHETIC, aligned=False)
def smote(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    neighbours: Annotated[int, Field(ge=1)] = 5,
    by: list[Column] = [],  # noqa: B006
    balance: Annotated[dict[Column, list[str]], Field(max_length=1)] = {},  # noqa: B006
    law: Law = "uniform",
    shape: Annotated[float, Field(gt=0, le=1000)] = 2.0,
    rows: Annotated[int, Field(ge=1)] | None = None,
) -> Protected:
    """New records on the way from a record drawn at random to one of its nearest neighbours.

    The neighbours are in the same class of `by`; without `by` all records are one class.

    Numbers are standardised for the distance, and two categories that differ are apart by the median standard
    deviation, that is by 1. The numbers of a new record lie a share of the way between both (`law` and
    `shape` as in interpolation); a number missing in either is that of the nearer. Its categories are the
    commonest among the neighbours, of equally common ones the record's own. No theory says what this
    protects.

    `balance` names a variable and categories of it (`{illness: [rare]}`; none named means all) that are
    brought to the size of its largest category, so that the table grows; its categories are classes too.
    Their shares, and what a weight adds up to, are then no longer those of the original.

    Formula: y = x_i + u (x_j − x_i), j one of the k nearest neighbours of i, u in [0, 1] from the law.

    Reference: Chawla, Bowyer, Hall, Kegelmeyer (2002), doi:10.1613/jair.953.
    """
    by = list(dict.fromkeys((*by, *balance)))
    groups = columns.strata("smote", table, by)
    sizes = _sizes(table, groups, balance)
    counts, shares = shares_of(rows or round(sum(sizes)), sizes), shares_of_a_gap(law, shape)
    numbers = number_names(table, roles)
    names = drawn_names(table, roles)
    points, matrix = _points(table, [name for name in names if name not in by]), number_matrix(table, numbers)
    parts = []
    for group, count in zip(groups, counts, strict=True):
        own, other, share = draws(points[group], count, neighbours, rng, shares)
        near = (
            nearest_neighbours(points[group], neighbours)
            if len(group) > 1
            else np.zeros((1, 1), dtype=np.int64)
        )
        parts.append((group[own], group[other], share, group[near[own]]))
    own, other, share = (np.concatenate([part[place] for part in parts]) for place in range(3))
    values = {}
    for name in names:
        held = columns.as_numbers(table[name])
        if name in numbers:
            mixed = between(matrix[own, numbers.index(name)], matrix[other, numbers.index(name)], share)
            nearer = np.where(share < 0.5, held[own], held[other])
            values[name] = written(table[name], np.where(np.isnan(mixed), nearer, mixed))
        else:
            values[name] = np.concatenate([_commonest(held, part[0], part[3]) for part in parts])
    return Protected(
        SyntheticFrame(table, roles).of(values), record={"neighbours": neighbours, "classes": len(groups)}
    )


def _sizes(table: pd.DataFrame, groups: list[Array], balance: Mapping[str, list[str]]) -> list[float]:
    """How many records each class should have: as many as it has, or its share of the largest category."""
    sizes = [float(len(group)) for group in groups]
    for name, named in balance.items():
        if not columns.is_category(table[name]):
            raise BadOption("smote", "balance", f"{name} does not hold categories")
        held = table[name].value_counts()
        if unknown := [label for label in named if not held.get(label, 0)]:
            raise BadOption(
                "smote", "balance", f"{name} has no record of {len(unknown)} of the categories named"
            )
        grown = {
            label: float(held.max() / count)
            for label, count in held.items()
            if count and (not named or label in named)
        }
        sizes = [
            size * grown.get(table[name].iloc[group[0]], 1.0)
            for size, group in zip(sizes, groups, strict=True)
        ]
    return sizes


def _points(table: pd.DataFrame, names: list[str]) -> Array:
    """Records as points: standardised numbers with the mean for missing, and indicators of categories.

    The indicators of two categories are half a unit apart.
    """
    parts = [np.zeros((len(table), 1))]
    for name in names:
        values = columns.as_numbers(table[name])
        if columns.is_category(table[name]):
            codes = np.where(np.isnan(values), len(table[name].cat.categories), values)
            parts.append((codes[:, None] == np.unique(codes)) / np.sqrt(2))
        else:
            known = values[~np.isnan(values)]
            spread = float(known.std()) if known.size else 0.0
            scaled = (values - (known.mean() if known.size else 0.0)) / (spread or 1.0)
            parts.append(np.nan_to_num(scaled)[:, None])
    return np.concatenate(parts, axis=1)


def _commonest(values: Array, own: Array, near: Array) -> Array:
    """The commonest value of each row of neighbours, the record's own among equally common ones."""
    held, mine = values[near], values[own]
    same = (held[:, :, None] == held[:, None, :]) | (np.isnan(held)[:, :, None] & np.isnan(held)[:, None, :])
    votes = same.sum(axis=2) + 0.5 * ((held == mine[:, None]) | (np.isnan(held) & np.isnan(mine)[:, None]))
    chosen: Array = held[np.arange(len(own)), votes.argmax(axis=1)]
    return chosen
