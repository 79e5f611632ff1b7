"""Publishes a referred run that is materially the one people approved, without asking them again.

Any other waits for them, and the memo says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prefect import flow

from flows.publish_approved import leave, published_by
from sdc.audit.approval import APPROVE, SignedDecision, check, has_expired, missing_roles
from sdc.audit.deciding import about, decisions, producer, referred
from sdc.audit.earlier_releases import releases
from sdc.audit.fasttrack import Shape, compared, given_away
from sdc.audit.fasttrack_memo import Memo
from sdc.audit.ledger import Entry, Event, Ledger, folded
from sdc.audit.people import require_in_use
from sdc.audit.record import RunView, show
from sdc.audit.released_tables import CannotRead, Release, read
from sdc.audit.subjects import as_decided
from sdc.errors import CannotApprove, SdcError
from sdc.report import Approved
from sdc.run import digest, durable
from sdc.run.home import Home, Run
from tasks.context import RunContext, reopen_context, run_context

REVIEW = 4


@dataclass(frozen=True)
class Fasttracked:
    """What was found, and where the bundle is if it left."""

    memo: Memo
    bundle: str | None = None

    @property
    def exit_code(self) -> int:
        return 0 if self.bundle else REVIEW


def fasttrack(home: Home, run: str) -> Fasttracked:
    """Compare a referred run with the last release of its family that people approved.

    Publish it if it is materially the same.
    """
    tried = _fasttrack(home, run, by_schedule=False)
    assert tried is not None
    return tried


def scheduled_fasttrack(home: Home, run: str) -> Fasttracked | None:
    """The same by a schedule; nothing is done where the profile of the run does not allow that."""
    return _fasttrack(home, run, by_schedule=True)


def _fasttrack(home: Home, run: str, *, by_schedule: bool) -> Fasttracked | None:
    view = referred(home, run)
    with (
        Run.resume(home, view.row.run, view.row.profile) as held,
        reopen_context(home, held, view.record or {}) as context,
    ):
        allowed = context.profile.approval.fasttrack
        if by_schedule and not (allowed and allowed.scheduled):
            return None
        memo = examined(context, view)
        place = context.keep(context.directory.memo, memo.as_json())
        durable.write(context.directory.memo_text, memo.as_markdown().encode())
        if not memo.same:
            return Fasttracked(memo)
        said = {"like": memo.like, "memo": digest.of_file(place)}
        Ledger(home.ledger).append(held.id, held.profile, Event.FASTTRACKED, {"fasttrack": said})
        ended = publish_fasttracked(context.name, return_state=True)
        return Fasttracked(memo, published_by(home, held, ended))


@flow(name="publish_fasttracked", validate_parameters=False, persist_result=False)
def publish_fasttracked(run: str) -> str:
    """Verify, publish and record a run whose memo the ledger has and still holds."""
    context = run_context(run)
    view = referred(context.home, context.run.id)
    said = view.row.facts.get("fasttrack", {})
    memo = examined(context, view)
    if (
        not memo.same
        or memo.like != said.get("like")
        or digest.of_file(context.directory.memo) != said.get("memo")
    ):
        raise CannotApprove("the memo in the ledger is not what is found now; nothing was published")
    like = show(context.home, said["like"])
    return leave(
        context,
        view,
        [
            Approved(
                each.by,
                each.role,
                "earlier approval (fasttrack)",
                f"of run {like.row.run}: {each.reason}",
                each.when,
            )
            for each in decisions(like)
            if not has_expired(each) and each.by not in like.withdrawn
        ],
    )


def examined(context: RunContext, view: RunView) -> Memo:
    """What is to be said of a run; CannotApprove where its profile allows no fasttrack."""
    allowed = context.profile.approval.fasttrack
    if allowed is None:
        raise CannotApprove(
            "the profile has no approval.fasttrack: nobody allowed this release to leave without review"
        )
    like = _approved(context.home, context.profile.family, view.row.run)
    if like is None:
        return Memo(
            view.row.run,
            None,
            (),
            allowed.drift,
            ("no release of this family was approved by people and published",),
            (),
        )
    if like.record is None or not like.record_holds:
        return Memo(
            view.row.run,
            like.row.run,
            (),
            allowed.drift,
            (f"the sealed record of run {like.row.run} is not here any more",),
            (),
        )
    approvals, refused = _approvals(context, like, producer(view))
    refused += _rejections(context.home, context.profile.family, like)
    refused += given_away(as_decided(view))
    try:
        reasons, drifts = compared(_shape(context, like), _shape(context, view), allowed)
    except CannotRead as problem:
        reasons, drifts = (str(problem),), ()
    given = tuple(f"{each.by} ({each.role}) on {each.when}, until {each.expires}" for each in approvals)
    return Memo(
        view.row.run,
        like.row.run,
        given,
        allowed.drift,
        (*refused, *reasons),
        drifts,
        _notes(like.record, view.record or {}),
    )


def _shape(context: RunContext, view: RunView) -> Shape:
    record = as_decided(view)
    release = Release(view.row.run, {**view.row.facts, "chosen": record["chosen"]})
    return Shape.of(record, read(context.home, release, context.profile.roles))


def _approved(home: Home, family: str, besides: str) -> RunView | None:
    """The last published release of the family on which people decided.

    A fasttracked one leads back to it.
    """
    for release in reversed(releases(Ledger(home.ledger).entries(), family, besides=besides)):
        view = show(home, release.run)
        events = {entry.event for entry in view.entries}
        if view.row.state == "published" and Event.APPROVED in events and Event.FASTTRACKED not in events:
            return view
    return None


def _approvals(
    context: RunContext, like: RunView, started_by: str
) -> tuple[Sequence[SignedDecision], list[str]]:
    """The approvals of a release that hold still, and why they do not suffice, if so.

    Who started this run has no say in it.
    """
    held, problems = [], []
    for decision in decisions(like):
        try:
            check(decision, like.people, about(like), void=like.void)
            require_in_use(like.withdrawn, decision.by)
            held.append(decision)
        except SdcError as problem:
            problems.append(str(problem))
    missing = missing_roles(context.profile.approval, held, started_by)
    if missing:
        problems.append(f"no approval of run {like.row.run} holds for: {', '.join(missing)}")
    return [each for each in held if each.decision == APPROVE], problems if missing else []


def _rejections(home: Home, family: str, like: RunView) -> list[str]:
    """People who have said no to a run of this family since then must be heard."""
    entries = Ledger(home.ledger).entries()
    of_family = {row.run for row in folded(entries) if row.facts.get("family", row.profile) == family}
    approved = max(entry.sequence for entry in like.entries if entry.event is Event.APPROVED)
    later: list[Entry] = [
        entry
        for entry in entries
        if entry.event in (Event.REJECTED, Event.RETURNED)
        and entry.run in of_family
        and entry.sequence > approved
    ]
    return [f"people {entry.event.value} run {entry.run} of this family since" for entry in later]


def _notes(approved: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    same_code = approved["software"]["code"] == now["software"]["code"]
    same_source = approved["source"].get("sha256") == now["source"].get("sha256")
    return (
        "made by the same code" if same_code else "made by another version of the code",
        "the source is the same file" if same_source else "the source is another file",
    )
