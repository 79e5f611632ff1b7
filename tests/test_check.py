from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sdc.check import check
from sdc.errors import BadData, BadProfile
from sdc.profile.load import load_profile

PROFILE = """\
name: survey
seed: 1
source: {path: survey.csv, record_key: [person]}
variables:
  person: direct_identifier
  region: {role: quasi_identifier, allowed: [north, south]}
  age: {role: quasi_identifier, type: numeric, at_least: 0}
  school: {role: quasi_identifier, type: ordinal, order: [low, high]}
  income: {role: sensitive, type: numeric}
candidates:
  plain: []
risk:
  - {measure: k_anonymity, at_least: 2, because: rule}
"""
RECORDS = """\
person,region,age,school,income
1,north,30,low,100.5
2,north,30,low,200
3,south,41,high,
4,south,41,high,300
"""


@pytest.fixture
def checked(tmp_path: Path) -> Callable[..., list[str]]:
    """What `sdc check` finds on a profile beside its data."""

    def checked(profile: str = PROFILE, **files: str) -> list[str]:
        path = tmp_path / "profile.yaml"
        path.write_text(profile, encoding="utf-8")
        for name, content in ({"survey": RECORDS} | files).items():
            (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")
        return check(load_profile(path), path)

    return checked


def faults(checked: Callable[..., list[str]], profile: str = PROFILE, **files: str) -> list[str]:
    with pytest.raises(BadData) as raised:
        checked(profile, **files)
    return [str(fault).rpartition("/")[2] for fault in raised.value.faults]


def test_a_profile_that_fits_its_data_has_no_faults_and_nothing_to_note(checked):
    assert checked() == []


def test_columns_of_the_profile_that_the_data_lack_are_faults_with_the_nearest(checked):
    found = faults(checked, survey=RECORDS.replace("income", "incme"))
    assert len(found) == 2
    assert found[0].startswith("survey.csv, column 'income': the profile declares it and the data do not have it; did you mean 'incme'?")
    assert found[1].startswith("survey.csv, column 'incme': the data have it and the profile does not declare it")


def test_every_column_of_the_data_must_be_declared(checked):
    (found,) = faults(checked, PROFILE.replace("  income: {role: sensitive, type: numeric}\n", ""))
    assert found.startswith("survey.csv, column 'income': the data have it and the profile does not declare it; declare it")


def test_values_that_are_not_declared_are_counted_and_not_shown(checked):
    wrong = RECORDS.replace("2,north,30,low,200", "2,CANARY,CANARY,CANARY,CANARY").replace("4,south,41", "4,CANARY,-1")
    found = faults(checked, survey=wrong)
    assert [fault.split(";")[0] for fault in found] == [
        "survey.csv, column 'region': values that are not declared in 2 records",
        "survey.csv, column 'age': values that are not numbers in 1 record",
        "survey.csv, column 'age': values below at_least (0) in 1 record",
        "survey.csv, column 'school': values that are not declared in 1 record",
        "survey.csv, column 'income': values that are not numbers in 1 record",
    ]
    assert not any("CANARY" in fault for fault in found)


def test_a_record_key_that_is_shared_is_a_fault(checked):
    (found,) = faults(checked, survey=RECORDS.replace("4,south", "3,south"))
    assert "a key shared with another record in 2 records" in found


@pytest.mark.parametrize(("content", "problem"), [("", "the file is empty"), ("person,region,age,school,income\n", "there are no records")])
def test_a_file_without_records_is_a_fault(checked, content, problem):
    (found,) = faults(checked, survey=content)
    assert problem in found


def test_a_missing_file_is_a_fault(checked):
    (found,) = faults(checked, PROFILE.replace("survey.csv", "elsewhere.csv"))
    assert found.startswith("elsewhere.csv: there is no such file; paths are relative to the profile")


def test_faults_of_source_and_population_come_together(checked):
    profile = PROFILE.replace("record_key: [person]", "record_key: [person], population: {path: register.csv}")
    found = faults(checked, profile, survey=RECORDS.replace("income", "incme"), register="name\nx\n")
    assert len(found) == 3
    assert "register.csv: the population has none of the quasi-identifiers" in found[2]


def test_faults_of_the_profile_come_before_the_data_are_read(checked):
    with pytest.raises(BadProfile, match=r"profile.yaml:13: no measure is called 'k_anonimity'"):
        checked(PROFILE.replace("k_anonymity", "k_anonimity"))


def test_notes_on_the_profile_and_on_the_data_are_both_given(checked):
    notes = checked(PROFILE + "utility:\n  - {measure: records_changed, at_least: 0.1, because: rule}\n", survey=RECORDS.replace("41", "30"))
    assert len(notes) == 2
    assert notes[0].startswith("profile.yaml:15: records_changed is better when lower")
    assert notes[1] == "survey.csv: column 'age' has one and the same value in all records that have one"


def test_nothing_stays_behind(checked, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.chdir(tmp_path)
    checked()
    faults(checked, survey=RECORDS.replace("north", "x"))
    assert not list(scratch.iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {"profile.yaml", "survey.csv", "scratch"}


def test_the_limits_of_the_profile_hold_for_the_check_too(checked, tmp_path):
    assert checked(PROFILE + f"limits: {{memory: 200MB, threads: 1, spill: {tmp_path / 'spill'}}}\n") == []
    assert not list((tmp_path / "spill").iterdir())


def test_data_in_another_encoding_are_read(checked, tmp_path):
    profile = PROFILE.replace("survey.csv,", "other.csv, encoding: windows-1252, separator: ';', decimal: ',',")
    (tmp_path / "other.csv").write_bytes(RECORDS.replace(",", ";").replace("100.5", "100,5").replace("person", "person").encode("windows-1252"))
    assert checked(profile) == []
