"""Decisions through the form of the review pages: the command line's own rules, signatures and flow."""

from __future__ import annotations

import fcntl
import os
import re
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from signing_keys import PASSPHRASE, key_for

from flows.orchestration.run_release import run_release
from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import show, verify
from sdc.run.home import Home
from sdc.web.access import Sessions
from sdc.web.app import make_app
from sdc.web.decide import Decisions
from sdc.web.guard import Guard

with warnings.catch_warnings():
    # It asks for another package than the one Prefect brings.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

pytestmark = pytest.mark.usefixtures("server")
TO_REFER = ("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because")
TWO_ROLES = ("publish: {", "approval: {required: when_referred, roles: [reviewer, approver]}\npublish: {")
OWN = {"origin": "null", "sec-fetch-site": "same-origin"}


class Reviewer:
    """Somebody at the review pages of a home."""

    def __init__(self, client: Any, run: str) -> None:
        self.client, self.run = client, run

    def page(self) -> str:
        return str(self.client.get(f"/runs/{self.run}").text)

    def send(
        self, decision: str, by: str, role: str = "reviewer", reason: str = "the loss is known and small"
    ) -> Any:
        token = re.search(r'name="csrf" value="(\w+)"', self.page())
        form = {
            "csrf": token[1] if token else "",
            "decision": decision,
            "by": by,
            "role": role,
            "reason": reason,
            "days": "30",
            "passphrase": PASSPHRASE,
        }
        return self.client.post(f"/runs/{self.run}/decision", data=form, headers=OWN)

    def told(
        self, decision: str, by: str, role: str = "reviewer", reason: str = "the loss is known and small"
    ) -> str:
        """What the run's page says once the decision is through."""
        answer = self.send(decision, by, role, reason)
        assert answer.status_code == 303, answer.text
        until = time.monotonic() + 120
        while self.client.get(answer.headers["location"]).status_code == 200:
            assert time.monotonic() < until
        found = re.search(r'class="notice[^"]*" role="\w+">([^<]*)<', self.page())
        assert found
        return found[1]


@pytest.fixture
def reviewer(release_files: Callable[..., Path], home: Path) -> Iterator[Callable[..., Reviewer]]:
    """Reviewers of a run that was just referred."""
    access = Sessions("127.0.0.1", 8321)
    app = Guard(make_app(Home.at(home), access, Decisions(Home.at(home))), access, lambda _line: None)
    with TestClient(app, base_url="http://127.0.0.1:8321", follow_redirects=False) as client:
        client.get(f"/?token={access.token}")

        def make(*replacements: tuple[str, str]) -> Reviewer:
            return Reviewer(client, run_release(release_files(TO_REFER, *replacements), quiet=True).run_id)

        yield make


def bundles(home: Path) -> list[Path]:
    return sorted((home.parent / "outbox").iterdir())


def test_an_approval_by_form_publishes_the_stored_bytes_once(
    reviewer: Callable[..., Reviewer], home: Path
) -> None:
    held = Home.at(home)
    key_for(held, "anna", ["reviewer"])
    someone = reviewer()
    with ThreadPoolExecutor(4) as hands:
        answers = list(hands.map(lambda _: someone.send("approve", "anna"), range(4)))
    assert {answer.status_code for answer in answers} == {303}
    until = time.monotonic() + 120
    while someone.client.get(f"/runs/{someone.run}/decision").status_code == 200:
        assert time.monotonic() < until
    page = someone.page()
    assert "Published after approval" in page
    (bundle,) = bundles(home)
    records = show(held, someone.run).record["candidates"][0]["rows"]
    assert (
        f"Approved and published “masked”, {records} records as small.csv and small.parquet in the bundle {bundle.name},"
        " outbox “outbox”."
    ) in page
    assert (bundle / "small.parquet").read_bytes() == (
        held.runs / someone.run / "candidates" / "masked.parquet"
    ).read_bytes()
    events = [entry.event for entry in Ledger(held.ledger).entries()]
    assert (events.count(Event.APPROVED), events.count(Event.PUBLISHING), events.count(Event.PUBLISHED)) == (
        1,
        1,
        1,
    )
    assert '<th scope="row">anna</th>' in page
    verify(held)


