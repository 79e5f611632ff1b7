"""The ledger as the pages see it, read again only when its files have changed."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.audit.chain import Entry, Event
from sdc.audit.ledger import Ledger, RunRow, folded
from sdc.audit.people import Person, Withdrawal, people, withdrawals
from sdc.errors import LedgerBroken, LedgerUnusable
from sdc.spelling import counted

if TYPE_CHECKING:
    from sdc.run.home import Home

GATE = (Event.PUBLISHED, Event.REFERRED, Event.WITHHELD)
"""What the gate said first: a run that was referred may be published later."""


@dataclass(frozen=True)
class Chain:
    """Whether the ledger holds. `first_broken` is the number of the first entry that does not.

    It is None where the ledger cannot be read at all.
    """

    holds: bool
    entries: int
    sentence: str
    first_broken: int | None = None


@dataclass(frozen=True)
class Book:
    """The ledger as pages need it: one row for each run, entries by run, what the gate said.

    From a broken ledger it has what comes before the break.
    """

    chain: Chain
    rows: Mapping[str, RunRow] = field(default_factory=dict)
    entries: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    verdicts: Mapping[str, str] = field(default_factory=dict)
    withdrawn: Mapping[str, Withdrawal] = field(default_factory=dict)
    people: Mapping[str, Person] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Sequence[Entry], chain: Chain) -> Book:
        by_run: dict[str, list[Entry]] = {}
        for entry in entries:
            if entry.run:
                by_run.setdefault(entry.run, []).append(entry)
        verdicts = {
            run: next((entry.event.value for entry in held if entry.event in GATE), "")
            for run, held in by_run.items()
        }
        rows = {row.run: row for row in folded(tuple(entries))}
        return cls(
            chain,
            rows,
            {run: tuple(held) for run, held in by_run.items()},
            verdicts,
            withdrawals(entries),
            people(entries),
        )


class LedgerReader:
    """The book of a home, kept until the size or time of the ledger's files changes."""

    def __init__(self, home: Home) -> None:
        self._ledger = Ledger(home.ledger)
        self._guard = threading.Lock()
        self._held: tuple[object, Book] | None = None

    def book(self) -> Book:
        with self._guard:
            stamp = (_stamp(self._ledger.path), _stamp(self._ledger.head_path))
            if self._held is None or self._held[0] != stamp:
                self._held = (stamp, _read(self._ledger))
            return self._held[1]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


def _read(ledger: Ledger) -> Book:
    try:
        entries = ledger.entries()
    except LedgerBroken as broken:
        sound = _before(ledger.path, broken.sequence)
        return Book.of(
            sound, Chain(holds=False, entries=len(sound), sentence=str(broken), first_broken=broken.sequence)
        )
    except LedgerUnusable as unusable:
        return Book(Chain(holds=False, entries=0, sentence=f"the ledger cannot be used: {unusable.problem}"))
    count = counted(len(entries), "entry", "entries")
    return Book.of(
        entries,
        Chain(holds=True, entries=len(entries), sentence=f"{count}, none altered, missing or out of order"),
    )


def _before(path: Path, sequence: int) -> list[Entry]:
    """Entries before the first that does not hold."""
    try:
        lines = path.read_bytes().split(b"\n")[: max(sequence - 1, 0)]
    except OSError:
        return []
    sound: list[Entry] = []
    for line in lines:
        entry = Entry.parse(line)
        if entry is None:
            break
        sound.append(entry)
    return sound
