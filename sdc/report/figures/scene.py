"""What figures are drawn from: a run, the pair of its candidate, and what an edition may show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.report.doubts import doubt
from sdc.report.edition import THRESHOLD, Edition
from sdc.report.forbidden import Forbidden

if TYPE_CHECKING:
    from sdc.catalogue.measurement import Assessment
    from sdc.data.release_pair import ReleasePair
    from sdc.profile import Profile
    from sdc.report.facts import RunFacts

MISSING = "missing"
"""The word for a value that is not there."""


@dataclass(frozen=True)
class Drawer:
    """What a drawing must know of the edition it is for.

    `least` records of the original stand behind each mark.
    """

    edition: Edition
    profile: Profile
    forbidden: Forbidden
    threshold: int = THRESHOLD
    assessments: tuple[Assessment, ...] = ()
    """What was measured of the candidate: a figure says these numbers and computes none of them again."""

    @property
    def public(self) -> bool:
        return self.edition is Edition.PUBLIC

    @property
    def least(self) -> int:
        return self.threshold if self.public else 1

    def taken(self, measure: str) -> list[Assessment]:
        """The assessments of a measure that have a value."""
        return [
            held
            for held in self.assessments
            if held.measure == measure and isinstance(held.outcome, Measurement)
        ]

    def part(self, measure: str, part: str) -> float | None:
        """A part of a measurement, where it was measured."""
        found = [held.outcome.parts for held in self.taken(measure) if isinstance(held.outcome, Measurement)]
        return next((parts[part] for parts in found if part in parts), None)

    def axis(self, name: str) -> str:
        """The unit of a variable, or its name."""
        plan = self.profile.variables.get(name)
        return plan.unit if plan and plan.unit else name

    def label(self, name: str) -> str:
        """A variable with its unit."""
        plan = self.profile.variables.get(name)
        return f"{name}, {plan.unit}" if plan and plan.unit else name

    def value(self, name: str, value: object) -> str:
        """A value of a variable in words."""
        plan = self.profile.variables.get(name)
        return MISSING if value is None else plan.words(str(value)) if plan else str(value)

    def hidden(self, name: str) -> frozenset[float]:
        """Numbers no axis of this edition may show."""
        return frozenset(self.forbidden.extremes.get(name, ())) if self.public else frozenset()


@dataclass(frozen=True)
class Scene:
    """All that a figure may be drawn from.

    `pair` is that of the candidate the report is about, `others` are those of the candidates beside it.
    """

    facts: RunFacts
    pair: ReleasePair
    drawer: Drawer
    others: Mapping[str, ReleasePair] = field(default_factory=dict)

    def believed(self, *measures: str) -> list[Assessment]:
        """What was measured and can be believed after the steps of the candidate."""
        candidate = self.facts.focus
        return [
            held
            for held in self.drawer.assessments
            if candidate is not None
            and held.measure in measures
            and not doubt(candidate, self.drawer.profile, held.measure, held.options)
        ]


def shared(pair: ReleasePair) -> list[str]:
    """The analysed variables that both tables have."""
    return [
        name
        for name in pair.roles.analysed
        if name in pair.original.columns and name in pair.candidate.columns
    ]
