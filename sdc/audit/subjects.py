"""Says which candidates of a run people may approve, what a decision on each is about, and which left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sdc.audit.approval import APPROVE, SignedDecision, has_expired, subject
from sdc.audit.chain import Entry, Event
from sdc.gate.decision import Decision, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc.audit.record import RunView


def subjects(run: str, record: Mapping[str, Any]) -> dict[str, str]:
    """The candidates people may approve, the chosen one first, each with the digest a decision on it signs.

    None that the gate would withhold is among them.
    """
    chosen = record.get("chosen")
    held = [
        each
        for each in record.get("candidates", ())
        if each["name"] == chosen or (each["sha256"] and _may_leave(each))
    ]
    held.sort(key=lambda each: each["name"] != chosen)
    if not chosen:
        return {}
    return {
        each["name"]: subject(run, each["sha256"], each["findings"], each.get("further", ())) for each in held
    }


def _may_leave(held: Mapping[str, Any]) -> bool:
    return Decision.from_record(held["name"], held["findings"]).verdict is not Verdict.WITHHELD


def approved(run: str, record: Mapping[str, Any], entries: Iterable[Entry]) -> dict[str, str]:
    """Who has approved which candidate, as long as it holds: names of candidates by names of people."""
    by_digest = {digest: name for name, digest in subjects(run, record).items()}
    said = [
        SignedDecision.of(entry.body)
        for entry in entries
        if entry.run == run and entry.event is Event.APPROVED
    ]
    return {
        each.by: by_digest[each.digest]
        for each in said
        if each.decision == APPROVE and not has_expired(each) and each.digest in by_digest
    }


def leaving(view: RunView) -> str | None:
    """The candidate that left.

    Of a run that waits, the one people have approved, else the one the gate chose.
    """
    record = view.record or {}
    if view.row.went_out:
        return view.row.facts.get("chosen") or record.get("chosen")
    return next(iter(approved(view.row.run, record, view.entries).values()), record.get("chosen"))


def as_decided(view: RunView) -> dict[str, Any]:
    """The sealed record, with the candidate that left or is to leave as the chosen one."""
    return {**(view.record or {}), "chosen": leaving(view)}
