"""What waits for people: referred runs, since when, for which roles, and until when they have to decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sdc.audit.approval import has_expired
from sdc.audit.chain import DECISIONS, Event
from sdc.audit.deciding import decisions
from sdc.run.home import is_alive
from sdc.spelling import counted
from sdc.web.decided import approvals
from sdc.web.listing import Line, line, moment
from sdc.web.progress import Stage, stages
from sdc.web.run_page import run_view

if TYPE_CHECKING:
    from sdc.audit.record import RunView
    from sdc.run.home import Home
    from sdc.web.ledger_state import Book

MOST = 100
"""So many runs that wait are listed; the list below has the others."""


@dataclass(frozen=True)
class Waiting:
    """A run that people decide on. `yours` says whether this person may, and has not yet."""

    line: Line
    since: str
    days: int
    missing: tuple[str, ...]
    due: str
    yours: bool

    @property
    def age(self) -> str:
        return "today" if self.days == 0 else counted(self.days, "day")


@dataclass(frozen=True)
class Running:
    """A run that is under way, with what it has done."""

    line: Line
    stages: tuple[Stage, ...]


@dataclass(frozen=True)
class Inbox:
    """What waits for somebody, that for this person first, and what is under way."""

    waiting: tuple[Waiting, ...] = ()
    running: tuple[Running, ...] = ()
    person: str = ""

    @property
    def for_you(self) -> int:
        return sum(each.yours for each in self.waiting)


def inbox(home: Home, book: Book, person: str | None) -> Inbox:
    """The inbox of a person; of nobody in particular until this session has signed once."""
    waiting = sorted(
        _waiting(home, book, person), key=lambda each: (not each.yours, -each.days, each.line.run)
    )
    return Inbox(tuple(waiting[:MOST]), tuple(_running(home, book)), person or "")


def _waiting(home: Home, book: Book, person: str | None) -> Iterator[Waiting]:
    for row in book.rows.values():
        view = run_view(home, book, row.run) if row.state == "referred" else None
        if view is None:
            continue
        since = next(
            (entry.time for entry in reversed(view.entries) if entry.event is Event.REFERRED), row.changed
        )
        decided = approvals(view)
        ends = [said.expires for said in decisions(view) if said.expires and not has_expired(said)]
        yield Waiting(
            line(row, book),
            moment(since),
            _days_since(since),
            decided.missing,
            f"an approval ends {moment(min(ends))}" if ends else "",
            _may_decide(view, book, person, decided.missing),
        )


def _may_decide(view: RunView, book: Book, person: str | None, missing: tuple[str, ...]) -> bool:
    """Whether a role of this person is missing, and the person has neither made the run nor decided on it."""
    held = book.people.get(person or "")
    if held is None or held.name in book.withdrawn or view.row.facts.get("producer") == held.name:
        return False
    decided = {entry.body.get("by") for entry in view.entries if entry.event in DECISIONS}
    return held.name not in decided and any(role in missing for role in held.roles)


def _days_since(text: str) -> int:
    try:
        return max((datetime.now(UTC) - datetime.fromisoformat(text)).days, 0)
    except (ValueError, TypeError):
        return 0


def _running(home: Home, book: Book) -> Iterator[Running]:
    for row in book.rows.values():
        if row.state == "running" and is_alive(home, row.run):
            yield Running(line(row, book), stages(home, row.run))
