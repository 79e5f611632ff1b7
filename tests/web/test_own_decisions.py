"""Everybody is told of their own decision, in words that are true of it."""

from __future__ import annotations

import threading

import pytest

from sdc.errors import CannotApprove, SdcError
from sdc.run.home import Home
from sdc.web.access import Signer
from sdc.web.decide import DecisionForm, DecisionJob, Decisions


class Held(Decisions):
    """Approvals come as far as the ledger and wait there; rejections are through at once."""

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        self.let_go, self.in_ledger = threading.Event(), threading.Event()
        self.broken: SdcError | None = None

    def _decide(self, _run: str, job: DecisionJob) -> str:
        if job.asked.decision == "reject":
            return "rejected; nothing was published"
        job.signed, job.sentence = True, "The approval is in the ledger."
        self.in_ledger.set()
        assert self.let_go.wait(10)
        if self.broken:
            raise self.broken
        return "approved"


@pytest.fixture
def decisions(home: Home) -> Held:
    return Held(home)


def test_who_rejects_is_not_told_of_the_approval_of_another(decisions: Held) -> None:
    anna, ben = Signer(), Signer()
    first = decisions.take("run", DecisionForm("approve", "anna"), anna)
    assert decisions.in_ledger.wait(10)
    second = decisions.take("run", DecisionForm("reject", "ben"), ben)
    assert decisions.under_way("run", anna) is first
    assert decisions.under_way("run", ben) is second
    assert "approval" not in second.sentence
    decisions.let_go.set()
    assert second.done.wait(10)
    assert decisions.ended("run", ben) == [second]
    assert second.sentence == "Rejected; nothing was published."
    assert decisions.ended("run", anna) == [first], "told to who decided, also after another has looked"
    assert decisions.ended("run", anna) == [], "and once"


def test_an_approval_that_is_signed_is_not_said_to_be_undone_where_publishing_fails(decisions: Held) -> None:
    anna = Signer()
    decisions.broken = CannotApprove("the candidate's file is not the one that was approved")
    job = decisions.take("run", DecisionForm("approve", "anna"), anna)
    decisions.let_go.set()
    assert job.done.wait(10)
    assert (
        job.sentence
        == "The approval is in the ledger; publishing was not done: the candidate's file is not the one that was approved."
    )
    assert job.refused


def test_a_button_names_the_candidate_that_is_to_leave() -> None:
    assert (
        DecisionForm.of({"decision": "approve coarse"}).decision,
        DecisionForm.of({"decision": "approve coarse"}).candidate,
    ) == ("approve", "coarse")
    assert (
        DecisionForm.of({"decision": "reject"}).decision,
        DecisionForm.of({"decision": "reject"}).candidate,
    ) == (
        "reject",
        None,
    )
