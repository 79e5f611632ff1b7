"""Each variable as a regression on all others: which of them it needs, and its models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sdc.methods import columns
from sdc.run.progress import reporter
from sdc.statistics.synthesis.coded import Coded
from sdc.statistics.synthesis.feature import CompleteFeature
from sdc.statistics.synthesis.selection import Selection, indicator_columns, selected

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Explained:
    """The variables of a table, and by which others each is explained."""

    table: pd.DataFrame
    names: tuple[str, ...]
    how: Selection
    penalty: float
    least: float

    @cached_property
    def features(self) -> dict[str, list[CompleteFeature]]:
        """All records of each variable as predictors."""
        made = {}
        for name in self.names:
            column, values = self.table[name], columns.as_numbers(self.table[name])
            coded = (
                Coded(values, len(column.cat.categories)) if columns.is_category(column) else Coded(values)
            )
            made[name] = coded.predictors(values)
        return made

    @cached_property
    def needed(self) -> dict[str, list[str]]:
        """The variables each is regressed on: those the selection keeps in a regression on all others."""
        blocks = {name: indicator_columns(features) for name, features in self.features.items()}
        made, report = {}, reporter()
        for name in self.names:
            others = [other for other in self.names if other != name]
            found = selected(
                blocks[name], [blocks[other] for other in others], self.how, self.penalty, self.least
            )
            made[name] = [others[place] for place in found]
            report(f"predictors of {name}")
        return made
