"""Makes, withdraws and uses the keys with which people sign decisions on a referred release.

    make_key(home, "anna", ["reviewer"], passphrase=…, by="paula")
    signed = sign(home, SignedDecision(run, digest, "approve", "reviewer", "anna", reason, when), passphrase)
    check(signed, people(entries), digest)
    missing_roles(profile.approval, [signed, …], producer)

A decision is about exactly one candidate and its findings.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.audit import signing
from sdc.audit.chain import Event
from sdc.audit.ledger import Ledger
from sdc.audit.people import (
    Person,
    Withdrawal,
    find_person,
    key_files,
    people,
    require_in_use,
    require_own_file,
    withdrawals,
)
from sdc.errors import CannotApprove, UnknownName
from sdc.profile.plan import Approval
from sdc.run import digest, durable

if TYPE_CHECKING:
    from sdc.audit.ledger import Writer
    from sdc.run.home import Home

APPROVE, REJECT, RETURN = "approve", "reject", "return"
DAYS = 30
"""For how long an approval holds unless it says otherwise."""
MOST_DAYS = 3650
"""For how long an approval can hold at most: ten years."""
PERSON = re.compile(r"[a-z][a-z0-9._-]{0,63}")
LEAST_PASSPHRASE = 12
"""So many characters a passphrase has at the least."""


@dataclass(frozen=True)
class SignedDecision:
    """One person's word on one run. `digest` covers the candidate's bytes and every finding.

    `expires` ends an approval.
    """

    run: str
    digest: str
    decision: str
    role: str
    by: str
    reason: str
    when: str
    expires: str | None = None
    signature: str = ""

    @property
    def message(self) -> bytes:
        return digest.canonical({name: value for name, value in asdict(self).items() if name != "signature"})

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> SignedDecision:
        return cls(**{name: body.get(name) for name in cls.__dataclass_fields__})  # type: ignore[arg-type]


def subject(run: str, candidate_sha256: str, findings: Sequence[object], further: Sequence[str] = ()) -> str:
    """What a decision is about: this run, these bytes (of every synthesis), these findings."""
    about = {"run": run, "candidate": candidate_sha256, "findings": list(findings)}
    return digest.of_bytes(digest.canonical({**about, **({"further": [*further]} if further else {})}))


def make_key(home: Home, name: str, roles: Sequence[str], *, passphrase: str, by: str) -> Person:
    """A new key pair: NAME.key for the person alone, locked by the passphrase.

    The public half in the ledger and in NAME.json.

    A name is used once, also after its files were removed.
    """
    if not PERSON.fullmatch(name):
        raise CannotApprove(
            f"{name!r} is no name for a key: lower-case letters, digits, dots, hyphens, beginning with a"
            " letter"
        )
    if not roles:
        raise CannotApprove("a key is made for at least one role")
    _require_long(passphrase)
    private = signing.new_private()
    person = Person(name, tuple(roles), signing.public_half(private))
    with Ledger(home.ledger).writing() as writer:
        writer.make_key(by)
        if name in people(writer.entries()) or any(place.exists() for place in _files(home.keys, name)):
            raise CannotApprove(f"{name} has a key already; a new person needs a new name")
        return _kept(home, writer, person, signing.locked(private, passphrase), {"by": by})


def adopt_key(home: Home, name: str, *, passphrase: str, by: str) -> Person:
    """Put a key on record that is older than the record of keys, and lock its private half."""
    _require_long(passphrase)
    person = find_person(key_files(home.keys), name)
    try:
        private = base64.b64decode((home.keys / f"{name}.key").read_text(), validate=True)
        mine = signing.public_half(private) == person.public_key
    except (OSError, ValueError):
        mine = False
    if not mine:
        raise CannotApprove(f"the two halves of the key of {name} are not here, or do not belong together")
    with Ledger(home.ledger).writing() as writer:
        writer.make_key(by)
        if name in people(writer.entries()):
            raise CannotApprove(f"the key of {name} is on record already")
        require_in_use(withdrawals(writer.entries()), name)
        return _kept(home, writer, person, signing.locked(private, passphrase), {"by": by, "adopted": True})


def _kept(home: Home, writer: Writer, person: Person, private: bytes, more: Mapping[str, Any]) -> Person:
    """The files, then the entry: files without an entry sign nothing."""
    secret, public = _files(home.keys, person.name)
    facts = {"name": person.name, "roles": person.roles, "public_key": person.public_key}
    durable.replace(secret, private)
    durable.replace(public, json.dumps(facts, indent=1).encode())
    try:
        entry = writer.append(
            "",
            "",
            Event.KEY_MADE,
            {"key": person.name, "roles": person.roles, "public_key": person.public_key, **more},
        )
    except BaseException:
        for place in (secret, public) if "adopted" not in more else ():
            place.unlink(missing_ok=True)
        raise
    return people([entry])[person.name]


def _files(keys: Path, name: str) -> tuple[Path, Path]:
    return keys / f"{name}.key", keys / f"{name}.json"


def _require_long(passphrase: str) -> None:
    if len(passphrase) < LEAST_PASSPHRASE:
        raise CannotApprove(f"a passphrase has at least {LEAST_PASSPHRASE} characters")


def withdraw(home: Home, name: str, *, by: str, reason: str) -> Withdrawal:
    """An entry in the ledger after which this key signs no decision.

    What it signed before can still be checked.
    """
    if not reason.strip():
        raise CannotApprove("a withdrawal needs a reason")
    with Ledger(home.ledger).writing() as writer:
        person = find_person({**key_files(home.keys), **people(writer.entries())}, name)
        require_in_use(withdrawals(writer.entries()), name)
        body = {
            "key": name,
            "public_key": person.public_key,
            "roles": person.roles,
            "by": by,
            "reason": reason.strip(),
        }
        return withdrawals([writer.append("", "", Event.KEY_WITHDRAWN, body)])[name]


def sign(home: Home, decision: SignedDecision, passphrase: str) -> SignedDecision:
    """The decision with its signature.

    The person must have the role, and the passphrase of the key on record.
    """
    person = known_person(people(Ledger(home.ledger).entries()), decision.by, home.keys)
    if decision.role not in person.roles:
        raise CannotApprove(
            f"{decision.by} has no key for the role {decision.role}; roles of this key:"
            f" {', '.join(person.roles)}"
        )
    require_own_file(home.keys, person)
    place = home.keys / f"{decision.by}.key"
    if not place.exists():
        raise CannotApprove(f"the private key of {decision.by} is not here")
    try:
        private = signing.unlocked(place.read_bytes(), passphrase)
    except signing.WrongPassphrase:
        raise CannotApprove(f"this is not the passphrase of the key of {decision.by}") from None
    if signing.public_half(private) != person.public_key:
        raise CannotApprove(
            f"the key file {place.name} was replaced: it is not the key that entry {person.entry} of the"
            " ledger has"
        )
    return replace(decision, signature=signing.signature(private, decision.message))


def known_person(known: Mapping[str, Person], name: str, keys: Path | None = None) -> Person:
    """The person of a key on record; a key that only lies in the folder is told apart from none at all."""
    if name not in known and keys is not None and PERSON.fullmatch(name) and (keys / f"{name}.json").exists():
        raise CannotApprove(
            f"the key of {name} is not on record; `sdc keys adopt {name}` puts a key made by an earlier"
            " version there"
        )
    try:
        return find_person(known, name)
    except UnknownName:
        if keys is None:
            raise CannotApprove(f"the key of {name} is not on record") from None
        raise


def check(
    decision: SignedDecision,
    known: Mapping[str, Person],
    about: str,
    now: datetime | None = None,
    void: Collection[str] = (),
) -> None:
    """CannotApprove unless it is this person's word, on exactly this, and still holds.

    `void` are signatures made with a withdrawn key.
    """
    require_signed_by(decision, known_person(known, decision.by))
    if decision.digest != about:
        raise CannotApprove(f"the decision of {decision.by} is about another candidate or other findings")
    if decision.signature in void:
        raise CannotApprove(f"the key of {decision.by} had been withdrawn before this decision")
    if has_expired(decision, now):
        raise CannotApprove(f"the approval of {decision.by} expired on {decision.expires}")


def require_signed_by(decision: SignedDecision, person: Person) -> None:
    """CannotApprove unless the key on record signed exactly these words, in a role it was made for."""
    if decision.role not in person.roles:
        raise CannotApprove(f"{decision.by} has no key for the role {decision.role}")
    if not signing.holds(person.public_key, decision.message, decision.signature or ""):
        raise CannotApprove(f"the signature of {decision.by} does not hold")


def has_expired(decision: SignedDecision, now: datetime | None = None) -> bool:
    """Does it hold no longer? Then it counts as if it had not been given, and its giver may decide anew."""
    return bool(decision.expires) and datetime.fromisoformat(str(decision.expires)) <= (
        now or datetime.now(UTC)
    )


def missing_roles(approval: Approval, decisions: Sequence[SignedDecision], producer: str) -> tuple[str, ...]:
    """Roles that have not approved yet: each role by another person, none of them the producer."""
    open_roles = list(approval.roles)
    heard: set[str] = set()
    for decision in decisions:
        if (
            decision.decision == APPROVE
            and decision.by not in heard
            and decision.by != producer
            and decision.role in open_roles
        ):
            open_roles.remove(decision.role)
            heard.add(decision.by)
    return tuple(open_roles)
