"""A Prefect server for the flow tests, started once, and small releases that run in seconds."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from flows.orchestration.orchestrator import orchestrator, settle
from tests.flows.small_release import PROFILE, small_people

PREFECT_HOME = Path(tempfile.mkdtemp(prefix="sdc-prefect-"))
# Prefect reads its settings when it is imported, by whichever test comes first.
settle(PREFECT_HOME)
with warnings.catch_warnings():
    # Great Expectations brings requests, in a thread: its word that no SOCKS is here would be an error there.
    warnings.simplefilter("ignore")
    import requests  # noqa: F401


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every process that runs flow tests has a server of its own."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.flow)


@pytest.fixture(scope="session")
def prefect_home() -> Path:
    return PREFECT_HOME


@pytest.fixture(scope="session")
def server(prefect_home: Path) -> Iterator[str]:
    """The address of a running Prefect server."""
    with orchestrator(prefect_home) as ready:
        yield str(ready())
    shutil.rmtree(prefect_home, ignore_errors=True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SDC_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def release_files(tmp_path: Path) -> Callable[..., Path]:
    """Write a profile and its data; replacements are (old, new) pairs of text in the profile."""

    def write(*replacements: tuple[str, str], data: pd.DataFrame | None = None, **csv: Any) -> Path:
        text = PROFILE
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new)
        (tmp_path / "outbox").mkdir(exist_ok=True)
        (small_people() if data is None else data).to_csv(tmp_path / "people.csv", index=False, **csv)
        path = tmp_path / "profile.yaml"
        path.write_text(text)
        return path

    return write
