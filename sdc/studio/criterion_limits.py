"""A criterion on a candidate: its number, whether it holds, which limits would, and a slider for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Concerns
from sdc.catalogue.measurement import Measurement
from sdc.catalogue.registry import find_measure
from sdc.catalogue.units import Better
from sdc.gate.decision import Limit
from sdc.gate.scorecard import read
from sdc.profile.parts import judged_number
from sdc.report import wording

if TYPE_CHECKING:
    from sdc.catalogue.finding import Finding
    from sdc.catalogue.registry import Measure
    from sdc.profile.plan import Criterion
    from sdc.studio.trial import Trial

AXIS_STEPS = 200


@dataclass(frozen=True)
class OnCandidate:
    """A criterion on one candidate: its number, whether it holds, and which limits would."""

    candidate: str
    value: float | None
    said: str
    holds: bool | None
    would_pass: str


@dataclass(frozen=True)
class Slider:
    """A limit as a slider: from where to where, in which steps, and where it stands."""

    side: str
    low: float
    high: float
    step: float
    value: float


def on_candidate(
    trial: Trial, criterion: Criterion
) -> tuple[OnCandidate, Finding | None, Measurement | None]:
    """A criterion on a candidate, as far as it was measured."""
    same = [each for each in trial.profile.measurements(trial.name) if each.alias == criterion.alias]
    held = trial.known(same[0]) if same else None
    if held is None:
        return OnCandidate(trial.name, None, "not measured yet", None, ""), None, None
    limit = Limit(
        "one",
        criterion.alias,
        Concerns.RISK,
        criterion.at_least,
        criterion.at_most,
        criterion.otherwise,
    )
    if not isinstance(held.outcome, Measurement):
        return OnCandidate(trial.name, None, held.outcome.reason, False, ""), None, None
    if not criterion.is_judged:
        part = criterion.part
        value = held.outcome.value if part is None else held.outcome.parts.get(part)
        said = (
            wording.reading(held.outcome.estimate, held.outcome.interval)
            if part is None
            else "–"
            if value is None
            else wording.number(value)
        )
        return OnCandidate(trial.name, value, said, None, _would_pass(criterion, value)), None, held.outcome
    number = read(limit, criterion, trial.name, [held])
    finding = limit.check(trial.name, number)
    said = number.words if number.value is None else wording.number(number.value)
    on = OnCandidate(trial.name, number.value, said, finding.holds, _would_pass(criterion, number.value))
    return on, finding, held.outcome


def _would_pass(criterion: Criterion, value: float | None) -> str:
    """Which limits would hold, from the number that was measured."""
    if value is None:
        return "no limit would hold: there is no value"
    if side_of(criterion) == "at_least":
        return f"at least {wording.number(value)} or any less would pass"
    return f"at most {wording.number(value)} or any more would pass"


def side_of(criterion: Criterion) -> str:
    """The end at which a limit stands or would stand."""
    if criterion.at_least is not None:
        return "at_least"
    if criterion.at_most is not None:
        return "at_most"
    better = judged_number(find_measure(criterion.measure), criterion.part).better
    return "at_least" if better is Better.HIGHER else "at_most"


def readings(measure: Measure) -> tuple[str, ...]:
    """What a value of a measure is read against, the usual limit last."""
    sticks = [
        f"{stick.words}: {stick.number:g}" for stick in measure.against if not isinstance(stick.number, str)
    ]
    return (*sticks, *([f"usual: {measure.usual_limit}"] if measure.usual else []))


def slider(measure: Measure, criterion: Criterion, values: Sequence[float]) -> Slider:
    """Ends around what was measured, the limit and the usual one, within the measure's own bounds."""
    side = side_of(criterion)
    limit = getattr(criterion, side)
    usual = measure.usual.number if measure.usual and criterion.part is None else None
    numbers = [*values, *(each for each in (limit, usual) if isinstance(each, (int, float)))] or [0.0, 1.0]
    low, high = judged_number(measure, criterion.part).bounds
    least = low if math.isfinite(low) else min(0.0, *numbers) if len(numbers) > 1 else min(0.0, numbers[0])
    most = high if math.isfinite(high) else max(2 * max(numbers), least + 1)
    whole = measure.unit.counts and criterion.part is None
    most = max(math.ceil(most), least + 1) if whole else most
    step = 1.0 if whole else _round_step((most - least) / AXIS_STEPS)
    start = limit if limit is not None else usual if usual is not None else (values[0] if values else least)
    return Slider(side, least, most, step, float(start))


def _round_step(width: float) -> float:
    """1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(width)) if width > 0 else 0.01
    return next(power * each for each in (1, 2, 5, 10) if power * each >= width * 0.99)
