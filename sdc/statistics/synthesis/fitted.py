"""A variable whose models are fitted: draws its values, in the form they must have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.synthesis.coded import Coded, decimals
from sdc.statistics.synthesis.feature import Draw, Predictors
from sdc.statistics.synthesis.smoothing import Smoothing, smoothed

TRIES = 10


@dataclass(frozen=True)
class Look:
    """The form that drawn numbers must have: observed range, as many decimals, smoothed or not."""

    observed: Array
    decimals: int | None
    within_range: bool
    smoothing: Smoothing | None

    @classmethod
    def of(cls, observed: Array, *, within_range: bool, smoothing: Smoothing | None) -> Look:
        return cls(observed, decimals(observed), within_range, smoothing)

    def outside(self, values: Array) -> Array:
        wrong: Array = (values < self.observed.min()) | (values > self.observed.max()) | ~np.isfinite(values)
        return wrong

    def finished(self, values: Array, rng: np.random.Generator) -> Array:
        if self.within_range:
            values = np.clip(np.nan_to_num(values), self.observed.min(), self.observed.max())
        if self.smoothing is not None:
            values = smoothed(values, self.observed, self.smoothing, rng)
        return values if self.decimals is None else np.round(values, self.decimals)


@dataclass(frozen=True)
class Fitted:
    """Models of whether there is an ordinary value (`state`, where that varies) and of the value."""

    coded: Coded
    state: Draw | None
    value: Draw | None
    look: Look | None

    def drawn(self, predictors: Predictors, rows: int, rng: np.random.Generator) -> Array:
        """Values as `Coded` has them: numbers or codes, NaN for missing."""
        if not self.coded.numeric:
            return self._levels(predictors, rows, rng)
        state = np.zeros(rows, dtype=np.int64) if self.state is None else self.state(predictors, rows, rng)
        drawn = np.full(rows, np.nan)
        for place, special in enumerate(self.coded.apart):
            drawn[state == 2 + place] = special
        here = np.flatnonzero(state == 0)
        if here.size and self.value is not None:
            drawn[here] = self._numbers([feature.at(here) for feature in predictors], here.size, rng)
        return drawn

    def _levels(self, predictors: Predictors, rows: int, rng: np.random.Generator) -> Array:
        if self.value is None:
            return np.full(rows, np.nan)
        codes = self.value(predictors, rows, rng).astype(np.float64)
        return np.where(codes == self.coded.levels, np.nan, codes)

    def _numbers(self, predictors: Predictors, rows: int, rng: np.random.Generator) -> Array:
        """A number out of range is drawn again a few times before it is moved to the end of the range."""
        if self.value is None or self.look is None:
            return np.full(rows, np.nan)
        drawn = self.value(predictors, rows, rng).astype(np.float64)
        for _ in range(TRIES if self.look.within_range else 0):
            again = np.flatnonzero(self.look.outside(drawn))
            if not again.size:
                break
            drawn[again] = self.value([feature.at(again) for feature in predictors], again.size, rng)
        return self.look.finished(drawn, rng)


@dataclass(frozen=True)
class FittedSurvival:
    """A time and its event, drawn together.

    Where the time can be missing, whether it is, and with which event, is drawn first.
    """

    times: Array
    events: Array
    state: Draw | None
    donor: Draw | None

    def drawn(self, predictors: Predictors, rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Times and events, NaN for missing.

        A state is 0 for a time that is there, else one more than the event's code.
        """
        state = np.zeros(rows, dtype=np.int64) if self.state is None else self.state(predictors, rows, rng)
        times, events = np.full(rows, np.nan), state - 1.0
        here = np.flatnonzero(state == 0)
        if here.size and self.donor is not None:
            donors = self.donor([feature.at(here) for feature in predictors], here.size, rng)
            times[here], events[here] = self.times[donors], self.events[donors]
        return times, events
