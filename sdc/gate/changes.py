"""Proposes changes of a candidate's steps that may let it meet a criterion; each is to be tried.

A change gives one option of one step another value, or adds a step. Every number that a profile states for a
step is doubled and halved; a class size below the one demanded is raised to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import ValidationError

from sdc.catalogue.finding import Concerns, Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement
from sdc.catalogue.registry import Examines, find_measure, find_method
from sdc.catalogue.units import Unit
from sdc.profile import Criterion, Profile, StepPlan
from sdc.spelling import number

MOST = 12
"""How many changes are proposed."""
SUPPRESSION = "local_suppression"
"""The method that reaches any class size on the keys, as a last step."""
CLASS_SIZE = "k"
"""The option of methods that says how large classes must be."""
USUAL_SIZE = 3

Path = tuple[Any, ...]
"""The names that lead to a number; a level of a variable may be a number itself."""
Steps = tuple[StepPlan, ...]


@dataclass(frozen=True)
class StepChange:
    """Steps that differ from a candidate's in one place: an option of a step, or a step more."""

    method: str
    option: str
    before: float | None
    after: float
    steps: Steps

    @property
    def words(self) -> str:
        if self.before is None:
            return f"{self.method} with {self.option} {number(self.after)} as a further step"
        return f"{self.method} with {self.option} {number(self.after)} instead of {number(self.before)}"


@dataclass(frozen=True)
class TriedChange:
    """What the criteria were found to be with a change; no finding where it cannot be made."""

    words: str
    steps: Sequence[Mapping[str, Any]]
    findings: tuple[Finding, ...] = ()
    estimates: Mapping[str, Measurement] = field(default_factory=dict)
    """Estimate and interval of what has an interval, by the name of its measurement."""

    @classmethod
    def of(
        cls, change: StepChange, findings: Iterable[Finding] = (), taken: Iterable[Assessment] = ()
    ) -> TriedChange:
        steps = [step.model_dump(by_alias=True) for step in change.steps]
        found = tuple(findings)
        judged = {each.criterion: each.value for each in found}
        known = {
            each.alias: each.outcome.judged_at(judged.get(each.alias))
            for each in taken
            if isinstance(each.outcome, Measurement)
        }
        estimates = {
            name: Measurement(held.estimate, interval=held.interval)
            for name, held in known.items()
            if held.interval
        }
        return cls(change.words, steps, found, estimates)

    def found(self, criterion: Finding) -> Finding | None:
        """What was found for the same criterion."""
        return next((found for found in self.findings if found.is_about(criterion)), None)

    @property
    def meets_all(self) -> bool:
        return bool(self.findings) and all(found.holds for found in self.findings)

    def as_record(self) -> dict[str, Any]:
        """Its one form in a record."""
        findings = [found.as_record() for found in self.findings]
        estimates = {
            name: {"value": held.value, "interval": asdict(held.interval)}
            for name, held in self.estimates.items()
            if held.interval
        }
        return {
            "change": self.words,
            "steps": list(self.steps),
            "findings": findings,
            "estimates": estimates,
        }

    @classmethod
    def from_record(cls, held: Mapping[str, Any]) -> TriedChange:
        estimates = {
            name: Measurement(each["value"], interval=Interval(**each["interval"]))
            for name, each in held.get("estimates", {}).items()
        }
        return cls(
            held["change"], held["steps"], tuple(map(Finding.from_record, held["findings"])), estimates
        )


def proposed(profile: Profile, steps: Steps, missed: Sequence[Finding]) -> list[StepChange]:
    """The changes worth a try, those that aim at a limit first; each makes other steps than the others.

    Nothing where nothing is missed.
    """
    found: list[StepChange] = []
    for change in (*_aimed(profile, steps, missed), *_scaled(steps)) if missed else ():
        if change.steps != steps and all(change.steps != known.steps for known in found):
            found.append(change)
    return found[:MOST]


def _aimed(profile: Profile, steps: Steps, missed: Sequence[Finding]) -> Iterator[StepChange]:
    """Class sizes raised to what is demanded, and suppression as a last step, where keys are too telling."""
    sizes = [size for finding in missed if (size := _demanded(profile, finding)) is not None]
    if not sizes:
        return
    size = max(sizes)
    for place, step in enumerate(steps):
        held = _class_size(step)
        if held is not None and held < size:
            yield _changed(steps, place, (CLASS_SIZE,), held, size)
    if all(step.method != SUPPRESSION for step in steps):
        added = StepPlan(method=SUPPRESSION, **{"with": {CLASS_SIZE: size}})
        yield StepChange(SUPPRESSION, CLASS_SIZE, None, size, (*steps, added))


def _demanded(profile: Profile, finding: Finding) -> int | None:
    """The class size a criterion of risk demands; the usual one of those that look at the keys otherwise."""
    criterion = _criterion(profile, finding)
    if criterion is None or finding.family is not Concerns.RISK:
        return None
    measure = find_measure(criterion.measure)
    if measure.unit is Unit.RECORDS_IN_CLASS and criterion.part is None and finding.at_least is not None:
        return max(math.ceil(finding.at_least), 2)
    return USUAL_SIZE if measure.examines is Examines.KEYS else None


def _criterion(profile: Profile, finding: Finding) -> Criterion | None:
    return next(
        (each for each in profile.criteria if finding.criterion in (each.alias, f"{each.alias}.{each.part}")),
        None,
    )


def _class_size(step: StepPlan) -> int | None:
    """The class size of a step, stated or by default; none where its method has no such option."""
    field = find_method(step.method).options.model_fields.get(CLASS_SIZE)
    held = step.options.get(CLASS_SIZE, field.default if field else None)
    return held if isinstance(held, int) and not isinstance(held, bool) else None


def _scaled(steps: Steps) -> Iterator[StepChange]:
    """Every number that is stated, twice and half as large, where the method takes it so."""
    for factor in (2.0, 0.5):
        for place, step in enumerate(steps):
            for path, held in _numbers(step.options):
                value = held * factor
                if not math.isfinite(value):
                    continue
                after = max(round(value), 1) if isinstance(held, int) else value
                change = _changed(steps, place, path, held, after)
                if after != held and _is_accepted(change.steps[place]):
                    yield change


def _numbers(options: Mapping[str, Any], above: Path = ()) -> Iterator[tuple[Path, float]]:
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, (*above, name))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield (*above, name), value


def _is_accepted(step: StepPlan) -> bool:
    try:
        find_method(step.method).arguments(step.options)
    except ValidationError:
        return False
    return True


def _changed(steps: Steps, place: int, path: Path, before: float, after: float) -> StepChange:
    step = steps[place]
    other = StepPlan(method=step.method, **{"with": _with(step.options, path, after)})
    return StepChange(
        step.method, ".".join(map(str, path)), before, after, (*steps[:place], other, *steps[place + 1 :])
    )


def _with(options: Mapping[str, Any], path: Path, value: float) -> dict[str, Any]:
    first, *rest = path
    held = _with(options.get(first, {}), tuple(rest), value) if rest else value
    return {**options, first: held}
