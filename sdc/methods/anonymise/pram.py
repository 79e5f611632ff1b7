"""What if a category may have become another at random?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field

from sdc.arrays import Array
from sdc.catalogue import Column, Need, Protected, Protection, Touches, always, method, unless_told
from sdc.data.roles import Roles
from sdc.errors import BadOption, CannotProtect
from sdc.methods import columns
from sdc.statistics.coarsening.recoding import Label
from sdc.statistics.noise.post_randomisation import KeepsMore, invariant_matrix, moved

if TYPE_CHECKING:
    import pandas as pd

    from sdc.data.long_table import AnyTable

Chance = Annotated[float, Field(ge=0, le=1)]


def _stochastic(matrix: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    if any(abs(sum(row.values()) - 1) > 1e-9 for row in matrix.values()):
        message = "the chances of every row must add up to 1"
        raise ValueError(message)
    return matrix


Strata = Sequence[Array]
"""The places of the records of each stratum; none where all records are one."""
Placed = Callable[["pd.Series"], Array]
"""Where the values of a part of a column are among its levels."""
Matrix = Annotated[dict[Label, dict[Label, Chance]], AfterValidator(_stochastic)]


@method(
    protection=Protection.PERTURBATIVE,
    touches=Touches.KEYS,
    needs={Need.QUASI_IDENTIFIERS: unless_told("variables")},
    example={"variables": ["sex", "health"]},
    columnwise=True,
    in_parts=always,
)
def pram(
    table: AnyTable,
    roles: Roles,
    rng: np.random.Generator,
    *,
    variables: list[Column] | None = None,
    keep: Annotated[float, Field(ge=0, lt=1)] = 0.8,
    matrix: dict[Column, Matrix] = {},  # noqa: B006
    by: list[Column] = [],  # noqa: B006
) -> Protected:
    """Categories change at random, with known chances (post-randomisation).

    By default the chances are invariant: a value is drawn anew from the variable's own distribution so often
    that the share `keep` of the values is expected to stay, and every category is expected to stay as
    frequent as it was. `matrix` gives a variable chances of its own, from each category to others; categories
    without a row stay. `variables` are the categorical quasi-identifiers unless named. `by` names variables
    in whose classes the chances are made. Missing stays missing. The chances go to the sealed record: who
    knows them can undo some of the protection.

    Formula: P(y = b | x = a) = P_ab; invariant: P = a I + (1 − a) 1 p', so that p' P = p'.

    Reference: Gouweleeuw, Kooiman, Willenborg, de Wolf (1998), Post randomisation for statistical disclosure
    control: theory and implementation, Journal of Official Statistics 14, 463-478.
    """
    default = [
        name
        for name in roles.quasi_identifiers
        if name in table.columns and columns.is_category(columns.kind(table, name))
    ]
    names = columns.categories("pram", table, default if variables is None else variables)
    if not names:
        raise CannotProtect("pram", "no quasi-identifier holds categories")
    strangers = [name for name in matrix if name not in names]
    if strangers:
        raise BadOption("pram", "matrix", f"{strangers[0]} is not among the variables")
    columns.known("pram", table, by, "by")
    strata = columns.strata("pram", columns.loaded(table, by), by) if by else ()
    released, sealed, kept = table, {}, {}
    for name in names:
        levels = columns.distinct(table, name)
        placed = columns.places_among(columns.kind(table, name), levels)
        counts = _counts(table, name, placed, len(levels), strata)
        chances = [
            _own(name, list(levels), matrix[name])
            if name in matrix
            else _invariant(name, _shares(each), keep)
            for each in counts
        ]
        draws = zip(_in_parts(table, strata), _draws(table, strata, rng), strict=True)
        released = columns.changed(released, [name], partial(_drawn, name, levels, placed, chances, draws))
        stays = [
            float(np.sum(_shares(each) * np.diag(own))) * int(each.sum())
            for each, own in zip(counts, chances, strict=True)
        ]
        kept[name] = sum(stays) / max(1, sum(int(each.sum()) for each in counts))
        sealed[name] = {"levels": list(levels), "chances": [own.tolist() for own in chances]}
    return Protected(released, record={"expected_share_kept": kept}, sealed={"transition": sealed})


def _in_parts(table: AnyTable, strata: Strata) -> Iterator[list[Array | slice]]:
    """The records of each stratum in each part, counted from the first of that part."""
    for first, last in columns.spans(table):
        yield [rows[slice(*np.searchsorted(rows, [first, last]))] - first for rows in strata] or [slice(None)]


def _draws(table: AnyTable, strata: Strata, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """A random number for each record of a part; those of a stratum are drawn together."""
    if not strata:
        yield from (rng.random(last - first) for first, last in columns.spans(table))
        return
    drawn = np.empty(len(table))
    for rows in strata:
        drawn[rows] = rng.random(len(rows))
    yield from columns.in_parts_of(table, drawn)


def _counts(table: AnyTable, name: str, placed: Placed, levels: int, strata: Strata) -> list[np.ndarray]:
    """How many records of each stratum have each level."""
    found = [np.zeros(levels, dtype=np.int64) for _ in range(max(1, len(strata)))]
    for part, here in zip(columns.parts(table, [name]), _in_parts(table, strata), strict=True):
        codes = placed(part[name])
        for place, rows in enumerate(here):
            known = codes[rows]
            found[place] += np.bincount(known[known >= 0], minlength=levels)
    return found


def _drawn(
    name: str,
    levels: np.ndarray,
    placed: Placed,
    chances: list[np.ndarray],
    draws: Iterator[tuple[list[Array | slice], np.ndarray]],
    part: pd.DataFrame,
) -> dict[str, Any]:
    codes, (strata, numbers) = placed(part[name]), next(draws)
    for rows, own in zip(strata, chances, strict=True):
        codes[rows] = moved(codes[rows], own, numbers[rows])
    return {name: _as_categories(part[name], codes, levels)}


def _shares(counts: np.ndarray) -> np.ndarray:
    shares: np.ndarray = counts / max(1, counts.sum())
    return shares


def _invariant(name: str, shares: np.ndarray, keep: float) -> np.ndarray:
    if not shares.any():
        return np.eye(len(shares))
    try:
        return invariant_matrix(shares, keep)
    except KeepsMore:
        raise CannotProtect(
            "pram",
            f"{name} is so uneven that more than the share {keep} of its values is kept whatever is drawn",
        ) from None


def _own(name: str, levels: list[str], matrix: dict[str, dict[str, float]]) -> np.ndarray:
    place = {level: number for number, level in enumerate(levels)}
    unknown = {label for row in matrix.values() for label in row if label not in place}
    if unknown:
        raise BadOption(
            "pram", "matrix", f"{len(unknown)} categories to which {name} may change do not occur in it"
        )
    chances = np.eye(len(levels))
    for source, row in matrix.items():
        if source in place:
            chances[place[source]] = 0.0
            for label, chance in row.items():
                chances[place[source], place[label]] = chance
    return chances


def _as_categories(column: pd.Series, codes: np.ndarray, levels: np.ndarray) -> Any:
    """Codes of the levels that occur, as values of the column's own type."""
    import pandas as pd

    place = {str(category): number for number, category in enumerate(column.cat.categories)}
    places = np.array([*(place[level] for level in levels), -1])
    return pd.Categorical.from_codes(places[codes], dtype=column.dtype)
