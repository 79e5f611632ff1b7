"""A synthetic table in the form of the original: the same columns, types and categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sdc.methods import columns
from sdc.statistics.synthesis.coded import decimals

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array
    from sdc.data.roles import Roles


@dataclass(frozen=True)
class SyntheticFrame:
    """How columns are made from arrays; with `total` every record has an equal share of this weight."""

    table: pd.DataFrame
    roles: Roles
    total: float | None = None

    def of(self, values: Mapping[str, Array], home: Array | None = None) -> pd.DataFrame:
        """The table of values as `columns.as_numbers` has them.

        `home` numbers each record's household from 0.
        """
        import pandas as pd

        rows = len(next(iter(values.values()))) if values else len(home if home is not None else self.table)
        made: dict[str, Any] = {}
        for name in self.table.columns:
            if name in values:
                made[name] = self._column(self.table[name], values[name])
            elif name == self.roles.household:
                made[name] = _numbers(np.arange(rows) if home is None else home)
            elif name == self.roles.weight and self.total is not None:
                made[name] = np.full(rows, self.total / rows)
        return pd.DataFrame(made, index=self.table.index if rows == len(self.table) else None)

    @staticmethod
    def _column(column: pd.Series, values: Array) -> Any:
        import pandas as pd

        if not columns.is_date(column):
            return columns.like(column, values)
        missing = np.isnan(values)
        moments = (
            np.round(np.where(missing, 0, values) * 86_400_000.0).astype(np.int64).astype("datetime64[ms]")
        )
        return pd.Series(np.where(missing, np.datetime64("NaT", "ms"), moments)).astype(column.dtype).array


def drawn_names(table: pd.DataFrame, roles: Roles) -> tuple[str, ...]:
    """Variables a synthesiser draws: all but the household number."""
    return tuple(name for name in table.columns if name != roles.household)


def number_names(table: pd.DataFrame, roles: Roles) -> list[str]:
    """Numbers and dates among them, the weight too."""
    return [name for name in drawn_names(table, roles) if not columns.is_category(table[name])]


def number_matrix(table: pd.DataFrame, names: Sequence[str]) -> Array:
    """Columns as numbers side by side, NaN where missing."""
    return (
        np.column_stack([columns.as_numbers(table[name]) for name in names])
        if names
        else np.zeros((len(table), 0))
    )


def written(column: pd.Series, values: Array) -> Array:
    """Numbers with as many decimals as the column's own."""
    observed = columns.as_numbers(column)
    known = observed[~np.isnan(observed)]
    places = decimals(known) if known.size else None
    return values if places is None else np.round(values, places)


def _numbers(home: Array) -> Any:
    import pandas as pd

    return pd.Categorical.from_codes(
        home, categories=[str(number + 1) for number in range(int(home.max(initial=-1)) + 1)]
    )


def shares_of(rows: int, sizes: Sequence[float]) -> list[int]:
    """Whole numbers in proportion to the sizes that add up to rows: the largest remainders are rounded up."""
    exact = np.asarray(sizes, dtype=np.float64) * rows / float(np.sum(sizes))
    whole = np.floor(exact).astype(np.int64)
    up = np.argsort(-(exact - whole), kind="stable")[: rows - int(whole.sum())]
    whole[up] += 1
    return [int(count) for count in whole]
