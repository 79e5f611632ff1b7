"""A variable taken apart for its models: whether there is an ordinary value at all, and which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.synthesis.feature import CompleteFeature

MOST_DECIMALS = 6


@dataclass(frozen=True)
class Coded:
    """Numbers with NaN for missing, or (`levels` above 0) codes of categories with NaN for missing.

    `codes` are numbers that stand for a kind of missing value, `spikes` numbers that many records have (an
    income of 0): both are drawn apart from the others.
    """

    values: Array
    levels: int = 0
    ordered: bool = False
    codes: tuple[float, ...] = ()
    spikes: tuple[float, ...] = ()

    @property
    def numeric(self) -> bool:
        return self.levels == 0

    @property
    def apart(self) -> tuple[float, ...]:
        return (*self.codes, *self.spikes)

    def at(self, rows: Array) -> Coded:
        return Coded(self.values[rows], self.levels, self.ordered, self.codes, self.spikes)

    def states(self, values: Array) -> Array:
        """0 for an ordinary number, 1 for a missing one, then each of the values set apart."""
        state = np.isnan(values).astype(np.int64)
        for place, special in enumerate(self.apart):
            state[values == special] = 2 + place
        return state

    @property
    def category(self) -> CompleteFeature:
        """A category as a target: a missing one is a level of its own, the last."""
        missing = np.isnan(self.values)
        return CompleteFeature(
            np.where(missing, self.levels, self.values).astype(np.int64),
            self.levels + 1,
            self.ordered and not missing.any(),
        )

    def predictors(self, values: Array) -> list[CompleteFeature]:
        """Values of the variable, observed or drawn, as predictors of others.

        A number that is missing, or a code for it, is put at the observed mean, beside a feature that says
        what it is.
        """
        if not self.numeric:
            own = self.category
            return [
                CompleteFeature(
                    np.where(np.isnan(values), self.levels, values).astype(np.int64), own.levels, own.ordered
                )
            ]
        observed, state = self.states(self.values), self.states(values)
        known = self.values[(observed == 0) | (observed >= 2 + len(self.codes))]
        centre = float(known.mean()) if known.size else 0.0
        there = (state == 0) | (state >= 2 + len(self.codes))
        number = CompleteFeature(np.where(there, values, centre))
        if not observed.any():
            return [number]
        kinds = 2 + len(self.apart)
        return [
            number,
            CompleteFeature((state > 0).astype(np.int64), 2, ordered=True)
            if kinds == 2
            else CompleteFeature(state, kinds),
        ]


def decimals(values: Array) -> int | None:
    """How many decimals numbers were written with; None for more than six."""
    scale = max(float(np.abs(values).max(initial=0.0)), 1.0)
    few = values if len(values) <= 10_000 else values[:: len(values) // 10_000]
    for places in range(MOST_DECIMALS + 1):
        if np.abs(np.round(few, places) - few).max(initial=0.0) <= 1e-12 * scale:
            if few is values or np.abs(np.round(values, places) - values).max(initial=0.0) <= 1e-12 * scale:
                return places
            few = values
    return None
