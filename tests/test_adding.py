"""A new measure, method, model, reader or figure is one file and one test file.

The examples of the page on adding are put into a copy of the library, and nothing else in it is edited.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "adding.md"
EXAMPLE = re.compile(r"`(sdc/[^`]+\.py)`:\n\n```python\n(.*?)```", re.DOTALL)
LAWS = (
    "tests/measures/test_catalogue_laws.py",
    "tests/measures/test_risk_laws.py",
    "tests/methods/test_method_laws.py",
)
ALSO_NEEDED = (
    "handing_out.py",
    "conftest.py",
    "unit_under_law.py",
    "measures/conftest.py",
    "methods/conftest.py",
)

PROFILE = """
name: people
access: secure
source: {path: people.lines, format: labelled_lines}
variables:
  region: {role: quasi_identifier, label: Where they live}
  age: {role: quasi_identifier, type: numeric}
  health: sensitive
  income: {role: sensitive, type: numeric}
candidates:
  blanked: [{method: blank, with: {variables: [health]}}]
  drawn: [{method: sequential, with: {models: {income: middle}}}]
risk:
  - {measure: largest_class, at_least: 0.1, for: [blanked], because: an example}
  - {measure: attribute_disclosure, at_most: 50, for: [drawn], because: an example}
"""

DRAWN = """
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from sdc.catalogue.measurement import Assessment
from sdc.data.release_pair import ReleasePair
from sdc.gate.decision import Decision, Verdict
from sdc.measures.assess import assess
from sdc.profile.load import load_profile
from sdc.gate.judged import JudgedCandidate
from sdc.report import Edition, RunFacts, page

profile = load_profile(Path("people.yaml"))
records = [json.loads(line) for line in Path("people.lines").read_text().splitlines()[1:]]
table = pd.DataFrame(records).astype({"age": float, "income": float})
pair = ReleasePair.from_frames(table, table, profile.roles, aligned=True)
held = assess("largest_class", pair, {}, candidate="blanked")
focus = JudgedCandidate("blanked", Decision("blanked", ()), (held,))
facts = RunFacts("r", profile, datetime(2026, 1, 1, tzinfo=UTC), Verdict.WITHHELD, (focus,))
sys.stdout.write(page(facts, Edition.INTERNAL, pair))
"""


def examples() -> dict[str, str]:
    return dict(EXAMPLE.findall(PAGE.read_text()))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the library with one more of everything, and a file for the new reader."""
    place = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "sdc", place / "sdc")
    (place / "profiles").symlink_to(ROOT / "profiles")
    for path, text in examples().items():
        assert not (place / path).exists()
        (place / path).write_text(text)
    labels = {"region": "Where they live", "age": "", "health": "", "income": ""}
    people = [
        {"region": "EWS"[number % 3], "age": f"{20 + number % 40}", "health": "good" if number % 4 else "bad"}
        | {"income": f"{1000 + 7 * number}"}
        for number in range(120)
    ]
    lines = [json.dumps(record) for record in (labels, *people)]
    (place / "people.lines").write_text("\n".join(lines) + "\n")
    (place / "people.yaml").write_text(PROFILE)
    (place / "outbox").mkdir()
    return place


def ran(library: Path, *words: str, fails: bool = False) -> str:
    """What a program says that has the copy for its library."""
    known = {
        "PYTHONPATH": os.pathsep.join((str(library), str(ROOT))),
        "SDC_HOME": str(library / "home"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, *words],
        cwd=library,
        env={**os.environ, **known},
        capture_output=True,
        text=True,
        check=False,
    )
    assert fails or done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr if fails else done.stdout


def test_the_page_has_an_example_of_every_unit() -> None:
    folders = {str(Path(path).parent) for path in examples()}
    assert folders == {
        "sdc/measures/risk",
        "sdc/methods/anonymise",
        "sdc/methods/models",
        "sdc/ingest/readers",
        "sdc/publish/writers",
        "sdc/report/figures",
    }


