"""Chains the entries of the ledger by their hashes, and names the first that does not follow."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from sdc.audit import signing
from sdc.errors import LedgerBroken, SdcError
from sdc.run import digest
from sdc.spelling import counted

FIRST = "0" * 64
"""What the first entry has for the hash of the one before it."""


class Event(StrEnum):
    """What an entry says happened."""

    STARTED = "started"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"
    CLEARED = "cleared"
    REFERRED = "referred"
    APPROVED = "approved"
    FASTTRACKED = "fasttracked"
    REJECTED = "rejected"
    RETURNED = "returned"
    REMARKED = "remarked"
    WITHHELD = "withheld"
    FAILED = "failed"
    CANCELLED = "cancelled"
    CRASHED = "crashed"
    REPAIRED = "repaired"
    HOME_KEY_MADE = "home_key_made"
    KEY_MADE = "key_made"
    KEY_WITHDRAWN = "key_withdrawn"


DECISIONS = (Event.APPROVED, Event.REJECTED, Event.RETURNED)
"""What people sign when they decide on a run."""
SIGNED = (*DECISIONS, Event.REMARKED)
"""What people sign of a run."""
OF_NO_RUN = (Event.REPAIRED, Event.HOME_KEY_MADE, Event.KEY_MADE, Event.KEY_WITHDRAWN)
HEAD = b"sdc-release ledger head\n"
"""What every signed head begins with, so that the signature is of use for nothing else."""


@dataclass(frozen=True)
class Entry:
    """One line of the ledger."""

    sequence: int
    time: str
    run: str
    profile: str
    event: Event
    body: Mapping[str, Any]
    previous: str
    hash: str

    @classmethod
    def following(
        cls, head: Head, event: Event, *, time: str, run: str, profile: str, body: Mapping[str, Any]
    ) -> Entry:
        """The entry that comes after what the head vouches for."""
        unsealed = cls(head.sequence + 1, time, run, profile, event, body, head.hash, "")
        return cls(**{**unsealed.__dict__, "hash": unsealed.computed_hash})

    @classmethod
    def parse(cls, line: bytes) -> Entry | None:
        """The entry a line holds, or None when it is not, byte for byte, what was once written."""
        try:
            held = json.loads(line.decode("ascii"))
            entry = cls(**{**held, "event": Event(held["event"])})
            return entry if entry.computed_hash == entry.hash and entry.line == line + b"\n" else None
        except (ValueError, TypeError, KeyError):
            return None

    @property
    def computed_hash(self) -> str:
        return digest.of_bytes(
            digest.canonical({name: held for name, held in self.__dict__.items() if name != "hash"})
        )

    @property
    def line(self) -> bytes:
        return digest.canonical(self.__dict__) + b"\n"


@dataclass(frozen=True)
class Head:
    """The last entry that was acknowledged, and the bytes it lies between.

    `signature` is that of the home's key over number and hash; empty in a home that has no key yet.
    """

    sequence: int = 0
    hash: str = FIRST
    start: int = 0
    size: int = 0
    signature: str = ""

    @classmethod
    def read(cls, data: bytes) -> Head:
        try:
            held = json.loads(data)
            head = cls(
                int(held["sequence"]),
                str(held["hash"]),
                int(held["start"]),
                int(held["size"]),
                str(held.get("signature", "")),
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            raise LedgerBroken(0, "the head file cannot be read") from None
        if head.as_bytes() != data:
            raise LedgerBroken(head.sequence, "the head file was altered")
        return head

    def as_bytes(self) -> bytes:
        return (
            digest.canonical(
                {name: held for name, held in asdict(self).items() if name != "signature" or held}
            )
            + b"\n"
        )

    def after(self, entry: Entry) -> Head:
        """The head once this entry is the last; unsigned."""
        return Head(entry.sequence, entry.hash, self.size, self.size + len(entry.line))

    @property
    def message(self) -> bytes:
        return HEAD + digest.canonical({"sequence": self.sequence, "hash": self.hash})

    def signed(self, private: bytes | None) -> Head:
        return self if private is None else replace(self, signature=signing.signature(private, self.message))

    def is_signed_by(self, public: str) -> bool:
        return bool(self.signature) and signing.holds(public, self.message, self.signature)


@dataclass(frozen=True)
class ReadChain:
    """A ledger that holds: its entries, and bytes after them that a crash left unfinished."""

    entries: tuple[Entry, ...]
    torn: bytes


@dataclass(frozen=True)
class Verification:
    """What `verify` found to hold. `signed`: the home's key vouches for the last entry."""

    entries: int
    torn_bytes: int = 0
    signed: bool = False


