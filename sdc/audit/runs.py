"""Folds the entries of the ledger into one row a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sdc.audit.chain import OF_NO_RUN, Entry, Event

STATES = {
    Event.STARTED: "running",
    Event.PUBLISHING: "running",
    Event.APPROVED: "referred",
    Event.FASTTRACKED: "referred",
    Event.CLEARED: "withdrawn",
}
"""What a run is called after an event that does not end it; after any other it is called as the event."""
RUN_STATES = tuple(
    dict.fromkeys(
        STATES.get(event, event.value) for event in Event if event not in (*OF_NO_RUN, Event.REMARKED)
    )
)
"""A remark leaves a run what it was."""


@dataclass(frozen=True)
class RunRow:
    """All entries of one run, folded: `facts` are their bodies together, the later over the earlier."""

    run: str
    profile: str
    state: str
    started: str
    changed: str
    last_event: Event
    facts: Mapping[str, Any]

    @property
    def went_out(self) -> bool:
        """Was it ever published? A withdrawn release was."""
        return self.state in ("published", "withdrawn")

    @property
    def ended(self) -> bool:
        return self.state != "running"


def folded(entries: tuple[Entry, ...]) -> list[RunRow]:
    """One row a run, in order of first entry."""
    rows: dict[str, RunRow] = {}
    for entry in entries:
        if not entry.run:
            continue
        before = rows.get(entry.run)
        if entry.event is Event.REMARKED:
            if before is not None:
                rows[entry.run] = replace(before, changed=entry.time)
            continue
        facts = {**(before.facts if before else {}), **entry.body}
        state = STATES.get(entry.event, entry.event.value)
        rows[entry.run] = RunRow(
            entry.run,
            entry.profile,
            state,
            before.started if before else entry.time,
            entry.time,
            entry.event,
            facts,
        )
    return list(rows.values())
