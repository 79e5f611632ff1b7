"""Puts people's signed decisions on a referred run into the ledger, and says which roles are missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sdc.audit import vouched
from sdc.audit.approval import (
    APPROVE,
    DAYS,
    MOST_DAYS,
    REJECT,
    RETURN,
    SignedDecision,
    check,
    has_expired,
    missing_roles,
    sign,
)
from sdc.audit.candidate_record import CandidateRecord
from sdc.audit.chain import DECISIONS
from sdc.audit.ledger import Event, Ledger, RunRow, folded
from sdc.audit.people import require_in_use, withdrawals
from sdc.audit.record import RunView, show
from sdc.audit.subjects import approved, as_decided, leaving, subjects
from sdc.audit.what_leaves import LeavingFiles, would_leave
from sdc.errors import CannotApprove
from sdc.profile.plan import Approval

if TYPE_CHECKING:
    from sdc.run.home import Home


EVENTS = {APPROVE: Event.APPROVED, REJECT: Event.REJECTED, RETURN: Event.RETURNED}


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
        vouched.require_unaltered(home.directory(view.row.run), view.record or {})
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
    event = EVENTS[decision]
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


def chosen(view: RunView) -> CandidateRecord:
    """What the sealed record has of the candidate that would leave."""
    record = as_decided(view)
    held = (candidate for candidate in record["candidates"] if candidate["name"] == record["chosen"])
    return CandidateRecord.from_record(next(held))


def decisions(view: RunView) -> list[SignedDecision]:
    return [SignedDecision.of(entry.body) for entry in view.entries if entry.event in DECISIONS]


def in_force(view: RunView) -> list[SignedDecision]:
    """The decisions that have not expired, each checked again."""
    held = [decision for decision in decisions(view) if not has_expired(decision)]
    for decision in held:
        check(decision, view.people, about(view), void=view.void)
    return held


def still_missing(view: RunView, approval: Approval) -> tuple[str, ...]:
    """Roles that have not approved, or not any more."""
    return missing_roles(approval, in_force(view), producer(view))


def to_leave(home: Home, run: str, candidate: str | None = None) -> LeavingFiles:
    """What the last approval of this candidate, or of the chosen one, sends out; people are told before."""
    view = referred(home, run)
    wanted = candidate or leaving(view)
    _subject(view, wanted)
    return would_leave(view, str(wanted))


def approve(
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
    """Put an approval into the ledger; says which roles are missing, and nothing where none is."""
    said = {"role": role, "by": by, "reason": reason, "passphrase": passphrase}
    decide(home, run, APPROVE, **said, days=days, candidate=candidate)
    view = referred(home, run)
    plan = Approval.model_validate((view.record or {})["profile"]["plan"]["approval"])
    missing = still_missing(view, plan)
    return f"approved “{leaving(view)}” as {role}; still to approve: {', '.join(missing)}" if missing else ""


def reject(home: Home, run: str, *, role: str, by: str, reason: str, passphrase: str) -> str:
    decide(home, run, REJECT, role=role, by=by, reason=reason, passphrase=passphrase)
    return "rejected; nothing was published"


def send_back(home: Home, run: str, *, role: str, by: str, reason: str, passphrase: str) -> str:
    """Return a run to its producer, with what has to change; a new run answers it."""
    decide(home, run, RETURN, role=role, by=by, reason=reason, passphrase=passphrase)
    return "returned to the producer; nothing was published"
