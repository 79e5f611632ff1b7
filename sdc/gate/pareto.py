"""Finds the candidates that no other beats on both risk and utility."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdc.catalogue.measurement import Assessment, Measurement
from sdc.catalogue.registry import find_measure
from sdc.catalogue.units import Better
from sdc.profile.parts import compared_number
from sdc.profile.plan import Criterion, Profile


@dataclass(frozen=True)
class MapAxis:
    """One direction of the risk-utility map: a measurement, and which end of it is good."""

    alias: str
    part: str | None
    better: Better

    @property
    def label(self) -> str:
        return f"{self.alias}.{self.part}" if self.part else self.alias

    def measured(self, assessments: Sequence[Assessment]) -> Measurement | None:
        """The measurement behind it."""
        return next(
            (
                held.outcome
                for held in assessments
                if held.alias == self.alias and isinstance(held.outcome, Measurement)
            ),
            None,
        )

    def value(self, assessments: Sequence[Assessment]) -> float | None:
        held = next((each for each in assessments if each.alias == self.alias), None)
        if held is None or not isinstance(held.outcome, Measurement):
            return None
        return compared_number(find_measure(held.measure), held.outcome, self.part)

    def badness(self, value: float) -> float:
        return value if self.better is Better.LOWER else -value


def axes(profile: Profile, candidates: Sequence[str]) -> tuple[MapAxis, MapAxis] | None:
    """The two measurements of the map: those that the profile names under `map`, or the usual ones.

    The usual ones are the first judged risk that covers all candidates, and the preferred or else the first
    utility. None where one of the two does not exist.
    """
    prefer, named = profile.prefer, profile.map
    asked = [
        [each for each in profile.criteria if named and each.alias == alias]
        for alias in ((named.risk, named.utility) if named else ("", ""))
    ]
    preferred = [each for each in profile.utility if prefer and each.alias == prefer.measure]
    risk = _first([*asked[0], *_judged(profile.risk), *profile.risk], candidates)
    utility = _first([*asked[1], *preferred, *_judged(profile.utility), *profile.utility], candidates)
    if risk is None or utility is None:
        return None
    part = prefer.part if prefer and not asked[1] and utility in preferred else utility.part
    return _axis(risk, risk.part), _axis(utility, part)


def _first(criteria: Sequence[Criterion], candidates: Sequence[str]) -> Criterion | None:
    return next((each for each in criteria if all(each.covers(name) for name in candidates)), None)


def _judged(criteria: Sequence[Criterion]) -> list[Criterion]:
    return [each for each in criteria if each.is_judged]


def _axis(criterion: Criterion, part: str | None) -> MapAxis:
    """A part has the direction its limit gives it; the measure's own direction is that of its value."""
    better = find_measure(criterion.measure).better
    if part is not None and part == criterion.part and criterion.is_judged:
        better = Better.HIGHER if criterion.at_least is not None else Better.LOWER
    return MapAxis(criterion.alias, part, better)


def front(points: Mapping[str, tuple[float, float]]) -> frozenset[str]:
    """Names of the points that no other beats: no other is at least as good on both and better on one.

    Lower is better on both.
    """

    def beaten(mine: tuple[float, float]) -> bool:
        return any(other[0] <= mine[0] and other[1] <= mine[1] and other != mine for other in points.values())

    return frozenset(name for name, point in points.items() if not beaten(point))
