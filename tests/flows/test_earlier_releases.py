"""Releases of the same source, one after the other: what they give away together keeps the second one in."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flows.orchestration.run_release import run_release
from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import show
from sdc.cli.assess import assess_file
from sdc.gate.decision import Verdict
from sdc.run.home import Home

pytestmark = pytest.mark.usefixtures("server")

PROFILE = """
name: ages
seed: 5
source: {path: ages.csv, family: census}
variables:
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric, decimals: 2}
candidates:
  banded:
    - {method: global_recode, with: {age: {width: 10, start: START}}}
    - {method: additive_noise, with: {variables: [income], level: 0.1}}
risk:
  - {measure: k_anonymity, at_least: 3, because: rule 1}
  - {measure: release_difference, with: {k: 3}, at_most: 0, because: rule 2}
publish: {outbox: outbox}
"""
DECADES, BETWEEN = 20, 15


def people() -> pd.DataFrame:
    """Of the sixteen half decades from 20 to 99, seven that do not touch have one person, the others five."""
    alone = [26, 38, 45, 57, 69, 75, 88]
    crowd = [age for age in range(20, 100, 5) if age not in {each // 5 * 5 for each in alone}]
    ages = alone + [age for age in crowd for _ in range(5)]
    return pd.DataFrame({"age": ages, "income": np.arange(len(ages)) * 10.0 + 500})


@pytest.fixture
def release(tmp_path: Path, home: Path) -> Callable[..., object]:
    """Release the people with ages in these bands.

    Replacements are (old, new) pairs of text in the profile.
    """
    (tmp_path / "outbox").mkdir()
    people().to_csv(tmp_path / "ages.csv", index=False)

    def run(start: int, *replacements: tuple[str, str]):
        text = PROFILE.replace("START", str(start))
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new)
        (tmp_path / "profile.yaml").write_text(text)
        return run_release(tmp_path / "profile.yaml", quiet=True)

    return run


def measured(home: Path, run: str) -> dict:
    (candidate,) = show(Home.at(home), run).record["candidates"]
    return next(held for held in candidate["measurements"] if held["measure"] == "release_difference")


def test_seven_people_whom_only_two_releases_together_single_out_keep_the_second_in(release, home, tmp_path):
    first = release(DECADES)
    assert first.verdict is Verdict.PUBLISHED
    second = release(BETWEEN, ("seed: 5", "seed: 6"), ("name: ages", "name: other_ages"))
    assert second.verdict is Verdict.WITHHELD
    found = measured(home, second.run_id)
    assert found["value"] == pytest.approx(7 / len(people()))
    assert found["parts"]["classes_below_k_in_join"] == found["parts"]["records_below_k_in_join"] == 7
    assert found["parts"]["earlier_releases"] == 1
    # Noise drawn twice: its average is nearer to the truth, which can be known since the records were put
    # back in place.
    assert found["parts"]["rmse_ratio"] == pytest.approx(2**-0.5, rel=0.3)
    assert found["parts"]["newly_revealed_values"] == 0
    assert len(list((tmp_path / "outbox").iterdir())) == 1


def test_its_safe_twin_is_published(release, home):
    assert release(DECADES).verdict is Verdict.PUBLISHED
    twin = release(DECADES, ("seed: 5", "seed: 6"))
    assert twin.verdict is Verdict.PUBLISHED
    assert measured(home, twin.run_id)["value"] == 0


def test_another_family_is_another_history(release):
    assert release(DECADES).verdict is Verdict.PUBLISHED
    assert release(BETWEEN, ("family: census", "family: another")).verdict is Verdict.PUBLISHED


def test_a_release_whose_run_is_gone_is_read_from_its_bundle_and_one_that_is_gone_too_keeps_the_next_in(
    release, home, tmp_path
):
    first = release(DECADES)
    shutil.rmtree(home / "runs" / first.run_id)
    second = release(BETWEEN)
    found = measured(home, second.run_id)
    assert found["value"] == pytest.approx(7 / len(people()))
    assert "rmse_ratio" not in found["parts"]
    (bundle,) = (tmp_path / "outbox").iterdir()
    (bundle / "ages.parquet").write_bytes(b"altered")
    third = release(DECADES)
    assert third.verdict is Verdict.WITHHELD
    assert first.run_id in measured(home, third.run_id)["not_assessed"]


def test_what_was_suppressed_before_and_is_shown_now_is_counted_though_files_leave_shuffled(release, home):
    blanking = "    - {method: local_suppression, with: {k: 7}}\nrisk:"
    first = release(DECADES, ("risk:", blanking))
    assert first.verdict is Verdict.PUBLISHED
    again = release(DECADES, ("seed: 5", "seed: 6"))
    before = pd.read_parquet(home / "runs" / first.run_id / "candidates" / "banded.parquet")
    assert measured(home, again.run_id)["parts"]["newly_revealed_values"] == before["age"].isna().sum() > 0


def test_a_release_that_came_out_meanwhile_stops_one_that_was_not_measured_against_it(
    release, home, monkeypatch
):
    import flows.conclusion

    assert release(DECADES).verdict is Verdict.PUBLISHED
    report = flows.conclusion.report

    def meanwhile(*arguments, **options):
        Ledger(Home.at(home).ledger).append(
            "20260101T000000Z-ages-aaaaaa", "ages", Event.PUBLISHED, {"family": "census"}
        )
        return report(*arguments, **options)

    monkeypatch.setattr(flows.conclusion, "report", meanwhile)
    with pytest.raises(Exception, match="came out since"):
        release(DECADES)


def test_a_file_made_elsewhere_is_measured_against_what_was_released(release, home, tmp_path):
    release(DECADES)
    labels = [f"{low}-{low + 9}" for low in (people()["age"] - 5) // 10 * 10 + 5]
    people().assign(age=labels).to_csv(tmp_path / "elsewhere.csv", index=False)
    (assessed,) = assess_file(tmp_path / "profile.yaml", tmp_path / "elsewhere.csv", ["release_difference"])
    assert assessed.value == pytest.approx(7 / len(people()))


def test_the_privacy_budgets_of_a_family_add_up_until_they_are_spent(release, home):
    steps = PROFILE[PROFILE.index("    - {method: global") : PROFILE.index("risk:")]
    criteria = PROFILE[PROFILE.index("  - {measure: k_an") : PROFILE.index("publish:")]
    private = (
        steps.replace("START", str(DECADES)),
        "    - {method: laplace_noise, with: {epsilon: 1, age: [0, 120], income: [0, 2000]}}\n",
    )
    budget = (
        criteria,
        "  - {measure: release_difference, part: summed_epsilon, at_most: 1.5, because: rule 3}\n",
    )
    assert release(DECADES, private, budget).verdict is Verdict.PUBLISHED
    again = release(DECADES, private, budget, ("seed: 5", "seed: 6"))
    assert again.verdict is Verdict.WITHHELD
    assert measured(home, again.run_id)["parts"]["summed_epsilon"] == 2
