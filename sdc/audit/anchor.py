"""The number and hash of an entry that somebody else kept: was anything before it rewritten since?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sdc.audit.chain import Entry
from sdc.errors import SdcError
from sdc.spelling import counted


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
