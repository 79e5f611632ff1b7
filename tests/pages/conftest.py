"""A home with runs, and a browser without a browser that was let in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from review_home import MADE, PORT, REPORT, TestClient, record

from flows.pages.access import Access
from flows.pages.app import make_app
from flows.pages.decide import Decisions
from flows.pages.guard import Guard
from sdc.audit import RunRecord, write_record
from sdc.ledger import Event, Ledger
from sdc.run import Home, Run


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.at(tmp_path / "home")


@pytest.fixture
def finished(home: Home) -> Callable[..., str]:
    """A run that has ended as told, in the ledger and with its directory; its id."""

    def make(outcome: str = "published", held: RunRecord | None = None, producer: str = "paula", profile: str = "survey") -> str:
        ledger = Ledger(home.ledger)
        with Run.start(home, profile) as run:
            ledger.append(run.id, profile, Event.STARTED, {"outbox": "/srv/outbox", "producer": producer, "profile_sha256": "a" * 64})
            if outcome in MADE:
                sealed = write_record(run, held or record(outcome, MADE[outcome]))
                bundle = {"bundle": "survey-1", "outputs": {"survey.csv": "d" * 64}} if outcome == "published" else {}
                ledger.append(run.id, profile, Event(outcome), {**sealed.public_facts, **bundle})
                (run.directory / "report.html").write_text(REPORT)
            elif outcome != "running":
                ledger.append(run.id, profile, Event(outcome), {"error": "2 faults in the data: /srv/vault/people.csv: column age"})
            (run.directory / "warehouse.duckdb").write_text("CONFIDENTIAL ROWS")
            return run.id

    return make


@pytest.fixture
def logged() -> list[str]:
    return []


@pytest.fixture
def access() -> Access:
    return Access("127.0.0.1", PORT)


@pytest.fixture
def stranger(home: Home, access: Access, logged: list[str]) -> Iterator[TestClient]:
    """Somebody who has no token."""
    with TestClient(
        Guard(make_app(home, access, Decisions(home)), access, logged.append), base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False
    ) as client:
        yield client


@pytest.fixture
def visitor(stranger: TestClient, access: Access) -> TestClient:
    """Somebody who has opened the printed address."""
    assert stranger.get(f"/?token={access.token}").status_code == 303
    return stranger
