"""Verifies that the ledger, its signatures, the runs on the disk and the bundles that went out agree.

    verify(home)                            # what holds; LedgerBroken, with all that does not, otherwise
    verify(home, [Anchor.parse("42:9f…")])  # nothing up to entry 42 was rewritten since somebody wrote this down

What the ledger knows and the disk no longer has is told, and no fault: runs may be removed. What the disk has
and the ledger does not know, or knows otherwise, is a fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc.audit import signing, vouched
from sdc.audit.anchor import Anchor
from sdc.audit.approval import SignedDecision, require_signed_by
from sdc.audit.bundles import BundleAudit, Fault
from sdc.audit.chain import Entry, Event
from sdc.audit.ledger import Ledger, RunRow, folded, home_key
from sdc.audit.people import Person, key_files, people, require_own_file
from sdc.audit.subjects import subjects
from sdc.audit.withdrawal import decided_after, withdrawals
from sdc.errors import CannotApprove, LedgerBroken, NothingToVerify
from sdc.run import digest
from sdc.run.home import is_alive, known_runs
from sdc.spelling import counted

if TYPE_CHECKING:
    from sdc.run.home import Home


@dataclass(frozen=True)
class AuditVerification:
    """What was found to hold. `gone` are runs whose record the ledger knows and the home no longer has.

    `notes` say what cannot be told.
    """

    entries: int
    torn_bytes: int
    records: int
    gone: tuple[str, ...]
    files: int = 0
    signatures: int = 0
    bundles: int = 0
    anchors: int = 0
    notes: tuple[str, ...] = ()


def verify(home: Home, anchors: Sequence[Anchor] = ()) -> AuditVerification:
    """Everything that can be checked, checked.

    LedgerBroken names all that does not agree, the first entry first.

    A home without any entry does not hold: there is nothing to verify.
    """
    ledger = Ledger(home.ledger)
    chain = ledger.verify()
    audit = _Audit(home, ledger.entries())
    moved = [
        Fault(anchor.sequence, problem) for anchor in anchors if (problem := anchor.fault(audit.entries))
    ]
    faults = sorted({*audit.faults(), *moved}, key=lambda fault: fault.entry)
    if faults:
        first, *more = faults
        raise LedgerBroken(
            first.entry,
            "\n".join([first.problem, *(f"ledger entry {fault.entry}: {fault.problem}" for fault in more)]),
        )
    if not audit.entries:
        raise NothingToVerify(home.path)
    kept = [row for row in audit.sealed.values() if row is not None]
    return AuditVerification(
        chain.entries,
        chain.torn_bytes,
        len(kept),
        tuple(run for run, record in audit.sealed.items() if record is None),
        files=sum(len(record.get("files", {})) for record in kept),
        signatures=len(audit.decisions),
        bundles=len(audit.bundles.published),
        anchors=len(anchors),
        notes=(*_torn(chain.torn_bytes), *audit.notes()),
    )


def _torn(size: int) -> Iterator[str]:
    if size:
        yield (
            f"{counted(size, 'byte')} of a torn line stand after the last entry; the next entry keeps them in"
            " a file of their own"
        )


@dataclass(frozen=True)
class _Audit:
    """One look at a home whose chain holds."""

    home: Home
    entries: tuple[Entry, ...]

    @cached_property
    def rows(self) -> dict[str, RunRow]:
        return {row.run: row for row in folded(self.entries)}

    @cached_property
    def people(self) -> dict[str, Person]:
        return people(self.entries)

    @cached_property
    def decisions(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.event in (Event.APPROVED, Event.REJECTED))

    @cached_property
    def key_entry(self) -> int:
        """The entry from which on every key must be on record.

        After the last where the home has no key yet.
        """
        return next(
            (entry.sequence for entry in self.entries if entry.event is Event.HOME_KEY_MADE),
            len(self.entries) + 1,
        )

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
    def kept(self) -> dict[str, vouched.Compared]:
        """The files each record vouches for, as they lie there now."""
        return {
            run: vouched.compared(self.home.directory(run), record or {})
            for run, record in self.sealed.items()
        }

    @cached_property
    def bundles(self) -> BundleAudit:
        return BundleAudit(self.home, self.entries, self.rows)

    def faults(self) -> Iterator[Fault]:
        yield from self._lost_ledger()
        yield from self._keys()
        yield from self._signatures()
        yield from self._approved()
        yield from self._records()
        yield from self._files()
        yield from self._directories()
        yield from self.bundles.faults()

    def notes(self) -> Iterator[str]:
        """What holds as far as it goes: made by earlier versions, begun and not ended, taken away."""
        if self.entries and self.key_entry > len(self.entries):
            yield "the head of the ledger is not signed: this home has no key yet; the next release makes one"
        old = [entry for entry in self.decisions if str(entry.body.get("by")) not in self.people]
        if old:
            yield (
                f"{counted(len(old), 'decision')} signed with a key that is not on record, from an earlier"
                " version: not checked"
            )
        strays = [name for name in key_files(self.home.keys) if name not in self.people]
        if strays:
            yield f"keys that are not on record and sign nothing: {', '.join(strays)}"
        if self.key_entry <= len(self.entries) and not Ledger(self.home.ledger).key_path.exists():
            yield "the private key of the home is gone: nothing can be appended until it is put back"
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
        yield from self.bundles.notes()

    def _lost_ledger(self) -> Iterator[Fault]:
        kept = [run for run in known_runs(self.home) if self._is_more_than_begun(run)]
        if not self.entries and kept:
            yield Fault(
                1,
                f"missing: the ledger is gone or empty, and {counted(len(kept), 'run')} of this home are"
                " here",
            )

    def _is_more_than_begun(self, run: str) -> bool:
        """Has it more in its directory than what is there before its first entry is written?"""
        held = self.home.directory(run)
        begun = (held.lock, held.profile, held.origin, held.lists)
        return any(place not in begun for place in held.path.iterdir())

    def _keys(self) -> Iterator[Fault]:
        """Every key is made known once, and its files are those of that entry."""
        made: dict[str, int] = {}
        for entry in self.entries:
            if entry.event in (Event.KEY_MADE, Event.HOME_KEY_MADE):
                name = str(entry.body.get("key", "the home"))
                if name in made:
                    yield Fault(
                        entry.sequence, f"another key for {name}, which has had one since entry {made[name]}"
                    )
                made.setdefault(name, entry.sequence)
        for person in self.people.values():
            try:
                require_own_file(self.home.keys, person)
            except CannotApprove as problem:
                yield Fault(person.entry or 0, str(problem))
        try:
            private, public = Ledger(self.home.ledger).key(), home_key(self.entries)
        except LedgerBroken as problem:
            yield Fault(self.key_entry, problem.problem)
            return
        if private is not None and public is not None and signing.public_half(private) != public:
            yield Fault(
                self.key_entry, "the key of the home on the disk is not the one this entry made known"
            )

    def _signatures(self) -> Iterator[Fault]:
        """Every decision is the word of the person it names, with a key that was on record and in use, on what the record says."""
        withdrawn = withdrawals(self.entries)
        for entry in decided_after(self.entries, withdrawn):
            by = str(entry.body["by"])
            yield Fault(
                entry.sequence,
                f"a decision with the key of {by}, which was withdrawn in entry {withdrawn[by].entry}",
            )
        for entry in self.decisions:
            problem = self._fault_of(entry)
            if problem:
                yield Fault(entry.sequence, problem)

    def _fault_of(self, entry: Entry) -> str:
        decision = SignedDecision.of(entry.body)
        person = self.people.get(str(decision.by))
        if person is None:
            return (
                f"a decision with a key of {decision.by} that is not on record"
                if entry.sequence > self.key_entry
                else ""
            )
        if not person.adopted and (person.entry or 0) > entry.sequence:
            return f"a decision with the key of {decision.by}, which was made later, in entry {person.entry}"
        try:
            require_signed_by(decision, person)
        except CannotApprove as problem:
            return str(problem)
        if decision.run != entry.run:
            return f"the decision of {decision.by} is about another run"
        record = self.sealed.get(entry.run) or {}
        known = subjects(entry.run, record)
        if known and decision.digest not in known.values():
            return f"the decision of {decision.by} is about another candidate or other findings"
        return ""

    def _approved(self) -> Iterator[Fault]:
        """Of a run that people approved, the candidate that left is one they signed for."""
        for run, row in self.rows.items():
            signed = {
                entry.body.get("digest")
                for entry in self.decisions
                if entry.run == run and entry.event is Event.APPROVED
            }
            known = subjects(run, self.sealed.get(run) or {})
            left = str(row.facts.get("chosen", ""))
            if (
                row.state == "published"
                and signed
                and "fasttrack" not in row.facts
                and left in known
                and known[left] not in signed
            ):
                number = max(entry.sequence for entry in self.entries if entry.run == run)
                yield Fault(number, f"the candidate “{left}” of run {run} left, and people approved another")

    def _records(self) -> Iterator[Fault]:
        """A run has one record from the moment it is sealed, and it is the one on the disk."""
        first: dict[str, str] = {}
        for entry in self.entries:
            if (
                "record" in entry.body
                and first.setdefault(entry.run, entry.body["record"]) != entry.body["record"]
            ):
                yield Fault(entry.sequence, f"another sealed record for run {entry.run} than it had before")
        named = {entry.run: entry.sequence for entry in self.entries if "record" in entry.body}
        for run, record in self.sealed.items():
            if record is None and self.home.directory(run).record.exists():
                yield Fault(named[run], f"the sealed record of run {run} was altered")

    def _files(self) -> Iterator[Fault]:
        """All that a record vouches for, and the memo of a fasttrack that was published."""
        for run in self.sealed:
            number = next(
                entry.sequence for entry in self.entries if entry.run == run and "record" in entry.body
            )
            for name in self.kept[run].altered:
                yield Fault(number, f"{name} of run {run} was altered since its record was sealed")
        for row in self.rows.values():
            memo, place = (row.facts.get("fasttrack") or {}).get("memo"), self.home.directory(row.run).memo
            if memo and row.state == "published" and place.is_file() and digest.of_file(place) != memo:
                number = next(
                    entry.sequence
                    for entry in self.entries
                    if entry.run == row.run and entry.event is Event.FASTTRACKED
                )
                yield Fault(number, f"{place.name} of run {row.run} was altered")

    def _directories(self) -> Iterator[Fault]:
        """What lies in the runs' directories is what the ledger says became of them."""
        for run in known_runs(self.home) if self.entries else ():
            row = self.rows.get(run)
            if is_alive(self.home, run):
                continue
            if row is None:
                if self._is_more_than_begun(run):
                    yield Fault(self.next, f"missing: run {run} has a directory with results, and no entry")
                continue
            yield from self._later_than_said(row)

    def _later_than_said(self, row: RunRow) -> Iterator[Fault]:
        directory = self.home.directory(row.run)
        if row.state != "published" and directory.approved.exists():
            yield Fault(
                self.next,
                f"missing: run {row.run} was published after approval, and the ledger says it is {row.state}",
            )
        if "record" not in row.facts and directory.record.exists():
            outcome = vouched.sealed_outcome(directory)
            if row.ended or (outcome == "published" and "manifest" not in row.facts):
                yield Fault(
                    self.next, f"missing: run {row.run} has a sealed record ({outcome}) that no entry knows"
                )
