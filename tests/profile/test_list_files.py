"""Lists in files of their own are read with the profile, kept with the run, and their faults are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdc.errors import BadProfile
from sdc.measures.utility.published_figures import PublishedFigure
from sdc.profile.list_files import ProfileFiles
from sdc.profile.load import load_profile
from sdc.run.directory import RunDirectory

PROFILE = """\
name: survey
seed: 1
source: {path: survey.csv}
variables:
  region: quasi_identifier
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric}
candidates: {masked: [{method: local_suppression}]}
risk: [{measure: k_anonymity, at_least: 3, because: rule 1}]
utility:
  - {measure: published_figures, with: {figures: FILE}, at_least: 0.9, because: rule 2}
"""
YAML = """\
figures:
  - {name: income_of_old, indicator: mean, variable: income, domain: {age: {at_least: 65}, region: "1"}, value: 12.5, tolerance: 0.5, source: Yearbook}
  - {name: rate_of_1, indicator: rate, variable: region, category: "1", low: 0.2, high: 0.3}
"""
CSV = """\
name,indicator,variable,category,value,tolerance,low,high,source,domain.age.at_least,domain.region
income_of_old,mean,income,,12.5,0.5,,,Yearbook,65,1
rate_of_1,rate,region,1,,,0.2,0.3,,,
"""


def written(directory: Path, name: str, text: str | None) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    if text is not None:
        (directory / name).write_text(text, encoding="utf-8")
    path = directory / "survey.yaml"
    path.write_text(PROFILE.replace("FILE", name))
    return path


def figures(path: Path) -> list[PublishedFigure]:
    return [PublishedFigure.model_validate(each) for each in load_profile(path).utility[0].options["figures"]]


@pytest.mark.parametrize(
    ("name", "text"), [("f.yaml", YAML), ("f.csv", CSV), ("f.csv", "\ufeff" + CSV.replace(",", ";"))]
)
def test_a_list_says_the_same_in_any_of_its_forms(name: str, text: str, tmp_path: Path) -> None:
    old, rate = figures(written(tmp_path, name, text))
    assert (old.name, old.value, old.tolerance, old.source) == ("income_of_old", 12.5, 0.5, "Yearbook")
    assert old.model_dump()["domain"] == {"age": {"at_least": 65.0, "at_most": None}, "region": "1"}
    assert (rate.category, rate.low, rate.high, rate.domain) == ("1", 0.2, 0.3, {})


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("f.yaml", None, "survey.yaml:11: there is no file 'f.yaml'"),
        ("f.yaml", "numbers: []\n", "f.yaml:1: the file must have the one key figures"),
        ("f.yaml", YAML.replace("income, domain", "incme, domain"), "no variable is called 'incme'"),
        ("f.csv", CSV.replace("Yearbook,65,1", "Yearbook,65"), "survey.yaml:11: 'f.csv' cannot be read"),
        (
            "f.csv",
            CSV.replace("12.5", "twelve"),
            "survey.yaml:11: value must be a number, not the text 'twelve'",
        ),
        ("f.csv", CSV.replace("rate_of_1", "income_of_old"), "two figures have the same name"),
    ],
)
def test_faults_of_a_list_are_told_like_those_of_the_profile(
    name: str, text: str | None, said: str, tmp_path: Path
) -> None:
    with pytest.raises(BadProfile) as wrong:
        load_profile(written(tmp_path, name, text))
    assert said in str(wrong.value)


@pytest.mark.parametrize("name", ["f.csv", "../f.csv"])
def test_a_run_keeps_the_list_and_reads_its_own_copy_of_it_later(name: str, tmp_path: Path) -> None:
    path, run = written(tmp_path / "profiles", name, CSV), RunDirectory(tmp_path / "run")
    run.path.mkdir()
    before = figures(path)
    ProfileFiles.read(path).keep(run)
    (path.parent / name).unlink()
    assert figures(run.profile) == before


HIERARCHY = """
name: test
source: {{path: data.csv}}
variables: {{occupation: quasi_identifier}}
candidates:
  coarse:
    - {{method: global_recode, with: {{occupation: {{hierarchy: {file}, level: 2}}}}}}
risk:
  - {{measure: k_anonymity, at_least: 3, because: house rule}}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("isco.csv", "2111,211,21\n2112,211,21\n"),
        ("isco.csv", "code;group;major\n2111;211;21\n2112;211;21\n"),
        ("isco.txt", "2111,211,21\n\n2112,211,21"),
    ],
)
def test_a_hierarchy_may_stand_in_a_file(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    path = tmp_path / "profile.yaml"
    path.write_text(HIERARCHY.format(file=name))
    step = load_profile(path).candidates["coarse"][0]
    held = step.options["occupation"]["hierarchy"]
    assert {code: held[code] for code in ("2111", "2112")} == {"2111": ["211", "21"], "2112": ["211", "21"]}


@pytest.mark.parametrize("text", ["2111,211,21\n2112,211\n", "2111,211\n2111,212\n", "2111\n", "2111,,21\n"])
def test_a_hierarchy_with_gaps_or_contradictions_is_a_fault(text: str, tmp_path: Path) -> None:
    (tmp_path / "isco.csv").write_text(text)
    path = tmp_path / "profile.yaml"
    path.write_text(HIERARCHY.format(file="isco.csv"))
    with pytest.raises(BadProfile, match=r"profile.yaml:7.*isco.csv' cannot be read"):
        load_profile(path)
    path.write_text(HIERARCHY.format(file="gone.csv"))
    with pytest.raises(BadProfile, match=r"there is no file 'gone.csv'"):
        load_profile(path)
