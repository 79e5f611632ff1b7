"""Is what people say of a run signed, on record and without effect, and does a returned run stay where it is?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from signing_keys import PASSPHRASE

from sdc.audit.approval import APPROVE, make_key, withdraw
from sdc.audit.deciding import decide, send_back
from sdc.audit.ledger import Ledger
from sdc.audit.record import show
from sdc.audit.remarks import COMMENT, CONDITION, fault_of, remark, remarks
from sdc.audit.verification import verify
from sdc.errors import CannotApprove, LedgerBroken, SdcError
from sdc.run.home import Home

sys.path.append(str(Path(__file__).parents[1] / "web"))
from review_home import finish

ANNA = {"role": "reviewer", "by": "anna", "passphrase": PASSPHRASE}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    held = Home.at(tmp_path / "home")
    make_key(held, "anna", ["reviewer"], passphrase=PASSPHRASE, by="admin")
    make_key(held, "paula", ["producer"], passphrase=PASSPHRASE, by="admin")
    return held


def test_a_remark_is_signed_and_leaves_the_run_as_it_was(home: Home) -> None:
    run = finish(home, "referred", producer="paula")
    before = show(home, run).row
    remark(home, run, CONDITION, **ANNA, text="approve if k is 5")
    remark(
        home, run, COMMENT, role="producer", by="paula", passphrase=PASSPHRASE, text="k is 5 in the next run"
    )
    view = show(home, run)
    assert (view.row.state, view.row.facts) == (before.state, before.facts)
    assert [(said.by, said.decision, said.reason) for said in remarks(view)] == [
        ("anna", "condition", "approve if k is 5"),
        ("paula", "comment", "k is 5 in the next run"),
    ]
    assert [fault_of(said, view) for said in remarks(view)] == ["", ""]


def test_the_same_words_twice_are_one_remark_and_do_not_keep_anybody_from_deciding(home: Home) -> None:
    run = finish(home, "referred", producer="paula")
    for _ in range(2):
        remark(home, run, COMMENT, **ANNA, text="why so few?")
    assert len(remarks(show(home, run))) == 1
    decide(home, run, APPROVE, **ANNA, reason="fine")
    assert show(home, run).row.state == "referred"


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"text": " "}, "a remark needs words"),
        ({"text": "x" * 2001}, "at most 2,000 characters"),
        ({"role": "approver"}, "anna has no key for the role approver"),
        ({"passphrase": "another long passphrase"}, "passphrase"),
        ({"by": "nobody"}, "nobody"),
    ],
)
def test_a_remark_that_cannot_be_is_refused(home: Home, changed: dict[str, str], problem: str) -> None:
    run = finish(home, "referred", producer="paula")
    with pytest.raises(SdcError, match=problem):
        remark(home, run, COMMENT, **{**ANNA, "text": "well", **changed})
    with pytest.raises(CannotApprove, match="a remark is a comment or a condition"):
        remark(home, run, "shout", **ANNA, text="well")
    assert remarks(show(home, run)) == []


def test_a_withdrawn_key_says_nothing_more(home: Home) -> None:
    run = finish(home, "referred", producer="paula")
    withdraw(home, "anna", by="admin", reason="left")
    with pytest.raises(CannotApprove, match="withdrawn"):
        remark(home, run, COMMENT, **ANNA, text="well")


def test_a_returned_run_is_over_and_says_what_has_to_change(home: Home) -> None:
    run = finish(home, "referred", producer="paula")
    assert send_back(home, run, **ANNA, reason="k must be 5").startswith("returned to the producer")
    view = show(home, run)
    assert (view.row.state, view.row.ended, view.row.went_out) == ("returned", True, False)
    with pytest.raises(CannotApprove, match="is returned; only a referred run can be decided on"):
        decide(home, run, APPROVE, **ANNA, reason="fine after all")


def test_who_made_a_run_does_not_return_it(home: Home) -> None:
    run = finish(home, "referred", producer="anna")
    with pytest.raises(CannotApprove, match="who produces a release does not"):
        send_back(home, run, **ANNA, reason="k must be 5")


def test_the_ledger_is_verified_with_them_and_an_altered_remark_is_found(home: Home) -> None:
    run = finish(home, "referred", producer="paula")
    remark(home, run, COMMENT, **ANNA, text="why so few?")
    assert verify(home)
    lines = home.ledger.read_bytes()
    assert b"why so few?" in lines
    home.ledger.write_bytes(lines.replace(b"why so few?", b"why so lots?"[:11]))
    with pytest.raises(LedgerBroken):
        Ledger(home.ledger).entries()
