"""Verifies that the ledger, its signatures, the runs on the disk and the bundles that went out agree.

    verify(home)                            # what holds; LedgerBroken, with all that does not, otherwise
    verify(home, [Anchor.parse("42:9f…")])  # nothing up to entry 42 was rewritten since this was noted

What the ledger knows and the disk no longer has is told, and no fault: runs may be removed. What the disk has
and the ledger does not know, or knows otherwise, is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sdc.audit import signing
from sdc.audit.approval import SignedDecision, require_signed_by
from sdc.audit.bundles import BundleAudit, LedgerFault
from sdc.audit.chain import SIGNED, Anchor, Entry, Event
from sdc.audit.ledger import Ledger
from sdc.audit.people import Person, decided_after, home_key, key_files, people, require_own_file, withdrawals
from sdc.audit.run_audit import RunAudit
from sdc.audit.runs import RunRow, folded
from sdc.audit.subjects import subjects
from sdc.audit.tombstone import withdrawal_entries
from sdc.errors import CannotApprove, LedgerBroken, NothingToVerify
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
        LedgerFault(anchor.sequence, problem)
        for anchor in anchors
        if (problem := anchor.fault(audit.entries))
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
    kept = [row for row in audit.runs.sealed.values() if row is not None]
    return AuditVerification(
        chain.entries,
        chain.torn_bytes,
        len(kept),
        tuple(run for run, record in audit.runs.sealed.items() if record is None),
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
        return tuple(entry for entry in self.entries if entry.event in SIGNED)

    @cached_property
    def key_entry(self) -> int:
        """The entry from which on every key must be on record.

        After the last where the home has no key yet.
        """
        return next(
            (entry.sequence for entry in self.entries if entry.event is Event.HOME_KEY_MADE),
            len(self.entries) + 1,
        )

    @cached_property
    def runs(self) -> RunAudit:
        return RunAudit(self.home, self.entries, self.rows)

    @cached_property
    def bundles(self) -> BundleAudit:
        return BundleAudit(self.home, self.entries, self.rows)

    def faults(self) -> Iterator[LedgerFault]:
        yield from self.runs.lost_ledger()
        yield from self._keys()
        yield from self._signatures()
        for entry, problem in withdrawal_entries(self.entries):
            if problem:
                yield LedgerFault(entry.sequence, problem)
        yield from self._approved()
        yield from self.runs.faults()
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
        yield from self.runs.notes()
        yield from self.bundles.notes()

    def _keys(self) -> Iterator[LedgerFault]:
        """Every key is made known once, and its files are those of that entry."""
        made: dict[str, int] = {}
        for entry in self.entries:
            if entry.event in (Event.KEY_MADE, Event.HOME_KEY_MADE):
                name = str(entry.body.get("key", "the home"))
                if name in made:
                    yield LedgerFault(
                        entry.sequence, f"another key for {name}, which has had one since entry {made[name]}"
                    )
                made.setdefault(name, entry.sequence)
        for person in self.people.values():
            try:
                require_own_file(self.home.keys, person)
            except CannotApprove as problem:
                yield LedgerFault(person.entry or 0, str(problem))
        try:
            private, public = Ledger(self.home.ledger).key(), home_key(self.entries)
        except LedgerBroken as problem:
            yield LedgerFault(self.key_entry, problem.problem)
            return
        if private is not None and public is not None and signing.public_half(private) != public:
            yield LedgerFault(
                self.key_entry, "the key of the home on the disk is not the one this entry made known"
            )

    def _signatures(self) -> Iterator[LedgerFault]:
        """Every decision was signed by the person it names, with a key in use, on what the record says."""
        withdrawn = withdrawals(self.entries)
        for entry in decided_after(self.entries, withdrawn):
            by = str(entry.body["by"])
            yield LedgerFault(
                entry.sequence,
                f"a decision with the key of {by}, which was withdrawn in entry {withdrawn[by].entry}",
            )
        for entry in self.decisions:
            problem = self._fault_of(entry)
            if problem:
                yield LedgerFault(entry.sequence, problem)

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
        return self._about_another(entry, decision)

    def _about_another(self, entry: Entry, decision: SignedDecision) -> str:
        if entry.event is Event.REMARKED:
            about = self.rows[entry.run].facts.get("record")
            return "" if decision.digest == about else f"the remark of {decision.by} is about another record"
        known = subjects(entry.run, self.runs.sealed.get(entry.run) or {})
        if known and decision.digest not in known.values():
            return f"the decision of {decision.by} is about another candidate or other findings"
        return ""

    def _approved(self) -> Iterator[LedgerFault]:
        """Of a run that people approved, the candidate that left is one they signed for."""
        for run, row in self.rows.items():
            signed = {
                entry.body.get("digest")
                for entry in self.decisions
                if entry.run == run and entry.event is Event.APPROVED
            }
            known = subjects(run, self.runs.sealed.get(run) or {})
            left = str(row.facts.get("chosen", ""))
            if (
                row.went_out
                and signed
                and "fasttrack" not in row.facts
                and left in known
                and known[left] not in signed
            ):
                number = max(entry.sequence for entry in self.entries if entry.run == run)
                yield LedgerFault(
                    number, f"the candidate “{left}” of run {run} left, and people approved another"
                )
