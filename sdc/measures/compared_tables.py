"""The tables of original and candidate that are compared cell by cell."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import NotAssessed
from sdc.data.classes import Cells
from sdc.data.release_pair import ReleasePair
from sdc.measures.classing import Classing
from sdc.measures.comparison import BOTH, CodedPair, classed, coded, comparable, edges_amiss, is_number
from sdc.statistics.counts.contingency import TwoCounts, joint_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.arrays import Array


def compared_tables(
    pair: ReleasePair, variables: Sequence[str] | None, classing: Classing
) -> dict[str, Cells] | NotAssessed:
    """The joint table of the variables named or, where none is, a table of each analysed variable."""
    return _counted(pair, _chosen(pair, variables, classing, jointly=bool(variables)), classing)


def one_way_tables(
    pair: ReleasePair, variables: Sequence[str] | None, classing: Classing
) -> dict[str, Cells] | NotAssessed:
    """The table of each variable named, or of each analysed one, by itself."""
    return _counted(pair, _chosen(pair, variables, classing, jointly=False), classing)


def _counted(
    pair: ReleasePair, chosen: dict[str, tuple[str, ...]] | NotAssessed, classing: Classing
) -> dict[str, Cells] | NotAssessed:
    if isinstance(chosen, NotAssessed):
        return chosen
    tables = {
        name: pair.cells([classed(pair, column, classing) for column in columns])
        for name, columns in chosen.items()
    }
    if classing.missing == "drop":
        tables = {name: _complete(cells) for name, cells in tables.items()}
    for side in BOTH:
        if not all(getattr(cells, side.value).any() for cells in tables.values()):
            return NotAssessed(f"no record of the {side.value} has a value of all variables compared")
    return tables


def compared_counts(
    pair: ReleasePair, variables: Sequence[str] | None, classing: Classing
) -> dict[str, TwoCounts] | NotAssessed:
    """The counts of those tables, by name."""
    tables = compared_tables(pair, variables, classing)
    if isinstance(tables, NotAssessed):
        return tables
    return {name: TwoCounts.of(cells.original, cells.candidate) for name, cells in tables.items()}


def weighted_tables(
    pair: ReleasePair, variables: Sequence[str] | None, classing: Classing
) -> dict[str, tuple[Array, Array]] | NotAssessed:
    """The cells of `compared_tables` with sums of survey weights in place of counts, for both tables.

    A record without a positive weight does not count.
    """
    import numpy as np

    chosen = _chosen(pair, variables, classing, jointly=bool(variables))
    if isinstance(chosen, NotAssessed):
        return chosen
    weight = pair.roles.weight
    if weight is None or any(weight not in pair.table(side).columns for side in BOTH):
        return NotAssessed("no weight in both tables")
    weights = [np.where(held > 0, held, 0.0) for held in (pair.numbers(weight, side) for side in BOTH)]
    return {
        name: _weighted_cells(
            [coded(pair, column, classing) for column in columns], weights, classing.missing == "drop"
        )
        for name, columns in chosen.items()
    }


def grid_size(cells: Cells) -> int:
    """The number of all combinations of the categories of a table, missing among them where it occurs."""
    return math.prod(len(set(column.tolist())) for column in cells.codes.T)


def in_order(pair: ReleasePair, cells: Cells) -> Array | None:
    """The places of the cells of a one-way table in the order of its values, missing last.

    It is None where the values have no order.
    """
    import numpy as np

    if len(cells.columns) != 1:
        return None
    column, codes = cells.columns[0], cells.codes[:, 0]
    declared = pair.roles[column].order if column in pair.roles else ()
    levels = cells.levels[0]
    if is_number(pair, column):
        rank = np.arange(len(levels) + 1)
    elif declared and set(levels) <= set(declared):
        rank = np.array([*(declared.index(level) for level in levels), len(declared)])
    else:
        return None
    return np.argsort(rank[codes], kind="stable")


def _chosen(
    pair: ReleasePair, variables: Sequence[str] | None, classing: Classing, *, jointly: bool
) -> dict[str, tuple[str, ...]] | NotAssessed:
    """The variables of each table, by its name."""
    shared = comparable(pair, variables)
    if isinstance(shared, NotAssessed):
        return shared
    chosen: dict[str, tuple[str, ...]] = (
        {"+".join(shared): shared} if jointly else {column: (column,) for column in shared}
    )
    return edges_amiss(pair, shared, classing.edges) or chosen


def _complete(cells: Cells) -> Cells:
    """The table without the records that have a gap."""
    held = (cells.codes >= 0).all(axis=1)
    return replace(
        cells, codes=cells.codes[held], original=cells.original[held], candidate=cells.candidate[held]
    )


def _weighted_cells(columns: list[CodedPair], weights: list[Array], complete: bool) -> tuple[Array, Array]:
    import numpy as np

    sizes = [column.size for column in columns]
    codes = [[getattr(column, side.value) for column in columns] for side in BOTH]
    held = [np.all([column >= 0 for column in table], axis=0) if complete else slice(None) for table in codes]
    cells = [joint_cells(table, sizes)[kept] for table, kept in zip(codes, held, strict=True)]
    _, place = np.unique(np.concatenate(cells), return_inverse=True)
    places = place[: cells[0].size], place[cells[0].size :]
    most = int(max(map(np.max, places))) + 1
    sums = [
        np.bincount(place, weight[kept], minlength=most)
        for place, weight, kept in zip(places, weights, held, strict=True)
    ]
    return sums[0], sums[1]
