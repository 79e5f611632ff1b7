"""Appends hash-chained entries to the ledger; none can be altered or lost unnoticed.

    ledger = Ledger(home.ledger)
    ledger.append(run.id, run.profile, Event.STARTED, {"outbox": ...})
    ledger.verify()                       # raises LedgerBroken, naming the first entry that does not hold
    ledger.runs(profile="households")     # one row a run

A line is the canonical JSON of an entry; its hash covers all its other fields, the hash of the entry before
it among them. `ledger.head` beside it vouches for the last entry, so that a shortened file is noticed. A line
that a crash left unfinished was never vouched for: the next append keeps its bytes in a file `ledger.torn-…`
and says so in an entry `repaired`. Whatever the head vouches for is never repaired. Bodies hold public facts
only: no seed, no small counts.

`ledger.key` is the private key of the home, made at its first start and known to the ledger by an entry
`home_key_made`. From then on it signs the head, and an entry the head does not vouch for is taken over after
a crash only if it was signed before.
"""

from __future__ import annotations

import base64
import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sdc.audit import signing
from sdc.audit.chain import Entry, Event, Head, ReadChain, Verification, examine, tail
from sdc.audit.people import home_key
from sdc.audit.runs import RUN_STATES, RunRow, folded
from sdc.errors import LedgerBroken, LedgerUnusable
from sdc.run import digest, durable

if TYPE_CHECKING:
    from pathlib import Path


class Ledger:
    """The ledger at a path; safe to use from many processes at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.head_path = path.with_suffix(".head")
        self.waiting_path = path.with_suffix(".head.new")
        self.key_path = path.with_suffix(".key")

    def append(self, run: str, profile: str, event: Event, body: Mapping[str, Any] | None = None) -> Entry:
        """One more entry, on disk when this returns; a torn line before it is repaired first."""
        with self.writing() as writer:
            return writer.append(run, profile, event, body)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Writer]:
        """The ledger held against all others, to read and append without anything between."""
        with self._guarded(), durable.locked(self.path, flags=os.O_RDWR | os.O_CREAT) as handle:
            yield Writer(self, handle)

    def make_key(self, by: str) -> None:
        """The home's own key and the entry that makes it known, unless there is one."""
        with self.writing() as writer:
            writer.make_key(by)

    def entries(self) -> tuple[Entry, ...]:
        """All entries in order, once the chain was found to hold."""
        return self._read().entries

    def verify(self) -> Verification:
        """How many entries hold, and whether a torn line waits for its repair.

        LedgerBroken when one does not hold.
        """
        chain = self._read()
        return Verification(len(chain.entries), len(chain.torn), home_key(chain.entries) is not None)

    def anchor(self) -> dict[str, Any]:
        """Number and hash of the last entry with the home's signature.

        Whoever keeps it can tell later whether anything before was rewritten.
        """
        entries = self.entries()
        head = self.head()
        return {
            "sequence": head.sequence,
            "hash": head.hash,
            "key": home_key(entries) or "",
            "signature": head.signature,
        }

    def runs(
        self, since: datetime | None = None, profile: str | None = None, state: str | None = None
    ) -> list[RunRow]:
        """One row a run in order of first entry, of those that started at or after `since`."""
        rows = [
            row
            for row in folded(self.entries())
            if profile in (None, row.profile) and state in (None, row.state)
        ]
        return [row for row in rows if since is None or datetime.fromisoformat(row.started) >= since]

    def _read(self) -> ReadChain:
        with self._guarded():
            if not self.path.exists():
                return examine(b"", self.head())
            with durable.locked(self.path, shared=True):
                head = self.head()
                chain = examine(self.path.read_bytes(), head)
                require_signed(chain.entries, head, self.waiting())
                return chain

    def head(self) -> Head:
        """What the head file vouches for; nothing where there is none yet."""
        return Head.read(self.head_path.read_bytes()) if self.head_path.exists() else Head()

    def waiting(self) -> Head | None:
        """The head that was made ready for an entry and had not taken its place when a process died."""
        try:
            return Head.read(self.waiting_path.read_bytes())
        except (OSError, LedgerBroken):
            return None

    def key(self) -> bytes | None:
        """The home's private key; none in a home made before there were such keys, until its next start."""
        if not self.key_path.exists():
            return None
        try:
            private = base64.b64decode(self.key_path.read_bytes(), validate=True)
            signing.public_half(private)
        except ValueError:
            raise LedgerBroken(
                self.head().sequence,
                f"the key of the home ({self.key_path.name}) cannot be read; put it back from a copy",
            ) from None
        return private

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LedgerUnusable(self.path, durable.reason(error)) from None


