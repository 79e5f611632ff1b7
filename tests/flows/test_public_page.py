"""A public page that names a person stops the release, though no table of the run has the name."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from flows.orchestration.run_release import run_release
from sdc.audit.export import export
from sdc.cli.main import cli
from sdc.errors import PageLeaks
from sdc.run.home import Home

pytestmark = pytest.mark.usefixtures("server", "home")


def test_a_run_that_would_be_referred_is_stopped_before_people_decide(
    release_files: Callable[..., Path],
) -> None:
    named = ("access: open", "access: open\ndescription: asked for by Aurelia Beck 00017")
    profile = release_files(named, ("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because"))
    with pytest.raises(PageLeaks):
        run_release(profile, quiet=True)


@pytest.mark.parametrize("said", ["asked for by Aurelia Beck 00017", "as of P00017"])
def test_a_value_of_a_direct_identifier_in_the_profile_stops_the_release(
    release_files: Callable[..., Path], home: Path, said: str
) -> None:
    profile = release_files(("access: open", f"access: open\ndescription: {said}"))
    with pytest.raises(PageLeaks) as refused:
        run_release(profile, quiet=True)
    assert "a value of the direct identifier" in str(refused.value)
    assert "00017" not in str(refused.value)
    assert list((profile.parent / "outbox").iterdir()) == []
    (kept,) = home.rglob("refused.html")
    assert said in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600
    run = kept.parent.name
    with zipfile.ZipFile(export(Home.at(home), run, home.parent / "audit.zip")) as archive:
        assert f"{run}/refused.html" not in archive.namelist()
        record = archive.read(f"{run}/record.json").decode()
    assert "a value of the direct identifier" in record, "an auditor can read what the page was refused for"


def test_the_record_of_a_run_that_failed_at_its_end_has_every_step_with_what_is_sealed_beside_it(
    release_files: Callable[..., Path], home: Path
) -> None:
    named = ("access: open", "access: open\ndescription: asked for by Aurelia Beck 00017")
    pram = (
        "    - {method: microaggregation",
        "    - {method: pram, with: {variables: [health], keep: 0.8}}\n    - {method: microaggregation",
    )
    with pytest.raises(PageLeaks):
        run_release(release_files(named, pram), quiet=True)
    (record,) = home.rglob("record.json")
    (candidate,) = json.loads(record.read_text())["candidates"]
    assert [step["method"] for step in candidate["steps"]] == [
        "global_recode",
        "local_suppression",
        "pram",
        "microaggregation",
    ]
    assert candidate["steps"][0]["changed"]["age"] == 240
    listed = " ".join(CliRunner().invoke(cli, ["audit", "list"]).output.split())
    assert "it would disclose facts of the original in 2 places: a" in listed
    assert "refused.html" not in listed, "a list has room for the first sentence"
    assert [set(step["sealed"]) for step in candidate["steps"]] == [set(), set(), {"transition"}, set()]
