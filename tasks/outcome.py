"""How a run ended, for the person who started it and for the orchestrator's pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sdc.catalogue.finding import Concerns, Finding
from sdc.gate.decision import Verdict
from tasks.context import RunContext, run_context

if TYPE_CHECKING:
    from sdc.publish import Published
    from sdc.report import RunFacts


EXIT_CODES = {Verdict.PUBLISHED: 0, Verdict.WITHHELD: 3, Verdict.REFERRED: 4}


@dataclass(frozen=True)
class Outcome:
    """How a run ended, for the person who started it."""

    run_id: str
    verdict: Verdict
    sentence: str
    findings: tuple[Finding, ...]
    places: tuple[tuple[str, str], ...]
    roles: tuple[str, ...] = ()
    """Who must approve, when it was referred."""
    chosen: str | None = None
    choice: str = ""
    """Why this candidate was chosen, in a sentence."""
    readings: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Estimate, interval and judged end of what has an interval, by candidate and criterion."""
    tried: Mapping[str, str] = field(default_factory=dict)
    """Which change of the steps meets a criterion that does not hold, by criterion; all were tried."""

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    def as_json(self) -> dict[str, Any]:
        """The stable form of `--json`."""
        return {
            "run": self.run_id,
            "verdict": self.verdict.value,
            "sentence": self.sentence,
            "chosen": self.chosen,
            "because": self.choice,
            "findings": [
                finding.as_json() | {"reading": self.readings.get((finding.candidate, finding.criterion))}
                for finding in self.findings
            ],
            "tried": dict(self.tried),
            "places": dict(self.places),
            "roles": list(self.roles),
            "exit_code": self.exit_code,
        }


def show_outcome(run: str, facts: RunFacts, published: Published | None) -> Outcome:
    """How the run ended, held by its context and shown where the orchestrator shows its runs."""
    context = run_context(run)
    context.outcome = _outcome(context, facts, published)
    _show_scorecard(context.outcome, context.directory.report.as_uri())
    context.progress.done(context.outcome.sentence)
    return context.outcome


def _outcome(context: RunContext, facts: RunFacts, published: Published | None) -> Outcome:
    from sdc.report.findings import readings
    from sdc.report.trials import said_of_trials

    missed = facts.focus.decision.missed() if facts.focus else ()
    found = facts.focus.decision.findings if facts.focus else ()
    tried = {finding.criterion: said_of_trials(facts.trials, finding, found) for finding in missed}
    judged = [each for each in facts.candidates if facts.chosen is None or each.name == facts.chosen]
    report = ("report (internal)", str(context.directory.report))
    return Outcome(
        context.run.id,
        facts.verdict,
        _sentence(facts),
        tuple(finding for each in judged for finding in each.decision.findings),
        (report, ("bundle", str(published.path))) if published else (report,),
        tuple(facts.profile.approval.roles) if facts.verdict is Verdict.REFERRED else (),
        facts.chosen,
        facts.choice,
        {(each.name, name): said for each in judged for name, said in readings(each, facts.profile).items()},
        {criterion: words for criterion, words in tried.items() if words},
    )


def _sentence(facts: RunFacts) -> str:
    name = facts.profile.title or facts.profile.name
    return {
        Verdict.PUBLISHED: f"{name}: published, candidate {facts.chosen}",
        Verdict.REFERRED: (
            f"{name}: referred, candidate {facts.chosen} waits for approval; nothing was published"
        ),
        Verdict.WITHHELD: f"{name}: withheld, no candidate meets the criteria; nothing was published",
    }[facts.verdict]


def _show_scorecard(outcome: Outcome, report: str) -> None:
    """The findings and the way to the report: names and judged numbers only."""
    from prefect.artifacts import create_link_artifact, create_table_artifact

    rows = [
        {
            "criterion": found.criterion,
            "candidate": found.candidate,
            "holds": found.holds,
            "judged": found.value,
            "limits": [found.at_least, found.at_most],
        }
        for found in outcome.findings
        if found.family is not Concerns.TABLE or not found.holds
    ]
    create_table_artifact(rows, key="scorecard", description=outcome.sentence)
    create_link_artifact(report, link_text="internal report", key="report", description=outcome.run_id)
