"""The numbers that are judged, and what they are on a candidate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Concerns
from sdc.catalogue.measurement import Assessment, Measurement
from sdc.catalogue.registry import find_measure
from sdc.gate.decision import JudgedNumber, Limit
from sdc.profile.parts import is_about_all

if TYPE_CHECKING:
    import pandas as pd

    from sdc.profile import Criterion, Profile

RISK_CRITERIA = Limit(
    "gate.risk_criteria",
    "gate.risk_criteria",
    Concerns.GATE,
    at_least=1,
    fault="no measure of risk was judged: a release is never judged by utility alone",
)


def judged(profile: Profile, candidate: str) -> list[tuple[Limit, Criterion]]:
    """Every criterion with a range that covers a candidate, under the name of its column in the scorecard.

    A second criterion on the same value has a column of its own: each is judged.
    """
    families = {"risk": profile.risk, "utility": profile.utility}
    found: dict[str, tuple[Limit, Criterion]] = {}
    for family, criteria in families.items():
        for place, criterion in enumerate(criteria, start=1):
            if not (criterion.is_judged and criterion.covers(candidate)):
                continue
            name = f"{criterion.alias}.{criterion.part}" if criterion.part else criterion.alias
            column = _free(f"{family}.{name}", found)
            limit = Limit(
                column,
                name,
                Concerns(family),
                criterion.at_least,
                criterion.at_most,
                criterion.otherwise,
                criterion.because,
                f"profile {profile.name}: {family}, criterion {place}",
            )
            found[column] = limit, criterion
    return list(found.values())


def _free(name: str, taken: Iterable[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def scorecard_limits(profile: Profile, candidate: str) -> tuple[Limit, ...]:
    return (RISK_CRITERIA, *(limit for limit, _ in judged(profile, candidate)))


def scorecard(profile: Profile, candidate: str, assessments: Iterable[Assessment]) -> pd.DataFrame:
    """One row with a column for each judged value, null where there is none.

    With it comes the number of risks that have a value.
    """
    import pandas as pd

    row = {column: reading.value for column, reading in readings(profile, candidate, assessments).items()}
    return pd.DataFrame([row], dtype="float64")


def readings(profile: Profile, candidate: str, assessments: Iterable[Assessment]) -> dict[str, JudgedNumber]:
    """The judged number of each column of the scorecard, with what it is or why there is none."""
    held = list(assessments)
    found = {
        limit.column: read(limit, criterion, candidate, held)
        for limit, criterion in judged(profile, candidate)
    }
    risks = sum(
        limit.family is Concerns.RISK and found[limit.column].value is not None
        for limit, _ in judged(profile, candidate)
    )
    return {RISK_CRITERIA.column: JudgedNumber(float(risks)), **found}


def read(
    limit: Limit, criterion: Criterion, candidate: str, assessments: Iterable[Assessment]
) -> JudgedNumber:
    """The number a criterion judges; none unless exactly this was measured, once, on this candidate."""
    taken = [
        held
        for held in assessments
        if held.alias == criterion.alias and held.candidate == candidate and held.measure == criterion.measure
    ]
    if len(taken) != 1:
        return JudgedNumber(
            None,
            f"{criterion.measure} was measured {len(taken)} times under this name"
            if taken
            else "never measured",
        )
    if not _as_demanded(criterion, taken[0]):
        return JudgedNumber(None, "measured with other options than the criterion demands")
    outcome = taken[0].outcome
    if not isinstance(outcome, Measurement):
        return JudgedNumber(None, f"not assessed: {outcome.reason}")
    if not outcome.syntheses:
        return _read(limit, criterion, outcome)
    return _worst([_read(limit, criterion, each) for each in outcome.syntheses], limit)


def _read(limit: Limit, criterion: Criterion, outcome: Measurement) -> JudgedNumber:
    if not is_about_all(find_measure(criterion.measure), outcome, criterion.part):
        return JudgedNumber(
            None,
            f"{', '.join(outcome.not_compared)} could not be compared, so the number is not about all; name"
            " those it is to judge with variables",
        )
    if criterion.part is None:
        return worse_end(limit, outcome)
    if criterion.part not in outcome.parts:
        return JudgedNumber(None, f"{criterion.measure} has no part {criterion.part} here")
    return JudgedNumber(outcome.parts[criterion.part], criterion.part)


def _worst(numbers: Sequence[JudgedNumber], limit: Limit) -> JudgedNumber:
    """Of several syntheses that leave, the number that is nearest to the limit or furthest beyond it.

    A synthesis that has none is worse than all.
    """
    told = [
        JudgedNumber(each.value, f"{each.words} of synthesis {number} of {len(numbers)}")
        for number, each in enumerate(numbers, start=1)
    ]
    return min(told, key=lambda each: -math.inf if each.value is None else limit.margin(each.value))


def worse_end(limit: Limit, measurement: Measurement) -> JudgedNumber:
    """The value, or the end of its interval that comes nearer to the limit or goes further beyond it.

    Against a minimum that is the lower end, against a maximum the upper; with both, the worse of the two.
    """
    value, interval = measurement.value, measurement.interval
    if interval is None:
        return JudgedNumber(value, limit.criterion)
    said = {interval.low: "the lower end", interval.high: "the upper end", value: "the value"}
    worst = min((value, interval.low, interval.high), key=limit.margin)
    return JudgedNumber(
        worst,
        limit.criterion
        if worst == value
        else f"{said[worst]} of the {interval.level:.0%} interval of {limit.criterion}",
    )


def _as_demanded(criterion: Criterion, assessment: Assessment) -> bool:
    """Whether stating the criterion's own options would have changed nothing."""
    if not criterion.options or criterion.options == assessment.options:
        return True
    entry = find_measure(criterion.measure)
    return entry.arguments(assessment.options) == entry.arguments({**assessment.options, **criterion.options})
