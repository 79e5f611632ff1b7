"""How does each criterion of a sealed record stand?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sdc.catalogue import Measure, measures
from sdc.gate import Decision, Finding
from sdc.measurement import Interval
from sdc.report import wording
from sdc.report.build import tally
from sdc.report.edition import Edition, Rules
from sdc.report.facts import CandidateFacts
from sdc.report.findings import TABLE, checks, gauge, margin
from sdc.report.views import CandidateView, FindingView

INTERNAL = Rules(Edition.INTERNAL)


def candidate(held: Mapping[str, Any], *, chosen: bool) -> CandidateView:
    """A candidate of a sealed record with its criteria and checks; steps and measurements are in its report."""
    decision = Decision(held["name"], findings(held))
    return CandidateView(
        name=held["name"],
        anchor=wording.anchor("candidate", held["name"]),
        verdict=held.get("verdict") or "not judged",
        sentence=tally(decision),
        chosen=chosen,
        rows=None if held.get("rows") is None else INTERNAL.count(held["rows"]),
        steps=(),
        findings=tuple(sorted((_view(finding, held["measurements"]) for finding in decision.findings if finding.family != TABLE), key=_failed_first)),
        measurements=(),
        checks=checks(CandidateFacts(held["name"], decision), INTERNAL),
    )


def findings(held: Mapping[str, Any]) -> tuple[Finding, ...]:
    known = Finding.__dataclass_fields__
    return tuple(Finding(**{name: value for name, value in found.items() if name in known}) for found in held["findings"])


def _failed_first(view: FindingView) -> bool:
    return view.holds


def _view(finding: Finding, measurements: Sequence[Mapping[str, Any]]) -> FindingView:
    held, part = _measured(finding.criterion, measurements)
    measure = measures().get(held["measure"]) if held else None
    value = None if finding.value is None else INTERNAL.number(finding.value)
    return FindingView(
        name=finding.criterion,
        anchor="",
        question=measure.summary if measure else "",
        family=finding.family,
        holds=finding.holds,
        consequence=wording.CONSEQUENCES.get(finding.otherwise, finding.otherwise),
        value=value,
        limit=wording.limit(finding.at_least, finding.at_most),
        margin="" if value is None or finding.margin is None else margin(finding, INTERNAL),
        gauge=_gauge(finding, measure, part, held),
        source=finding.because,
        reason=finding.reason,
    )


def _measured(criterion: str, measurements: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any] | None, str | None]:
    """The measurement a criterion judges, and which part of it."""
    for held in measurements:
        if held["as"] == criterion:
            return held, None
    for held in measurements:
        if criterion.startswith(f"{held['as']}."):
            return held, criterion.removeprefix(f"{held['as']}.")
    return None, None


def _gauge(finding: Finding, measure: Measure | None, part: str | None, held: Mapping[str, Any] | None) -> Any:
    if measure is None or held is None:
        return None
    interval = held.get("interval")
    ends = Interval(interval["low"], interval["high"], interval["level"]) if isinstance(interval, Mapping) and part is None else None
    return gauge(finding, measure, part, ends)
