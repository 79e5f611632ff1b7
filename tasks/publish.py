"""End a run: publish what may leave, write down what was decided and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from prefect import task
from prefect.artifacts import create_link_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE

from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import code_digest, versions
from sdc.errors import redacted
from sdc.gate import Choice, choose
from sdc.gate.decision import Verdict
from sdc.ingest import Ingested
from sdc.publish import BundlePlan, Published
from sdc.publish import publish as publish_bundle
from sdc.report import CandidateFacts, Edition, Provenance, RunFacts
from sdc.report.figures.multiples import MOST_COLUMNS
from sdc.report.findings import readings
from sdc.run import directory as run_files
from tasks.audit import record
from tasks.outcome import Candidate, Judged, Outcome
from tasks.report import report
from tasks.workspace import Workspace, workspace


@task(name="publish", tags={"publish"}, cache_policy=NO_CACHE, persist_result=False)
def publish(run: str, candidate: Candidate, public_report: str, released: datetime) -> Published:
    """The bundle in the outbox, announced in the ledger before it moves there."""
    space = workspace(run)
    ledger = Ledger(space.home.ledger)
    plan = BundlePlan(
        space.profile,
        space.run.id,
        space.pair(candidate).candidate,
        Path(candidate.path),
        candidate.sha256,
        candidate.rows,
        candidate.steps,
        public_report,
        released,
        ledger.anchor(),
    )

    def announce(intent: dict[str, str]) -> None:
        with ledger.writing() as writer:
            entries = writer.entries()
            space.require_open(entries)
            space.require_same_history(entries)
            space.require_as_decided()
            writer.append(
                space.run.id,
                space.profile.name,
                Event.PUBLISHING,
                {**intent, "family": space.profile.family, "chosen": candidate.name},
            )

    with redacted("publishing"):
        return publish_bundle(plan, space.outbox, announce=announce)


def conclude(run: str, ingested: Ingested, judged: Sequence[Judged]) -> Outcome:
    """Publish the chosen candidate if it may leave; record, report, and say how it ended."""
    space = workspace(run)
    space.keep_candidates([each.candidate for each in judged if each.candidate])
    with redacted("choosing a candidate"):
        chosen = choose(
            {each.name: each.decision for each in judged},
            {each.name: each.assessments for each in judged},
            space.profile.prefer,
        )
    verdict = _verdict(space, judged, chosen.name)
    if verdict is Verdict.REFERRED and space.profile.approval.required == "always":
        chosen = replace(
            chosen,
            because=(
                f"{chosen.because} People decide on every release of this profile (approval.required:"
                " always)."
            ),
        )
    facts = _facts(space, ingested, judged, verdict, chosen)
    focus = next((each.candidate for each in judged if facts.focus and each.name == facts.focus.name), None)
    published = None
    # The page of a referred run is refused now if it must be: the source may be another file when people
    # decide.
    public = report(run, facts, Edition.PUBLIC, focus) if verdict is not Verdict.WITHHELD else ""
    # Before anything leaves: once it is out, its record follows at once.
    with redacted("writing the internal report"):
        others = [each.candidate for each in judged if each.candidate and each.candidate != focus][
            :MOST_COLUMNS
        ]
        place = space.keep_bytes(
            run_files.REPORT, report(run, facts, Edition.INTERNAL, focus, others).encode()
        )
    if verdict is Verdict.PUBLISHED:
        assert focus is not None
        with space.timed("publish"):
            published = publish(run, focus, public, facts.when)
    record(run, ingested, judged, facts, published)
    outcome = _outcome(space, facts, published, place)
    space.outcome = outcome
    show_scorecard(outcome, place)
    return outcome


def show_scorecard(outcome: Outcome, place: Path) -> None:
    """The findings and the way to the report, where the orchestrator shows its runs.

    Names and judged numbers only.
    """
    rows = [
        {
            "criterion": found.criterion,
            "candidate": found.candidate,
            "holds": found.holds,
            "value": found.value,
            "limits": [found.at_least, found.at_most],
        }
        for found in outcome.findings
        if found.family != "table" or not found.holds
    ]
    create_table_artifact(rows, key="scorecard", description=outcome.sentence)
    create_link_artifact(
        place.as_uri(), link_text="internal report", key="report", description=outcome.run_id
    )


def _verdict(space: Workspace, judged: Sequence[Judged], chosen: str | None) -> Verdict:
    if chosen is None:
        return Verdict.WITHHELD
    verdict = next(each.decision.verdict for each in judged if each.name == chosen)
    return (
        Verdict.REFERRED
        if verdict is Verdict.PUBLISHED and space.profile.approval.required == "always"
        else verdict
    )


def _facts(
    space: Workspace, ingested: Ingested, judged: Sequence[Judged], verdict: Verdict, chosen: Choice
) -> RunFacts:
    return RunFacts(
        run=space.run.id,
        profile=space.profile,
        when=datetime.now(UTC),
        verdict=verdict,
        candidates=tuple(
            (
                CandidateFacts(
                    each.name, each.decision, each.assessments, each.candidate.steps, each.candidate.rows
                )
                if each.candidate
                else CandidateFacts(each.name, each.decision)
            )
            for each in judged
        ),
        chosen=chosen.name,
        choice=chosen.because,
        rows={
            "original": ingested.rows,
            "holdout": ingested.holdout_rows,
            "population": ingested.population_rows,
        },
        provenance=Provenance(ingested.sha256, space.profile_sha256, code_digest(), versions()),
        notes=tuple(ingested.notes),
    )


def _outcome(space: Workspace, facts: RunFacts, published: Published | None, place: Path) -> Outcome:
    name = space.profile.title or space.profile.name
    sentence = {
        Verdict.PUBLISHED: f"{name}: published, candidate {facts.chosen}",
        Verdict.REFERRED: (
            f"{name}: referred, candidate {facts.chosen} waits for approval; nothing was published"
        ),
        Verdict.WITHHELD: f"{name}: withheld, no candidate meets the criteria; nothing was published",
    }[facts.verdict]
    judged = [
        candidate for candidate in facts.candidates if facts.chosen is None or candidate.name == facts.chosen
    ]
    findings = tuple(finding for candidate in judged for finding in candidate.decision.findings)
    places = [("report (internal)", str(place)), *([("bundle", str(published.path))] if published else [])]
    roles = tuple(space.profile.approval.roles) if facts.verdict is Verdict.REFERRED else ()
    told = {
        (each.name, name): words for each in judged for name, words in readings(each, facts.profile).items()
    }
    return Outcome(
        space.run.id,
        facts.verdict,
        sentence,
        findings,
        tuple(places),
        roles,
        facts.chosen,
        facts.choice,
        told,
    )
