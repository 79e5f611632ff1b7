"""The first variables of a sequential synthesis, drawn together from a table fitted to all their pairs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from sdc.errors import BadOption
from sdc.methods import columns
from sdc.methods.sequence_models import METHOD, Settings
from sdc.statistics.sampling.bootstrap import bootstrap
from sdc.statistics.synthesis.cells import MOST_CELLS, counted, drawn_cells, fitted_cells

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array
    from sdc.methods.restrictions import Restrictions


IPF = "ipf"
"""What the record calls the model of the group."""


@dataclass(frozen=True)
class FirstGroup:
    """Categories drawn together; a missing value is a category.

    Records of higher weight count more.
    """

    table: pd.DataFrame
    names: tuple[str, ...]
    weights: Array | None = None
    proper: bool = False

    @property
    def shape(self) -> list[int]:
        return [len(self.table[name].cat.categories) + 1 for name in self.names]

    def fit(self, rng: np.random.Generator) -> Array:
        """Probabilities of all cells by the log-linear model of all pairs.

        For two variables this is their table.
        """
        rows = np.arange(len(self.table))
        if self.weights is not None:
            rows = bootstrap(rows.size, rows.size, rng, self.weights)
        if self.proper:
            rows = rows[bootstrap(rows.size, rows.size, rng)]
        held = [columns.as_numbers(self.table[name])[rows] for name in self.names]
        codes = np.column_stack(
            [
                np.where(np.isnan(column), size - 1, column).astype(np.int64)
                for column, size in zip(held, self.shape, strict=True)
            ]
        )
        pairs: list[tuple[int, ...]] = [*combinations(range(len(self.names)), 2)] or [(0,)]
        margins = [
            (
                places,
                counted(codes[:, list(places)], [self.shape[place] for place in places]).astype(np.float64),
            )
            for places in pairs
        ]
        return fitted_cells(margins, self.shape)[0]

    def draw(self, cells: Array, rows: int, rng: np.random.Generator) -> dict[str, Array]:
        """Codes of categories, NaN for missing."""
        drawn = drawn_cells(cells, rows, rng).astype(np.float64)
        return {
            name: np.where(codes == size - 1, np.nan, codes)
            for name, codes, size in zip(self.names, drawn.T, self.shape, strict=True)
        }


def check_group(
    table: pd.DataFrame, first: list[str], chosen: Settings, restrictions: Restrictions, *, keep: bool
) -> None:
    """Raises BadOption where a group cannot be drawn, or has options that a table ignores."""
    columns.known(METHOD, table, first, "first")
    if not first:
        return
    if keep:
        raise BadOption(
            METHOD,
            "first",
            "households that are kept draw what members have in common first; write households: separate",
        )
    if numbers := [name for name in first if not columns.is_category(table[name])]:
        raise BadOption(METHOD, "first", f"{numbers[0]} does not hold categories")
    if asked := [name for name in first if name in chosen.models or name in chosen.predictors]:
        raise BadOption(
            METHOD,
            "first",
            f"{asked[0]} is drawn from the table of the group and has no model or predictors of its own",
        )
    ruled = {name for rule in restrictions.rules for name in rule.then}
    if bound := [name for name in first if name in ruled or restrictions.concerning(name, first)]:
        raise BadOption(
            METHOD,
            "first",
            f"rules, constraints and combinations of {bound[0]} within the group are not heeded; leave"
            " it out",
        )
    cells = prod(FirstGroup(table, tuple(first)).shape)
    if cells > MOST_CELLS:
        raise BadOption(
            METHOD, "first", f"the table of the group would have {cells:,} cells, more than {MOST_CELLS:,}"
        )
