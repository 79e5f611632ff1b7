"""How each criterion stands: value, limit, margin, and what would have to change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Concerns, Otherwise
from sdc.catalogue.units import Unit
from sdc.profile.parts import judged_number
from sdc.report import wording
from sdc.report.gauges import gauge
from sdc.report.judged_findings import Judged, find_doubt, interval_of, judged, limit_of, measured
from sdc.report.needed_change import change, is_below
from sdc.report.readings import Held, after, told
from sdc.report.views import Check, Checks, FindingView, Told
from sdc.spelling import said

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc.catalogue.finding import Finding
    from sdc.catalogue.measurement import Measurement
    from sdc.gate.decision import Decision
    from sdc.gate.judged import JudgedCandidate
    from sdc.profile import Profile
    from sdc.report.edition import Rules
    from sdc.report.facts import RunFacts
    from sdc.report.views import Shown

STATES = ("missed", "referred", "noted", "holds")
"""How a criterion may stand, the worst first."""


def findings(
    facts: RunFacts, candidate: JudgedCandidate, rules: Rules, records: int | None
) -> tuple[FindingView, ...]:
    """Criteria of the profile on a candidate, those that do not hold first."""
    views = [_view(facts, candidate, finding, rules, records) for finding in criteria(candidate.decision)]
    return tuple(sorted(views, key=lambda view: STATES.index(view.state)))


def state(finding: Finding) -> str:
    """How a criterion stands, in one word."""
    return (
        "holds"
        if finding.holds
        else {Otherwise.NOTE: "noted", Otherwise.REFER: "referred"}.get(finding.otherwise, "missed")
    )


def criteria(decision: Decision) -> list[Finding]:
    """What the profile demands; the gate's checks of the table itself are apart."""
    return [finding for finding in decision.findings if finding.family is not Concerns.TABLE]


def checks(candidate: JudgedCandidate, rules: Rules) -> Checks:
    """What the gate checked on the table.

    The public edition names a check that does not hold, but not its reason.
    """
    found = [finding for finding in candidate.decision.findings if finding.family is Concerns.TABLE]
    rows = [
        Check(
            wording.check(finding.criterion),
            "" if finding.value is None else rules.count(int(finding.value)).text,
            wording.limit(finding.at_least, finding.at_most),
            finding.holds,
            state(finding) == "noted",
        )
        for finding in found
    ]
    missed = [
        (finding, _missed(finding, row.name, rules))
        for finding, row in zip(found, rows, strict=True)
        if not finding.holds
    ]
    faults = tuple(words for finding, words in missed if finding.otherwise is not Otherwise.NOTE)
    return Checks(
        tuple(sorted(rows, key=lambda row: (row.holds, row.noted))),
        faults,
        tuple(words for finding, words in missed if finding.otherwise is Otherwise.NOTE),
    )


def _missed(finding: Finding, name: str, rules: Rules) -> str:
    if rules.public or not finding.reason:
        return name if finding.otherwise is Otherwise.NOTE else f"The check “{name}” does not hold"
    return wording.sentence(finding.reason, name.partition(", ")[2])


def _view(
    facts: RunFacts, candidate: JudgedCandidate, finding: Finding, rules: Rules, records: int | None
) -> FindingView:
    about = judged(finding, facts.profile)
    interval = None if rules.public else interval_of(candidate, about)
    secret = rules.public and facts.chosen is None
    value, words = (
        _said(finding, candidate, about, rules, records)
        if finding.value is not None and not secret
        else (None, "")
    )
    masked = value is None or value.text.startswith(("fewer", "below"))
    how = Told() if value is None else _told(facts, candidate, about, rules)
    return FindingView(
        name=(
            f"{finding.criterion}"
            if not about.part or about.part in finding.criterion
            else f"{finding.criterion}, {about.part}"
        ),
        anchor=(
            wording.anchor("measurement", candidate.name, about.criterion.alias) if about.criterion else ""
        ),
        question=about.measure.summary if about.measure else "Is the table what the profile declares?",
        family=finding.family,
        holds=finding.holds,
        consequence=wording.CONSEQUENCES[finding.otherwise],
        value=value,
        limit=limit_of(finding, facts.profile),
        margin="" if masked or finding.margin is None else margin(finding, rules),
        gauge=(
            None
            if masked or not about.measure
            else gauge(finding, about.measure, about.part, interval, measured(candidate, about))
        ),
        source=finding.because,
        reason="" if rules.public else finding.reason,
        change=(
            ""
            if finding.holds
            else change(
                facts,
                candidate,
                finding,
                _in_full(value, words),
                secret=secret,
                how=how,
                trials=not rules.public and candidate is facts.focus,
            )
        ),
        judged=words,
        doubt=find_doubt(facts.profile, candidate, about),
        state=state(finding),
        told=how,
    )


