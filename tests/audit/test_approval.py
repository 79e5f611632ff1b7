from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from signing_keys import PASSPHRASE, key_for

from sdc.audit.approval import APPROVE, SignedDecision, check, make_key, missing_roles, sign, subject
from sdc.audit.ledger import Ledger
from sdc.audit.people import people
from sdc.errors import CannotApprove, UnknownName
from sdc.profile.plan import Approval
from sdc.run.home import Home

ABOUT = subject("run-1", "ab" * 32, [{"criterion": "k_anonymity", "holds": False}])


def decision(by: str = "anna", role: str = "reviewer", **changes: object) -> SignedDecision:
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    return replace(
        SignedDecision(
            "run-1", ABOUT, APPROVE, role, by, "small and documented", datetime.now(UTC).isoformat(), later
        ),
        **changes,
    )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    held = Home.at(tmp_path / "home")
    key_for(held, "anna", ["reviewer"])
    key_for(held, "bob", ["reviewer", "approver"])
    return held


def known(home: Home):
    return people(Ledger(home.ledger).entries())


def test_a_signed_decision_holds(home: Home) -> None:
    assert check(sign(home, decision(), PASSPHRASE), known(home), ABOUT) is None


@pytest.mark.parametrize(
    "change",
    [{"reason": "another"}, {"role": "approver"}, {"by": "bob"}, {"run": "run-2"}, {"decision": "reject"}],
)
def test_a_decision_altered_after_it_was_signed_does_not_hold(home: Home, change: dict[str, str]) -> None:
    with pytest.raises(CannotApprove):
        check(replace(sign(home, decision(), PASSPHRASE), **change), known(home), ABOUT)


def test_a_signature_over_another_candidate_or_other_findings_is_refused(home: Home) -> None:
    for other in (
        subject("run-1", "cd" * 32, []),
        subject("run-1", "ab" * 32, []),
        subject("run-2", "ab" * 32, []),
    ):
        with pytest.raises(CannotApprove, match="another candidate or other findings"):
            check(sign(home, decision(), PASSPHRASE), known(home), other)


def test_the_key_of_someone_else_does_not_do(home: Home) -> None:
    (home.keys / "anna.key").write_bytes((home.keys / "bob.key").read_bytes())
    with pytest.raises(
        CannotApprove, match=r"anna\.key was replaced: it is not the key that entry 2 of the ledger has"
    ):
        sign(home, decision(), PASSPHRASE)


def test_a_key_opens_with_its_passphrase_alone(home: Home) -> None:
    for wrong in ("", "correct horse", PASSPHRASE.upper()):
        with pytest.raises(CannotApprove, match="not the passphrase of the key of anna"):
            sign(home, decision(), wrong)
    (home.keys / "anna.key").write_text("{}")
    with pytest.raises(CannotApprove, match=r"the key file anna\.key is no locked key"):
        sign(home, decision(), PASSPHRASE)


def test_a_passphrase_is_long(home: Home) -> None:
    with pytest.raises(CannotApprove, match="at least 12 characters"):
        make_key(home, "carl", ["reviewer"], passphrase=PASSPHRASE[:11], by="paula")
    assert "carl" not in known(home)


def test_an_approval_expires(home: Home) -> None:
    signed = sign(home, decision(), PASSPHRASE)
    with pytest.raises(CannotApprove, match="expired"):
        check(signed, known(home), ABOUT, now=datetime.now(UTC) + timedelta(days=2))


def test_a_person_without_the_role_or_the_key_cannot_sign(home: Home) -> None:
    with pytest.raises(CannotApprove, match="no key for the role approver"):
        sign(home, decision(role="approver"), PASSPHRASE)
    with pytest.raises(UnknownName):
        sign(home, decision(by="carl"), PASSPHRASE)


def test_a_name_has_one_key_and_its_private_half_is_its_owners(home: Home) -> None:
    with pytest.raises(CannotApprove, match="has a key already"):
        key_for(home, "anna", ["reviewer"])
    for name in ("anna.key", "anna.json"):
        (home.keys / name).unlink()
    with pytest.raises(CannotApprove, match="has a key already"):
        key_for(home, "anna", ["reviewer"])
    assert (home.keys / "bob.key").stat().st_mode & 0o077 == 0


def test_each_role_needs_another_person_and_never_the_producer() -> None:
    both = Approval(roles=("reviewer", "approver"))
    anna, bob, bob_too = decision(), decision("bob", "approver"), decision("bob", "reviewer")
    assert missing_roles(both, [anna, bob], "carl") == ()
    assert missing_roles(both, [bob, bob_too], "carl") == ("reviewer",)
    assert missing_roles(both, [anna, bob], "bob") == ("approver",)
    assert missing_roles(both, [], "carl") == ("reviewer", "approver")
