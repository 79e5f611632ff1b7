"""Two parts of one measure are judged by one measurement, taken and shown once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flows.orchestration.run_release import run_release
from sdc.audit.record import show
from sdc.errors import BadProfile
from sdc.profile.load import load_profile
from sdc.report.wording import anchor
from sdc.run.home import Home

pytestmark = pytest.mark.usefixtures("home")

FIRST = "  - {measure: ks_distance, at_most: 0.5, because: rule 2}\n"


def second(with_: str = "", part: str = "distance.income") -> tuple[str, str]:
    more = f"  - {{measure: ks_distance, part: {part}, at_most: 0.4, because: rule 3{with_}}}\n"
    return FIRST, FIRST + more


def test_one_measurement_serves_both_criteria(
    release_files: Callable[..., Path], home: Path, server: str
) -> None:
    outcome = run_release(release_files(second()), quiet=True)
    (candidate,) = show(Home.at(home), outcome.run_id).record["candidates"]
    assert [each["as"] for each in candidate["measurements"]].count("ks_distance") == 1
    judged = {each["criterion"]: each["value"] for each in candidate["findings"]}
    (taken,) = (each for each in candidate["measurements"] if each["as"] == "ks_distance")
    assert judged["ks_distance"] == taken["value"]
    assert judged["ks_distance.distance.income"] == taken["parts"]["distance.income"]
    report = Home.at(home).directory(outcome.run_id).report.read_text()
    assert report.count(f'id="{anchor("measurement", "masked", "ks_distance")}"') == 1


@pytest.mark.parametrize(
    "more", [second(", with: {variables: [income]}"), (FIRST, FIRST + FIRST), second(part="'null'")]
)
def test_other_options_or_the_same_part_need_a_name_of_their_own(
    release_files: Callable[..., Path], more: tuple[str, str]
) -> None:
    with pytest.raises(BadProfile):
        load_profile(release_files(more))