def _told(facts: RunFacts, candidate: JudgedCandidate, about: Judged, rules: Rules) -> Told:
    """How the judged number is to be read; of a part only what it counts is known."""
    if about.measure is None or about.criterion is None:
        return Told()
    unit = judged_number(about.measure, about.part).unit
    assessment = next((held for held in candidate.assessments if held.alias == about.criterion.alias), None)
    held = Held.of(facts, candidate, assessment, rules) if assessment and about.part is None else None
    return (
        told(held, rules, below_limit(about.finding, held, rules))
        if held
        else Told("" if unit is Unit.NUMBER else unit.value)
    )


def below_limit(finding: Finding, held: Held, rules: Rules) -> str:
    """How many records are below the size demanded of their class, where that was counted."""
    limit = finding.at_least
    counted = held.parts.get(f"records_below_{limit:g}") if limit is not None else None
    if counted is None:
        return ""
    text = rules.count(int(counted)).text
    return (
        f"{text} {'record is' if text == '1' else 'records are'} in smaller classes than demanded"
        if counted
        else "nobody is in a smaller class"
    )


def _said(
    finding: Finding, candidate: JudgedCandidate, about: Judged, rules: Rules, records: int | None
) -> tuple[Shown, str]:
    """The estimate, and behind it its interval and the end that was judged."""

    def shown(number: float) -> Shown:
        return (
            rules.judged(number, about.measure, about.part, records)
            if about.measure
            else rules.number(number)
        )

    taken = measured(candidate, about) if interval_of(candidate, about) else None
    return said_of(finding, taken, shown, (lambda number: shown(number).text) if rules.public else None)


def said_of(
    finding: Finding,
    taken: Measurement | None,
    shown: Callable[[float], Shown],
    say: Callable[[float], str] | None = None,
) -> tuple[Shown, str]:
    """What a criterion judged: the estimate, and its interval with the judged end where `taken` has one.

    Numbers have as many digits as show by how little they miss their limit.
    """
    assert finding.value is not None
    if taken is None:
        return _apart(shown(finding.value), finding), ""
    text, between, end = wording.pieces_of(taken.estimate, taken.interval, finding.value, say)
    limits = [limit for limit in (finding.at_least, finding.at_most) if limit is not None]
    near = [
        limit for limit in limits if end == wording.pieces_of(taken.estimate, taken.interval, limit, say)[2]
    ]
    if near and not finding.holds:
        end = f"judged at {said(finding.value, apart_from=near[0])}"
    return replace(shown(taken.estimate), text=text), ", ".join(filter(None, (between, end)))


def _in_full(value: Shown | None, words: str) -> str:
    return f"{value.text}{f' ({words})' if words else ''}" if value else ""


def readings(candidate: JudgedCandidate, profile: Profile) -> dict[str, str]:
    """What is shown for each criterion that has a value.

    That is estimate, interval and the end that was judged, its unit, and what drives it.
    """
    found = {}
    for finding in criteria(candidate.decision):
        about = judged(finding, profile)
        taken, interval = measured(candidate, about), interval_of(candidate, about)
        if finding.value is None or about.measure is None or taken is None:
            continue
        estimate = taken.estimate if about.part is None else finding.value
        value = after(
            wording.reading(estimate, interval, finding.value), judged_number(about.measure, about.part).unit
        )
        driver = (
            Held(about.measure, taken, taken.parts, profile.variables, {}).driver
            if about.part is None
            else ""
        )
        found[finding.criterion] = f"{value}, driven by {driver}" if driver else value
    return found


def _apart(value: Shown, finding: Finding) -> Shown:
    """A value with as many digits as show by how little it misses its limit."""
    limits = [limit for limit in (finding.at_least, finding.at_most) if limit is not None]
    if (
        finding.holds
        or finding.value is None
        or value.text not in [wording.number(limit) for limit in limits]
    ):
        return value
    nearest = min(limits, key=lambda limit: abs(limit - (finding.value or 0)))
    return replace(value, text=said(finding.value, apart_from=nearest))


def margin(finding: Finding, rules: Rules) -> str:
    assert finding.margin is not None
    distance = rules.number(abs(finding.margin)).text
    if finding.margin == 0:
        return "exactly at the limit" if finding.holds else "just outside the limit"
    return (
        f"{distance} to spare"
        if finding.holds
        else f"{distance} short"
        if is_below(finding)
        else f"{distance} over"
    )
