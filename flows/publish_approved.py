"""Publishes a referred run that people have approved, from what its sealed record vouches for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
from prefect import State, flow

from sdc.audit import vouched
from sdc.audit.approval import DAYS
from sdc.audit.deciding import approve, chosen, in_force, referred, still_missing
from sdc.audit.delivering import deliver_release
from sdc.audit.ledger import Event
from sdc.audit.record import RunView, show
from sdc.audit.recovery import close_failed
from sdc.audit.software import code_digest, versions
from sdc.audit.subjects import leaving
from sdc.audit.what_leaves import has_left
from sdc.catalogue.candidate import Candidate
from sdc.errors import CannotApprove, SdcError, StepFailed
from sdc.gate import Suites, judge_again
from sdc.gate.decision import Decision, Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.report import Approved, Edition, Provenance, RunFacts
from sdc.run.home import Home, Run
from tasks.audit import record_again
from tasks.context import RunContext, reopen_context, run_context
from tasks.publish import publish
from tasks.report import report


@flow(name="publish_approved", validate_parameters=False, persist_result=False)
def publish_approved(run: str) -> str:
    """Verify, publish and record a run that every role has approved."""
    context = run_context(run)
    view = referred(context.home, context.run.id)
    missing = still_missing(view, context.profile.approval)
    if missing:
        raise CannotApprove(f"not yet approved by: {', '.join(missing)}")
    return leave(
        context,
        view,
        [Approved(each.by, each.role, each.decision, each.reason, each.when) for each in in_force(view)],
    )


def leave(context: RunContext, view: RunView, approvals: Sequence[Approved]) -> str:
    """Publish the stored candidate of a referred run, verified again, and say so in the ledger.

    Within a flow.
    """
    candidate, facts = unaltered(context, view), _facts(context, view, approvals)
    run = context.name
    published = publish(run, facts, report(run, facts, Edition.PUBLIC))
    entry = record_again(run, published, str(view.row.facts["record"]), candidate.name)
    context.keep(context.directory.approved, {"entry": entry.sequence})
    return str(published.path)


def unaltered(context: RunContext, view: RunView) -> Candidate:
    """The stored candidate, if all that was decided on is as it was and its suites say what they said."""
    held, directory = chosen(view), context.directory
    name, findings = held.name, held.decision.findings if held.decision else ()
    needed = [*map(directory.stored, held.fingerprints), directory.suites(name), directory.judged(name)]
    vouched.require_unaltered(directory, view.record or {}, needed)
    candidate = context.candidates[name]
    if candidate.fingerprints != held.fingerprints:
        raise CannotApprove("the candidate's file is not the one that was approved")
    decision = _judged_again(context, name)
    same = [finding.holds for finding in decision.findings] == [finding.holds for finding in findings]
    if decision.verdict is Verdict.WITHHELD or not same:
        raise CannotApprove("the saved suites no longer say what was approved")
    return candidate


def _judged_again(context: RunContext, name: str) -> Decision:
    places = context.directory.suites(name), context.directory.judged(name)
    suites, judged = (json.loads(place.read_bytes()) for place in places)
    return judge_again(
        Suites(suites["scorecard"], suites["candidate"]), pd.DataFrame(judged["scorecard"]), judged["facts"]
    ).decision


def _facts(context: RunContext, view: RunView, approvals: Sequence[Approved]) -> RunFacts:
    assert view.record is not None
    assessments, findings = context.warehouse.assessments(), context.warehouse.findings()
    candidates = tuple(
        JudgedCandidate(
            name,
            Decision(name, tuple(finding for finding in findings if finding.candidate == name)),
            tuple(assessed for assessed in assessments if assessed.candidate == name),
            made,
        )
        for name, made in context.candidates.items()
    )
    source = view.record["source"]
    return RunFacts(
        run=context.run.id,
        profile=context.profile,
        when=datetime.now(UTC),
        verdict=Verdict.PUBLISHED,
        candidates=candidates,
        chosen=leaving(view),
        choice=_choice(view),
        rows={
            "original": source["rows"],
            "holdout": source["holdout_rows"],
            "population": source["population_rows"],
        },
        provenance=Provenance(source["sha256"], context.profile_sha256, code_digest(), versions()),
        approvals=tuple(approvals),
    )


def _choice(view: RunView) -> str:
    """Why this candidate left: people took another than the gate, or the gate's reason as it was sealed."""
    gate, people = (view.record or {}).get("chosen"), leaving(view)
    if gate != people:
        return f"People approved “{people}”; the gate had chosen “{gate}”."
    return str((view.record or {}).get("choice", ""))


def approve_and_publish(
    home: Home,
    run: str,
    *,
    role: str,
    by: str,
    reason: str,
    passphrase: str,
    days: int = DAYS,
    candidate: str | None = None,
) -> str:
    """Approve; publish when no role is missing. Says what happened."""
    said = {"role": role, "by": by, "reason": reason, "passphrase": passphrase}
    if waits := approve(home, run, **said, days=days, candidate=candidate):
        return waits
    view = referred(home, run)
    with (
        Run.resume(home, view.row.run, view.row.profile) as held,
        reopen_context(home, held, view.record or {}) as context,
    ):
        ended = publish_approved(context.name, return_state=True)
        place = published_by(home, held, ended)
        return f"approved and published {has_left(show(home, held.id))}: {place}"


def published_by(home: Home, run: Run, state: State[str]) -> str:
    """Where a publishing flow put the bundle, by the ledger, or the error it ended with.

    Then the run waits for people again, unless it is out.
    """
    row = show(home, run.id).row
    if row.state == "published":
        if row.facts.get("to"):
            deliver_release(home, run.id)
        return str(Path(row.facts["outbox"]) / row.facts["bundle"])
    error = state.result(raise_on_failure=False)
    entry = close_failed(
        home, run, {"error": str(error) if isinstance(error, SdcError) else type(error).__name__}
    )
    if entry is not None and entry.event is Event.PUBLISHED:
        return str(Path(entry.body["outbox"]) / entry.body["bundle"])
    raise error if isinstance(error, SdcError) else StepFailed("publishing", type(error).__name__)
