from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sdc.approval import APPROVE, SignedDecision, check, make_key, missing_roles, sign, subject
from sdc.errors import CannotApprove, UnknownName
from sdc.profile.plan import Approval

ABOUT = subject("run-1", "ab" * 32, [{"criterion": "k_anonymity", "holds": False}])


def decision(by: str = "anna", role: str = "reviewer", **changes: object) -> SignedDecision:
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    return replace(SignedDecision("run-1", ABOUT, APPROVE, role, by, "small and documented", datetime.now(UTC).isoformat(), later), **changes)


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    make_key(tmp_path, "anna", ["reviewer"])
    make_key(tmp_path, "bob", ["reviewer", "approver"])
    return tmp_path


def test_a_signed_decision_holds(keys: Path) -> None:
    check(sign(keys, decision()), keys, ABOUT)


@pytest.mark.parametrize("change", [{"reason": "another"}, {"role": "approver"}, {"by": "bob"}, {"run": "run-2"}, {"decision": "reject"}])
def test_a_decision_altered_after_it_was_signed_does_not_hold(keys: Path, change: dict[str, str]) -> None:
    with pytest.raises(CannotApprove):
        check(replace(sign(keys, decision()), **change), keys, ABOUT)


def test_a_signature_over_another_candidate_or_other_findings_is_refused(keys: Path) -> None:
    for other in (subject("run-1", "cd" * 32, []), subject("run-1", "ab" * 32, []), subject("run-2", "ab" * 32, [])):
        with pytest.raises(CannotApprove, match="another candidate or other findings"):
            check(sign(keys, decision()), keys, other)


def test_the_key_of_someone_else_does_not_do(keys: Path, tmp_path: Path) -> None:
    (keys / "anna.key").write_bytes((keys / "bob.key").read_bytes())
    with pytest.raises(CannotApprove, match="signature of anna does not hold"):
        check(sign(keys, decision()), keys, ABOUT)


def test_an_approval_expires(keys: Path) -> None:
    signed = sign(keys, decision())
    with pytest.raises(CannotApprove, match="expired"):
        check(signed, keys, ABOUT, now=datetime.now(UTC) + timedelta(days=2))


def test_a_person_without_the_role_or_the_key_cannot_sign(keys: Path) -> None:
    with pytest.raises(CannotApprove, match="no key for the role approver"):
        sign(keys, decision(role="approver"))
    with pytest.raises(UnknownName):
        sign(keys, decision(by="carl"))


def test_a_name_has_one_key_and_its_private_half_is_its_owners(keys: Path) -> None:
    with pytest.raises(CannotApprove, match="has a key already"):
        make_key(keys, "anna", ["reviewer"])
    assert (keys / "anna.key").stat().st_mode & 0o077 == 0


def test_each_role_needs_another_person_and_never_the_producer() -> None:
    both = Approval(roles=("reviewer", "approver"))
    anna, bob, bob_too = decision(), decision("bob", "approver"), decision("bob", "reviewer")
    assert missing_roles(both, [anna, bob], "carl") == ()
    assert missing_roles(both, [bob, bob_too], "carl") == ("reviewer",)
    assert missing_roles(both, [anna, bob], "bob") == ("approver",)
    assert missing_roles(both, [], "carl") == ("reviewer", "approver")
