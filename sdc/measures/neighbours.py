"""Places records in a space of comparable variables, and searches it for neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import NotAssessed
from sdc.data import sql
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.roles import MissingRule, VariableType
from sdc.data.sharing import shared
from sdc.measures.comparison import BOTH, comparable, is_number
from sdc.statistics.neighbours.space import CODE, Axis, Distance, Space, points

if TYPE_CHECKING:
    from sdc.arrays import Array
    from sdc.statistics.neighbours.search import Neighbours


def shared_columns(
    pair: ReleasePair, variables: Sequence[str] | None, *sides: Side
) -> tuple[str, ...] | NotAssessed:
    """The variables named, else all analysed ones, that original, candidate and the further sides have.

    Where there are none, it says why.
    """
    compared = comparable(pair, variables)
    if isinstance(compared, NotAssessed):
        return compared
    for side in sides:
        if not pair.table(side).rows:
            return NotAssessed(f"no records in the {side.value}")
        if lacking := [name for name in compared if name not in pair.table(side).columns]:
            return NotAssessed(f"not in the {side.value}: {', '.join(lacking)}")
    return compared


def space(
    pair: ReleasePair,
    columns: Sequence[str],
    distance: Distance = "gower",
    missing: MissingRule = MissingRule.OWN_CATEGORY,
) -> Space:
    """How records are compared: ordered variables by their difference, others by equality.

    Numbers, dates and ordered categories are ordered variables.
    """
    return Space.of(
        [_axis(pair, column, distance) for column in columns], wildcard=missing is MissingRule.WILDCARD
    )


@shared
def placed(pair: ReleasePair, columns: Sequence[str], side: Side) -> Array:
    """The records of a table in that space: a row for each variable, a column for each record."""
    import numpy as np

    kinds = [_axis(pair, column, "gower").kind for column in columns]
    return points([_values(pair, column, side) for column in columns], np.array(kinds))


@shared
def neighbours(
    pair: ReleasePair,
    columns: Sequence[str],
    side: Side = Side.CANDIDATE,
    distance: Distance = "gower",
    missing: MissingRule = MissingRule.OWN_CATEGORY,
) -> Neighbours:
    """The records of a table, ready to be searched."""
    from sdc.statistics.neighbours.search import Neighbours

    return Neighbours(space(pair, columns, distance, missing), placed(pair, columns, side))


@shared
def _axis(pair: ReleasePair, column: str, distance: Distance) -> Axis:
    if not (is_number(pair, column) or _is_date(pair, column) or _is_ordered(pair, column)):
        return Axis(CODE)
    original, candidate = (_values(pair, column, side) for side in BOTH)
    return Axis.of_numbers(original, candidate, distance)


def _values(pair: ReleasePair, column: str, side: Side) -> Array:
    import numpy as np

    if is_number(pair, column):
        return pair.numbers(column, side)
    if _is_date(pair, column):
        query = (
            f'SELECT epoch(CAST({sql.name(column)} AS TIMESTAMP)) AS "x" FROM'
            f" {sql.name(pair.table(side).name)}"
        )
        return np.asarray(pair.table(side).arrow(query).column("x").to_numpy(), dtype=np.float64)
    if _is_ordered(pair, column):
        codes, levels = pair.table(side).codes(column)
        rank = {level: float(place) for place, level in enumerate(pair.roles[column].order)}
        places: Array = np.array([*(rank.get(level, np.nan) for level in levels), np.nan])[codes]
        return places
    return pair.places(column, side)


def _is_date(pair: ReleasePair, column: str) -> bool:
    return all(pair.table(side).is_date(column) for side in BOTH)


@shared
def _is_ordered(pair: ReleasePair, column: str) -> bool:
    """Whether a variable has a declared order that holds for the values of both tables, neither regrouped."""
    if (
        column not in pair.roles
        or pair.roles[column].type is not VariableType.ORDINAL
        or pair.containment(column) is not None
    ):
        return False
    return set(pair.levels(column)) <= set(pair.roles[column].order)
