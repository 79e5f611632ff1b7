from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sdc.check import check
from sdc.errors import BadData, BadProfile

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
JUDGED = "replicated_uniques, at_most: 1"
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
        (tmp_path / "outbox").mkdir(exist_ok=True)
        return check(path)

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
    assert found[0].startswith(
        "survey.csv, column 'income': the profile declares it and the data do not have it; column 5 of the file has nearly this name"
    )
    assert found[1].startswith(
        "survey.csv: the data have 1 column the profile does not declare, column 5 of the file"
    )


def test_every_column_of_the_data_must_be_declared(checked):
    (found,) = faults(checked, PROFILE.replace("  income: {role: sensitive, type: numeric}\n", ""))
    assert found.startswith(
        "survey.csv: the data have 1 column the profile does not declare, column 5 of the file; declare them"
    )


def test_values_that_are_not_declared_are_counted_and_not_shown(checked):
    wrong = RECORDS.replace("2,north,30,low,200", "2,CANARY,CANARY,CANARY,CANARY").replace(
        "4,south,41", "4,CANARY,-1"
    )
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


@pytest.mark.parametrize(
    ("content", "problem"),
    [("", "the file is empty"), ("person,region,age,school,income\n", "there are no records")],
)
def test_a_file_without_records_is_a_fault(checked, content, problem):
    (found,) = faults(checked, survey=content)
    assert problem in found


def test_a_missing_file_is_a_fault(checked):
    with pytest.raises(
        BadProfile,
        match=r"profile.yaml:3: there is no such file: elsewhere.csv; paths are relative to the profile",
    ):
        checked(PROFILE.replace("survey.csv", "elsewhere.csv"))


def test_faults_of_source_and_population_come_together(checked):
    profile = PROFILE.replace(
        "record_key: [person]", "record_key: [person], population: {path: register.csv}"
    )
    found = faults(checked, profile, survey=RECORDS.replace("income", "incme"), register="name\nx\n")
    assert len(found) == 3
    assert "register.csv: the population has none of the quasi-identifiers" in found[2]


def test_faults_of_the_profile_come_before_the_data_are_read(checked):
    with pytest.raises(BadProfile, match=r"profile.yaml:13: no measure is called 'k_anonimity'"):
        checked(PROFILE.replace("k_anonymity", "k_anonimity"))


def test_notes_on_the_profile_and_on_the_data_are_both_given(checked):
    notes = checked(
        PROFILE + "utility:\n  - {measure: records_changed, at_least: 0.1, because: rule}\n",
        survey=RECORDS.replace("41", "30"),
    )
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
    assert {path.name for path in tmp_path.iterdir()} == {"profile.yaml", "survey.csv", "scratch", "outbox"}


def test_the_limits_of_the_profile_hold_for_the_check_too(checked, tmp_path):
    assert checked(PROFILE + f"limits: {{memory: 200MB, threads: 1, spill: {tmp_path / 'spill'}}}\n") == []
    assert not list((tmp_path / "spill").iterdir())


def test_data_in_another_encoding_are_read(checked, tmp_path):
    profile = PROFILE.replace(
        "survey.csv,", "other.csv, encoding: windows-1252, separator: ';', decimal: ',',"
    )
    (tmp_path / "other.csv").write_bytes(
        RECORDS.replace(",", ";").replace("100.5", "100,5").replace("person", "person").encode("windows-1252")
    )
    assert checked(profile) == []


def profile_faults(checked: Callable[..., list[str]], profile: str, **files: str) -> list[str]:
    with pytest.raises(BadProfile) as raised:
        checked(profile, **files)
    return [str(fault) for fault in raised.value.faults]


def test_files_and_an_outbox_that_are_not_there_come_with_the_other_faults_of_the_profile(checked):
    profile = PROFILE.replace("survey.csv", "elsewhere.csv").replace("k_anonymity", "k_anonimity")
    profile = profile.replace(
        "  plain: []\n",
        "  other:\n    - {method: external_file, with: {path: other.csv, protection: perturbative}}\n",
    )
    found = profile_faults(checked, profile + "publish: {outbox: out/here}\n")
    assert [fault.split(";")[0] for fault in found] == [
        "profile.yaml:3: there is no such file: elsewhere.csv",
        "profile.yaml:12: there is no such file: other.csv",
        "profile.yaml:14: no measure is called 'k_anonimity'",
        "profile.yaml:15: the outbox out/here does not exist",
    ]
    assert found[3].endswith("mkdir out/here")


