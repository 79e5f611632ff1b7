"""Intervals for rates, differences of rates, and success beyond control."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

LEVEL = 0.95


@dataclass(frozen=True)
class Rate:
    """Successes among trials with the ends of Wilson's interval; without trials nothing is known.

    Reference: Wilson (1927), doi:10.1080/01621459.1927.10502953.
    """

    successes: float
    trials: float
    level: float = LEVEL

    @property
    def value(self) -> float:
        return self.successes / self.trials if self.trials else 0.0

    @property
    def low(self) -> float:
        return 0.0 if self.successes == 0 else max(self._centre - self._half, 0.0)

    @property
    def high(self) -> float:
        return 1.0 if self.successes == self.trials else min(self._centre + self._half, 1.0)

    @property
    def _square(self) -> float:
        return NormalDist().inv_cdf((1 + self.level) / 2) ** 2

    @property
    def _centre(self) -> float:
        return (self.successes + self._square / 2) / (self.trials + self._square)

    @property
    def _half(self) -> float:
        variance = self.trials * self.value * (1 - self.value) + self._square / 4
        return math.sqrt(self._square * variance) / (self.trials + self._square)


@dataclass(frozen=True)
class Estimate:
    """A number and the ends of its interval."""

    value: float
    low: float
    high: float


def difference(one: Rate, other: Rate) -> Estimate:
    """One rate less another, from the ends of their Wilson intervals.

    Reference: Newcombe (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I, method
    10.
    """
    value = one.value - other.value
    low = value - math.hypot(one.value - one.low, other.high - other.value)
    high = value + math.hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, max(low, -1.0), min(high, 1.0))


def beyond_control(attack: Rate, control: Rate) -> Estimate:
    """(attack - control) / (1 - control), 0 where negative: successes among those that escape the control.

    The ends come from those of the two rates, by propagation of their distances. Where the control gets
    everyone, nothing can be said: 0, from 0 to 1.

    Reference: Giomi, Boenisch, Wehmeyer, Tasnádi (2023), doi:10.56553/popets-2023-0055; Zou, Donner (2008),
    doi:10.1002/sim.3095.
    """
    escaped = 1 - control.value
    if escaped <= 0:
        return Estimate(0.0, 0.0, 1.0)
    value = (attack.value - control.value) / escaped
    slope = (1 - attack.value) / escaped
    low = value - math.hypot(attack.value - attack.low, slope * (control.high - control.value)) / escaped
    high = value + math.hypot(attack.high - attack.value, slope * (control.value - control.low)) / escaped
    return Estimate(_share(value), _share(low), _share(high))


def _share(number: float) -> float:
    return min(max(number, 0.0), 1.0)