def test_the_examples_are_written_as_the_library_is(library: Path) -> None:
    files = [str(library / path) for path in examples()]
    for words in (
        ("check", "--config", str(ROOT / "pyproject.toml")),
        ("format", "--check", "--line-length", "110"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words, *files], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def test_the_catalogue_has_measure_method_and_model(library: Path) -> None:
    listed = {
        entry["name"]: entry["kind"] for entry in json.loads(ran(library, "-m", "sdc", "catalogue", "--json"))
    }
    assert listed["largest_class"] == "measure"
    assert listed["blank"] == "method"
    assert "draws          numbers" in ran(library, "-m", "sdc", "catalogue", "middle")
    page = ran(library, "-m", "sdc", "catalogue", "--markdown")
    assert all(f"| `{name}` |" in page for name in ("largest_class", "blank", "middle"))


def test_a_draft_and_a_check_find_the_reader(library: Path) -> None:
    draft = ran(library, "-m", "sdc", "draft", "people.lines")
    assert "  format: labelled_lines\n" in draft
    assert '  region: {role: quasi_identifier, label: "Where they live"}' in draft
    assert "no faults" in ran(library, "-m", "sdc", "check", "people.yaml")


WRITTEN = """
from pathlib import Path

from published_survey import PROFILE, plan_of

from sdc.profile import Profile
from sdc.publish import publish

told = {**PROFILE, "publish": {**PROFILE["publish"], "formats": ["csv", "tabs"]}}
place = Path("written")
place.mkdir()
(place / "outbox").mkdir()
published = publish(plan_of(place, profile=Profile.model_validate(told)), place / "outbox")
print((published.path / "survey.tsv").read_text())
"""


def test_a_release_leaves_in_the_new_format(library: Path) -> None:
    shutil.copy(ROOT / "tests" / "published_survey.py", library)
    lines = ran(library, "-c", WRITTEN).splitlines()
    assert lines[0].split("\t")[:4] == ["select", '"a ""b"", c"', "age", "education"]
    assert lines[1].split("\t")[2:6] == ["20-29", "secondary", "0.1", "0"]


def test_a_check_names_what_the_new_units_do_not_take(library: Path) -> None:
    wrong = PROFILE.replace("[health]", "[helth]").replace("income: middle", "health: middle")
    (library / "wrong.yaml").write_text(wrong.replace("format: labelled_lines", "format: labelled"))
    told = ran(library, "-m", "sdc", "check", "wrong.yaml", fails=True)
    assert "did you mean 'labelled_lines'?" in told
    assert "'helth'" in told


def test_a_candidate_is_read_protected_and_measured(library: Path) -> None:
    for candidate in ("blanked", "drawn"):
        ran(
            library,
            "-m",
            "sdc",
            "protect",
            "people.yaml",
            "--candidate",
            candidate,
            "--out",
            f"{candidate}.csv",
        )
    blanked, drawn = ((library / f"{name}.csv").read_text().splitlines()[1:] for name in ("blanked", "drawn"))
    assert {line.split(",")[2] for line in blanked} == {""}
    assert {line.split(",")[3] for line in drawn} == {"1420"}, "the middle of 1000, 1007, … 1833"
    asked = ("--candidate", "blanked.csv", "--measure", "largest_class", "--json")
    (measured,) = json.loads(ran(library, "-m", "sdc", "assess", "people.yaml", *asked))
    assert measured["value"] == pytest.approx(1 / 120)


def test_the_report_has_the_figure(library: Path) -> None:
    page = ran(library, "-c", DRAWN)
    assert "The largest crowd" in page
    assert "largest_class is" in page


@pytest.fixture(scope="module")
def with_laws(library: Path) -> Path:
    """The library and the laws, and beside each unit its test file, as the laws demand."""
    for name in (*LAWS, *(f"tests/{name}" for name in ALSO_NEEDED)):
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, library / name)
    shutil.copy(ROOT / "pyproject.toml", library)
    for path in ("measures/risk/test_largest_class.py", "methods/anonymise/test_blank.py"):
        (library / "tests" / path).parent.mkdir(exist_ok=True)
        (library / "tests" / path).touch()
    return library


def test_the_laws_hold_the_new_units(with_laws: Path) -> None:
    told = ran(
        with_laws, "-m", "pytest", *LAWS, "-k", "largest_class or blank]", "-p", "no:cacheprovider", "-vv"
    )
    for law in ("test_the_value_lies_within", "test_the_input_is_left_as_it_was", "test_a_constant_key"):
        assert re.search(rf"::{law}\S* PASSED", told), law


def test_a_law_that_fails_names_the_file_and_the_options(with_laws: Path) -> None:
    broken = (with_laws / "sdc/methods/anonymise/blank.py").read_text()
    (with_laws / "sdc/methods/anonymise/blank.py").write_text(
        broken.replace("MissingValues.ADDED", "MissingValues.KEPT")
    )
    try:
        told = ran(
            with_laws,
            "-m",
            "pytest",
            LAWS[2],
            "-k",
            "blank] and missing",
            "-p",
            "no:cacheprovider",
            fails=True,
        )
    finally:
        (with_laws / "sdc/methods/anonymise/blank.py").write_text(broken)
    assert "sdc/methods/anonymise/blank.py, with {'variables': ['health']}" in told
    assert "column 'health'" in told


def test_two_units_of_one_name_are_refused(library: Path) -> None:
    again = library / "sdc/measures/utility/k_anonymity.py"
    again.write_text((library / "sdc/measures/risk/k_anonymity.py").read_text())
    try:
        told = ran(library, "-c", "from sdc.catalogue.registry import measures\nmeasures()", fails=True)
    finally:
        again.unlink()
    assert "two files register a measure 'k_anonymity'" in told


def test_the_page_of_the_catalogue_is_not_stale() -> None:
    """`make docs` writes it anew."""
    written = subprocess.run(
        [sys.executable, "-m", "sdc", "catalogue", "--markdown"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert (ROOT / "docs" / "catalogue.md").read_text() == written, (
        "docs/catalogue.md is stale: run make docs"
    )
