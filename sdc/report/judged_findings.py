"""Finds the criterion, the measure and the measurement behind a finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.catalogue.registry import find_measure
from sdc.profile.parts import judged_number
from sdc.report import wording
from sdc.report.doubts import doubt
from sdc.report.readings import after

if TYPE_CHECKING:
    from sdc.catalogue.finding import Finding
    from sdc.catalogue.measurement import Interval
    from sdc.catalogue.registry import Measure
    from sdc.gate.judged import JudgedCandidate
    from sdc.profile import Profile
    from sdc.profile.plan import Criterion


@dataclass(frozen=True)
class Judged:
    """A finding with the criterion and the measure behind it.

    The gate's checks of the table itself have neither.
    """

    finding: Finding
    criterion: Criterion | None
    measure: Measure | None

    @property
    def part(self) -> str | None:
        return self.criterion.part if self.criterion else None


def judged(finding: Finding, profile: Profile) -> Judged:
    """The criterion of the profile that a finding answers.

    It is found by its name, and by its part where a measurement is judged twice.
    """
    named = [
        criterion
        for criterion in profile.criteria
        if finding.criterion in (criterion.alias, f"{criterion.alias}.{criterion.part}")
    ]
    exact = [
        criterion
        for criterion in named
        if (criterion.at_least, criterion.at_most) == (finding.at_least, finding.at_most)
    ]
    criterion = next(iter(exact or named), None)
    return Judged(finding, criterion, find_measure(criterion.measure) if criterion else None)


def limit_of(finding: Finding, profile: Profile) -> str:
    """What is demanded, with the unit of the number it is demanded of."""
    about = judged(finding, profile)
    words = wording.limit(finding.at_least, finding.at_most)
    return after(words, judged_number(about.measure, about.part).unit) if about.measure else words


def find_doubt(profile: Profile, candidate: JudgedCandidate, about: Judged) -> str:
    """Why the number of a criterion cannot be believed on a candidate."""
    if about.criterion is None:
        return ""
    return doubt(candidate, profile, about.criterion.measure, about.criterion.options, about.part)


def measured(candidate: JudgedCandidate, about: Judged) -> Measurement | None:
    """The measurement behind a finding; of several syntheses that of the one whose number was judged."""
    if about.criterion is None:
        return None
    found = next(
        (held.outcome for held in candidate.assessments if held.alias == about.criterion.alias), None
    )
    if not isinstance(found, Measurement):
        return None
    return found.judged_at(about.finding.value) if about.part is None else found


def interval_of(candidate: JudgedCandidate, about: Judged) -> Interval | None:
    taken = measured(candidate, about)
    return taken.interval if taken and about.part is None else None


def reading_of(candidate: JudgedCandidate, finding: Finding, profile: Profile) -> str:
    """What was measured for a criterion that has a value: estimate, interval and the end that was judged."""
    assert finding.value is not None
    about = judged(finding, profile)
    taken, interval = measured(candidate, about), interval_of(candidate, about)
    return wording.reading(taken.estimate if taken and interval else finding.value, interval, finding.value)
