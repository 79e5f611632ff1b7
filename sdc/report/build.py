"""Builds the record that one edition of the report renders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Concerns, Otherwise
from sdc.gate.decision import Verdict
from sdc.report import wording
from sdc.report.edition import LEFT_OUT, THRESHOLD, Edition, Rules
from sdc.report.findings import checks, criteria, findings
from sdc.report.matrix import matrix
from sdc.report.measurements import comparison, measurements
from sdc.report.provenance import provenance, versions
from sdc.report.steps import steps, variables
from sdc.report.summary import summary
from sdc.report.views import CandidateView, Fact, Figure, ReportView, Section
from sdc.spelling import counted

if TYPE_CHECKING:
    from sdc.gate.decision import Decision
    from sdc.gate.judged import JudgedCandidate
    from sdc.report.facts import Approved, RunFacts


@dataclass(frozen=True)
class Drawn:
    """The drawings of a variable, and the largest difference of the tables in them."""

    figures: tuple[Figure, ...] = ()
    shift: float = 0.0


@dataclass(frozen=True)
class Figures:
    """Drawings made for one edition: of each variable, of the candidates, and by subject."""

    variables: Mapping[str, Drawn] = field(default_factory=dict)
    map: Figure | None = None
    sections: tuple[Section, ...] = ()
    undrawn: int = 0
    """Variables of a wide file that have no drawings of their own."""
    multiples: Figure | None = None


STUDY = "study"
"""What a report says in place of a verdict where there was no release."""


def build(
    facts: RunFacts, edition: Edition, *, figures: Figures | None = None, threshold: int = THRESHOLD
) -> ReportView:
    """The record one edition of the report renders. Figures must have been made for the same edition."""
    rules = Rules(edition, frozenset(facts.profile.variables), threshold)
    drawn = figures or Figures()
    focus = facts.focus
    shown = [focus] if rules.public and focus else [] if rules.public else list(facts.candidates)
    candidates = tuple(_candidate(facts, candidate, rules) for candidate in shown)
    return ReportView(
        edition=edition,
        run=facts.run,
        name=facts.profile.name,
        title=facts.profile.title or facts.profile.name,
        description=facts.profile.description,
        access=facts.profile.access.value,
        when=facts.when.strftime("%-d %B %Y, %H:%M %Z").strip().rstrip(","),
        verdict=STUDY if facts.is_study else facts.verdict.value,
        sentence=sentence(facts),
        explanation=explanation(facts, rules),
        changes=tuple(
            change for view in candidates if focus and view.name == focus.name for change in _changes(view)
        ),
        key_facts=tuple(_key_facts(facts, rules)),
        focus=next((view for view in candidates if focus and view.name == focus.name), None),
        candidates=candidates,
        comparison=comparison(facts, rules),
        matrix=matrix(facts, rules),
        variables=variables(
            facts, focus if facts.chosen or not rules.public else None, rules, drawn.variables
        ),
        provenance=provenance(facts, rules),
        versions=versions(facts),
        approvals=_approvals(facts, rules),
        notes=() if rules.public else facts.notes,
        left_out=LEFT_OUT if rules.public else "",
        summary=summary(facts, rules),
        map=None if rules.public else drawn.map,
        multiples=None if rules.public else drawn.multiples,
        sections=drawn.sections,
        undrawn=drawn.undrawn,
    )


def _candidate(facts: RunFacts, candidate: JudgedCandidate, rules: Rules) -> CandidateView:
    records = facts.rows.get("original")
    return CandidateView(
        name=candidate.name,
        anchor=wording.anchor("candidate", candidate.name),
        verdict=facts.said_of(candidate),
        sentence=tally(candidate.decision),
        chosen=candidate.name == facts.chosen,
        rows=None if candidate.rows is None else rules.count(candidate.rows),
        steps=steps(candidate, facts.profile, rules),
        findings=findings(facts, candidate, rules, records),
        measurements=measurements(facts, candidate, rules, records),
        checks=checks(candidate, rules),
    )


def _changes(view: CandidateView) -> list[str]:
    """What does not hold and is not merely to be noted."""
    missed = [found.change for found in view.findings if found.change and found.state != "noted"]
    return [*missed, *(f"{fault}." for fault in view.checks.faults)]


def tally(decision: Decision) -> str:
    """How many criteria hold."""
    judged = criteria(decision)
    every, held = len(judged), sum(finding.holds for finding in judged)
    faulty = sum(
        not finding.holds and finding.otherwise is not Otherwise.NOTE
        for finding in decision.findings
        if finding.family is Concerns.TABLE
    )
    fails = f"fails {counted(faulty, 'check')} of its table" if faulty else ""
    if not every:
        return fails or "was not judged"
    all_of_them = counted(every, "criterion", "criteria")
    met = f"meets {held} of {all_of_them}"
    if held == every:
        whole = {1: "its one criterion", 2: "both criteria"}.get(every, f"all {all_of_them}")
        met = f"meets {whole}"
    return f"{met} but {fails}" if fails else met


def sentence(facts: RunFacts) -> str:
    """The verdict in one sentence."""
    focus = facts.focus
    if focus is None:
        return "Withheld: no candidate was made."
    name, tallied = f"“{focus.name}”", tally(focus.decision)
    if facts.is_study:
        return f"A study, not a release: the candidate {name} {tallied}."
    if facts.verdict is Verdict.PUBLISHED:
        approved = any(held.decision == "approve" for held in facts.approvals)
        return f"Published{' after approval' if approved else ''}: the candidate {name} {tallied}."
    if facts.verdict is Verdict.REFERRED:
        return f"Referred: the candidate {name} {tallied}; people decide on the rest."
    return _withheld(facts, name, tallied)


def _withheld(facts: RunFacts, name: str, tallied: str) -> str:
    if any(held.decision == "reject" for held in facts.approvals):
        return f"Withheld: a reviewer rejected the candidate {name}, which {tallied}."
    if len(facts.candidates) == 1:
        return f"Withheld: the candidate {name} {tallied}."
    return f"Withheld: none of {len(facts.candidates)} candidates may leave; the closest, {name}, {tallied}."


def explanation(facts: RunFacts, rules: Rules) -> str:
    """What the verdict means, and how the candidate was chosen."""
    if facts.is_study:
        return "Nothing was published, and the gate has not checked the table."
    means = {
        Verdict.WITHHELD: "Nothing was published and the outbox is as it was.",
        Verdict.REFERRED: "Nothing is published until a reviewer approves.",
        Verdict.PUBLISHED: "The bundle was written, read back and verified before it left.",
    }[facts.verdict]
    chosen = facts.choice if facts.chosen and not rules.public and len(facts.candidates) > 1 else ""
    return f"{chosen} {means}".strip()


def _key_facts(facts: RunFacts, rules: Rules) -> list[Fact]:
    focus = facts.focus
    roles = facts.profile.roles
    rows = (
        [Fact("records in the original", rules.count(facts.rows["original"]).text)]
        if "original" in facts.rows
        else []
    )
    if focus and focus.rows is not None and (facts.chosen or not rules.public):
        rows.append(Fact("records in the candidate", rules.count(focus.rows).text))
    rows.append(Fact("variables released", f"{len(roles.released)} of {len(roles.variables)}"))
    rows.append(
        Fact(
            "candidates compared" if len(facts.candidates) != 1 else "candidate judged",
            str(len(facts.candidates)),
        )
    )
    if focus:
        judged = criteria(focus.decision)
        held = sum(finding.holds for finding in judged)
        rows += [Fact("criteria met", f"{held} of {len(judged)}")] if judged else []
    return rows


def _approvals(facts: RunFacts, rules: Rules) -> tuple[str, ...]:
    if rules.public:
        return tuple(f"{_decided(held)} by a person with the role {held.role}" for held in facts.approvals)
    return tuple(
        f"{_decided(held)} by {held.by} ({held.role}){f', {held.when}' if held.when else ''}: {held.reason}"
        for held in facts.approvals
    )


def _decided(held: Approved) -> str:
    return {"approve": "approved", "reject": "rejected", "return": "returned"}.get(
        held.decision, held.decision
    )
