"""Reads from the ledger who has a key and whose was withdrawn, and names the account of a process.

A key counts because an entry `key_made` has its public half, not because a file lies in the folder of keys.
A withdrawal is an entry too. Decisions that stand before it hold as before; none may come after it. What
counts is the order of the ledger, not the time a decision gives itself.
"""

from __future__ import annotations

import json
import os
import pwd
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdc.audit import signing
from sdc.audit.chain import SIGNED, Entry, Event
from sdc.errors import CannotApprove, UnknownName
from sdc.spelling import nearest


@dataclass(frozen=True)
class Person:
    """Someone with a key: its public half and the roles it was made for.

    `entry` is that of the ledger which has the key; none for a file that is not on record. `adopted`: the key
    is older than its entry, and so may be what it signed.
    """

    name: str
    roles: tuple[str, ...]
    public_key: str
    entry: int | None = None
    adopted: bool = False


def people(entries: Iterable[Entry]) -> dict[str, Person]:
    """All whose key is on record, by name. The first entry of a name counts: a name is used once."""
    found: dict[str, Person] = {}
    for entry in entries:
        if entry.event is Event.KEY_MADE:
            name, roles = str(entry.body["key"]), tuple(map(str, entry.body["roles"]))
            found.setdefault(
                name,
                Person(
                    name,
                    roles,
                    str(entry.body["public_key"]),
                    entry.sequence,
                    bool(entry.body.get("adopted")),
                ),
            )
    return found


def home_key(entries: Sequence[Entry]) -> str | None:
    """The public half of the home's key, as the ledger has it."""
    return next(
        (str(entry.body["public_key"]) for entry in entries if entry.event is Event.HOME_KEY_MADE), None
    )


def find_person(known: Mapping[str, Person], name: str) -> Person:
    if name not in known:
        raise UnknownName(
            "key", name, nearest(name, sorted(known)), remedy="`sdc keys NAME --role ROLE` makes one"
        )
    return known[name]


def key_files(keys: Path) -> dict[str, Person]:
    """The public halves that lie in the folder, whoever put them there."""
    return {place.stem: _read(place) for place in sorted(keys.glob("*.json"))}


def require_own_file(keys: Path, person: Person) -> None:
    """CannotApprove where the public half is not the one on record, or the private half is no locked key."""
    place, private = keys / f"{person.name}.json", keys / f"{person.name}.key"
    if private.exists() and not signing.is_locked(private.read_bytes()):
        raise CannotApprove(f"the key file {private.name} is no locked key")
    if not place.exists():
        return
    held = _read(place)
    if (held.name, held.roles, held.public_key) != (person.name, person.roles, person.public_key):
        raise CannotApprove(
            f"the key file {place.name} was replaced: it is not the key that entry {person.entry} of the"
            " ledger has"
        )


def account() -> str:
    """The name of the account this process runs for, by its real user id.

    No variable of the environment is asked.
    """
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid-{os.getuid()}"


def _read(place: Path) -> Person:
    try:
        held = json.loads(place.read_text())
        return Person(str(held["name"]), tuple(map(str, held["roles"])), str(held["public_key"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Person("", (), "")


@dataclass(frozen=True)
class Withdrawal:
    """A key that signs nothing more, from this entry of the ledger on."""

    name: str
    when: str
    by: str
    reason: str
    entry: int

    def __str__(self) -> str:
        return f"withdrawn on {self.when[:10]} by {self.by}: {self.reason}"


def withdrawals(entries: Iterable[Entry]) -> dict[str, Withdrawal]:
    """Withdrawn keys by the name of their person."""
    found: dict[str, Withdrawal] = {}
    for entry in entries:
        if entry.event is Event.KEY_WITHDRAWN:
            name = str(entry.body["key"])
            found.setdefault(
                name,
                Withdrawal(
                    name, entry.time, str(entry.body["by"]), str(entry.body["reason"]), entry.sequence
                ),
            )
    return found


def decided_after(entries: Iterable[Entry], withdrawn: Mapping[str, Withdrawal]) -> list[Entry]:
    """Decisions that came into the ledger after the key they name was withdrawn: nobody's word."""
    named = ((entry, withdrawn.get(str(entry.body.get("by")))) for entry in entries if entry.event in SIGNED)
    return [entry for entry, gone in named if gone is not None and gone.entry < entry.sequence]


def require_in_use(withdrawn: Mapping[str, Withdrawal], name: str) -> None:
    if name in withdrawn:
        raise CannotApprove(f"the key of {name} signs no decision any more, {withdrawn[name]}")
