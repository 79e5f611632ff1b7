"""Keys of people for tests, all under one passphrase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdc.audit.approval import make_key

if TYPE_CHECKING:
    from sdc.audit.people import Person
    from sdc.run.home import Home

PASSPHRASE = "correct horse battery"  # noqa: S105 - of keys that live as long as a test


def key_for(home: Home, name: str, roles: Sequence[str]) -> Person:
    return make_key(home, name, roles, passphrase=PASSPHRASE, by="paula")