def test_more_records_than_there_are_cannot_be_asked_for(checked):
    steps = [
        "local_suppression, with: {k: 5}",
        "microaggregation, with: {variables: [income], k: 5}",
        "k_anonymise, with: {k: 4}",
    ]
    steps += ["local_suppression, with: {k: 4, groups: [{keys: [age], k: 5}]}"]
    profile = PROFILE.replace(
        "  plain: []\n",
        "".join(f"  c{'abcd'[n]}:\n    - {{method: {step}}}\n" for n, step in enumerate(steps)),
    )
    found = profile_faults(checked, profile.replace("at_least: 2", "at_least: 5"))
    assert [fault.split(",")[0] for fault in found] == [
        "profile.yaml:12: k of local_suppression is 5",
        "profile.yaml:14: k of microaggregation is 5",
        "profile.yaml:18: k of local_suppression is 5",
        "profile.yaml:20: k_anonymity can never be 5",
    ]
    assert all(fault.endswith("there are 4 records; ask for fewer") for fault in found)


def test_the_records_asked_for_and_those_there_are_are_written_alike(checked):
    head, first = RECORDS.splitlines()[:2]
    records = (
        "\n".join([head, *(first.replace(first.split(",")[0], f"p{number}", 1) for number in range(1200))])
        + "\n"
    )
    profile = PROFILE.replace(
        "  plain: []\n", "  plain:\n    - {method: local_suppression, with: {k: 6000}}\n"
    )
    (found,) = profile_faults(checked, profile, survey=records)
    assert "k of local_suppression is 6,000, and there are 1,200 records" in found


def test_an_option_left_out_is_counted_with_its_default(checked):
    profile = PROFILE.replace("  plain: []\n", "  plain:\n    - {method: local_suppression}\n")
    (found,) = profile_faults(checked, profile, survey="\n".join(RECORDS.splitlines()[:3]) + "\n")
    assert found.startswith("profile.yaml:12: k of local_suppression is 3, and there are 2 records")


def test_a_file_made_elsewhere_is_read_and_counted_when_it_is_said_to_be_aligned(checked):
    step = "{method: external_file, with: {path: other.csv, protection: non_perturbative, aligned: true}}"
    profile = PROFILE.replace("  plain: []\n", f"  other:\n    - {step}\n")
    (found,) = faults(checked, profile, other="region,age,school,income\nnorth,30,low,100.5\n")
    assert (
        found == "other.csv: it is said to be aligned and has 1 records, the original 4; write aligned: false"
    )
    (found,) = faults(checked, profile, other="region,age,school\n" + "north,30,low\n" * 4)
    assert found.startswith("other.csv, column 'income': the file lacks this released variable")


KEYED = """\
name: survey
seed: 1
access: secure
source: {path: survey.csv}
variables:
  region: quasi_identifier
  office: other
  sex: other
candidates:
  blurred:
    - {method: pram, with: {variables: [region]}}
  plain: []
risk:
  - {measure: replicated_uniques, at_most: 10}
"""


