from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flows.orchestration.run_release import run_release
from sdc.errors import BadProfile


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("outbox", "outbox does not exist; create it beside the profile: mkdir outbox"),
        ("people.csv", "there is no such file: people.csv"),
    ],
)
def test_a_release_whose_files_are_not_there_is_refused_before_a_run_begins(
    release_files: Callable[..., Path], home: Path, name: str, problem: str
) -> None:
    profile = release_files()
    (profile.parent / name).rename(profile.parent / "away")
    with pytest.raises(BadProfile, match=problem) as raised:
        run_release(profile, quiet=True)
    assert raised.value.exit_code == 2
    assert not list(home.glob("runs/*"))