class Writer:
    """The ledger while its lock is held."""

    def __init__(self, ledger: Ledger, handle: int) -> None:
        self.ledger = ledger
        self._handle = handle
        self._key = ledger.key()
        self._head = self._settled()

    def entries(self) -> tuple[Entry, ...]:
        return examine(self._bytes(0), self._head).entries

    def append(self, run: str, profile: str, event: Event, body: Mapping[str, Any] | None = None) -> Entry:
        """The head is ready before the line and takes its place after it.

        A crash anywhere leaves what can be told apart.
        """
        entry = Entry.following(
            self._head, event, time=utc_now(), run=run, profile=profile, body=digest.plain(body or {})
        )
        head = self._head.after(entry).signed(self._key)
        waiting = self.ledger.waiting_path
        durable.write(waiting, head.as_bytes())
        self._write(entry.line)
        waiting.replace(self.ledger.head_path)
        durable.sync(self.ledger.path.parent)
        self._head = head
        return entry

    def make_key(self, by: str) -> None:
        """The file comes before the entry: what a crash leaves between the two is taken up here."""
        if home_key(self.entries()) is not None:
            return
        self._key = self.ledger.key()
        if self._key is None:
            self._key = signing.new_private()
            durable.write(self.ledger.key_path, signing.text(self._key).encode())
        self.append("", "", Event.HOME_KEY_MADE, {"public_key": signing.public_half(self._key), "by": by})

    def _write(self, line: bytes) -> None:
        try:
            rest = memoryview(line)
            os.lseek(self._handle, self._head.size, os.SEEK_SET)
            while rest:
                rest = rest[os.write(self._handle, rest) :]
            os.fsync(self._handle)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._head.size)
            raise

    def _settled(self) -> Head:
        """The head the next entry follows, after a crash was cleared up.

        An entry it had not yet vouched for, a torn line.
        """
        head = self.ledger.head()
        self._require_last(head)
        self._require_key(head)
        ahead, torn = tail(head, self._bytes(head.size))
        if not head.signature and (ahead is None or ahead.event is not Event.HOME_KEY_MADE):
            # A key that no entry has made known yet signs nothing.
            self._key = None
        if ahead is not None:
            _require_ready(
                head, ahead, self.ledger.waiting(), signing.public_half(self._key) if self._key else None
            )
            head = head.after(ahead).signed(self._key)
            durable.replace(self.ledger.head_path, head.as_bytes())
        if torn:
            self._keep(head, torn)
            os.ftruncate(self._handle, head.size)
            os.fsync(self._handle)
        self._head = head
        self._say_what_was_kept()
        return self._head

    def _require_last(self, head: Head) -> None:
        """The entry the head vouches for is where it says.

        If not, the whole chain is read to name the first fault.
        """
        if not head.sequence:
            return
        last = Entry.parse(os.pread(self._handle, head.size - head.start, head.start).removesuffix(b"\n"))
        if last is None or last.hash != head.hash:
            examine(self._bytes(0), head)
            raise LedgerBroken(head.sequence, "altered: it is not the entry the ledger's head vouches for")

    def _require_key(self, head: Head) -> None:
        """The home's key is here and signed the head. Where it did not, the whole chain is read.

        Does that know the key?
        """
        if self._key is None and head.signature:
            raise LedgerBroken(
                head.sequence,
                f"the home's key ({self.ledger.key_path.name}) is gone; put it back from a copy",
            )
        if self._key is not None and not head.is_signed_by(signing.public_half(self._key)):
            require_signed(examine(self._bytes(0), head).entries, head, self.ledger.waiting())
            if head.signature:
                raise LedgerBroken(
                    head.sequence,
                    f"the home's key ({self.ledger.key_path.name}) was replaced; put it back from a copy",
                )

    def _keep(self, head: Head, torn: bytes) -> None:
        place = self.ledger.path.with_name(f"{self._torn_stem(head)}{digest.of_bytes(torn)[:12]}")
        durable.write(place, torn)
        durable.sync(place.parent)

    def _torn_stem(self, head: Head) -> str:
        return f"{self.ledger.path.stem}.torn-{head.sequence + 1}-"

    def _say_what_was_kept(self) -> None:
        """An entry for what was cut off; made also when the crash came between the cut and this entry."""
        kept = sorted(self.ledger.path.parent.glob(f"{self._torn_stem(self._head)}*"))
        if kept:
            facts = [
                {"file": place.name, "bytes": place.stat().st_size, "sha256": digest.of_file(place)}
                for place in kept
            ]
            self.append("", "", Event.REPAIRED, {"torn": facts})

    def _bytes(self, start: int) -> bytes:
        return os.pread(self._handle, max(0, os.fstat(self._handle).st_size - start), start)


def require_signed(entries: Sequence[Entry], head: Head, waiting: Head | None) -> None:
    """LedgerBroken unless the home's key vouches for the last entry, from the entry on that made it known."""
    public = home_key(entries[: head.sequence])
    if public is None and head.signature:
        raise LedgerBroken(head.sequence, "the head is signed by a key the ledger does not know")
    if public is not None and not head.is_signed_by(public):
        raise LedgerBroken(head.sequence, "the head is not signed by the home's key")
    if len(entries) > head.sequence:
        _require_ready(head, entries[-1], waiting, public)


def _require_ready(head: Head, ahead: Entry, waiting: Head | None, public: str | None) -> None:
    """An entry after a signed head was left by a crash only if its own head had been signed and lay ready."""
    if not head.signature:
        return
    ready = waiting is not None and (waiting.sequence, waiting.hash) == (ahead.sequence, ahead.hash)
    if public is None or waiting is None or not ready or not waiting.is_signed_by(public):
        raise LedgerBroken(ahead.sequence, "it comes after the entry the home's key vouches for")


def utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


__all__ = ["RUN_STATES", "Entry", "Event", "Ledger", "RunRow", "Verification", "Writer", "folded"]