def examine(data: bytes, head: Head) -> ReadChain:
    """All entries of a ledger file; LedgerBroken names the first that was altered, moved, or is missing."""
    entries: list[Entry] = []
    lines = data.split(b"\n")
    for line in lines[: min(head.sequence, len(lines) - 1)]:
        entries.append(_next(line, entries, lines))
    if len(entries) < head.sequence:
        _name_what_is_missing(len(entries) + 1, lines[-1], head)
    vouched = sum(len(line) + 1 for line in lines[: head.sequence])
    if entries and (entries[-1].hash, vouched) != (head.hash, head.size):
        raise LedgerBroken(head.sequence, "rewritten: the ledger's head vouches for another entry")
    ahead, torn = tail(head, data[vouched:])
    return ReadChain((*entries, *([ahead] if ahead else [])), torn)


def tail(head: Head, data: bytes) -> tuple[Entry | None, bytes]:
    """What follows the entry the head vouches for.

    Nothing, one entry a crash kept it from vouching for, or torn bytes.

    A whole line that does not follow the head can not be left by a crash, and more than one can not either:
    then somebody wrote there, or the head itself is old or gone. Nothing is cut off.
    """
    if not data:
        return None, b""
    line, _, rest = data.partition(b"\n")
    entry = Entry.parse(line)
    follows = entry is not None and (entry.sequence, entry.previous) == (head.sequence + 1, head.hash)
    if b"\n" in rest or (follows and rest):
        raise LedgerBroken(
            head.sequence + 1,
            "the ledger's head does not vouch for it and those after it; is the head file an old one, or"
            " gone?",
        )
    if not data.endswith(b"\n"):
        return None, data
    if not follows:
        raise LedgerBroken(
            head.sequence + 1,
            "a whole line stands after the entry the ledger's head vouches for, and it does not follow that"
            " entry",
        )
    return entry, b""


def _next(line: bytes, before: list[Entry], lines: list[bytes]) -> Entry:
    sequence = len(before) + 1
    entry = Entry.parse(line)
    if entry is None:
        raise LedgerBroken(sequence, "altered: its hash does not fit what it says")
    if entry.sequence != sequence:
        elsewhere = any(found is not None and found.sequence == sequence for found in map(Entry.parse, lines))
        problem = "out of order" if elsewhere else "missing"
        raise LedgerBroken(sequence, f"{problem}: entry {entry.sequence} is in its place")
    if before and entry.previous != before[-1].hash:
        raise LedgerBroken(sequence - 1, f"rewritten: entry {sequence} follows another one")
    return entry


def _name_what_is_missing(sequence: int, unfinished: bytes, head: Head) -> None:
    if unfinished:
        raise LedgerBroken(sequence, "altered: its line has no end")
    raise LedgerBroken(sequence, f"missing: the ledger's head vouches for {head.sequence} entries")


class BadAnchor(SdcError):
    """An anchor that cannot be read."""

    exit_code = 2

    def __init__(self, said: str) -> None:
        super().__init__(
            f"{said!r} is no anchor: write SEQ:HASH, the number of an entry and its 64 hexadecimal digits"
        )


@dataclass(frozen=True)
class Anchor:
    """The number and hash of an entry, as somebody else kept them."""

    sequence: int
    hash: str

    @classmethod
    def parse(cls, said: str) -> Anchor:
        found = re.fullmatch(r"([1-9][0-9]{0,14}):([0-9a-f]{64})", said.strip())
        if found is None:
            raise BadAnchor(said)
        return cls(int(found[1]), found[2])

    def fault(self, entries: Sequence[Entry]) -> str:
        """What is wrong with a ledger that does not have it; nothing where it does."""
        if self.sequence > len(entries):
            return (
                f"missing: an anchor has it, and the ledger has {counted(len(entries), 'entry', 'entries')}"
            )
        return (
            ""
            if entries[self.sequence - 1].hash == self.hash
            else "rewritten: an anchor has another hash for it"
        )
