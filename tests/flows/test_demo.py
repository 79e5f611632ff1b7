"""The demonstration ends as its README says, whatever the secret of the home."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows.orchestration.run_release import run_release
from sdc.gate.decision import Verdict

pytestmark = pytest.mark.usefixtures("server", "home")
DEMO = Path(__file__).parent.parent.parent / "profiles" / "demo"
SAID = {
    "published": (Verdict.PUBLISHED, 0),
    "candidates": (Verdict.PUBLISHED, 0),
    "withheld": (Verdict.WITHHELD, 3),
    "referred": (Verdict.REFERRED, 4),
}


@pytest.mark.parametrize("name", SAID)
def test_a_demonstration_profile_ends_as_it_is_said(name: str, tmp_path: Path) -> None:
    verdict, code = SAID[name]
    place = tmp_path / "demo"
    shutil.copytree(DEMO, place, ignore=shutil.ignore_patterns("outbox", ".sdc"))
    (place / "outbox").mkdir()
    outcome = run_release(place / f"{name}.yaml", quiet=True)
    assert (outcome.verdict, outcome.exit_code) == (verdict, code)
    assert f"`{name}.yaml`" in (DEMO / "README.md").read_text()