def keyed(false: int) -> str:
    """100 records in 10 offices of one region each, but for so many records."""
    rows = [(f"r{n % 5 if n >= false else (n + 1) % 5}", f"o{n % 10}", "mf"[n // 50]) for n in range(100)]
    return "region,office,sex\n" + "".join(f"{','.join(row)}\n" for row in rows)


@pytest.mark.parametrize(("false", "verb"), [(0, "determines"), (4, "nearly determines")])
def test_a_variable_that_determines_a_key_some_candidate_changes_is_noted(checked, false, verb):
    """Of 90 records beyond the first of their office, 4 false ones leave 86 that the most frequent region of the office tells."""
    told = "survey.csv: candidate 'blurred' changes the key 'region', and 'office' {} it: judge reconstruction, or coarsen, drop or perturb them together"
    assert checked(KEYED, survey=keyed(false)) == [told.format(verb)]


def test_a_variable_that_tells_a_key_of_too_many_records_wrongly_is_not_noted(checked):
    assert checked(KEYED, survey=keyed(5)) == []


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ("k: 2", True),
        ("k: 2, groups: [[region, sex]]", True),
        ("k: 2, groups: [{keys: [region, sex], k: 3}]", True),
        ("k: 2, keys: [sex, office], groups: [[sex]]", False),
        ("k: 2, whole: false, groups: [[sex, office]]", False),
        ("k: 2, cap: {region: 0}", False),
        ("k: 2, cap: {region: 0.5}", True),
        ("k: 2, cap: 0.1", True),
    ],
)
def test_of_keys_that_local_suppression_looks_at_those_it_may_blank_are_changed(checked, options, changed):
    """The office determines the region, which is noted where the region may go and the office stays."""
    profile = KEYED.replace("pram, with: {variables: [region]}", f"local_suppression, with: {{{options}}}")
    told = [note for note in checked(profile, survey=keyed(0)) if "changes the key 'region'" in note]
    assert bool(told) is changed


def at_home(sizes: dict[str, int]) -> str:
    """Twenty households of one and twenty of two, with what the column says of some of them."""
    homes = [(f"h{home}", 1 + home // 20) for home in range(40)]
    rows = [f"{home},{sizes.get(home, size)},{'mf'[n]}" for home, size in homes for n in range(size)]
    return "hid,hsize,sex\n" + "".join(f"{row}\n" for row in rows)


@pytest.mark.parametrize(
    ("sizes", "options", "verb"),
    [
        ({}, "k: 2", "determines it"),
        ({"h3": 2}, "k: 2", "nearly determines it"),
        ({f"h{home}": 1 + home % 4 for home in range(40)}, "k: 2", ""),
        ({}, "k: 2, cap: {hsize: 0}", ""),
    ],
    ids=["counted", "one other", "no count", "never blanked"],
)
def test_a_key_that_can_be_counted_from_household_numbers_is_noted_where_it_may_go(
    checked, sizes, options, verb
):
    """A blank hides nothing where the file shows how many records a household has."""
    profile = (
        KEYED.replace("region: quasi_identifier", "hid: household")
        .replace("office: other", "hsize: {role: quasi_identifier, type: numeric, per: household}")
        .replace("pram, with: {variables: [region]}", f"local_suppression, with: {{{options}}}")
    )
    told = [note for note in checked(profile, survey=at_home(sizes)) if "changes the key 'hsize'" in note]
    said = "the number of records of a household"
    assert [said in note and f"{verb}:" in note for note in told] == ([True] if verb else [])


@pytest.mark.parametrize(
    ("options", "noted"),
    [
        ("{}", False),
        ("{visit: [income]}", True),
        ("{visit: [age, income]}", False),
        ("{visit: [income], smoothing: density}", False),
        ("{visit: [income], models: {income: {model: constant, value: 1}}}", False),
        ("{models: {income: sample}}", True),
        ("{predictors: {income: []}}", True),
        ("{predictors: {income: [age]}}", False),
        ("{model: sample}", True),
        ("{visit: automatic}", False),
        ("{visit: [income], first: [region, school]}", False),
    ],
)
def test_a_sensitive_variable_that_a_synthesis_would_sample_is_noted(checked, options, noted):
    drawn = PROFILE.replace("plain: []", f"plain: [{{method: sequential, with: {options}}}]").replace(
        "k_anonymity, at_least: 2", JUDGED
    )
    told = [note for note in checked(drawn) if "samples" in note]
    said = "candidate 'plain' samples 'income', declared sensitive: all values in it are original ones"
    assert len(told) == noted
    assert all(said in note for note in told)


def test_the_first_variable_of_the_profile_is_drawn_first(checked):
    income = "  income: {role: sensitive, type: numeric}\n"
    turned = PROFILE.replace(income, "").replace("  person:", f"{income}  person:")
    drawn = turned.replace("plain: []", "plain: [{method: sequential}]").replace(
        "k_anonymity, at_least: 2", JUDGED
    )
    assert any("samples 'income'" in note for note in checked(drawn))


def test_a_variable_changed_before_it_is_sampled_has_no_original_values(checked):
    steps = "[{method: rounding, with: {income: {to: 50}}}, {method: sequential, with: {visit: [income]}}]"
    drawn = PROFILE.replace("plain: []", f"plain: {steps}").replace("k_anonymity, at_least: 2", JUDGED)
    assert not any("samples" in note for note in checked(drawn))