def test_the_rules_of_the_command_line_refuse_and_say_why(
    reviewer: Callable[..., Reviewer], home: Path
) -> None:
    held = Home.at(home)
    someone = reviewer(TWO_ROLES)
    producer = str(show(held, someone.run).row.facts["producer"])
    key_for(held, producer, ["reviewer"])
    key_for(held, "anna", ["reviewer"])
    before = held.ledger.read_bytes()
    assert "who produces a release does not approve it" in someone.told("approve", producer)
    assert "who produces a release does not approve it" in someone.told("reject", producer)
    assert "has no key for the role approver" in someone.told("approve", "anna", "approver")
    assert "no key is called &#39;nobody&#39;" in someone.told("approve", "nobody")
    assert "no key is called" in someone.told("approve", "../anna")
    assert "a decision needs a reason" in someone.told("approve", "anna", reason="  ")
    assert held.ledger.read_bytes() == before
    assert bundles(home) == []
    assert "still to approve: approver" in someone.told("approve", "anna")
    assert bundles(home) == []


def test_what_was_typed_is_there_again_after_a_refusal(reviewer: Callable[..., Reviewer]) -> None:
    someone = reviewer()
    answer = someone.send("approve", "nobody", reason='because "it" is <fine>')
    while someone.client.get(answer.headers["location"]).status_code == 200:
        pass
    page = someone.page()
    assert 'value="nobody"' in page
    assert "because &#34;it&#34; is &lt;fine&gt;</textarea>" in page


def test_a_rejection_by_form_ends_the_run_and_a_later_approval_is_refused(
    reviewer: Callable[..., Reviewer], home: Path
) -> None:
    key_for(Home.at(home), "anna", ["reviewer"])
    someone = reviewer()
    stale = someone.page()
    assert someone.told("reject", "anna", reason="too much lost") == "Rejected; nothing was published."
    assert "Rejected by anna (reviewer)" in someone.page()
    token = re.search(r'name="csrf" value="(\w+)"', stale)
    assert token
    form = {
        "csrf": token[1],
        "decision": "approve",
        "by": "anna",
        "role": "reviewer",
        "reason": "changed my mind",
        "days": "30",
        "passphrase": PASSPHRASE,
    }
    answer = someone.client.post(f"/runs/{someone.run}/decision", data=form, headers=OWN)
    while someone.client.get(answer.headers["location"]).status_code == 200:
        pass
    assert "is rejected; only a referred run can be decided on" in someone.page()
    assert bundles(home) == []


def test_another_decision_waits_its_turn_and_each_is_answered(
    reviewer: Callable[..., Reviewer], home: Path
) -> None:
    key_for(Home.at(home), "anna", ["approver"])
    key_for(Home.at(home), "ben", ["reviewer"])
    someone = reviewer()
    token = re.search(r'name="csrf" value="(\w+)"', someone.page())
    assert token
    for decision, by in (("approve", "nobody"), ("approve", "anna"), ("reject", "ben")):
        form = {
            "csrf": token[1],
            "decision": decision,
            "by": by,
            "role": "reviewer",
            "reason": "a reason",
            "days": "30",
            "passphrase": PASSPHRASE,
        }
        assert someone.client.post(f"/runs/{someone.run}/decision", data=form, headers=OWN).status_code == 303
    while someone.client.get(f"/runs/{someone.run}/decision").status_code == 200:
        pass
    page = someone.page()
    assert show(Home.at(home), someone.run).row.state == "rejected"
    told = re.findall(r'class="notice[^"]*" role="\w+">([^<]*)<', page)
    assert [sentence.partition(",")[0] for sentence in told] == ["nobody", "anna", "ben"]
    assert ["Not done" in sentence for sentence in told] == [True, True, False]


@pytest.mark.parametrize(("decision", "by"), [("reject", "anna"), ("approve", "nobody")])
def test_the_home_is_free_for_other_commands_after_a_decision_that_publishes_nothing(
    reviewer: Callable[..., Reviewer], home: Path, monkeypatch: pytest.MonkeyPatch, decision: str, by: str
) -> None:
    key_for(Home.at(home), "anna", ["reviewer"])
    someone = reviewer()
    monkeypatch.delenv("PREFECT_API_URL")
    someone.told(decision, by)
    assert is_free(home)


def test_every_approval_by_form_has_a_server_of_its_own_and_lets_go_of_it(
    reviewer: Callable[..., Reviewer], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key_for(Home.at(home), "anna", ["reviewer"])
    first = reviewer()
    second = reviewer()
    monkeypatch.delenv("PREFECT_API_URL")
    for someone in (first, second):
        assert "pproved and published" in someone.told("approve", "anna")
        assert is_free(home)
        assert "PREFECT_API_URL" not in os.environ
    with closing(sqlite3.connect(Home.at(home).prefect / "prefect.db")) as database:
        assert database.execute(
            "SELECT count(*) FROM flow_run WHERE state_type = 'COMPLETED'"
        ).fetchone() == (2,)


def is_free(home: Path) -> bool:
    """May another command start a server on this home at once?"""
    place = Home.at(home).prefect / "server.lock"
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
