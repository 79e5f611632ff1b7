"""Who decided on a referred release, and is it really their word? Signed decisions over exactly one candidate and its findings.

key = make_key(home.keys, "anna", ["reviewer"])                # a person's key pair; the public half names her roles
decision = sign(home.keys, SignedDecision(run, digest, "approve", "reviewer", "anna", reason, when, expires))
check(decision, home.keys, digest); missing_roles(profile.approval, [decision, …], producer)
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

from sdc import digest, durable
from sdc.chain import Event
from sdc.errors import CannotApprove, UnknownName
from sdc.ledger import Ledger
from sdc.profile.plan import Approval
from sdc.spelling import nearest
from sdc.withdrawal import Withdrawal, require_in_use, withdrawals

if TYPE_CHECKING:
    from sdc.run import Home

APPROVE, REJECT = "approve", "reject"
DAYS = 30
"""For how long an approval holds unless it says otherwise."""
PERSON = re.compile(r"[a-z][a-z0-9._-]{0,63}")


@dataclass(frozen=True)
class SignedDecision:
    """One person's word on one run. `digest` covers the candidate's bytes and every finding; `expires` ends an approval."""

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


@dataclass(frozen=True)
class Person:
    """Someone with a key: the public half and the roles it was made for."""

    name: str
    roles: tuple[str, ...]
    public_key: str


def subject(run: str, candidate_sha256: str, findings: Sequence[object]) -> str:
    """What a decision is about: this run, these bytes, these findings."""
    return digest.of_bytes(digest.canonical({"run": run, "candidate": candidate_sha256, "findings": list(findings)}))


def make_key(keys: Path, name: str, roles: Sequence[str]) -> Person:
    """A new key pair: NAME.key for the person alone, NAME.json for all. An existing name is refused."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if not PERSON.fullmatch(name):
        raise CannotApprove(f"{name!r} is no name for a key: lower-case letters, digits, dots, hyphens, beginning with a letter")
    if not roles:
        raise CannotApprove("a key is made for at least one role")
    place = keys / f"{name}.json"
    if place.exists():
        raise CannotApprove(f"{name} has a key already; a new person needs a new name")
    private = Ed25519PrivateKey.generate()
    person = Person(name, tuple(roles), _text(private.public_key().public_bytes_raw()))
    durable.write(keys / f"{name}.key", _text(private.private_bytes_raw()).encode())
    durable.write(place, json.dumps(asdict(person), indent=1).encode())
    return person


def find_person(keys: Path, name: str) -> Person:
    place = keys / f"{name}.json"
    if not PERSON.fullmatch(name) or not place.exists():
        raise UnknownName("key", name, nearest(name, [path.stem for path in keys.glob("*.json")]))
    held = json.loads(place.read_text())
    return Person(held["name"], tuple(held["roles"]), held["public_key"])


def people(keys: Path) -> list[Person]:
    """All who have a key, by name."""
    return [find_person(keys, name) for name in sorted(path.stem for path in keys.glob("*.json"))]


def withdraw(home: Home, name: str, *, by: str, reason: str) -> Withdrawal:
    """An entry in the ledger after which this key signs no decision. Its public half stays: decisions before are checked with it."""
    person = find_person(home.keys, name)
    if not reason.strip():
        raise CannotApprove("a withdrawal needs a reason")
    with Ledger(home.ledger).writing() as writer:
        require_in_use(withdrawals(writer.entries()), name)
        body = {"key": name, "public_key": person.public_key, "roles": person.roles, "by": by, "reason": reason.strip()}
        return withdrawals([writer.append("", "", Event.KEY_WITHDRAWN, body)])[name]


def sign(keys: Path, decision: SignedDecision) -> SignedDecision:
    """The decision with its signature; the person must have the role and hold the key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    person = find_person(keys, decision.by)
    if decision.role not in person.roles:
        raise CannotApprove(f"{decision.by} has no key for the role {decision.role}; roles of this key: {', '.join(person.roles)}")
    place = keys / f"{decision.by}.key"
    if not place.exists():
        raise CannotApprove(f"the private key of {decision.by} is not here")
    private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(place.read_text()))
    return replace(decision, signature=_text(private.sign(decision.message)))


def check(decision: SignedDecision, keys: Path, about: str, now: datetime | None = None, void: Collection[str] = ()) -> None:
    """CannotApprove unless it is this person's word, on exactly this, and still holds. `void` are signatures made with a withdrawn key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    person = find_person(keys, decision.by)
    if decision.digest != about:
        raise CannotApprove(f"the decision of {decision.by} is about another candidate or other findings")
    if decision.role not in person.roles:
        raise CannotApprove(f"{decision.by} has no key for the role {decision.role}")
    try:
        Ed25519PublicKey.from_public_bytes(base64.b64decode(person.public_key)).verify(base64.b64decode(decision.signature), decision.message)
    except (InvalidSignature, ValueError):
        raise CannotApprove(f"the signature of {decision.by} does not hold") from None
    if decision.signature in void:
        raise CannotApprove(f"the key of {decision.by} had been withdrawn before this decision")
    if has_expired(decision, now):
        raise CannotApprove(f"the approval of {decision.by} expired on {decision.expires}")


def has_expired(decision: SignedDecision, now: datetime | None = None) -> bool:
    """Does it hold no longer? Then it counts as if it had not been given, and its giver may decide anew."""
    return bool(decision.expires) and datetime.fromisoformat(str(decision.expires)) <= (now or datetime.now(UTC))


def missing_roles(approval: Approval, decisions: Sequence[SignedDecision], producer: str) -> tuple[str, ...]:
    """Roles that have not approved yet: each role by another person, none of them the producer."""
    open_roles = list(approval.roles)
    heard: set[str] = set()
    for decision in decisions:
        if decision.decision == APPROVE and decision.by not in heard and decision.by != producer and decision.role in open_roles:
            open_roles.remove(decision.role)
            heard.add(decision.by)
    return tuple(open_roles)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
