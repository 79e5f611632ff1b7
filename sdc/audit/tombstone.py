"""Says what the tombstone of a withdrawn release has to say, and what is wrong with one that lies there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sdc.audit.approval import SignedDecision, known_person, require_signed_by
from sdc.audit.chain import Entry, Event
from sdc.audit.people import Person, people, withdrawals
from sdc.audit.runs import RunRow, folded
from sdc.errors import CannotApprove
from sdc.publish.manifest import MANIFEST, TOMBSTONE
from sdc.publish.places import STORE

REMOVE, KEEP = "withdraw", "withdraw, data kept"
CLEARED, ABSENT = "cleared", "absent"
"""How a delivered place was found: the tombstone is there, or the bundle was not."""


def keeps_data(row: RunRow) -> bool:
    return bool(row.facts.get("withdrawal", {}).get("decision") == KEEP)


def delivered(row: RunRow) -> tuple[str, ...]:
    """The places beside its outbox that the ledger says it went to."""
    return tuple(map(str, row.facts.get("to", ())))


def uncleared(row: RunRow) -> tuple[str, ...]:
    """Delivered places of a withdrawn release where, for all the ledger knows, the data still are."""
    return tuple(name for name in delivered(row) if name not in row.facts.get("places", {}))


def clearing_notes(row: RunRow) -> Iterator[str]:
    """What the ledger knows of delivered places of a withdrawn release that have no tombstone."""
    bundle = row.facts["bundle"]
    for name in uncleared(row):
        yield f"bundle {bundle} is withdrawn, and {name} was not cleared: `sdc withdraw {bundle}` tries again"
    for name, state in row.facts.get("places", {}).items():
        if state == ABSENT:
            yield f"bundle {bundle} was not at {name} when it was withdrawn: no tombstone is there"


def remains(row: RunRow) -> tuple[str, ...]:
    """Where removed data can still be found."""
    if keeps_data(row):
        return ()
    stored = any(name.startswith(STORE) for name in delivered(row))
    inside = row.facts.get("layout") == "git" and bool(delivered(row))
    return (
        *(("the history of the Git repository still has them",) if inside else ()),
        *(("a bucket that keeps versions may still have them",) if stored else ()),
    )


def _data(row: RunRow) -> str:
    """What the public reads of the data. History is not rewritten: others may have it by now."""
    if keeps_data(row):
        return "kept here for the record; do not use them"
    return "; ".join(("removed from the folder" if remains(row) else "removed", *remains(row)))


def tombstone_of(row: RunRow) -> bytes:
    """What the public reads in place of the data. It names the role that decided, not the person."""
    held = row.facts["withdrawal"]
    said = {
        "withdrawn": True,
        "bundle": row.facts["bundle"],
        "run": row.run,
        "when": held["when"],
        "reason": held["reason"],
        "decided_by": held["role"],
        "data": _data(row),
        "manifest": row.facts["manifest"],
    }
    return json.dumps(said, ensure_ascii=False, indent=2).encode() + b"\n"


def signature_fault(entry: Entry, known: Mapping[str, Person], entries: Sequence[Entry]) -> str:
    """What is wrong with the signature of a withdrawal; empty where it holds."""
    decision = SignedDecision.of(entry.body.get("withdrawal", {}))
    row = next((row for row in folded(tuple(entries[: entry.sequence])) if row.run == entry.run), None)
    if row is None or decision.run != entry.run or decision.digest != row.facts.get("manifest"):
        return f"the withdrawal by {decision.by} is about another release"
    gone = withdrawals(entries).get(str(decision.by))
    if gone is not None and gone.entry < entry.sequence:
        return f"a withdrawal with the key of {decision.by}, which was withdrawn in entry {gone.entry}"
    try:
        person = known_person(known, str(decision.by))
        if (person.entry or 0) > entry.sequence and not person.adopted:
            return f"a withdrawal with the key of {decision.by}, which was made later"
        require_signed_by(decision, person)
    except CannotApprove as problem:
        return str(problem)
    return ""


def withdrawal_entries(entries: Sequence[Entry]) -> Iterator[tuple[Entry, str]]:
    """Every withdrawal of a release with what is wrong with its signature."""
    known = people(entries)
    for entry in entries:
        if entry.event is Event.WITHDRAWN:
            yield entry, signature_fault(entry, known, entries)


def manifest_problems(place: Path, row: RunRow, found: Sequence[str]) -> list[str]:
    """What is wrong with the folder of a withdrawn release, given what differs from its manifest."""
    listed = json.loads((place / MANIFEST).read_bytes())["files"]
    expected = {f"{TOMBSTONE} is not in the manifest"}
    if not keeps_data(row):
        expected |= {f"{each['path']} is missing" for each in listed}
    problems = [problem for problem in found if problem not in expected]
    if not keeps_data(row):
        problems += [
            f"{each['path']} is still there, though it was withdrawn"
            for each in listed
            if (place / each["path"]).exists()
        ]
    tombstone = place / TOMBSTONE
    if not tombstone.is_file() or tombstone.read_bytes() != tombstone_of(row):
        problems.append("its tombstone is missing or was altered; `sdc withdraw` writes it anew")
    return problems
