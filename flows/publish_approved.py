"""People decide on a referred run.

A signed word in the ledger and, once every role has approved, the release.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
from prefect import flow
from prefect.client.schemas.objects import State

from sdc.audit import vouched
from sdc.audit.approval import (
    APPROVE,
    DAYS,
    MOST_DAYS,
    REJECT,
    SignedDecision,
    check,
    has_expired,
    missing_roles,
    sign,
)
from sdc.audit.ledger import Entry, Event, Ledger, RunRow, folded
from sdc.audit.record import RunView, code_digest, show, versions
from sdc.audit.recovery import close_failed
from sdc.audit.subjects import approved, as_decided, leaving, subjects
from sdc.audit.withdrawal import require_in_use, withdrawals
from sdc.errors import CannotApprove, SdcError, StepFailed
from sdc.gate import Suites, choose, judge_again
from sdc.gate.decision import Decision, Verdict
from sdc.report import Approved, CandidateFacts, Edition, Provenance, RunFacts
from sdc.run import directory as run_files
from sdc.run.home import Home, Run
from tasks.audit import record_again
from tasks.outcome import Candidate
from tasks.publish import publish
from tasks.report import report
from tasks.workspace import Workspace, reopen_workspace, workspace


def decide(
    home: Home,
    run: str,
    decision: str,
    *,
    role: str,
    by: str,
    reason: str,
    passphrase: str,
    days: int = DAYS,
    candidate: str | None = None,
) -> SignedDecision:
    """Put one person's signed decision into the ledger.

    Said twice, it stays one, and said again after it expired it is another.

    `candidate` is what is to leave, if it is not the one the gate chose or others have approved: any that the
    gate did not withhold, and the same one for all roles. Nobody approves a run whose files are not those of
    its sealed record.
    """
    if not 1 <= days <= MOST_DAYS:
        raise CannotApprove(f"an approval holds for 1 to {MOST_DAYS} days, not {days}")
    view = referred(home, run)
    if decision == APPROVE:
        vouched.require_unaltered(home.runs / view.row.run, view.record or {})
    if by == producer(view):
        raise CannotApprove(f"{by} started this run, and who produces a release does not approve it")
    if not reason.strip():
        raise CannotApprove("a decision needs a reason")
    require_in_use(view.withdrawn, by)
    now = datetime.now(UTC)
    expires = (now + timedelta(days=days)).isoformat(timespec="seconds") if decision == APPROVE else None
    wanted = candidate or leaving(view)
    subject = _subject(view, wanted)
    said = SignedDecision(
        view.row.run, subject, decision, role, by, reason, now.isoformat(timespec="seconds"), expires
    )
    signed = sign(home, said, passphrase)
    check(signed, view.people, subject)
    earlier = next((heard for heard in decisions(view) if heard.by == by and not has_expired(heard)), None)
    if earlier is not None and (earlier.role, earlier.decision, earlier.digest) == (role, decision, subject):
        return earlier
    if earlier is not None:
        raise CannotApprove(f"{by} has decided on this run already; another role needs another person")
    event = Event.APPROVED if decision == APPROVE else Event.REJECTED
    with Ledger(home.ledger).writing() as writer:
        require_in_use(withdrawals(writer.entries()), by)
        _require_waiting(next(row for row in folded(writer.entries()) if row.run == view.row.run))
        if decision == APPROVE:
            _require_same(approved(view.row.run, view.record or {}, writer.entries()), wanted)
        writer.append(view.row.run, view.row.profile, event, asdict(signed))
    return signed


def _subject(view: RunView, candidate: str | None) -> str:
    """The digest of exactly this candidate and its findings."""
    known = subjects(view.row.run, view.record or {})
    if candidate not in known:
        raise CannotApprove(
            f"“{candidate}” is no candidate that people may approve; these are: {', '.join(known)}"
        )
    return known[candidate]


def _require_same(approvals: Mapping[str, str], candidate: str | None) -> None:
    for by, name in approvals.items():
        if name != candidate:
            raise CannotApprove(
                f"{by} has approved the candidate “{name}”, and all roles approve the same one"
            )


def _require_waiting(row: RunRow) -> None:
    if row.state != "referred":
        raise CannotApprove(f"run {row.run} is {row.state}; only a referred run can be decided on")


def referred(home: Home, run: str) -> RunView:
    """The run, if it waits for people and its record is the one the ledger knows."""
    view = show(home, run)
    _require_waiting(view.row)
    if not view.record_holds or view.record is None:
        raise CannotApprove(f"the sealed record of run {view.row.run} is not the one the ledger knows")
    return view


def producer(view: RunView) -> str:
    return str(view.row.facts.get("producer", ""))


def about(view: RunView) -> str:
    """The digest of exactly the candidate of this run that left or is to leave, and its findings."""
    return _subject(view, leaving(view))


def chosen(view: RunView) -> dict[str, Any]:
    """What the sealed record has of the candidate that would leave."""
    record = as_decided(view)
    held: dict[str, Any] = next(
        candidate for candidate in record["candidates"] if candidate["name"] == record["chosen"]
    )
    return held


def decisions(view: RunView) -> list[SignedDecision]:
    return [
        SignedDecision.of(entry.body)
        for entry in view.entries
        if entry.event in (Event.APPROVED, Event.REJECTED)
    ]


def in_force(view: RunView) -> list[SignedDecision]:
    """The decisions that have not expired, each checked again."""
    held = [decision for decision in decisions(view) if not has_expired(decision)]
    for decision in held:
        check(decision, view.people, about(view), void=view.void)
    return held


def still_missing(view: RunView, roles: Any) -> tuple[str, ...]:
    """Roles that have not approved, or not any more."""
    return missing_roles(roles, in_force(view), producer(view))


@flow(name="publish_approved", validate_parameters=False, persist_result=False)
def publish_approved(run: str) -> str:
    """Verify, publish and record a run that every role has approved."""
    space = workspace(run)
    view = referred(space.home, space.run.id)
    missing = still_missing(view, space.profile.approval)
    if missing:
        raise CannotApprove(f"not yet approved by: {', '.join(missing)}")
    return leave(
        space,
        view,
        [Approved(each.by, each.role, each.decision, each.reason, each.when) for each in in_force(view)],
    )


def leave(space: Workspace, view: RunView, approvals: Sequence[Approved]) -> str:
    """Publish the stored candidate of a referred run, verified again, and say so in the ledger.

    Within a flow.
    """
    candidate, facts = unaltered(space, view), _facts(space, view, approvals)
    run = str(space.run.directory)
    published = publish(run, candidate, report(run, facts, Edition.PUBLIC, candidate), facts.when)
    entry: Entry = record_again(run, published, str(view.row.facts["record"]), candidate.name)
    space.keep("approved.json", {"entry": entry.sequence})
    return str(published.path)


def unaltered(space: Workspace, view: RunView) -> Candidate:
    """The stored candidate, if all that was decided on is as it was and the saved suites still say what they said."""
    held = chosen(view)
    name = held["name"]
    vouched.require_unaltered(
        space.run.directory,
        view.record or {},
        [run_files.stored(name), run_files.suites(name), run_files.judged(name)],
    )
    candidate = space.candidates()[name]
    if candidate.sha256 != held["sha256"]:
        raise CannotApprove("the candidate's file is not the one that was approved")
    decision = _judged_again(space, name)
    if decision.verdict is Verdict.WITHHELD or [finding.holds for finding in decision.findings] != [
        finding["holds"] for finding in held["findings"]
    ]:
        raise CannotApprove("the saved suites no longer say what was approved")
    return candidate


def _judged_again(space: Workspace, name: str) -> Decision:
    suites, judged = (
        json.loads((space.run.directory / place).read_bytes())
        for place in (run_files.suites(name), run_files.judged(name))
    )
    return judge_again(
        Suites(suites["scorecard"], suites["candidate"]), pd.DataFrame(judged["scorecard"]), judged["facts"]
    ).decision


def _facts(space: Workspace, view: RunView, approvals: Sequence[Approved]) -> RunFacts:
    assert view.record is not None
    assessments, findings = space.warehouse.assessments(), space.warehouse.findings()
    candidates = tuple(
        CandidateFacts(
            candidate.name,
            Decision(
                candidate.name, tuple(finding for finding in findings if finding.candidate == candidate.name)
            ),
            tuple(assessed for assessed in assessments if assessed.candidate == candidate.name),
            candidate.steps,
            candidate.rows,
        )
        for candidate in space.candidates().values()
    )
    source = view.record["source"]
    return RunFacts(
        run=space.run.id,
        profile=space.profile,
        when=datetime.now(UTC),
        verdict=Verdict.PUBLISHED,
        candidates=candidates,
        chosen=leaving(view),
        choice=_choice(view, candidates, space),
        rows={
            "original": source["rows"],
            "holdout": source["holdout_rows"],
            "population": source["population_rows"],
        },
        provenance=Provenance(source["sha256"], space.profile_sha256, code_digest(), versions()),
        approvals=tuple(approvals),
    )


def _choice(view: RunView, candidates: Sequence[CandidateFacts], space: Workspace) -> str:
    """Why this candidate left: people took another than the gate, or the gate's own reason."""
    gate, people = (view.record or {}).get("chosen"), leaving(view)
    if gate != people:
        return f"People approved “{people}”; the gate had chosen “{gate}”."
    held = {each.name: each.decision for each in candidates}
    return choose(held, {each.name: each.assessments for each in candidates}, space.profile.prefer).because


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
    decide(
        home,
        run,
        APPROVE,
        role=role,
        by=by,
        reason=reason,
        passphrase=passphrase,
        days=days,
        candidate=candidate,
    )
    view = referred(home, run)
    with Run.resume(home, view.row.run, view.row.profile) as held:
        space = reopen_workspace(home, held, view.record or {})
        try:
            missing = still_missing(view, space.profile.approval)
            if missing:
                return f"approved “{leaving(view)}” as {role}; still to approve: {', '.join(missing)}"
            return (
                f"approved and published “{leaving(view)}”:"
                f" {published_by(home, held, publish_approved(str(held.directory), return_state=True))}"
            )
        finally:
            space.close()


def published_by(home: Home, run: Run, state: State[str]) -> str:
    """Where a publishing flow put the bundle, by the ledger, or the error it ended with.

    Then the run waits for people again, unless it is out.
    """
    row = show(home, run.id).row
    if row.state == "published":
        return str(Path(row.facts["outbox"]) / row.facts["bundle"])
    error = state.result(raise_on_failure=False)
    entry = close_failed(
        home, run, {"error": str(error) if isinstance(error, SdcError) else type(error).__name__}
    )
    if entry is not None and entry.event is Event.PUBLISHED:
        return str(Path(entry.body["outbox"]) / entry.body["bundle"])
    raise error if isinstance(error, SdcError) else StepFailed("publishing", type(error).__name__)


def reject(home: Home, run: str, *, role: str, by: str, reason: str, passphrase: str) -> str:
    decide(home, run, REJECT, role=role, by=by, reason=reason, passphrase=passphrase)
    return "rejected; nothing was published"
