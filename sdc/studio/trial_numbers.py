"""The numbers of a tried candidate in words: each with its limit, its unit and what it was before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.catalogue.registry import find_measure
from sdc.catalogue.units import Better
from sdc.catalogue.validity import believable
from sdc.gate.decision import Decision
from sdc.gate.scorecard import judged, read
from sdc.profile.document import Document
from sdc.report import wording
from sdc.report.readings import Held, after
from sdc.studio.table_checks import known_findings
from sdc.studio.trial import LOSS, SUPPRESSED, Trial
from sdc.study.made_candidate import PlannedSteps

if TYPE_CHECKING:
    from sdc.catalogue.finding import Finding
    from sdc.catalogue.measurement import Assessment
    from sdc.profile.plan import Criterion
    from sdc.studio.profile_text import Revision

WAITING = "is being measured"


@dataclass(frozen=True)
class TrialNumber:
    """One number of a candidate, ready to be shown; without a value while it is being measured."""

    label: str
    measure: str
    question: str
    value: str = ""
    was: str = ""
    course: str = ""
    """Better, worse or same, beside what it was before; empty where that is not known."""
    is_slight: bool = False
    """It went so little that both numbers read the same."""
    limit: str = ""
    holds: bool | None = None
    reason: str = ""
    against: tuple[str, ...] = ()
    driver: str = ""
    on_sample: bool = False
    doubt: str = ""

    @property
    def is_known(self) -> bool:
        return bool(self.value or self.reason)


@dataclass(frozen=True)
class Suppression:
    """How many values of a variable went missing, and how many went before."""

    variable: str
    count: int
    percent: float
    was: int | None = None


def steps_of(name: str, steps: object) -> PlannedSteps | None:
    """Steps as a revision of the text has them; None where they are no list of steps."""
    if not isinstance(steps, list) or not all(isinstance(step, dict) and "method" in step for step in steps):
        return None
    held = tuple({"method": step["method"], "with": step.get("with") or {}} for step in steps)
    return PlannedSteps(name, held)


def earlier_steps(revisions: Sequence[Revision], name: str) -> Iterator[PlannedSteps]:
    """The steps a candidate had before, the latest first."""
    for revision in reversed(revisions):
        if isinstance(revision.read, Document):
            candidates = revision.read.values.get("candidates")
            found = steps_of(name, candidates.get(name)) if isinstance(candidates, dict) else None
            if found is not None:
                yield found


@dataclass(frozen=True)
class TrialNumbers:
    """What is known of a trial by now."""

    trial: Trial
    revisions: Sequence[Revision] = ()

    @cached_property
    def sample(self) -> Trial | None:
        """The same on a sample, where a large file is looked at by one and not all is measured yet."""
        return self.trial.on_sample() if self.trial.is_large and not self.trial.is_complete else None

    @cached_property
    def earlier(self) -> PlannedSteps | None:
        """The steps before, if they were measured."""
        for planned in earlier_steps(self.revisions, self.trial.name):
            if planned.key != self.trial.planned.key and any(
                self._was(each, planned, place) for each in self.trial.asked for place in self._trials
            ):
                return planned
        return None

    @property
    def _trials(self) -> list[Trial]:
        return [each for each in (self.trial, self.sample) if each is not None]

    @staticmethod
    def _was(criterion: Criterion, planned: PlannedSteps, trial: Trial) -> Assessment | None:
        return trial.place.known(trial.profile, planned, criterion)

    def _known(self, criterion: Criterion) -> tuple[Assessment | None, Trial]:
        """What was measured, on all records if it was, else on the sample."""
        for trial in self._trials:
            if (held := trial.known(criterion)) is not None:
                return held, trial
        return None, self.trial

    @cached_property
    def decision(self) -> Decision:
        """What the criteria say of it, as far as they were measured on all records."""
        trial = self.trial
        known = [held for each in trial.asked if (held := trial.known(each)) is not None]
        return Decision(
            trial.name,
            tuple(
                limit.check(trial.name, read(limit, criterion, trial.name, known))
                for limit, criterion in judged(trial.profile, trial.name)
            ),
        )

    @property
    def standing(self) -> str:
        """What the gate would say; empty while a judged number is being measured."""
        checked = known_findings(self.trial)
        if checked is None or any(self.trial.known(each) is None for each in self._judged_measurements):
            return ""
        return Decision(self.trial.name, (*self.decision.findings, *checked)).standing

    @property
    def missed_by_table(self) -> list[str]:
        """What does not hold of the table itself, in the words of the gate."""
        found = Decision(self.trial.name, known_findings(self.trial) or ()).missed()
        return [f"{each.criterion.removeprefix('table.')}: {each.reason}" for each in found]

    @property
    def _judged_measurements(self) -> list[Criterion]:
        aliases = {each.alias for _, each in judged(self.trial.profile, self.trial.name)}
        return [each for each in self.trial.profile.measurements(self.trial.name) if each.alias in aliases]

    @cached_property
    def judged(self) -> list[TrialNumber]:
        """What is judged, in the order of the profile."""
        return [
            self._number(criterion, finding)
            for (_, criterion), finding in zip(
                judged(self.trial.profile, self.trial.name), self.decision.findings, strict=True
            )
        ]

    @cached_property
    def loss(self) -> list[TrialNumber]:
        return [self._number(each) for each in self.trial.further if each.measure in LOSS]

    @cached_property
    def reported(self) -> list[TrialNumber]:
        """What the profile asks for without a limit."""
        shown = {each.alias for each in (*self._judged_measurements, *self.trial.further)}
        return [
            self._number(each)
            for each in self.trial.profile.measurements(self.trial.name)
            if each.alias not in shown
        ]

    @cached_property
    def suppressions(self) -> list[Suppression]:
        """Values that went missing, by variable; those of which none went are left out."""
        asked = next((each for each in self.trial.further if each.measure == SUPPRESSED), None)
        held, trial = self._known(asked) if asked else (None, self.trial)
        if held is None or asked is None or not isinstance(held.outcome, Measurement):
            return []
        before = self._was(asked, self.earlier, trial) if self.earlier else None
        was = before.outcome.parts if before and isinstance(before.outcome, Measurement) else None
        parts = held.outcome.parts
        found = [
            Suppression(
                name,
                int(count),
                parts.get(f"percent.{name}", 0.0),
                None if was is None else int(was.get(f"count.{name}", 0)),
            )
            for part, count in parts.items()
            if (name := part.removeprefix("count.")) != part
        ]
        return [each for each in found if each.count or each.was]

    @property
    def suppressed(self) -> int | None:
        """How many values went missing in all; None while that is being counted."""
        asked = next((each for each in self.trial.further if each.measure == SUPPRESSED), None)
        if asked is None or self._known(asked)[0] is None:
            return None
        return sum(each.count for each in self.suppressions)

    @property
    def on_sample(self) -> bool:
        return any(each.on_sample for each in (*self.judged, *self.loss, *self.reported))

    def _number(self, criterion: Criterion, finding: Finding | None = None) -> TrialNumber:
        measure, part = find_measure(criterion.measure), criterion.part
        measured_as = self._measured_as(criterion)
        held, trial = self._known(measured_as)
        label = f"{criterion.alias}.{part}" if part else criterion.alias
        limit = wording.limit(criterion.at_least, criterion.at_most) if criterion.is_judged else ""
        answer = believable(
            measure, criterion.options, trial.profile.candidates[trial.name], trial.profile.roles, part
        )
        made = TrialNumber(
            label, measure.name, measure.summary, limit=limit, doubt="" if answer.valid else answer.reason
        )
        if held is None:
            return made
        told = {**vars(made), "on_sample": trial is not self.trial}
        if not isinstance(held.outcome, Measurement):
            return TrialNumber(**{**told, "reason": held.outcome.reason, "holds": False if limit else None})
        value = held.outcome.value if part is None else held.outcome.parts.get(part)
        if value is None:
            return TrialNumber(**{**told, "reason": f"there is no part {part} here"})
        before = self._value_before(measured_as, part, trial)
        reading = Held(measure, held.outcome, held.outcome.parts, trial.profile.variables, {})
        exact = finding is not None and not told["on_sample"]
        return TrialNumber(
            **{
                **told,
                "value": _said(value, held.outcome, part, criterion),
                "was": "" if before is None else wording.number(before),
                "course": _course(value, before, criterion),
                "is_slight": before is not None and value != before and _rounds_alike(value, before),
                "holds": finding.holds if finding is not None and exact else None,
                "reason": finding.reason if finding is not None and exact else "",
                "against": _against(reading) if part is None else (),
                "driver": reading.driver if part is None else "",
            }
        )

    def _measured_as(self, criterion: Criterion) -> Criterion:
        """The criterion under which its measurement was taken: the first of the alias."""
        of_alias = [
            each for each in self.trial.profile.measurements(self.trial.name) if each.alias == criterion.alias
        ]
        return of_alias[0] if of_alias else criterion

    def _value_before(self, criterion: Criterion, part: str | None, trial: Trial) -> float | None:
        held = self._was(criterion, self.earlier, trial) if self.earlier else None
        if held is None or not isinstance(held.outcome, Measurement):
            return None
        return held.outcome.value if part is None else held.outcome.parts.get(part)


def _said(value: float, outcome: Measurement, part: str | None, criterion: Criterion) -> str:
    if part is not None:
        return wording.number(value)
    return after(wording.reading(outcome.estimate, outcome.interval), find_measure(criterion.measure).unit)


def _against(reading: Held) -> tuple[str, ...]:
    told = [f"{stick.words}: {wording.number(number, 3)}" for stick, number in reading.sticks]
    return (*told, *([f"usual: {reading.measure.usual_limit}"] if reading.measure.usual else ()))


def _rounds_alike(value: float, before: float) -> bool:
    return wording.number(value) == wording.number(before)


def _course(value: float, before: float | None, criterion: Criterion) -> str:
    """Which way a number went; a part has the direction of its limit."""
    if before is None:
        return ""
    if value == before:
        return "same"
    better = find_measure(criterion.measure).better
    if criterion.part is not None:
        if not criterion.is_judged:
            return ""
        better = Better.HIGHER if criterion.at_least is not None else Better.LOWER
    return "better" if (value > before) == (better is Better.HIGHER) else "worse"
