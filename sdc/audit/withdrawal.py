"""Whose key was withdrawn, when and why, and what was decided with it all the same?

A withdrawal is an entry of the ledger. Decisions that stand before it hold as before; none may come after it.
What counts is the order of the ledger, not the time a decision gives itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sdc.audit.chain import Entry, Event
from sdc.errors import CannotApprove

DECISIONS = (Event.APPROVED, Event.REJECTED)


@dataclass(frozen=True)
class Withdrawal:
    """A key that signs nothing more, from this entry of the ledger on."""

    name: str
    when: str
    by: str
    reason: str
    entry: int

    def __str__(self) -> str:
        return f"withdrawn on {self.when[:10]} by {self.by}: {self.reason}"


def withdrawals(entries: Iterable[Entry]) -> dict[str, Withdrawal]:
    """Withdrawn keys by the name of their person."""
    found: dict[str, Withdrawal] = {}
    for entry in entries:
        if entry.event is Event.KEY_WITHDRAWN:
            name = str(entry.body["key"])
            found.setdefault(
                name,
                Withdrawal(
                    name, entry.time, str(entry.body["by"]), str(entry.body["reason"]), entry.sequence
                ),
            )
    return found


def decided_after(entries: Iterable[Entry], withdrawn: Mapping[str, Withdrawal]) -> list[Entry]:
    """Decisions that came into the ledger after the key they name was withdrawn: nobody's word."""
    named = (
        (entry, withdrawn.get(str(entry.body.get("by")))) for entry in entries if entry.event in DECISIONS
    )
    return [entry for entry, gone in named if gone is not None and gone.entry < entry.sequence]


def require_in_use(withdrawn: Mapping[str, Withdrawal], name: str) -> None:
    if name in withdrawn:
        raise CannotApprove(f"the key of {name} signs no decision any more, {withdrawn[name]}")
