"""A candidate as a script: Python gives the same table, R says what it has no equal for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from sdc.catalogue.registry import methods
from sdc.profile.load import load_profile
from sdc.profile.plan import Profile, StepPlan
from sdc.studio.opening import open_workbench
from sdc.studio.r_script import r_script
from sdc.studio.r_steps import EQUALS
from sdc.studio.scripts import NoScript, python_script
from sdc.studio.trial import planned_steps

DEMO = Path("profiles/demo").resolve()


def changed(folder: Path, steps: str) -> Path:
    """The published profile of the demonstration with other steps."""
    text = (DEMO / "published.yaml").read_text()
    head, _, rest = text.partition("candidates:\n")
    tail = rest[rest.index("\nrisk:") :]
    path = folder / "released.yaml"
    path.write_text(f"{head}candidates:\n  recoded:\n{steps}{tail}")
    for name in ("households.csv", "population.csv"):
        shutil.copyfile(DEMO / name, folder / name)
    return path


STEPS = """\
    - {method: global_recode, with: {age: {width: 10}, household_size: {bands: [1, 2, 3, 5]}}}
    - {method: local_suppression, with: {k: 3, importance: [sex, region]}}
    - {method: rank_swap, with: {variables: [income, wealth], p: 0.05}}
"""


@pytest.mark.slow
def test_the_python_script_gives_the_table_of_the_release(folder, home):
    path = changed(folder, STEPS)
    workbench = open_workbench(path)
    try:
        profile = workbench.profile()
        made = workbench.workplace().made(profile, planned_steps(profile, "recoded"))
        wanted = pd.read_parquet(made.files[0])
    finally:
        workbench.close()
    script = folder / "recoded.py"
    script.write_text(python_script(profile, "recoded", path))
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        env={**os.environ, "SDC_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = pd.read_csv(folder / "recoded.csv", dtype=str, keep_default_na=False)
    told = wanted.astype(object).where(wanted.notna(), None)
    assert list(found.columns) == list(wanted.columns)
    assert len(found) == len(wanted) == 5915 - 592  # a tenth is held out
    for name in wanted.columns:
        numbers = pd.to_numeric(found[name], errors="coerce")
        if pd.api.types.is_numeric_dtype(wanted[name]):
            assert (numbers.fillna(-1).to_numpy() == wanted[name].astype(float).fillna(-1).to_numpy()).all()
        else:
            assert found[name].tolist() == ["" if value is None else str(value) for value in told[name]]


def test_every_step_of_r_has_its_equal_or_a_comment(folder, home):
    path = changed(
        folder,
        STEPS
        + "    - {method: k_anonymise, with: {keys: [region, sex]}}\n"
        + "    - {method: rounding, with: {spending: {to: 100, how: random}}}\n",
    )
    made = r_script(load_profile(path, for_study=True), "recoded", path)
    assert made.without == ("4 k_anonymise", "5 rounding")
    assert 'cut(dat[["household_size"]], breaks = c(-Inf, c(1, 2, 3, 5), Inf), right = FALSE)' in made.text
    assert "localSuppression(obj, k = 3, importance = c(2, 5, 5, 5, 1))" in made.text
    assert (
        'rankSwap(obj, variables = c("income", "wealth"), TopPercent = 0, BottomPercent = 0, P = 5)'
        in made.text
    )
    assert "Neither sdcMicro nor synthpop has a step equal to k_anonymise" in made.text
    assert "random rounding has no equal" in made.text
    assert 'warning("2 steps of the candidate have no equal here: 4 k_anonymise, 5 rounding.' in made.text


def planned(folder: Path, *steps: dict) -> tuple[Profile, Path]:
    """The published profile with these steps, whatever its criteria say of them."""
    path = changed(folder, STEPS)
    profile = load_profile(path, for_study=True)
    made = tuple(StepPlan.model_validate(step, by_alias=True) for step in steps)
    return profile.model_copy(update={"candidates": {"recoded": made}}), path


def test_options_that_r_does_not_have_are_said(folder, home):
    profile, path = planned(
        folder,
        {"method": "microaggregation", "with": {"variables": ["income"], "by": ["region"]}},
        {"method": "sequential", "with": {"model": "forest", "visit": "automatic", "m": 2}},
    )
    made = r_script(profile, "recoded", path)
    assert "by has no equal and is left out" in made.text
    assert 'made <- syn(dat, method = "rf", m = 2)' in made.text
    assert "the automatic order has no equal" in made.text
    assert made.without == ("1 microaggregation", "2 sequential")
    assert "library(sdcMicro)\nlibrary(synthpop)" in made.text


@pytest.mark.parametrize("name", sorted(methods()))
def test_no_method_is_left_out_in_silence(folder, home, name):
    """Whatever the step, the script names it; it does it, or says that it does not."""
    other, path = planned(folder, {"method": name, "with": dict(methods()[name].example)})
    made = r_script(other, "recoded", path)
    assert f"# Step 1, {name}: " in made.text
    done = [line for line in made.text.splitlines() if line.startswith(("dat", "made", "edges"))][1:]
    assert (name in EQUALS and done) or made.without == (f"1 {name}",)
    assert f'.protect("{name}"' in python_script(other, "recoded", path)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_can_read_the_script_of_every_method(folder, home):
    for name, entry in methods().items():
        other, path = planned(folder, {"method": name, "with": dict(entry.example)})
        (folder / f"{name}.R").write_text(r_script(other, "recoded", path).text)
    read = "for (each in list.files(pattern = '[.]R$')) parse(file = each)"
    done = subprocess.run(["Rscript", "-e", read], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_gives_the_values_of_the_candidate_where_it_needs_no_package(workbench, folder):
    """Bands, cut-off ends and rounding are base R: its file has the very values of ours, in another order."""
    steps = [
        {
            "method": "global_recode",
            "with": {"age": {"width": 10}, "household_size": {"bands": [1, 2, 3, 5]}},
        },
        {"method": "top_bottom_code", "with": {"wealth": {"top": 200000, "bottom": 0}}},
        {"method": "rounding", "with": {"spending": {"to": 100}, "income": {"to": 500, "how": "down"}}},
    ]
    text = workbench.profile_text
    text.set(("candidates", "recoded"), steps, expected=text.revision)
    profile = workbench.reading().profile
    made = workbench.workplace().made(profile, planned_steps(profile, "recoded"))
    ours = pd.read_parquet(made.files[0])
    script = r_script(profile, "recoded", workbench.path)
    assert script.without == ()
    (folder / "recoded.R").write_text(script.text)
    done = subprocess.run(["Rscript", "recoded.R"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    theirs = pd.read_csv(folder / "recoded.csv", dtype=str)
    for name in ("wealth", "spending", "income"):
        held = ours[name].astype(float).sort_values(ignore_index=True)
        assert held.equals(theirs[name].astype(float).sort_values(ignore_index=True)), name
    for name in ("age", "household_size"):
        lowest = {label: _lowest(label) for label in (*ours[name].dropna(), *theirs[name].dropna())}
        counts = ours[name].map(lowest).value_counts().sort_index()
        assert counts.to_dict() == theirs[name].map(lowest).value_counts().sort_index().to_dict(), name


def _lowest(label: str) -> float:
    """The lowest whole number of a band, as we write it or as R does."""
    found = re.match(r"\[?(-?[\d.]+)", label)
    assert found, label
    return float(found[1])


def test_a_file_made_elsewhere_is_no_script(folder, home):
    told = {"path": "households.csv", "protection": "perturbative"}
    profile, path = planned(folder, {"method": "external_file", "with": told})
    with pytest.raises(NoScript, match="made elsewhere"):
        python_script(profile, "recoded", path)
    assert r_script(profile, "recoded", path).without == ("1 external_file",)


def test_the_room_shows_a_script_and_gives_it_as_a_file(visitor):
    page = visitor.get("/studio/scripts?candidate=recoded").text
    assert "sdc.Study(" in page
    assert "localSuppression" in visitor.get("/studio/scripts?candidate=recoded&language=r").text
    answer = visitor.get("/studio/scripts/part/file?candidate=recoded&language=r")
    assert answer.headers["content-disposition"] == 'attachment; filename="recoded.R"'
    assert answer.headers["content-type"].startswith("text/plain")
