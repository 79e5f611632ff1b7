"""What a measure gives back: a finite value with its parts, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sdc.arrays import Array


NOT_COMPARED = "not_compared"
"""The part that counts variables a value should be about and is not; `not_compared.VARIABLE` names each."""
BANDS = "bands"
"""`bands.VARIABLE` counts the bands in which a variable was compared that is no number in the candidate."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval; the gate judges its worse end."""

    low: float
    high: float
    level: float = 0.95

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            message = "an interval needs two finite ends in order"
            raise ValueError(message)


@dataclass(frozen=True)
class Measurement:
    """A measure's value, unrounded, and further named numbers.

    `by_record` holds columns with a value for each record of the candidate (or the original, as the measure
    says); it is confidential, goes to the run's warehouse and nowhere else. Where several syntheses leave and
    the measure does not combine them, `syntheses` has what was measured on each, in order, and this is the
    one numbered `synthesis`, the worst.
    """

    value: float
    parts: Mapping[str, float] = field(default_factory=dict)
    interval: Interval | None = None
    by_record: Mapping[str, Array] | None = field(default=None, repr=False, compare=False)
    syntheses: tuple[Measurement, ...] = field(default=(), repr=False)
    synthesis: int = 1
    estimated: float | None = None
    """The estimate that the interval is about, where the value itself is an end of it."""

    @property
    def estimate(self) -> float:
        """What pages say before the interval: the value, unless that is an end of it."""
        return self.value if self.estimated is None else self.estimated

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The variables that the value should be about and is not, by the parts that name them."""
        head = f"{NOT_COMPARED}."
        return tuple(name.removeprefix(head) for name in self.parts if name.startswith(head))

    @property
    def numbers(self) -> tuple[float, ...]:
        """Its value, and the ends of its interval."""
        return (self.value, self.interval.low, self.interval.high) if self.interval else (self.value,)

    def judged_at(self, number: float | None) -> Measurement:
        """Of several syntheses the one that has this number as its value or an end of its interval.

        At a limit on the side where the measure is good, that is not the worst one.
        """
        if not self.syntheses or number is None or number in self.numbers:
            return self
        places = [place for place, each in enumerate(self.syntheses, start=1) if number in each.numbers]
        return (
            replace(self.syntheses[places[0] - 1], syntheses=self.syntheses, synthesis=places[0])
            if places
            else self
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", float(self.value))
        object.__setattr__(self, "parts", {name: float(number) for name, number in self.parts.items()})
        wrong = [
            name for name, number in {"value": self.value, **self.parts}.items() if not math.isfinite(number)
        ]
        if wrong:
            message = f"not finite: {', '.join(wrong[:5])}"
            raise ValueError(message)


@dataclass(frozen=True)
class NotAssessed:
    """Why a measure has no value here. It shuts the gate where a criterion asks for the value."""

    reason: str


@dataclass(frozen=True)
class Assessment:
    """A measurement with its name, options and cost: what crosses task borders and is stored."""

    measure: str
    alias: str
    candidate: str
    outcome: Measurement | NotAssessed
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def value(self) -> float | None:
        return self.outcome.value if isinstance(self.outcome, Measurement) else None

    @property
    def not_assessed(self) -> str | None:
        return self.outcome.reason if isinstance(self.outcome, NotAssessed) else None

    def without_records(self) -> Assessment:
        """The same without what it says about single records."""
        return (
            replace(
                self,
                outcome=replace(
                    self.outcome,
                    by_record=None,
                    syntheses=tuple(replace(each, by_record=None) for each in self.outcome.syntheses),
                ),
            )
            if isinstance(self.outcome, Measurement)
            else self
        )

    def as_record(self) -> dict[str, Any]:
        """Its one form in warehouse, record and on other machines, without what it says of single records."""
        held = self.outcome if isinstance(self.outcome, Measurement) else None
        several = held.syntheses if held else ()
        return {
            "measure": self.measure,
            "as": self.alias,
            **(_numbers(held) if held else {"value": None, "parts": {}, "interval": None}),
            "not_assessed": self.not_assessed,
            "options": dict(self.options),
            "seconds": self.seconds,
            **({"synthesis": held.synthesis} if held and several else {}),
            **({"syntheses": [_numbers(each) for each in several]} if several else {}),
        }

    @classmethod
    def from_record(cls, held: Mapping[str, Any], candidate: str) -> Assessment:
        outcome: Measurement | NotAssessed
        if held["not_assessed"] is not None:
            outcome = NotAssessed(held["not_assessed"])
        else:
            outcome = replace(
                _measurement(held),
                syntheses=tuple(map(_measurement, held.get("syntheses", ()))),
                synthesis=held.get("synthesis", 1),
            )
        return cls(held["measure"], held["as"], candidate, outcome, held["options"], held["seconds"])

    def as_json(self) -> dict[str, Any]:
        """The stable form of `--json`: its record, with the unit of the value beside it."""
        from sdc.catalogue.registry import find_measure

        shown: dict[str, Any] = {}
        for name, held in self.as_record().items():
            shown[name] = held
            if name == "value":
                shown["unit"] = find_measure(self.measure).unit.value
        return shown


def _numbers(held: Measurement) -> dict[str, Any]:
    return {
        "value": held.value,
        "parts": dict(held.parts),
        "interval": asdict(held.interval) if held.interval else None,
        **({"estimate": held.estimated} if held.estimated is not None else {}),
    }


def _measurement(held: Mapping[str, Any]) -> Measurement:
    interval = Interval(**held["interval"]) if held["interval"] else None
    return Measurement(held["value"], held["parts"], interval, estimated=held.get("estimate"))
