"""Sweeps, candidates made elsewhere and searches, as whole runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from flows.orchestration import machines
from flows.orchestration.run_release import run_release
from sdc.audit.replay import replay
from sdc.errors import BadProfile
from sdc.gate.decision import Verdict
from sdc.profile.load import load_profile, load_space
from sdc.run.home import Home
from sdc.run.progress_display import Silent
from tests.flows.small_release import small_people

pytestmark = pytest.mark.usefixtures("server")

SWEPT = ("{method: local_suppression, with: {k: 3}}", "{method: local_suppression, sweep: {k: [2, 3, 5]}}")
MADE_ELSEWHERE = (
    "risk:\n",
    "  from_r: {path: from_r.csv, protection: non_perturbative, aligned: true}\nrisk:\n",
)
WIDE = """\
space:
  wide:
    - {method: global_recode, with: {age: {width: 20}}}
    - {method: local_suppression, sweep: {k: [2, 3, 4, 5]}}
    - {method: rounding, with: {income: {to: 100}}}
risk:
"""
PREFERRED = ("publish:", "prefer: {measure: records_changed}\npublish:")


def test_a_sweep_is_compared_point_by_point_and_the_front_is_marked(
    release_files: Callable[..., Path],
) -> None:
    from flows.compare import compare_candidates

    compared = compare_candidates(release_files(SWEPT, PREFERRED), lambda: None, Silent())[""]
    assert [each.name for each in compared.judged] == ["masked_k2", "masked_k3", "masked_k5"]
    verdicts = [each.decision.verdict for each in compared.judged]
    assert verdicts == [Verdict.WITHHELD, Verdict.PUBLISHED, Verdict.PUBLISHED]
    assert all(compared.points[f"masked_k{k}"][0] >= k for k in (2, 3, 5))
    changed = {name: point[1] for name, point in compared.points.items()}
    assert compared.chosen == min(("masked_k3", "masked_k5"), key=lambda name: changed[name])
    assert compared.front == {
        name
        for name in changed
        if not any(
            compared.points[other][0] > compared.points[name][0] and changed[other] <= changed[name]
            for other in changed
        )
    }


def test_a_study_needs_no_criterion_of_risk_and_a_release_does(release_files: Callable[..., Path]) -> None:
    """Without one every candidate would be withheld, and nothing of it can be released."""
    from flows.compare import compare_candidates

    path = release_files(("risk:\n  - {measure: k_anonymity, at_least: 3, because: rule 1}\n", ""))
    compared = compare_candidates(path, lambda: None, Silent())[""]
    assert {each.decision.verdict for each in compared.judged} == {Verdict.WITHHELD}
    assert load_profile(path, for_study=True).risk == ()
    with pytest.raises(BadProfile, match="nothing would be promised about candidate"):
        load_profile(path)


def test_a_search_recommends_what_passes_and_is_not_beaten(release_files: Callable[..., Path]) -> None:
    from flows.plan import plan_release

    profile = release_files(
        (
            "risk:\n",
            WIDE,
        ),
        PREFERRED,
    )
    planned = plan_release(profile, lambda: None, Silent(), minutes=5, tries=3)
    assert [each.name for each in planned.tried.judged] == ["wide_k2", "wide_k3", "wide_k5"]
    assert set(planned.passing) == {"wide_k3", "wide_k5"}
    assert planned.recommended in planned.front
    assert planned.in_words[0].startswith("Tried 3 of 4 candidates")
    assert planned.as_written.startswith("candidates:\n  recommended:\n    - {method: global_recode")
    assert "for:" not in planned.as_written
    pasted = profile.read_text().replace("candidates:\n", planned.as_written + "\n", 1)
    (profile.parent / "pasted.yaml").write_text(pasted)
    wanted = load_space(profile).profile.candidates[str(planned.recommended)]
    assert load_profile(profile.parent / "pasted.yaml").candidates["recommended"] == wanted
    again = plan_release(profile, lambda: None, Silent(), minutes=5, tries=3)
    assert {**again.as_json(), "in_words": again.in_words[1:], "candidates": None} == {
        **planned.as_json(),
        "in_words": planned.in_words[1:],
        "candidates": None,
    }


def test_where_nothing_passes_the_nearest_is_named_with_what_it_misses(
    release_files: Callable[..., Path],
) -> None:
    from flows.plan import plan_release

    planned = plan_release(release_files(("at_least: 3", "at_least: 50")), lambda: None, Silent(), minutes=5)
    assert planned.recommended is None
    assert re.fullmatch(
        r"None passes; the nearest by its worst margin, masked, misses 1: k_anonymity \d \(≥ 50\)\.",
        planned.in_words[1],
    )


def only_the_file(profile: Path) -> Path:
    text = profile.read_text()
    profile.write_text(text[: text.index("  masked:")] + text[text.index("  from_r:") :])
    return profile


def test_a_file_made_elsewhere_is_judged_published_and_replayed(
    release_files: Callable[..., Path], home: Path
) -> None:
    profile = only_the_file(
        release_files(
            MADE_ELSEWHERE,
            ("{measure: ks_distance, at_most: 0.5, because: rule 2}", "{measure: added_missing}"),
        )
    )
    people = small_people().drop(columns=["person", "name"])
    grouped = ["below 20000" if income < 20_000 else "20000 and more" for income in people.income]
    coarse = people.assign(
        age=["0-39" if age < 40 else "40-79" for age in people.age], region=None, income=grouped
    )
    coarse.to_csv(profile.parent / "from_r.csv", index=False)
    outcome = run_release(profile, quiet=True)
    assert outcome.verdict is Verdict.PUBLISHED
    (bundle,) = (profile.parent / "outbox").iterdir()
    assert (bundle / "small.parquet").exists()
    assert replay(Home.at(home), outcome.run_id).equal
    coarse.assign(sex=None).to_csv(profile.parent / "from_r.csv", index=False)
    again = replay(Home.at(home), outcome.run_id)
    assert not again.equal
    assert "the file from_r.csv of candidate from_r has changed since the run" in again.changes


def test_a_file_made_elsewhere_that_is_too_risky_is_withheld(
    release_files: Callable[..., Path], home: Path
) -> None:
    profile = only_the_file(release_files(MADE_ELSEWHERE))
    small_people().drop(columns=["person", "name"]).to_csv(profile.parent / "from_r.csv", index=False)
    outcome = run_release(profile, quiet=True)
    assert outcome.verdict is Verdict.WITHHELD
    assert [finding.criterion for finding in outcome.findings if not finding.holds] == [
        "k_anonymity",
        "table.lone_values",
    ]


def test_a_recommendation_names_the_criteria_that_must_name_it(release_files: Callable[..., Path]) -> None:
    from flows.plan import plan_release

    limited = ("at_least: 3, because", "at_least: 3, for: [masked], because")
    planned = plan_release(release_files(limited), lambda: None, Silent(), minutes=5)
    assert planned.as_written.endswith("# and write recommended in for: of k_anonymity")


def test_several_sources_are_compared_each_by_itself_and_a_release_takes_one(release_files) -> None:
    from flows.compare import compare_candidates

    swept = (
        "source: {path: people.csv, record_key: [person]}",
        """source:
  path: people.csv
  record_key: [person]
  sweep: {where: ["sex = 'female'", "sex = 'male'"]}""",
    )
    path = release_files(swept)
    with pytest.raises(BadProfile, match="stands for several sources, and this takes one"):
        load_profile(path)
    compared = compare_candidates(path, lambda: None, Silent())
    assert list(compared) == ["where sex = 'female'", "where sex = 'male'"]
    women = int((pd.read_csv(path.parent / "people.csv")["sex"] == "female").sum())
    rows = [each.judged[0].made.rows for each in compared.values()]
    assert rows == [women, 240 - women]
    faulty = release_files((swept[0], swept[1].replace("[\"sex = 'female'\", \"sex = 'male'\"]", "[]")))
    with pytest.raises(BadProfile, match="'where' is swept over"):
        compare_candidates(faulty, lambda: None, Silent())


@pytest.mark.parametrize(
    ("rows", "at_once", "measures"), [(240, 2, 4), (2**22, 2, 4), (2**22 + 1, 1, 2), (2**24 + 1, 1, 1)]
)
def test_of_a_long_file_one_candidate_and_few_measures_are_in_memory_at_a_time(
    monkeypatch: pytest.MonkeyPatch, rows: int, at_once: int, measures: int
) -> None:
    monkeypatch.setattr(machines, "run_context", lambda _run: SimpleNamespace(source={"rows": rows}))
    assert machines.Threads("run").at_once == at_once
    assert machines.Threads("run").runner._max_workers == measures
