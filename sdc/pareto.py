"""Which candidates are not beaten on both risk and utility?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdc.assess import Assessment
from sdc.catalogue import Better, find_measure
from sdc.measurement import Measurement
from sdc.profile.plan import Criterion, Profile


@dataclass(frozen=True)
class Axis:
    """One direction of the risk-utility map: a measurement, and which end of it is good."""

    alias: str
    part: str | None
    better: Better

    @property
    def label(self) -> str:
        return f"{self.alias}.{self.part}" if self.part else self.alias

    def value(self, assessments: Sequence[Assessment]) -> float | None:
        for assessed in assessments:
            if assessed.alias == self.alias and isinstance(assessed.outcome, Measurement):
                return assessed.outcome.value if self.part is None else assessed.outcome.parts.get(self.part)
        return None

    def badness(self, value: float) -> float:
        return value if self.better is Better.LOWER else -value


def axes(profile: Profile, candidates: Sequence[str]) -> tuple[Axis, Axis] | None:
    """Risk by the first judged risk criterion that covers all candidates, utility by the preferred measurement or else the first.

    None where there are not both.
    """
    preferred = [each for each in profile.utility if profile.prefer and each.alias == profile.prefer.measure]
    risk = _first([*_judged(profile.risk), *profile.risk], candidates)
    utility = _first([*preferred, *_judged(profile.utility), *profile.utility], candidates)
    if risk is None or utility is None:
        return None
    part = profile.prefer.part if profile.prefer and preferred else utility.part
    return _axis(risk, risk.part), _axis(utility, part)


def _first(criteria: Sequence[Criterion], candidates: Sequence[str]) -> Criterion | None:
    return next((each for each in criteria if all(each.covers(name) for name in candidates)), None)


def _judged(criteria: Sequence[Criterion]) -> list[Criterion]:
    return [each for each in criteria if each.is_judged]


def _axis(criterion: Criterion, part: str | None) -> Axis:
    return Axis(criterion.alias, part, find_measure(criterion.measure).better)


def front(points: Mapping[str, tuple[float, float]]) -> frozenset[str]:
    """Names of the points no other beats: none is at least as good on both and better on one. Lower is better on both."""

    def beaten(mine: tuple[float, float]) -> bool:
        return any(other[0] <= mine[0] and other[1] <= mine[1] and other != mine for other in points.values())

    return frozenset(name for name, point in points.items() if not beaten(point))
