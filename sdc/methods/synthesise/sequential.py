"""What would other records look like, drawn variable by variable from models of those held?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sdc.catalogue import Column, method
from sdc.errors import BadOption, CannotProtect
from sdc.methods import columns
from sdc.methods.models import ModelName, ModelSettings, find_model
from sdc.protection import Protected, Protection
from sdc.roles import Roles
from sdc.statistics.synthesis.feature import Feature

if TYPE_CHECKING:
    import pandas as pd

    Array = np.ndarray[Any, Any]


@method(protection=Protection.SYNTHETIC, aligned=False)
def sequential(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    model: ModelName = "cart",
    models: dict[Column, ModelName] = {},  # noqa: B006
    settings: ModelSettings = {},  # noqa: B006
    visit: Literal["file"] | list[Column] = "file",
) -> Protected:
    """Variables are drawn one after another, each from a model of it given those drawn before; the first is sampled.

    `visit` is the order: that of the file, or names, of which those left out follow. `models` gives a variable a model of its
    own, `settings` a model its options. A missing category is a category; of numbers and dates it is drawn first whether they
    are missing, then their value. The weight is drawn last, from its model given all else. Who lives with whom is not
    modelled: every synthetic record is a household of its own, which the record of the step says.

    Reference: Raghunathan, Reiter, Rubin (2003), Multiple imputation for statistical disclosure limitation, Journal of
    Official Statistics 19, 1-16; Nowok, Raab, Dibben (2016), doi:10.18637/jss.v074.i11.
    """
    if not len(table):
        raise CannotProtect("sequential", "the table has no records")
    order = _order(table, roles, visit)
    columns.known("sequential", table, models, "models")
    observed: list[Feature] = []
    synthetic: list[Feature] = []
    made: dict[str, Any] = {}
    used: dict[str, str] = {}
    for name, stream in zip(order, rng.spawn(len(order)), strict=True):
        used[name] = models.get(name, model) if observed else "sample"
        draw = _Draw(used[name], settings.get(used[name], {}), observed, synthetic, len(table), stream)
        made[name], seen, drawn = draw.variable(table[name])
        observed += seen
        synthetic += drawn
    return Protected(_frame(table, roles, made), record=_record(order, used, roles))


def _order(table: pd.DataFrame, roles: Roles, visit: str | list[str]) -> list[str]:
    """The variables in the order in which they are drawn; the weight last unless it is named, household numbers never."""
    first = [] if isinstance(visit, str) else columns.known("sequential", table, visit, "visit")
    if roles.household in first:
        raise BadOption("sequential", "visit", f"{roles.household} is the household number, which is not drawn from a model")
    rest = [name for name in table.columns if name not in first and name not in (roles.household, roles.weight)]
    last = [name for name in table.columns if name == roles.weight and name not in first]
    return [*first, *rest, *last]


def _frame(table: pd.DataFrame, roles: Roles, made: dict[str, Any]) -> pd.DataFrame:
    import pandas as pd

    numbers = pd.Categorical.from_codes(np.arange(len(table)), categories=[str(number + 1) for number in range(len(table))])
    return pd.DataFrame({name: numbers if name == roles.household else made[name] for name in table.columns}, index=table.index)


def _record(order: list[str], used: dict[str, str], roles: Roles) -> dict[str, Any]:
    homes = {"households": "every synthetic record is a household of its own"} if roles.household else {}
    return {"visit": order, "models": used, "predictors": {name: order[:place] for place, name in enumerate(order)}, **homes}


@dataclass(frozen=True)
class _Draw:
    """One variable's turn: its model, and what was drawn before."""

    model: str
    options: dict[str, Any]
    observed: list[Feature]
    synthetic: list[Feature]
    rows: int
    rng: np.random.Generator

    def variable(self, column: pd.Series) -> tuple[Any, list[Feature], list[Feature]]:
        """The synthetic column, and the variable as a predictor of later ones, observed and synthetic."""
        values = columns.as_numbers(column)
        missing = np.isnan(values)
        if columns.is_category(column):
            levels = len(column.cat.categories)
            target = Feature(np.where(missing, levels, values).astype(np.int64), levels + 1, bool(column.cat.ordered) and not missing.any())
            drawn = self._drawn(target, np.arange(self.rows), np.arange(self.rows))
            made = columns.like(column, np.where(drawn == levels, np.nan, drawn.astype(np.float64)))
            return made, [target], [Feature(drawn, target.levels, target.ordered)]
        gone = self._drawn(Feature(missing.astype(np.int64), 2), np.arange(self.rows), np.arange(self.rows)) if missing.any() else missing
        there, here = np.flatnonzero(~missing), np.flatnonzero(gone == 0)
        drawn = np.full(self.rows, np.nan)
        if there.size and here.size:
            drawn[here] = self._drawn(Feature(values[there]), there, here)
        return columns.like(column, drawn), _predictors(values, there), _predictors(drawn, there, values)

    def _drawn(self, target: Feature, there: Array, here: Array) -> Array:
        """The target, which is of the observed rows `there`, drawn for the synthetic rows `here`."""
        observed, synthetic = [feature.at(there) for feature in self.observed], [feature.at(here) for feature in self.synthetic]
        constant = len(np.unique(target.values)) == 1
        entry = find_model("sample" if constant or not observed else self.model)
        options = {} if constant else entry.arguments(self.options)
        drawn: Array = entry.function(target, observed, synthetic or [Feature(np.zeros(len(here)))], self.rng, **options)
        return drawn


def _predictors(values: Array, there: Array, observed: Array | None = None) -> list[Feature]:
    """Numbers as a predictor: missing ones at the observed mean, beside a feature that says which they are if any are."""
    known = values if observed is None else observed
    centre = float(known[there].mean()) if there.size else 0.0
    missing = np.isnan(values)
    flags = [Feature(missing.astype(np.int64), 2, ordered=True)] if there.size < len(known) else []
    return [Feature(np.where(missing, centre, values)), *flags]
