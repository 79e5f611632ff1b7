"""A home with runs, and a browser without a browser that was let in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from review_home import PORT, TestClient, finish

from sdc.run.home import Home
from sdc.web.access import Sessions
from sdc.web.app import make_app
from sdc.web.decide import Decisions
from sdc.web.guard import Guard


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.at(tmp_path / "home")


@pytest.fixture
def finished(home: Home) -> Callable[..., str]:
    """A run that has ended as told, in the ledger and with its directory; its id."""

    return partial(finish, home)


@pytest.fixture
def logged() -> list[str]:
    return []


@pytest.fixture
def access() -> Sessions:
    return Sessions("127.0.0.1", PORT)


@pytest.fixture
def stranger(home: Home, access: Sessions, logged: list[str]) -> Iterator[TestClient]:
    """Somebody who has no token."""
    with TestClient(
        Guard(make_app(home, access, Decisions(home)), access, logged.append),
        base_url=f"http://127.0.0.1:{PORT}",
        follow_redirects=False,
    ) as client:
        yield client


@pytest.fixture
def visitor(stranger: TestClient, access: Sessions) -> TestClient:
    """Somebody who has opened the printed address."""
    assert stranger.get(f"/?token={access.token}").status_code == 303
    return stranger
