"""A workbench on the demonstration data, and a browser without a browser that was let in."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sdc.studio.opening import drafted, open_workbench
from sdc.studio.workbench import Workbench
from sdc.study.demonstration import demo_data
from sdc.web.access import Sessions
from sdc.web.app import make_app
from sdc.web.decide import Decisions
from sdc.web.guard import Guard
from sdc.web.studio.app import ENTRANCE

with warnings.catch_warnings():
    # It asks for another package than the one Prefect brings.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

PORT = 8322


@dataclass(frozen=True)
class Visitor:
    """Somebody who opened the printed address."""

    client: TestClient
    access: Sessions
    workbench: Workbench

    def get(self, path: str, **options: Any) -> Any:
        return self.client.get(path, **options)

    def token(self) -> str:
        return str(re.search(r'name="csrf" value="(\w+)"', self.get("/studio/data").text)[1])  # type: ignore[index]

    def post(self, path: str, *, partial: bool = True, **fields: Any) -> Any:
        """Send a form as a page of ours would, drawn from the present revision."""
        told = {"csrf": self.token(), "revision": str(self.workbench.profile_text.revision), **fields}
        headers = {"origin": f"http://127.0.0.1:{PORT}", "sec-fetch-site": "same-origin"}
        if partial:
            headers["hx-request"] = "true"
        return self.client.post(path, data=told, headers=headers)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages wait for the records, however busy the machine is; tests of waiting say otherwise."""
    monkeypatch.setattr("sdc.studio.open_profile.PATIENCE", 60.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The demonstration data in a folder with an outbox."""
    place = tmp_path / "work"
    (place / "outbox").mkdir(parents=True)
    shutil.copyfile(demo_data(), place / "households.csv")
    return place


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SDC_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="session")
def first_draft(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What the workbench drafts of the demonstration data where nothing else is in their folder."""
    place = tmp_path_factory.mktemp("first_draft")
    (place / "outbox").mkdir()
    shutil.copyfile(demo_data(), place / "households.csv")
    return drafted(place / "households.csv", place / "households.yaml")


@pytest.fixture
def workbench(
    folder: Path, home: Path, first_draft: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workbench]:
    """Opened on the data as they came, for which they are not drafted anew."""
    assert {path.name for path in folder.iterdir()} == {"households.csv", "outbox"}
    with monkeypatch.context() as patched:
        patched.setattr("sdc.studio.opening.drafted", lambda *_: first_draft)
        opened = open_workbench(folder / "households.csv")
    yield opened
    opened.close()


@pytest.fixture
def logged() -> list[str]:
    return []


@pytest.fixture
def stranger(workbench: Workbench, logged: list[str]) -> Iterator[Visitor]:
    """Somebody who has no token."""
    access = Sessions("127.0.0.1", PORT)
    app = make_app(workbench.home, access, Decisions(workbench.home), workbench)
    with TestClient(
        Guard(app, access, logged.append, ENTRANCE),
        base_url=f"http://127.0.0.1:{PORT}",
        follow_redirects=False,
    ) as client:
        yield Visitor(client, access, workbench)


@pytest.fixture
def visitor(stranger: Visitor) -> Visitor:
    assert stranger.get(f"/?token={stranger.access.token}").status_code == 303
    return stranger
