"""In which square of the map does a record lie, with enough others?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import MissingValues, NumberColumn, OfRecords, Protected, Protection, method
from sdc.errors import CannotProtect
from sdc.methods import columns

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array
    from sdc.data.roles import Roles


@method(
    protection=Protection.PERTURBATIVE,
    missing=MissingValues.ADDED,
    example={"x": "income", "y": "wealth", "size": 10000, "k": 3, "doublings": 3},
)
def coordinate_grid(
    table: pd.DataFrame,
    roles: Roles,
    _rng: np.random.Generator,
    /,
    *,
    x: NumberColumn,
    y: NumberColumn,
    size: Annotated[float, Field(gt=0)],
    k: Annotated[int, Field(ge=2), OfRecords()] = 3,
    doublings: Annotated[int, Field(ge=0, le=30)] = 0,
) -> Protected:
    """Both coordinates, `x` and `y`, become the centre of the square of the grid in which a record lies.

    Squares have sides of `size`, in the unit of the coordinates, and begin at 0. A square with fewer than k
    records is given up: its records move to a square of twice the side, `doublings` times at most. Who is
    still in too small a crowd then loses both coordinates, as does a record with only one of them. Every
    point that is left stands for at least k records.

    Formula: y = (⌊x / s⌋ + ½) s for both coordinates, s = size × 2^d with the smallest d ≤ doublings for
    which the square has k records or more.

    Reference: Hundepool et al. (2012), Statistical Disclosure Control, chapter 3, doi:10.1002/9781118348239.
    """
    columns.numbers("coordinate_grid", table, roles, [x, y], "x and y")
    if k > len(table):
        raise CannotProtect("coordinate_grid", f"k is {k}, but the table has {len(table)} records")
    points = np.column_stack([table[name].to_numpy(dtype=np.float64) for name in (x, y)])
    waiting = np.flatnonzero(~np.isnan(points).any(axis=1))
    placed = np.full_like(points, np.nan)
    moved = []
    for level in range(doublings + 1):
        side = size * 2.0**level
        squares = np.floor(points[waiting] / side)
        enough = _in_crowds(squares, k)
        placed[waiting[enough]] = (squares[enough] + 0.5) * side
        moved.append(int(enough.sum()))
        waiting = waiting[~enough]
    made = table.copy(deep=False)
    made[x], made[y] = placed[:, 0], placed[:, 1]
    return Protected(made, record={"records_by_doublings": moved, "suppressed": len(waiting)})


def _in_crowds(squares: Array, minimum: int) -> Array:
    """Whether so many records are in the same square."""
    if not len(squares):
        return np.zeros(0, dtype=bool)
    _, place, counts = np.unique(squares, axis=0, return_inverse=True, return_counts=True)
    crowded: Array = counts[place.ravel()] >= minimum
    return crowded
