from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sdc.catalogue.registry import measures
from sdc.cli.assess import assess_file
from sdc.errors import BadOption
from sdc.measures.assess import LACKING

PROFILE = """\
name: survey
seed: 1
source: {path: survey.csv}
variables:
  region: quasi_identifier
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric}
candidates:
  plain: []
risk:
  - {measure: k_anonymity, at_least: 1.5, because: rule}
utility:
  - {measure: records_changed}
"""


@pytest.fixture
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.setenv("SDC_HOME", str(tmp_path / "home"))
    records = pd.DataFrame(
        {
            "region": [f"r{n * 7 % 5}" for n in range(90)],
            "age": [n * 11 % 80 for n in range(90)],
            "income": range(100, 190),
        }
    )
    records.to_csv(tmp_path / "survey.csv", index=False)
    (tmp_path / "profile.yaml").write_text(PROFILE, encoding="utf-8")
    return records


def changed(folder: Path, candidate: pd.DataFrame, *, aligned: bool | None = None) -> float | None:
    candidate.to_csv(folder / "candidate.csv", index=False)
    (assessed,) = assess_file(
        folder / "profile.yaml", folder / "candidate.csv", ["records_changed"], aligned=aligned
    )
    return assessed.value


def test_a_file_in_the_order_of_the_source_is_compared_record_by_record(survey, tmp_path, capsys):
    masked = survey.assign(income=survey.income.where(survey.index != 0, 1), age=survey.age // 10 * 10 + 1)
    kept = survey.age % 10 == 1
    assert changed(tmp_path, masked) == pytest.approx(1 - (kept & (survey.index != 0)).mean())
    assert "is taken to be in its order: in 3 of 3 columns" in capsys.readouterr().err


def test_a_shuffled_file_of_as_many_records_is_not_taken_for_aligned_unless_said_so(survey, tmp_path, capsys):
    shuffled = survey.sample(frac=1, random_state=1)
    assert changed(tmp_path, shuffled) is None
    assert "is not taken to be in its order: in 0 of 3 columns" in capsys.readouterr().err
    assert changed(tmp_path, shuffled, aligned=True) is not None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("measure", ["k_anonymity", "records_changed"])
def test_a_file_of_another_length_cannot_be_said_to_be_aligned(survey, tmp_path, measure):
    survey.head(80).to_csv(tmp_path / "candidate.csv", index=False)
    with pytest.raises(
        BadOption,
        match=r"--aligned: row i of the file cannot be row i of the source: candidate\.csv has 80 records, the source 90",
    ):
        assess_file(tmp_path / "profile.yaml", tmp_path / "candidate.csv", [measure], aligned=True)


def test_what_a_measure_lacks_is_said_in_words(survey, tmp_path):
    survey.head(80).to_csv(tmp_path / "candidate.csv", index=False)
    lacking = {}
    for name in ("record_linkage", "membership_inference"):
        (assessed,) = assess_file(tmp_path / "profile.yaml", tmp_path / "candidate.csv", [name])
        lacking[name] = assessed.not_assessed
    assert (
        lacking["record_linkage"]
        == "record_linkage cannot be measured: the candidate's records do not stand one for one in the order of the original's"
    )
    assert (
        lacking["membership_inference"] == "membership_inference cannot be measured: no records were held out"
    )


def test_every_need_a_measure_can_have_is_said_in_words():
    assert {need for entry in measures().values() for need in entry.needs} <= LACKING.keys()


def test_a_file_sorted_alike_by_one_column_is_not_taken_for_aligned(survey, tmp_path):
    survey.sort_values("income").to_csv(tmp_path / "survey.csv", index=False)
    others = survey[["region", "age"]].sample(frac=1, random_state=2).reset_index(drop=True)
    assert changed(tmp_path, others.assign(income=sorted(survey.income))) is None
