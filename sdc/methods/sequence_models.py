"""Which model each variable of a sequence has, with its predictors and options."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Names
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sdc.catalogue.synthesis_models import Targets, find_model
from sdc.errors import BadOption
from sdc.methods import columns
from sdc.methods.model_choice import MOST_CATEGORIES, PARAMETRIC, ChosenModel, by_type
from sdc.methods.restrictions import Restrictions
from sdc.statistics.synthesis.coded import Coded
from sdc.statistics.synthesis.collinearity import Kind, collinear
from sdc.statistics.synthesis.expression import Expression
from sdc.statistics.synthesis.feature import CompleteFeature
from sdc.statistics.synthesis.smoothing import Smoothing

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array


METHOD = "sequential"


@dataclass(frozen=True)
class Settings:
    """How variables are modelled: what was asked for, variable by variable and for all."""

    model: str = "cart"
    models: Mapping[str, ChosenModel] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    predictors: Mapping[str, Names[str]] = field(default_factory=dict)
    missing_codes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    spikes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    smoothing: Mapping[str, Smoothing] = field(default_factory=dict)
    within_range: bool = True
    proper: bool = False
    collinear: Kind | None = None
    collinear_above: float = 0.999


@dataclass(frozen=True)
class SequenceModels:
    """The variables of a table: some `given`, the others drawn in `order`.

    Records of higher weight count more.
    """

    table: pd.DataFrame
    given: tuple[str, ...]
    order: tuple[str, ...]
    settings: Settings
    restrictions: Restrictions
    weights: Array | None = None

    @cached_property
    def coded(self) -> dict[str, Coded]:
        return {name: self._coded(name) for name in (*self.given, *self.order)}

    def _coded(self, name: str) -> Coded:
        column, values = self.table[name], columns.as_numbers(self.table[name])
        if columns.is_category(column):
            return Coded(values, len(column.cat.categories), bool(column.cat.ordered))
        return Coded(
            values, codes=self.settings.missing_codes.get(name, ()), spikes=self.settings.spikes.get(name, ())
        )

    @cached_property
    def features(self) -> dict[str, list[CompleteFeature]]:
        return {name: coded.predictors(coded.values) for name, coded in self.coded.items()}

    @cached_property
    def collinear(self) -> dict[str, list[str]]:
        """Numeric variables that predict no other because an earlier one says as much, with that one."""
        if self.settings.collinear is None:
            return {}
        numeric = [name for name in (*self.given, *self.order) if self.coded[name].numeric]
        held = [
            np.where(self.coded[name].states(self.coded[name].values) > 0, np.nan, self.coded[name].values)
            for name in numeric
        ]
        found = collinear(held, self.settings.collinear, self.settings.collinear_above)
        return {numeric[place]: [numeric[other] for other in others] for place, others in found.items()}

    @cached_property
    def used(self) -> dict[str, list[str]]:
        """Each variable's predictors: those asked for that come before it and are not collinear."""
        before, made = list(self.given), {}
        for name in self.order:
            choice = self.settings.models.get(name)
            wanted = self.settings.predictors.get(name, before)
            if choice is not None and choice.model == "nested":
                wanted = [str(choice.options["within"])]
                if wanted[0] not in before:
                    raise BadOption(
                        METHOD,
                        "models",
                        f"{name} is nested within {wanted[0]}, which must come before it in visit",
                    )
            elif choice is not None and choice.model == "passive":
                wanted = Expression.of(choice.options["formula"]).names
                if late := [other for other in wanted if other not in before]:
                    raise BadOption(
                        METHOD,
                        "models",
                        f"{name} is derived from {', '.join(late)}, which cannot be drawn before it",
                    )
            elif choice is None or choice.model != "constant":
                wanted = [other for other in wanted if other not in self.collinear]
            else:
                wanted = []
            made[name] = [other for other in before if other in wanted]
            before.append(name)
        return made

    @cached_property
    def chosen(self) -> dict[str, ChosenModel]:
        """The model of each variable, with its options."""
        return {name: self._choice(name) for name in self.order}

    def _choice(self, name: str) -> ChosenModel:
        coded, given = self.coded[name], self.settings.models.get(name)
        model = given.model if given is not None else self.settings.model
        levels = 0 if coded.numeric else len(np.unique(coded.category.values))
        suited = by_type(
            numeric=coded.numeric, ordered=not coded.numeric and coded.category.ordered, levels=levels
        )
        kind = find_model(model).targets if model != PARAMETRIC else Targets.ANY
        if kind is not Targets.ANY and (kind is Targets.NUMBERS) != coded.numeric:
            if given is not None:
                raise BadOption(
                    METHOD,
                    "models",
                    f"{model} draws {kind}, and {name} holds {'numbers' if coded.numeric else 'categories'};"
                    f" use {suited}",
                )
            model = suited
        if (
            model == PARAMETRIC
            or (model in ("polyreg", "polr", "logreg") and levels > MOST_CATEGORIES)
            or (given is None and _unfit(model, coded))
        ):
            model = suited
        if not self.used[name] and model not in ("passive", "constant", "survival_tree"):
            return ChosenModel("sample")
        return ChosenModel(
            model,
            {
                **self.settings.options.get(model, {}),
                **(given.options if given is not None and given.model == model else {}),
            },
        )

    @cached_property
    def events(self) -> dict[str, str]:
        """Event variables by the time variable they are drawn with."""
        return {
            name: str(choice.options["event"])
            for name, choice in self.settings.models.items()
            if choice.model == "survival_tree" and name in self.order
        }


def _unfit(model: str, coded: Coded) -> bool:
    """Whether a model meant for all variables is impossible for this one."""
    if model == "logreg":
        return len(np.unique(coded.category.values)) > 2
    if model not in ("lognorm", "sqrtnorm"):
        return False
    ordinary = coded.values[coded.states(coded.values) == 0]
    least = float(ordinary.min(initial=np.inf))
    return least <= 0 if model == "lognorm" else least < 0
