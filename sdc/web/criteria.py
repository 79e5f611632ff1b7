"""How each criterion of a sealed record stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sdc.catalogue.finding import Concerns, Finding
from sdc.catalogue.measurement import Interval, Measurement
from sdc.catalogue.registry import Measure, measures
from sdc.catalogue.units import Unit
from sdc.gate.decision import Decision
from sdc.gate.judged import JudgedCandidate
from sdc.profile.parts import judged_number
from sdc.report import wording
from sdc.report.build import tally
from sdc.report.edition import Edition, Rules
from sdc.report.findings import STATES, checks, margin, state
from sdc.report.gauges import gauge
from sdc.report.readings import Held, after, told
from sdc.report.views import CandidateView, FindingView, Shown, Told

INTERNAL = Rules(Edition.INTERNAL)


def candidate(held: Mapping[str, Any], *, chosen: bool, is_out: bool = False) -> CandidateView:
    """A candidate of a sealed record with its criteria and checks.

    Steps and measurements are in its report.
    """
    decision = Decision.from_record(held["name"], held["findings"])
    return CandidateView(
        name=held["name"],
        anchor=wording.anchor("candidate", held["name"]),
        verdict=said_of(decision, is_out=is_out),
        sentence=tally(decision),
        chosen=chosen,
        rows=None if held.get("rows") is None else INTERNAL.count(held["rows"]),
        steps=(),
        findings=tuple(
            sorted(
                (
                    _view(finding, held["measurements"])
                    for finding in decision.findings
                    if finding.family is not Concerns.TABLE
                ),
                key=_failed_first,
            )
        ),
        measurements=(),
        checks=checks(JudgedCandidate(held["name"], decision), INTERNAL),
    )


def said_of(decision: Decision, *, is_out: bool) -> str:
    """What happened to a candidate: published if it is out, else what the gate says about it."""
    if is_out:
        return "published"
    return decision.verdict.of_candidate if decision.findings else "not judged"


def _failed_first(view: FindingView) -> int:
    return STATES.index(view.state)


def _view(finding: Finding, measurements: Sequence[Mapping[str, Any]]) -> FindingView:
    held, part = _measured(finding.criterion, measurements)
    measure = measures().get(held["measure"]) if held else None
    value, words = _said(finding, part, held)
    return FindingView(
        name=finding.criterion,
        anchor="",
        question=measure.summary if measure else "",
        family=finding.family,
        holds=finding.holds,
        consequence=wording.CONSEQUENCES[finding.otherwise],
        value=value,
        limit=_limit(finding, measure, part),
        margin="" if value is None or finding.margin is None else margin(finding, INTERNAL),
        gauge=_gauge(finding, measure, part, held),
        source=finding.because,
        reason=finding.reason,
        judged=words,
        state=state(finding),
        told=_told(measure, part, held) if value else Told(),
    )


def _limit(finding: Finding, measure: Measure | None, part: str | None) -> str:
    """What is demanded, with its unit."""
    words = wording.limit(finding.at_least, finding.at_most)
    return after(words, judged_number(measure, part).unit) if measure else words


def _told(measure: Measure | None, part: str | None, held: Mapping[str, Any] | None) -> Told:
    """How the number is to be read, from the parts the record has; of a part only what it counts is known."""
    if measure is None or held is None or held.get("value") is None:
        return Told()
    unit = judged_number(measure, part).unit
    if part is not None:
        return Told("" if unit is Unit.NUMBER else unit.value)
    parts = held.get("parts") or {}
    return told(Held(measure, Measurement(held["value"], parts), parts, {}, {}), INTERNAL)


def _said(finding: Finding, part: str | None, held: Mapping[str, Any] | None) -> tuple[Shown | None, str]:
    """The estimate, and its interval with the end that was judged."""
    ends = _interval(part, held)
    if finding.value is None:
        return None, ""
    if held is None or ends is None:
        return INTERNAL.number(finding.value), ""
    estimate, *words = wording.pieces_of(held["value"], ends, finding.value)
    return Shown(estimate, repr(held["value"])), ", ".join(filter(None, words))


def _measured(
    criterion: str, measurements: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any] | None, str | None]:
    """The measurement a criterion judges, and which part of it."""
    for held in measurements:
        if held["as"] == criterion:
            return held, None
    for held in measurements:
        if criterion.startswith(f"{held['as']}."):
            return held, criterion.removeprefix(f"{held['as']}.")
    return None, None


def _gauge(
    finding: Finding, measure: Measure | None, part: str | None, held: Mapping[str, Any] | None
) -> Any:
    if measure is None or held is None:
        return None
    ends = _interval(part, held)
    return gauge(finding, measure, part, ends, Measurement(held["value"], interval=ends) if ends else None)


def _interval(part: str | None, held: Mapping[str, Any] | None) -> Interval | None:
    interval = held.get("interval") if held else None
    return (
        Interval(interval["low"], interval["high"], interval["level"])
        if isinstance(interval, Mapping) and part is None
        else None
    )
