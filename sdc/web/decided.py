"""Who has decided on a run, whether it still holds, and who has not decided yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sdc.audit.approval import APPROVE, REJECT, RETURN, SignedDecision, check, missing_roles
from sdc.audit.chain import DECISIONS
from sdc.audit.remarks import fault_of, remarks
from sdc.audit.subjects import leaving, subjects
from sdc.errors import SdcError
from sdc.profile.plan import Approval
from sdc.web.listing import moment

if TYPE_CHECKING:
    from sdc.audit.record import RunView

SAID = {APPROVE: "approved", REJECT: "rejected", RETURN: "returned to the producer"}


@dataclass(frozen=True)
class Heard:
    """One person's decision. `fault` is empty where the signature holds, else it says why it does not."""

    by: str
    role: str
    decision: str
    reason: str
    when: str
    until: str
    fault: str
    candidate: str = ""

    @property
    def holds(self) -> bool:
        return not self.fault


@dataclass(frozen=True)
class Approvals:
    """All that was decided and remarked, the roles the profile asks for, and those still to approve."""

    heard: tuple[Heard, ...] = ()
    remarks: tuple[Heard, ...] = ()
    roles: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def approvals(view: RunView) -> Approvals:
    """Every signature is checked anew against exactly this run's candidate and findings."""
    signed = [SignedDecision.of(entry.body) for entry in view.entries if entry.event in DECISIONS]
    known = subjects(view.row.run, view.record) if view.record else {}
    faults = {decision.signature: _fault(decision, view, known) for decision in signed}
    approval = _approval(view.record)
    sound = [
        decision
        for decision in signed
        if not faults[decision.signature] and decision.digest == known.get(leaving(view) or "")
    ]
    missing = missing_roles(approval, sound, str(view.row.facts.get("producer", ""))) if approval else ()
    names = {digest: name for name, digest in known.items()}
    heard = [
        replace(_heard(decision, faults[decision.signature]), candidate=names.get(decision.digest, ""))
        for decision in signed
    ]
    spoken = tuple(_heard(said, fault_of(said, view)) for said in remarks(view))
    return Approvals(tuple(heard), spoken, tuple(approval.roles) if approval else (), missing)


def _fault(decision: SignedDecision, view: RunView, known: Mapping[str, str]) -> str:
    """What is wrong with a decision, whichever candidate it is about.

    `known` has the digests of the candidates it can be about, the chosen one first.
    """
    if not known:
        return "its signature cannot be checked: the sealed record is not here"
    about = decision.digest if decision.digest in known.values() else next(iter(known.values()))
    try:
        check(decision, view.people, about, void=view.void)
    except SdcError as error:
        return str(error)
    return ""


def _approval(record: Mapping[str, Any] | None) -> Approval | None:
    try:
        return Approval.model_validate(record["profile"]["plan"]["approval"]) if record else None
    except (ValidationError, KeyError):
        return None


def _heard(decision: SignedDecision, fault: str) -> Heard:
    until = moment(decision.expires) if decision.expires else ""
    return Heard(
        decision.by,
        decision.role,
        SAID.get(decision.decision, decision.decision),
        decision.reason,
        moment(decision.when),
        until,
        fault,
    )
