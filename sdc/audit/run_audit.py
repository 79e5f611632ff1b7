"""Compares what lies in the directories of runs with what the ledger and their sealed records say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc.audit import vouched
from sdc.audit.bundles import LedgerFault
from sdc.audit.chain import Entry, Event
from sdc.audit.runs import RunRow
from sdc.run import digest
from sdc.run.home import is_alive, known_runs
from sdc.spelling import counted

if TYPE_CHECKING:
    from sdc.run.home import Home


@dataclass(frozen=True)
class RunAudit:
    """One look at the directories of a home whose chain holds."""

    home: Home
    entries: tuple[Entry, ...]
    rows: Mapping[str, RunRow]

    @property
    def next(self) -> int:
        """The number of an entry that is missing at the end."""
        return len(self.entries) + 1

    @cached_property
    def sealed(self) -> dict[str, Mapping[str, Any] | None]:
        """Runs whose record the ledger knows: the record, if it is here and that one, else None."""
        return {run: self._record(run, row) for run, row in self.rows.items() if "record" in row.facts}

    def _record(self, run: str, row: RunRow) -> Mapping[str, Any] | None:
        place = self.home.directory(run).record
        data = place.read_bytes() if place.is_file() else b""
        held: Mapping[str, Any] | None = (
            json.loads(data) if digest.of_bytes(data) == row.facts["record"] else None
        )
        return held

    @cached_property
    def kept(self) -> dict[str, vouched.ComparedFiles]:
        """The files each record vouches for, as they lie there now."""
        return {
            run: vouched.compared(self.home.directory(run), record or {})
            for run, record in self.sealed.items()
        }

    def faults(self) -> Iterator[LedgerFault]:
        yield from self._records()
        yield from self._files()
        yield from self._directories()

    def notes(self) -> Iterator[str]:
        unknown = [
            run for run in known_runs(self.home) if run not in self.rows and not is_alive(self.home, run)
        ]
        if unknown:
            yield f"runs that died before their first entry: {', '.join(unknown)}"
        for run, record in self.sealed.items():
            if self.kept[run].gone:
                yield f"no longer kept of run {run}: {', '.join(self.kept[run].gone)}"
            if record is not None and "files" not in record:
                yield f"the record of run {run} is from an earlier version and vouches for no files"

    def lost_ledger(self) -> Iterator[LedgerFault]:
        kept = [run for run in known_runs(self.home) if self._is_more_than_begun(run)]
        if not self.entries and kept:
            yield LedgerFault(
                1,
                f"missing: the ledger is gone or empty, and {counted(len(kept), 'run')} of this home are"
                " here",
            )

    def _is_more_than_begun(self, run: str) -> bool:
        """Has it more in its directory than what is there before its first entry is written?"""
        held = self.home.directory(run)
        begun = (held.lock, held.profile, held.origin, held.lists)
        return any(place not in begun for place in held.path.iterdir())

    def _records(self) -> Iterator[LedgerFault]:
        """A run has one record from the moment it is sealed, and it is the one on the disk."""
        first: dict[str, str] = {}
        for entry in self.entries:
            if (
                "record" in entry.body
                and first.setdefault(entry.run, entry.body["record"]) != entry.body["record"]
            ):
                yield LedgerFault(
                    entry.sequence, f"another sealed record for run {entry.run} than it had before"
                )
        named = {entry.run: entry.sequence for entry in self.entries if "record" in entry.body}
        for run, record in self.sealed.items():
            if record is None and self.home.directory(run).record.exists():
                yield LedgerFault(named[run], f"the sealed record of run {run} was altered")

    def _files(self) -> Iterator[LedgerFault]:
        """All that a record vouches for, and the memo of a fasttrack that was published."""
        for run in self.sealed:
            number = next(
                entry.sequence for entry in self.entries if entry.run == run and "record" in entry.body
            )
            for name in self.kept[run].altered:
                yield LedgerFault(number, f"{name} of run {run} was altered since its record was sealed")
        for row in self.rows.values():
            memo, place = (row.facts.get("fasttrack") or {}).get("memo"), self.home.directory(row.run).memo
            if memo and row.went_out and place.is_file() and digest.of_file(place) != memo:
                number = next(
                    entry.sequence
                    for entry in self.entries
                    if entry.run == row.run and entry.event is Event.FASTTRACKED
                )
                yield LedgerFault(number, f"{place.name} of run {row.run} was altered")

    def _directories(self) -> Iterator[LedgerFault]:
        """What lies in the runs' directories is what the ledger says became of them."""
        for run in known_runs(self.home) if self.entries else ():
            row = self.rows.get(run)
            if is_alive(self.home, run):
                continue
            if row is None:
                if self._is_more_than_begun(run):
                    yield LedgerFault(
                        self.next, f"missing: run {run} has a directory with results, and no entry"
                    )
                continue
            yield from self._later_than_said(row)

    def _later_than_said(self, row: RunRow) -> Iterator[LedgerFault]:
        directory = self.home.directory(row.run)
        if not row.went_out and directory.approved.exists():
            yield LedgerFault(
                self.next,
                f"missing: run {row.run} was published after approval, and the ledger says it is {row.state}",
            )
        if "record" not in row.facts and directory.record.exists():
            outcome = vouched.sealed_outcome(directory)
            if row.ended or (outcome == "published" and "manifest" not in row.facts):
                yield LedgerFault(
                    self.next, f"missing: run {row.run} has a sealed record ({outcome}) that no entry knows"
                )
