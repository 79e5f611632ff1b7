"""Variables drawn one after another, each from a model of it given those drawn before."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sdc.catalogue.synthesis_models import Targets, find_model
from sdc.methods.model_choice import ChosenModel, by_type, draws_parameters
from sdc.methods.repair import repaired
from sdc.methods.restrictions import coded_value, readable
from sdc.methods.sequence_models import METHOD, SequenceModels
from sdc.run.progress import reporter
from sdc.statistics.sampling.bootstrap import bootstrap
from sdc.statistics.synthesis.coded import Coded
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.synthesis.fitted import Fitted, FittedSurvival, Look

if TYPE_CHECKING:
    from sdc.arrays import Array


@dataclass(frozen=True)
class Sequence(SequenceModels):
    """The variables of a table, fitted and drawn one after another."""

    def fit(self, rng: np.random.Generator) -> dict[str, Any]:
        """All models, fitted to the observed values side by side, since they do not depend on each other."""
        streams = dict(zip(self.order, rng.spawn(len(self.order)), strict=True))
        # Made once, before several threads ask for them.
        _ = self.chosen, self.features
        report = reporter()

        def fitted(name: str) -> Any:
            made = self._fitted(name, streams[name])
            report(f"model of {name}")
            return made

        # The last have most predictors and take longest: begun first, they leave no processor waiting at the
        # end.
        wanted = self.modelled[::-1]
        with ThreadPoolExecutor(min(len(wanted), os.cpu_count() or 1) or 1) as workers:
            return dict(zip(wanted, workers.map(fitted, wanted), strict=True))

    @cached_property
    def modelled(self) -> list[str]:
        """The variables that have a model of their own.

        Variables that follow from others, and events drawn with their times, have none.
        """
        together = set(self.events.values())
        return [name for name in self.order if self.chosen[name].model != "passive" and name not in together]

    def _rows(self, name: str, rng: np.random.Generator) -> Array:
        """Observed records to which the models of a variable are fitted.

        These are the records that no rule decides, by their weights where records have any.
        """
        observed = {other: coded.values for other, coded in self.coded.items()}
        fixed, _ = self.restrictions.fixed(name, observed, len(self.table))
        rows = np.flatnonzero(~fixed) if not fixed.all() else np.arange(len(self.table))
        if self.weights is not None:
            rows = rows[np.sort(bootstrap(rows.size, rows.size, rng, self.weights[rows]))]
        return rows

    def _fitted(self, name: str, rng: np.random.Generator) -> Any:
        rows, choice = self._rows(name, rng), self.chosen[name]
        anew = rows[np.sort(bootstrap(rows.size, rows.size, rng))] if self.settings.proper else rows
        if choice.model == "survival_tree":
            return self._survival(name, anew, self._predictors(name, anew), rng)
        if choice.model == "constant":
            return self._constant(name, self.coded[name].at(anew), choice, rng)
        # Where a model draws its own parameters a bootstrap sample would count twice what is not known of
        # them.
        kept = rows if draws_parameters(choice) else anew
        if not self.coded[name].numeric:
            return Fitted(
                self.coded[name],
                None,
                _model(choice, self.coded[name].at(kept).category, self._predictors(name, kept), rng),
                None,
            )
        says = self._state(name, anew, rng)
        values = self.coded[name].values[kept]
        there = kept[self.coded[name].states(values) == 0]
        if not there.size:
            return Fitted(self.coded[name], says, None, None)
        ordinary = CompleteFeature(self.coded[name].values[there])
        look = Look.of(
            ordinary.values,
            within_range=self.settings.within_range,
            smoothing=self.settings.smoothing.get(name),
        )
        return Fitted(
            self.coded[name], says, _model(choice, ordinary, self._predictors(name, there), rng), look
        )

    def _predictors(self, name: str, rows: Array) -> Predictors:
        return [feature.at(rows) for other in self.used[name] for feature in self.features[other]]

    def _state(self, name: str, rows: Array, rng: np.random.Generator) -> Draw | None:
        """Which numbers are ordinary, missing, or set apart; None where all are ordinary."""
        coded, choice = self.coded[name].at(rows), self.chosen[name]
        state = coded.states(coded.values)
        if not state.any():
            return None
        apart = (
            ChosenModel(by_type(numeric=False, ordered=False, levels=len(np.unique(state))))
            if find_model(choice.model).targets is Targets.NUMBERS
            else choice
        )
        return _model(apart, CompleteFeature(state, 2 + len(coded.apart)), self._predictors(name, rows), rng)

    def _constant(self, name: str, coded: Coded, choice: ChosenModel, rng: np.random.Generator) -> Fitted:
        given = choice.options.get("value")
        options = {} if given is None else {"value": coded_value(METHOD, "models", self.table[name], given)}
        held = coded.category if not coded.numeric else CompleteFeature(coded.values[~np.isnan(coded.values)])
        draw = _model(ChosenModel("constant", options), held, [], rng) if held.values.size else None
        plain = Coded(coded.values, coded.levels)
        look = Look(np.zeros(1), None, within_range=False, smoothing=None)
        return Fitted(plain, None, draw, look)

    def _survival(
        self, name: str, rows: Array, observed: Predictors, rng: np.random.Generator
    ) -> FittedSurvival:
        event, options = self.coded[self.events[name]], self.chosen[name].options
        times, happened = self.coded[name].values[rows], event.values[rows]
        gone = np.isnan(times)
        there = np.flatnonzero(~gone)
        given = options.get("occurred")
        occurred = (
            float(event.levels - 1)
            if given is None
            else coded_value(METHOD, "models", self.table[self.events[name]], given)
        )
        codes = CompleteFeature(
            np.where(gone, 1 + np.where(np.isnan(happened), event.levels, happened), 0).astype(np.int64),
            event.levels + 2,
        )
        state = _model(ChosenModel("cart"), codes, observed, rng) if gone.any() else None
        entry = find_model("survival_tree")
        part = [feature.at(there) for feature in observed]
        donor = (
            entry.function(times[there], happened[there] == occurred, part, **entry.arguments(options))
            if there.size
            else None
        )
        return FittedSurvival(
            times[there], np.where(np.isnan(happened[there]), event.levels, happened[there]), state, donor
        )

    def draw(
        self, fitted: Mapping[str, Any], given: Mapping[str, Array], rows: int, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Values of all variables for this many records, `given` ones included."""
        streams = dict(zip(self.order, rng.spawn(len(self.order)), strict=True))
        values, report = dict(given), reporter()
        features = {name: self.coded[name].predictors(held) for name, held in given.items()}
        for name in self.order:
            if name not in values:
                predictors = [feature for other in self.used[name] for feature in features[other]]
                self._drawn(name, fitted, predictors, values, rows, streams[name])
                self._restricted(name, fitted, predictors, values, rows, streams[name])
            elif name not in given:
                self._restricted(name, {}, [], values, rows, streams[name])
            features[name] = self.coded[name].predictors(values[name])
            report(f"values of {name}")
        return values

    def _drawn(
        self,
        name: str,
        fitted: Mapping[str, Any],
        predictors: Predictors,
        values: dict[str, Array],
        rows: int,
        rng: np.random.Generator,
    ) -> None:
        choice = self.chosen[name]
        if choice.model == "passive":
            texts = {other: readable(self.table[other], values[other]) for other in self.used[name]}
            entry = find_model("passive")
            values[name] = np.broadcast_to(
                entry.function(texts, **entry.arguments(choice.options)), rows
            ).copy()
        elif choice.model == "survival_tree":
            values[name], event = fitted[name].drawn(predictors, rows, rng)
            last = self.coded[self.events[name]].levels
            values[self.events[name]] = np.where(event == last, np.nan, event)
        else:
            values[name] = fitted[name].drawn(predictors, rows, rng)

    def _restricted(
        self,
        name: str,
        fitted: Mapping[str, Any],
        predictors: Predictors,
        values: dict[str, Array],
        rows: int,
        rng: np.random.Generator,
    ) -> None:
        """Values by rules, and none that breaks a relation."""
        fixed, value = self.restrictions.fixed(name, values, rows)
        values[name][fixed] = value[fixed]
        if self.restrictions.concerning(name, list(values)):
            model = fitted.get(name) if self.chosen[name].model not in ("passive", "survival_tree") else None
            values[name] = repaired(
                name, model, predictors, values, fixed, self.restrictions, self.coded[name].values, rng
            )


def _model(
    choice: ChosenModel, target: CompleteFeature, observed: Predictors, rng: np.random.Generator
) -> Draw:
    """A model fitted; a target of one value needs none."""
    single = len(target.values) == 0 or (target.values == target.values[0]).all()
    name = "sample" if (single or not observed) and choice.model != "constant" else choice.model
    entry = find_model(name)
    draw: Draw = entry.function(
        target, observed, rng, **entry.arguments(choice.options if name == choice.model else {})
    )
    return draw
