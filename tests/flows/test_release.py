import html
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from flows.orchestration.run_release import run_release
from sdc.audit.ledger import Ledger
from sdc.run.home import Home

pytestmark = pytest.mark.usefixtures("server")


def bundles(profile: Path) -> list[Path]:
    return sorted((profile.parent / "outbox").iterdir())


def test_a_release_that_holds_is_published_verified_and_on_record(
    release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files()
    outcome = run_release(profile, quiet=True)
    assert (outcome.verdict.value, outcome.exit_code) == ("published", 0)
    (bundle,) = bundles(profile)
    released = pd.read_csv(bundle / "small.csv")
    assert set(released.columns) == {"region", "sex", "age", "income", "health"}
    assert len(released) == 240
    assert released.groupby(["region", "sex", "age"], dropna=False).size().min() >= 3
    assert [row.state for row in Ledger(Home.at(home).ledger).runs()] == ["published"]
    Ledger(Home.at(home).ledger).verify()


def test_a_release_that_does_not_hold_leaves_the_outbox_untouched(
    release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files(("    - {method: local_suppression, with: {k: 3}}\n", ""))
    outcome = run_release(profile, quiet=True)
    assert (outcome.verdict.value, outcome.exit_code) == ("withheld", 3)
    assert bundles(profile) == []
    assert [row.state for row in Ledger(Home.at(home).ledger).runs()] == ["withheld"]
    assert outcome.tried["k_anonymity"].startswith(
        "Tried: local_suppression with k 3 as a further step gives "
    )
    assert "meets every criterion" in outcome.tried["k_anonymity"]
    run = Home.at(home).directory(outcome.run_id)
    assert {path.stem for path in (run.path / "candidates").iterdir()} == {"masked"}
    assert outcome.tried["k_anonymity"] in html.unescape(run.report.read_text())


def test_a_release_to_be_referred_waits_for_people(release_files: Callable[..., Path], home: Path) -> None:
    profile = release_files(("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because"))
    outcome = run_release(profile, quiet=True)
    assert (outcome.verdict.value, outcome.exit_code) == ("referred", 4)
    assert bundles(profile) == []


def test_the_same_profile_and_source_give_the_same_bytes(
    release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files()
    for _ in range(2):
        assert run_release(profile, quiet=True).exit_code == 0
    first, second = bundles(profile)
    for name in ("small.csv", "small.parquet"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_every_measure_is_a_task_run_of_its_own_name_with_its_family_as_tag(
    release_files: Callable[..., Path], home: Path, server: str
) -> None:
    import time

    import httpx

    def asked(kind: str, **about: object) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = httpx.post(f"{server}/{kind}/filter", json={"flow_runs": about}).json()
        return found

    outcome = run_release(release_files(), quiet=True)
    until = time.monotonic() + 20
    tagged: dict[str, list[str]] = {}
    while time.monotonic() < until and len(tagged) < 5:
        (flow_run,) = asked("flow_runs", name={"any_": [outcome.run_id]})
        (candidate,) = asked("flow_runs", parent_flow_run_id={"any_": [flow_run["id"]]})
        tagged = {run["name"]: run["tags"] for run in asked("task_runs", id={"any_": [candidate["id"]]})}
        time.sleep(0.5)
    assert tagged["k_anonymity of masked"] == ["risk"]
    assert tagged["ks_distance of masked"] == ["utility"]
    assert (flow_run["state_name"], flow_run["state_type"]) == ("Published", "COMPLETED")


def test_the_command_says_why_and_exits_with_the_code_of_its_outcome(
    release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files(("    - {method: local_suppression, with: {k: 3}}\n", ""))
    ran = subprocess.run(
        [sys.executable, "-m", "sdc", "release", str(profile)],
        capture_output=True,
        text=True,
        env={**os.environ},
        check=False,
    )
    assert ran.returncode == 3, ran.stderr
    assert "k_anonymity" in ran.stdout
    assert "withheld" in ran.stdout.lower()
    assert "assess" in ran.stderr
    assert "Traceback" not in ran.stderr
    listed = subprocess.run(
        [sys.executable, "-m", "sdc", "audit", "list", "--json"], capture_output=True, text=True, check=True
    )
    assert [row["state"] for row in json.loads(listed.stdout)] == ["withheld"]
