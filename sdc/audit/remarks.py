"""What people say of a run without deciding on it: comments, and conditions on which they would approve.

    remark(home, run, CONDITION, role="reviewer", by="anna", text="approve if k is 5", passphrase=…)

A remark is signed and in the ledger as a decision is. It is about the sealed record of the run, and leaves
the run in the state it had. Who made the run may answer.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sdc.audit.approval import SignedDecision, known_person, require_signed_by, sign
from sdc.audit.chain import Event
from sdc.audit.ledger import Ledger
from sdc.audit.people import require_in_use, withdrawals
from sdc.audit.record import RunView, show
from sdc.errors import CannotApprove, SdcError

if TYPE_CHECKING:
    from sdc.run.home import Home

COMMENT, CONDITION, LOOK = "comment", "condition", "look"
CLEARANCE = "records"
"""The role in which people look at single records; every look is on record."""
MOST_CHARACTERS = 2000


def remark(
    home: Home, run: str, kind: str, *, role: str, by: str, text: str, passphrase: str
) -> SignedDecision:
    """Put one person's signed remark on a run into the ledger; the same words said twice stay one.

    Every look at a record is an entry of its own.
    """
    view = show(home, run)
    if kind not in (COMMENT, CONDITION, LOOK):
        raise CannotApprove(f"a remark is a {COMMENT} or a {CONDITION}, not {kind!r}")
    if (kind == LOOK) != (role == CLEARANCE):
        raise CannotApprove(f"records are looked at in the role {CLEARANCE}, and nothing else is said in it")
    if not text.strip():
        raise CannotApprove("a remark needs words")
    if len(text) > MOST_CHARACTERS:
        raise CannotApprove(f"a remark has at most {MOST_CHARACTERS:,} characters")
    if not view.record_holds:
        raise CannotApprove(f"the sealed record of run {view.row.run} is not the one the ledger knows")
    require_in_use(view.withdrawn, by)
    about, now = str(view.row.facts["record"]), datetime.now(UTC).isoformat(timespec="seconds")
    said = SignedDecision(view.row.run, about, kind, role, by, text.strip(), now)
    signed = sign(home, said, passphrase)
    same = next(
        (held for held in remarks(view) if (held.by, held.decision, held.reason) == (by, kind, text.strip())),
        None,
    )
    if same is not None and kind != LOOK:
        return same
    with Ledger(home.ledger).writing() as writer:
        require_in_use(withdrawals(writer.entries()), by)
        writer.append(view.row.run, view.row.profile, Event.REMARKED, asdict(signed))
    return signed


def remarks(view: RunView) -> list[SignedDecision]:
    """All remarks on a run, in the order they were made."""
    return [SignedDecision.of(entry.body) for entry in view.entries if entry.event is Event.REMARKED]


def fault_of(said: SignedDecision, view: RunView) -> str:
    """Why a remark does not count, empty where its signature holds."""
    try:
        require_signed_by(said, known_person(view.people, said.by))
    except SdcError as problem:
        return str(problem)
    if said.digest != view.row.facts.get("record"):
        return "it is about another record"
    return "the key had been withdrawn before" if said.signature in view.void else ""
