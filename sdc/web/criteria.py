"""How each criterion of a sealed record stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sdc.catalogue.finding import Concerns, Finding
from sdc.catalogue.measurement import Interval, Measurement
from sdc.catalogue.registry import Measure, measures
from sdc.catalogue.units import Unit
from sdc.gate.changes import TriedChange
from sdc.gate.decision import Decision
from sdc.gate.judged import JudgedCandidate
from sdc.profile.parts import judged_number
from sdc.report import wording
from sdc.report.build import tally
from sdc.report.edition import Edition, Rules
from sdc.report.findings import STATES, below_limit, checks, margin, said_of, state
from sdc.report.gauges import gauge
from sdc.report.needed_change import needed
from sdc.report.readings import Held, after, told
from sdc.report.trials import said_of_trials
from sdc.report.views import CandidateView, FindingView, Shown, Told

INTERNAL = Rules(Edition.INTERNAL)


def candidate(
    held: Mapping[str, Any],
    *,
    chosen: bool,
    is_out: bool = False,
    original: int | None = None,
    trials: Sequence[TriedChange] = (),
    doubted: Mapping[tuple[str, str], str] | None = None,
) -> CandidateView:
    """A candidate of a sealed record with its criteria and checks.

    `original` counts its records; `trials` are changes of this candidate; `doubted` says which numbers of
    the record cannot be believed. Steps and measurements are
    in its report.
    """
    decision = Decision.from_record(held["name"], held["findings"])
    return CandidateView(
        name=held["name"],
        anchor=wording.anchor("candidate", held["name"]),
        verdict=standing(decision, is_out=is_out),
        sentence=tally(decision),
        chosen=chosen,
        rows=None if held.get("rows") is None else INTERNAL.count(held["rows"]),
        steps=(),
        findings=tuple(
            sorted(
                (
                    replace(
                        _view(finding, held, original, decision.findings, trials),
                        doubt=(doubted or {}).get((held["name"], finding.criterion), ""),
                    )
                    for finding in decision.findings
                    if finding.family is not Concerns.TABLE
                ),
                key=_failed_first,
            )
        ),
        measurements=(),
        checks=checks(JudgedCandidate(held["name"], decision), INTERNAL),
    )


def standing(decision: Decision, *, is_out: bool) -> str:
    """What happened to a candidate: published if it is out, else what the gate says about it."""
    if is_out:
        return "published"
    return decision.verdict.of_candidate if decision.findings else "not judged"


def _failed_first(view: FindingView) -> int:
    return STATES.index(view.state)


def _view(
    finding: Finding,
    held: Mapping[str, Any],
    original: int | None,
    findings: Sequence[Finding],
    trials: Sequence[TriedChange],
) -> FindingView:
    taken, part = measured_of(finding, held["measurements"])
    measure = measures().get(taken["measure"]) if taken else None
    value, words = _said(finding, part, taken)
    how = (
        _told(finding, measure, part, taken, {"original": original, "candidate": held.get("rows")})
        if value
        else Told()
    )
    limit = _limit(finding, measure, part)
    changes = (
        needed(finding, reading_of(finding, held["measurements"]), limit, how),
        said_of_trials(trials, finding, findings),
    )
    return FindingView(
        name=finding.criterion,
        anchor="",
        question=measure.summary if measure else "",
        family=finding.family,
        holds=finding.holds,
        consequence=wording.CONSEQUENCES[finding.otherwise],
        value=value,
        limit=limit,
        margin="" if value is None or finding.margin is None else margin(finding, INTERNAL),
        gauge=_gauge(finding, measure, part, taken),
        source=finding.because,
        reason=finding.reason,
        change="" if finding.holds else " ".join(filter(None, changes)),
        judged=words,
        state=state(finding),
        told=how,
    )


def _limit(finding: Finding, measure: Measure | None, part: str | None) -> str:
    """What is demanded, with its unit."""
    words = wording.limit(finding.at_least, finding.at_most)
    return after(words, judged_number(measure, part).unit) if measure else words


def _told(
    finding: Finding,
    measure: Measure | None,
    part: str | None,
    held: Mapping[str, Any] | None,
    rows: Mapping[str, int | None],
) -> Told:
    """How the number is to be read, from the parts the record has; of a part only what it counts is known."""
    if measure is None or held is None or held.get("value") is None:
        return Told()
    unit = judged_number(measure, part).unit
    if part is not None:
        return Told("" if unit is Unit.NUMBER else unit.value)
    parts = held.get("parts") or {}
    read = Held(measure, Measurement(held["value"], parts, _interval(part, held)), parts, {}, rows)
    return told(read, INTERNAL, below_limit(finding, read, INTERNAL))


def reading_of(finding: Finding, measurements: Sequence[Mapping[str, Any]]) -> str:
    """What was measured for a criterion, with its interval and the end that was judged; empty without one."""
    held, part = measured_of(finding, measurements)
    value, words = _said(finding, part, held)
    return f"{value.text}{f' ({words})' if words else ''}" if value else ""


def ends_of(finding: Finding, measurements: Sequence[Mapping[str, Any]]) -> tuple[float, ...]:
    """The numbers of which the worst is judged: a value, or with its interval both ends of that too.

    Of several syntheses all of them, or of a part what each has of it.
    """
    assert finding.value is not None
    held, part = measured_of(finding, measurements)
    if held is None or held.get("value") is None:
        return (finding.value,)
    each = [_measurement(taken) for taken in (held.get("syntheses") or [held])]
    if part is None:
        return tuple(number for taken in each for number in taken.numbers)
    return tuple(taken.parts[part] for taken in each if part in taken.parts) or (finding.value,)


def _judged_at(held: Mapping[str, Any], number: float | None) -> Mapping[str, Any]:
    """A measurement of the record, with the numbers of the synthesis that has this one."""
    if not held.get("syntheses"):
        return held
    several = replace(
        _measurement(held),
        syntheses=tuple(map(_measurement, held["syntheses"])),
        synthesis=held.get("synthesis", 1),
    )
    place = several.judged_at(number).synthesis
    return {**held, **held["syntheses"][place - 1], "synthesis": place}


def _measurement(held: Mapping[str, Any]) -> Measurement:
    ends, estimate = _interval(None, held), held.get("estimate")
    return Measurement(held["value"], held.get("parts") or {}, ends, estimated=estimate)


def _said(finding: Finding, part: str | None, held: Mapping[str, Any] | None) -> tuple[Shown | None, str]:
    """The estimate, and its interval with the end that was judged."""
    if finding.value is None:
        return None, ""
    ends = _interval(part, held)
    taken = _measurement(held) if held and ends else None
    return said_of(finding, taken, INTERNAL.number)


def measured_of(
    finding: Finding, measurements: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any] | None, str | None]:
    """The measurement a criterion judges, and which part of it.

    Of several syntheses it is that of the one whose number was judged.
    """
    for held in measurements:
        if held["as"] == finding.criterion:
            return _judged_at(held, finding.value), None
    for held in measurements:
        if finding.criterion.startswith(f"{held['as']}."):
            return held, finding.criterion.removeprefix(f"{held['as']}.")
    return None, None


def _gauge(
    finding: Finding, measure: Measure | None, part: str | None, held: Mapping[str, Any] | None
) -> Any:
    if measure is None or held is None:
        return None
    ends = _interval(part, held)
    return gauge(finding, measure, part, ends, _measurement(held) if ends else None)


def _interval(part: str | None, held: Mapping[str, Any] | None) -> Interval | None:
    interval = held.get("interval") if held else None
    return (
        Interval(interval["low"], interval["high"], interval["level"])
        if isinstance(interval, Mapping) and part is None
        else None
    )
