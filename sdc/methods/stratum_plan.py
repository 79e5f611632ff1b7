"""One stratum of a sequential synthesis: its records, and how its variables are fitted and drawn."""

from __future__ import annotations

from collections.abc import Sequence as Names
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sdc.catalogue import Targets
from sdc.catalogue.synthesis_models import find_model
from sdc.data.roles import Roles
from sdc.methods.first_group import IPF, FirstGroup
from sdc.methods.homes import Homes
from sdc.methods.model_choice import draws_parameters
from sdc.methods.restrictions import Restrictions
from sdc.methods.sequence import Sequence
from sdc.methods.sequence_models import Settings
from sdc.statistics.synthesis.regression import MOST_LEVELS

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array


ALONE = "every synthetic record is a household of its own"


@dataclass(frozen=True)
class StratumPlan:
    """One stratum: its records and how its variables are drawn, with households kept or not."""

    table: pd.DataFrame
    roles: Roles
    order: tuple[str, ...]
    settings: Settings
    restrictions: Restrictions
    weights: Array | None
    keep: bool
    first: tuple[str, ...] = ()

    @cached_property
    def homes(self) -> Homes | None:
        if not self.keep:
            return None
        homes = Homes(self.table, self.roles, self.order, self.settings, self.restrictions, self.weights)
        self.restrictions.check_order(homes.visit)
        return homes

    @cached_property
    def plain(self) -> Sequence:
        self.restrictions.check_order(self.order)
        return Sequence(
            self.table,
            self.first,
            self.order[len(self.first) :],
            self.settings,
            self.restrictions,
            self.weights,
        )

    @property
    def group(self) -> FirstGroup:
        return FirstGroup(self.table, self.first, self.weights, self.settings.proper)

    @property
    def sequences(self) -> list[Sequence]:
        return [self.plain] if self.homes is None else self.homes.sequences

    def fit(self, rng: np.random.Generator) -> Any:
        if not self.first:
            return (self.plain if self.homes is None else self.homes).fit(rng)
        for_group, for_others = rng.spawn(2)
        return self.group.fit(for_group), self.plain.fit(for_others)

    def draw(self, fitted: Any, rows: int, rng: np.random.Generator) -> tuple[dict[str, Array], Array]:
        if self.homes is not None:
            return self.homes.draw(fitted, rows, rng)
        if not self.first:
            return self.plain.draw(fitted, {}, rows, rng), np.arange(rows)
        for_group, for_others = rng.spawn(2)
        return self.plain.draw(
            fitted[1], self.group.draw(fitted[0], rows, for_group), rows, for_others
        ), np.arange(rows)

    def record(self) -> dict[str, Any]:
        homes = self.homes
        if homes is None:
            alone = {"households": ALONE} if self.roles.household in self.table.columns else {}
            made = _facts(self.plain, self.plain.order)
            made["models"] = dict.fromkeys(self.first, IPF) | made["models"]
            made["predictors"] = {name: [] for name in self.first} | made["predictors"]
            return {**made, "visit": list(self.order), **alone, **self._drawn_parameters()}
        made, upper = _facts(homes.leads, homes.own), _facts(homes.households, homes.common)
        for key in ("models", "predictors", "collinear", "grouped"):
            if key in made or key in upper:
                made[key] = {**upper.get(key, {}), **made.get(key, {})}
        further = (
            {"predictors_of_further_members": homes.others.used} if len(homes.first) < len(self.table) else {}
        )
        return {**made, "visit": list(homes.visit), **further, **homes.facts(), **self._drawn_parameters()}

    def _drawn_parameters(self) -> dict[str, list[str]]:
        """The variables whose models had their parameters drawn: by a bootstrap sample or from the posterior.

        It is empty where none had.
        """
        posterior = {
            name
            for sequence in self.sequences
            for name, choice in sequence.chosen.items()
            if draws_parameters(choice)
        }
        drawn = [name for name in self.order if self.settings.proper or name in posterior]
        return {"drawn_parameters": drawn} if drawn else {}


def _facts(sequence: Sequence, order: Names[str]) -> dict[str, Any]:
    """The visit, the models and their predictors: used, collinear, or grouped for a regression."""
    models = {name: choice.model for name, choice in sequence.chosen.items()}
    events = set(sequence.events.values())
    models |= dict.fromkeys(events, "survival_tree")
    many = {name for name, coded in sequence.coded.items() if coded.levels > MOST_LEVELS}
    regressions = [name for name in order if find_model(models[name]).targets is not Targets.ANY]
    grouped = {
        name: found
        for name in regressions
        if (found := [other for other in sequence.used[name] if other in many])
    }
    made: dict[str, Any] = {
        "visit": list(order),
        "models": models,
        "predictors": {name: sequence.used[name] for name in order},
    }
    return {
        **made,
        **({"collinear": sequence.collinear} if sequence.collinear else {}),
        **({"grouped": grouped} if grouped else {}),
    }
