"""A study gives what the pipeline gives, for frames of any kind, and says in a sentence what is wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sdc
from sdc.errors import BadData, BadStudy, SdcError, UnknownName
from tests.conftest import DEMO, ROOT

pytestmark = pytest.mark.slow
"""Each makes studies, with a database of its own."""

KEYS = ["region", "age", "sex"]
SOME = ["household_id", "region", "household_size", "age", "sex", "income", "health", "weight"]


@pytest.fixture(scope="module")
def people():
    """The first records of the demonstration data, as far as most tests need them."""
    return pd.read_csv(DEMO / "households.csv")[SOME].head(400)


@pytest.fixture(scope="module")
def study(people):
    return sdc.Study(
        people, keys=KEYS, sensitive=["health"], weight="weight", household="household_id", seed=1
    )


@pytest.fixture(scope="module")
def safe(study):
    return study.protect("global_recode", age={"width": 20}).protect("local_suppression", k=3)


def ran(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=environment.pop("cwd", None),
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    ).stdout


# Equal to the pipeline


def test_table_and_measurements_are_those_of_the_pipeline_to_the_last_bit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = pd.read_csv(DEMO / "households.csv").head(800)
    home = tmp_path / "home"
    study = sdc.Study(
        people, keys=KEYS, sensitive=["health", "income"], household="household_id", holdout=0.1, home=home
    )
    safe = study.protect("rank_swap", variables=["income", "wealth"]).protect("pram", variables=["sex"])
    found = safe.assess(
        "record_linkage", "ks_distance", "membership_inference", propensity_mse={"model": "cart"}
    )
    assert found.not_assessed == {}
    safe.demand("record_linkage", at_most=0.99, because="none").to_profile(
        "release.yaml", data="records.parquet"
    )
    given = {"SDC_HOME": str(home), "cwd": tmp_path}
    ran("-m", "sdc", "protect", "release.yaml", "--candidate", safe.name, "--out", "safe.parquet", **given)
    assert pq.read_table("safe.parquet").equals(pq.read_table(safe._made().files[0]))
    assert pq.read_table("safe.parquet").to_pandas().equals(safe.table)
    arguments = ["--candidate", "in_order.parquet", "--aligned", "--json"]
    ran(
        *("-m", "sdc", "protect", "release.yaml", "--candidate", safe.name, "--out", "in_order.parquet"),
        "--in-source-order",
        **given,
    )
    measured = {
        each["as"]: each
        for each in json.loads(ran("-m", "sdc", "assess", "release.yaml", *arguments, **given))
    }
    assert set(measured) == set(found)
    for name, held in found.items():
        assert (measured[name]["value"], measured[name]["parts"]) == (held.value, dict(held.parts))


@pytest.mark.slow
@pytest.mark.flow
def test_a_release_of_the_written_profile_publishes_the_table_of_the_study(tmp_path, people):
    study = sdc.Study(
        people, keys=KEYS, sensitive=["health"], household="household_id", home=tmp_path / "home"
    )
    safe = study.protect("local_suppression", k=2).demand("k_anonymity", at_least=2, because="a rule")
    held = safe.assess("k_anonymity", "class_attribution", "added_missing")
    safe.to_profile(tmp_path / "release.yaml", data=tmp_path / "records.parquet")
    script = """
import sys, json, sdc
outcome = sdc.load(sys.argv[1]).release()
print(json.dumps(outcome.as_json()))
"""
    told = json.loads(
        ran("-c", script, "release.yaml", cwd=tmp_path, SDC_HOME=str(tmp_path / "home")).splitlines()[-1]
    )
    (file,) = (tmp_path / "home" / "runs").glob("*/candidates/*.parquet")
    assert pq.read_table(file).to_pandas().equals(safe.table), told
    record = json.loads(next((tmp_path / "home" / "runs").glob("*/record.json")).read_text())
    (candidate,) = record["candidates"]
    taken = {each["as"]: (each["value"], each["parts"]) for each in candidate["measurements"]}
    assert taken == {name: (each.value, dict(each.parts)) for name, each in held.items()}


def test_a_seed_repeats_a_study_and_no_seed_does_not(people):
    def table(**chance):
        return sdc.Study(people, keys=KEYS, **chance).protect("rank_swap", variables=["income"]).table

    assert table(seed=1).equals(table(seed=1))
    assert not table(seed=1).equals(table(seed=2))
    assert not table().equals(table())


# Any frame in, the same kind out


def kinds(people):
    return {
        "pandas": people,
        "polars": pl.from_pandas(people),
        "lazy": pl.from_pandas(people).lazy(),
        "arrow": pa.Table.from_pandas(people, preserve_index=False),
        "duckdb": duckdb.from_arrow(pa.Table.from_pandas(people, preserve_index=False)),
    }


@pytest.mark.parametrize(
    ("kind", "given_back"),
    [
        ("pandas", pd.DataFrame),
        ("polars", pl.DataFrame),
        ("lazy", pl.DataFrame),
        ("arrow", pa.Table),
        ("duckdb", pa.Table),
    ],
)
def test_a_frame_comes_back_as_what_it_was(people, kind, given_back):
    study = sdc.Study(kinds(people)[kind], keys=KEYS, household="household_id", seed=1)
    table = study.protect("rounding", income={"to": 100}).table
    assert isinstance(table, given_back)
    held = table if kind == "pandas" else table.to_pandas()
    assert list(held.columns) == SOME
    # Equal records from any library draw equal random numbers.
    expected = sdc.Study(people, keys=KEYS, household="household_id", seed=1).protect(
        "rounding", income={"to": 100}
    )
    assert held["income"].dropna().tolist() == expected.table["income"].dropna().tolist()


def test_types_and_categories_of_a_pandas_frame_come_back(people):
    frame = people.assign(
        health=pd.Categorical(
            people["health"], ["very good", "good", "fair", "bad", "very bad"], ordered=True
        ),
        since=pd.Timestamp("2024-02-29"),
        children=[1.0, None] * 200,
        member=[True, False] * 200,
    )
    study = sdc.Study(frame, keys=KEYS)
    assert study.variables.frame.loc["health", "type"] == "ordinal"
    assert study.variables.frame.loc["since", "type"] == "date"
    back = study.protect("rounding", income={"to": 100}).in_source_order()
    assert back["health"].equals(frame["health"])
    assert (back["since"] == frame["since"]).all()
    assert back["children"].equals(frame["children"])
    assert back["member"].tolist() == frame["member"].tolist()
    assert back.dtypes[["age", "weight", "children"]].tolist() == ["int64", "float64", "float64"]


def test_a_path_is_read_as_a_profile_reads_it(tmp_path, people):
    people.to_csv(tmp_path / "people.csv", sep=";", index=False)
    study = sdc.Study(tmp_path / "people.csv", keys=KEYS)
    assert study.records == 400
    assert isinstance(study.protect("rounding", income={"to": 100}).table, pd.DataFrame)


def test_numbers_are_numbers_and_codes_are_said_to_be_codes(people):
    shown = sdc.Study(people, keys=KEYS, sensitive=["income"]).variables.frame
    assert shown.loc["income", "type"] == "numeric"
    coded = sdc.Study(people.assign(sex=[1, 2] * 200), keys=KEYS).variables.frame
    assert coded.loc["sex", "type"] == "categorical"
    assert "2 whole numbers taken for codes" in coded.loc["sex", "why"]
    told = sdc.Study(people.assign(sex=[1, 2] * 200), keys=KEYS, types={"sex": "numeric"}).variables.frame
    assert told.loc["sex", "type"] == "numeric"


# Results


def test_results_are_read_as_text_frame_and_mapping(study):
    found = study.risk("k_anonymity", "linkability", "unique_entries")
    assert found.value("k_anonymity") == found["k_anonymity"].value == found.frame.loc["k_anonymity", "value"]
    assert found.not_assessed == {"linkability": "linkability cannot be measured: no records were held out"}
    assert "usual: at least 3" in " ".join(found["k_anonymity"].against)
    text = repr(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "linkability: not assessed, no records were held out" in text
    assert "<td" in found._repr_html_()
    assert "usual: at least 3" in found._repr_html_()


def test_values_are_counted_right(people):
    """Classes of region and sex are counted by pandas."""
    sizes = people.groupby(["region", "sex"]).size()
    study = sdc.Study(people, keys=["region", "sex"])
    assert study.risk("k_anonymity").value("k_anonymity") == sizes.min()
    assert study.risk("k_anonymity").value("k_anonymity", "classes") == len(sizes)


def test_a_number_that_cannot_be_believed_is_shown_with_the_reason(study):
    found = study.protect("rank_swap", variables=["age"]).risk("k_anonymity")
    assert found.value("k_anonymity") is not None
    assert "rank_swap perturbs age" in found.not_believed["k_anonymity"]
    assert "! k_anonymity cannot be believed here" in repr(found)


def test_figures_are_the_reports_own_and_can_be_saved(safe, tmp_path):
    drawn = safe.assess("k_anonymity", propensity_mse={"model": "cart"}).plot()
    assert drawn.titles == ["Sizes of the classes", "Propensity scores: propensity_mse"]
    assert drawn[0]._repr_svg_().startswith("<svg xmlns=")
    assert "data:image/svg+xml;base64," in drawn._repr_html_()
    from lxml import etree

    for place in (drawn.save(tmp_path / "both.svg"), safe.plot("age").save(tmp_path / "age.svg")):
        root = etree.parse(place).getroot()
        assert root.tag.endswith("svg")
        assert len(root.findall(".//{*}rect")) > 3
    with pytest.raises(BadStudy, match=r"end its name in \.svg or \.html"):
        drawn.save(tmp_path / "both.pdf")


def test_candidates_are_compared_on_all_that_was_measured_of_any(study, safe):
    safe.assess("k_anonymity", "ks_distance")
    other = study.protect("rank_swap", variables=["income"]).named("swapped")
    compared = safe.compare(other)
    assert compared.frame.index.tolist() == [safe.name, "swapped"]
    assert compared.frame.loc[safe.name, "k_anonymity"] >= 3
    assert max(map(len, repr(compared).splitlines())) <= 80
    drawn = compared.plot(risk="k_anonymity", utility="ks_distance")
    assert [row[-1] for row in drawn[0].figure.rows] == ["not judged", "not judged"]


def test_syntheses_are_all_given_and_the_first_is_judged(people):
    study = sdc.Study(people[["region", "age", "sex"]], keys=KEYS, seed=1)
    synthetic = study.synthesise(model="cart", m=3)
    assert len(synthetic.tables) == 3
    assert synthetic.table.equals(synthetic.tables[0])
    assert not synthetic.tables[1].equals(synthetic.tables[0])


def test_a_study_is_never_changed_by_its_candidates(study):
    one = study.protect("global_recode", age={"width": 20})
    two = one.protect("local_suppression", k=3)
    three = study.protect("global_recode", age={"width": 5})
    assert (one.steps, two.steps) == (["global_recode"], ["global_recode", "local_suppression"])
    # Two candidates of one name stay apart.
    assert one.name == three.name
    assert one.table["age"].nunique() < three.table["age"].nunique()


# The files it leaves, and those it does not


def test_records_lie_in_a_private_place_that_is_gone_afterwards(people):
    study = sdc.Study(people, keys=KEYS)
    place = study._place.directory
    assert place.stat().st_mode & 0o777 == 0o700
    assert (place / "records.parquet").stat().st_mode & 0o777 == 0o600
    study.close()
    assert not place.exists()
    with sdc.Study(people, keys=KEYS) as again:
        place = again._place.directory
    assert not place.exists()
    forgotten = sdc.Study(people, keys=KEYS)
    place = forgotten._place.directory
    del forgotten
    import gc

    gc.collect()
    assert not place.exists()


def test_the_report_is_for_its_owner_alone(safe, tmp_path):
    safe.assess("k_anonymity", "ks_distance")
    place = safe.report(tmp_path / "report.html")
    assert place.stat().st_mode & 0o777 == 0o600
    page = place.read_text()
    assert "A study, not a release: the candidate “global_recode_local_suppression” was not judged." in page
    assert not re.search("published until|people decide|Referred|Withheld|Release report", page)
    assert "k_anonymity" in page


def test_the_written_profile_is_accepted_by_check_whatever_was_done(study, tmp_path):
    for place, candidate in enumerate(
        (
            study.protect("local_suppression", k=3),
            study.synthesise(),
            study.protect("pram", variables=["sex"]).demand("class_attribution", at_most=0.9),
        )
    ):
        folder = tmp_path / str(place)
        folder.mkdir()
        path = candidate.to_profile(
            folder / "release.yaml", data=folder / "records.parquet", title="A: study"
        )
        plan = sdc.load(path)
        assert any("still the draft's" in note for note in plan.check())
        assert plan.candidate(candidate.name).steps == candidate.steps
    with pytest.raises(BadStudy, match="the records came as a frame"):
        candidate.to_profile(tmp_path / "other.yaml")


# Errors are sentences

FAULTS = {
    "a column that is not there": (
        lambda frame: sdc.Study(frame, keys=["regoin"]),
        "it has no column 'regoin'; did you mean 'region'?",
    ),
    "two roles": (
        lambda frame: sdc.Study(frame, keys=["age"], sensitive=["age"]),
        "told to be quasi_identifier and sensitive",
    ),
    "no records": (lambda frame: sdc.Study(frame.head(0), keys=["age"]), "there are no records"),
    "no columns": (lambda frame: sdc.Study(frame[[]], keys=["age"]), "there are no columns"),
    "no frame": (
        lambda _: sdc.Study([1, 2], keys=["age"]),
        "these are no records: list; give a pandas or polars frame",
    ),
    "no file": (lambda _: sdc.Study("nowhere.csv", keys=["age"]), "there is no such file"),
    "one name twice": (
        lambda frame: sdc.Study(pd.concat([frame, frame[["age"]]], axis=1)),
        "2 columns are called 'age'; rename all but one",
    ),
    "a name that is no text": (
        lambda frame: sdc.Study(frame.rename(columns={"age": 7})),
        "the name of column 4 is no text but of type int",
    ),
    "mixed types": (
        lambda frame: sdc.Study(frame.assign(age=[1, "a"] * 200)),
        "column 'age': its values are of several types: int, str",
    ),
    "a household that is missing": (
        lambda frame: sdc.Study(
            frame.assign(household_id=[None, 2.0] * 200), household="household_id", keys=KEYS
        ),
        "column 'household_id'",
    ),
    "negative weights": (
        lambda frame: sdc.Study(frame.assign(weight=-1.5), weight="weight", keys=KEYS),
        "column 'weight': weights that are not above 0 in 400 records",
    ),
    "a type there is not": (
        lambda frame: sdc.Study(frame, keys=KEYS, types={"age": "number"}),
        "variable 'age': type cannot be 'number'",
    ),
    "a seed that is none": (lambda frame: sdc.Study(frame, keys=KEYS, seed=-1), "seed"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_study_that_cannot_be_made_says_why(people, fault):
    wrong, sentence = FAULTS[fault]
    with pytest.raises(SdcError) as error:
        wrong(people)
    assert sentence in str(error.value)
    assert ".sdc-scratch" not in str(error.value)
    assert isinstance(error.value, (BadStudy, BadData))


ASKED = {
    "a method there is not": (
        lambda study: study.protect("local_supression"),
        "did you mean 'local_suppression'?",
    ),
    "a measure there is not": (lambda study: study.assess("k_anonimity"), "did you mean 'k_anonymity'?"),
    "an option there is not": (
        lambda study: study.protect("local_suppression", kk=3),
        "has no option 'kk'; did you mean 'k'?; its options: k, ",
    ),
    "an option out of bounds": (
        lambda study: study.protect("rank_swap", p=7),
        "step 1, rank_swap: p must be at most 1",
    ),
    "an option that lacks": (
        lambda study: study.protect("subsample"),
        "subsample must be told share; write share=...",
    ),
    "a variable there is not": (
        lambda study: study.protect("global_recode", aage={"width": 5}),
        "no variable is called 'aage'; did you mean 'age'?",
    ),
    "a variable of another type": (
        lambda study: study.protect("rank_swap", variables=["sex"]),
        "'sex' is categorical",
    ),
    "more records than there are": (
        lambda study: study.protect("local_suppression", k=5000),
        "there are 400 records",
    ),
    "an option of a measure": (
        lambda study: study.risk(k_anonymity={"q": 1}),
        "k_anonymity has no option 'q'",
    ),
    "options that are none": (lambda study: study.risk(k_anonymity=3), 'write k_anonymity={"option": value}'),
    "a measure of the other family": (
        lambda study: study.risk("ks_distance"),
        "ks_distance is a measure of utility; call utility() or assess()",
    ),
    "no synthesis": (
        lambda study: study.synthesise("rounding", income={"to": 1}),
        "call protect('rounding', ...)",
    ),
    "a variable that cannot be drawn": (lambda study: study.plot("aage"), "known here: region"),
    "a measurement there is not": (
        lambda study: study.risk("k_anonymity")["l_diversity"],
        "no measurement is called 'l_diversity'",
    ),
    "a part there is not": (
        lambda study: study.risk("k_anonymity").value("k_anonymity", "clases"),
        "did you mean 'classes'?",
    ),
    "an unreachable limit": (
        lambda study: study.protect("pram").demand("k_anonymity", at_most=0),
        "this can never hold",
    ),
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_cannot_be_done_is_refused_with_what_would_be_right(study, asked):
    wrong, sentence = ASKED[asked]
    with pytest.raises((BadStudy, UnknownName)) as error:
        wrong(study)
    assert sentence in str(error.value)


def test_no_error_of_a_study_quotes_a_value(people):
    name = "Quasimodo of Paris"
    frame = people.assign(income=[name, *people["income"].astype(str)[1:]])
    with pytest.raises(SdcError) as error:
        sdc.Study(frame, keys=KEYS, types={"income": "numeric"})
    assert name not in str(error.value)


# A light package


def test_nothing_of_the_orchestrator_or_the_suites_is_imported(tmp_path, people):
    people.to_csv(tmp_path / "people.csv", index=False)
    script = """
import sys
import unicodedata
import sdc
assert not {"pandas", "numpy", "duckdb", "pydantic"} & set(sys.modules), "import sdc is light"
study = sdc.Study(sys.argv[1], keys=["region", "sex"], seed=1)
safe = study.protect("local_suppression", k=3)
safe.assess("k_anonymity", "ks_distance"), safe.compare(study.protect("rounding", income={"to": 10})).plot()
safe.report("report.html"), safe.to_profile("release.yaml"), sdc.load("release.yaml").check()
print(sorted({"prefect", "great_expectations", "flows", "tasks"} & set(sys.modules)))
"""
    assert ran("-c", script, "people.csv", cwd=tmp_path).strip() == "[]"


def test_measures_and_methods_can_be_called_and_imported_from(study):
    from sdc.measures.assess import assess

    assert callable(assess)
    assert len(sdc.measures()) > 50
    assert "k_anonymity" in repr(sdc.measures())
    assert max(map(len, repr(sdc.methods()).splitlines())) <= 80
    with pytest.raises(UnknownName, match="did you mean 'k_anonymity'"):
        sdc.measures()["k_anonimity"]
    assert set(sdc.__all__) <= set(dir(sdc))
    with pytest.raises(AttributeError):
        sdc.Studdy  # noqa: B018 - to be asked for is enough


def test_the_script_of_ten_lines_runs(tmp_path):
    said = ran(str(ROOT / "docs" / "examples" / "study.py"), str(tmp_path), cwd=tmp_path)
    assert "k_anonymity" in said
    assert {"map.svg", "report.html", "release.yaml"} <= {place.name for place in tmp_path.iterdir()}
    assert not (tmp_path / ".sdc").exists()
    lines = [
        line
        for line in (ROOT / "docs/examples/study.py").read_text().splitlines()
        if line and line[0] not in '"#'
    ]
    assert len(lines) <= 18
    assert Path(tmp_path / "map.svg").read_text().startswith("<svg")


def test_the_page_of_the_library_names_what_there_is():
    """Its example can be compiled, and every name it mentions is there."""
    import re

    page = (ROOT / "docs" / "library.md").read_text()
    for example in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        compile(example, "library.md", "exec")
    for name in re.findall(r"`safe\.(\w+)", page):
        assert hasattr(sdc.StudyCandidate, name), name
    for name in re.findall(r"`study\.(\w+)", page):
        assert hasattr(sdc.Study, name), name
    for name in re.findall(r"`found\.(\w+)", page):
        assert hasattr(sdc.Results, name), name


# Frames and addresses that nothing here can hold


def _frame(**more):
    return pd.DataFrame({"region": ["N", "S"] * 10, "age": range(20), **more})


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        (["inf", *["1.5"] * 19], "1 of its numbers is infinite"),
        (["inf", *["2"] * 18, "-inf"], "2 of its numbers are infinite"),
    ],
)
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_infinite_numbers_are_a_fault_and_never_categories(kind, column, problem):
    with pytest.raises(BadData, match=f"the frame, column 'income': {problem}"):
        sdc.Study(kind(_frame(income=[float(value) for value in column])), keys=["region"])


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (pd.to_timedelta(range(20), unit="h"), "durations"),
        (pd.cut(pd.Series(range(20)), 3), "interval"),
        (pd.period_range("2020-01", periods=20, freq="M"), "period"),
    ],
)
def test_durations_intervals_and_periods_are_refused(values, problem):
    with pytest.raises(BadData, match=f"the frame, column 'x': .*{problem}"):
        sdc.Study(_frame(x=values), keys=["region"])


@pytest.mark.parametrize(
    "series", [pd.Series([1, 2]), pl.Series("a", [1, 2]), pa.chunked_array([[1, 2]])], ids=type
)
def test_a_single_column_is_no_frame(series):
    with pytest.raises(BadData, match=r"these are no records: .*give a pandas or polars frame"):
        sdc.Study(series, keys=["a"])


def test_names_that_differ_in_capitals_are_a_fault_of_the_frame():
    with pytest.raises(BadData) as caught:
        sdc.Study(_frame(Age=1), keys=["region"])
    assert [fault.place for fault in caught.value.faults] == ["the frame"]
    assert "'age' and 'Age' have one name, which capitals do not tell apart" in str(caught.value)


def test_a_closed_study_says_so(people):
    closed = sdc.Study(people, keys=KEYS, seed=1)
    safe = closed.protect("local_suppression", k=2)
    assert safe.risk("k_anonymity").value("k_anonymity") >= 2
    closed.close()
    for asked in (
        closed.risk,
        lambda: closed.risk("k_anonymity"),
        lambda: closed.plot("age"),
        lambda: safe.table,
        lambda: safe.risk("k_anonymity"),
        lambda: safe.protect("rounding", income={"to": 10}).table,
    ):
        with pytest.raises(BadStudy, match="it was closed, and its records are gone"):
            asked()


@pytest.mark.parametrize("address", ["postgres:nobody_has_this", "postgres://u@127.0.0.1:9/d"])
def test_an_address_of_a_database_is_no_path(address, monkeypatch, tmp_path):
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    with pytest.raises(BadData) as caught:
        sdc.Study(address, table="t", keys=["age"])
    assert caught.value.faults[0].place.startswith("postgres:")
    assert "no such file" not in str(caught.value)


# A table made elsewhere


def _coarse(people):
    """The ages of the released columns in bands of 20, as another program may write them."""
    made = people.drop(columns=["household_id"]).copy()
    made["age"] = [f"{age // 20 * 20}-{age // 20 * 20 + 19}" for age in made["age"]]
    return made


@pytest.fixture(scope="module")
def alone(people):
    """The same records without households, so that a table made elsewhere has every released column."""
    return sdc.Study(
        people, keys=KEYS, sensitive=["health"], weight="weight", identifiers=["household_id"], seed=1
    )


def test_a_table_made_elsewhere_is_measured_beside_the_original(alone, people):
    made = _coarse(people)
    smallest = int(made.groupby(KEYS).size().min())
    elsewhere = alone.made_elsewhere(made, protection="non_perturbative", aligned=True, name="from_r")
    assert elsewhere.name == "from_r"
    assert elsewhere.risk("k_anonymity").value("k_anonymity") == smallest
    assert elsewhere.changes["1 external_file"] == {"age": 400}
    ours = alone.protect("global_recode", age={"width": 20})
    ours.assess("k_anonymity")
    assert ours.compare(elsewhere).frame["k_anonymity"].tolist() == [smallest, smallest]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "csv", "parquet"])
def test_a_table_made_elsewhere_is_of_any_kind(alone, people, tmp_path, kind):
    made = _coarse(people)
    as_given = {
        "pandas": lambda: made,
        "polars": lambda: pl.from_pandas(made),
        "arrow": lambda: pa.Table.from_pandas(made),
        "csv": lambda: made.to_csv(tmp_path / "made.csv", index=False) or tmp_path / "made.csv",
        "parquet": lambda: made.to_parquet(tmp_path / "made.parquet") or tmp_path / "made.parquet",
    }
    elsewhere = alone.made_elsewhere(as_given[kind](), protection="non_perturbative")
    assert elsewhere.utility("added_missing").value("added_missing") == 0
    assert sorted(elsewhere.table["age"]) == sorted(made["age"])


def test_a_file_that_was_written_anew_is_read_anew(alone, people, tmp_path):
    made, place = _coarse(people), tmp_path / "made.csv"
    made.to_csv(place, index=False)
    first = alone.made_elsewhere(place, protection="non_perturbative")
    made.assign(age="all").to_csv(place, index=False)
    second = alone.made_elsewhere(place, protection="non_perturbative")
    assert (first.table["age"] != "all").all()
    assert (second.table["age"] == "all").all()
    assert (first.table["age"] != "all").all()


@pytest.mark.parametrize(
    ("change", "said", "words"),
    [
        ({}, {"protection": "safe"}, "protection"),
        ({"age": None}, {"protection": "perturbative"}, "lacks this released variable"),
        ({"household_id": 1}, {"protection": "perturbative"}, "must not have a direct identifier"),
        ({"new": 1}, {"protection": "perturbative"}, "1 column the profile does not declare"),
        ({"income": -7.5}, {"protection": "non_perturbative", "aligned": True}, "400 values are neither"),
    ],
)
def test_a_table_made_elsewhere_that_is_not_what_is_said_of_it_is_a_fault_at_once(
    alone, people, change, said, words
):
    made = _coarse(people)
    for name, value in change.items():
        made = made.drop(columns=name) if value is None else made.assign(**{name: value})
    with pytest.raises(SdcError, match=words) as refused:
        alone.made_elsewhere(made, **said)
    assert "scratch" not in str(refused.value)
    assert ".parquet" not in str(refused.value)


def test_a_table_made_elsewhere_takes_no_further_step(alone, people):
    elsewhere = alone.made_elsewhere(_coarse(people), protection="non_perturbative")
    with pytest.raises(BadStudy, match="only step"):
        elsewhere.protect("local_suppression", k=3)


@pytest.mark.parametrize("as_file", [False, True])
def test_the_profile_of_a_table_made_elsewhere_names_its_file(alone, people, tmp_path, monkeypatch, as_file):
    monkeypatch.chdir(tmp_path)
    made = _coarse(people)
    made.to_csv("from_r.csv", index=False)
    elsewhere = alone.made_elsewhere(
        "from_r.csv" if as_file else made, protection="non_perturbative", name="from_r"
    )
    elsewhere.demand("k_anonymity", at_least=2, because="none").to_profile(
        "release.yaml", data="records.parquet"
    )
    written = "from_r.csv" if as_file else "records_from_r.parquet"
    assert f"path: {written}" in Path("release.yaml").read_text()
    study = sdc.load("release.yaml").study()
    assert study.records == 400
    if not as_file:
        assert Path(written).stat().st_mode & 0o777 == 0o600
        assert sorted(pd.read_parquet(written)["age"]) == sorted(made["age"])


def test_with_a_key_a_table_made_elsewhere_does_not_lie_on_the_disk(people, monkeypatch):
    pytest.importorskip("duckdb_extension_httpfs")
    monkeypatch.setenv("SDC_WAREHOUSE_KEY", "a" * 32)
    with sdc.Study(people, keys=KEYS, identifiers=["household_id"]) as study:
        elsewhere = study.made_elsewhere(_coarse(people), protection="non_perturbative")
        assert not list(study._place.directory.rglob("elsewhere*"))
        assert elsewhere.risk("k_anonymity").value("k_anonymity") >= 1


# What is one name is one name


@pytest.mark.parametrize("role", ["weight", "household", "stratum"])
@pytest.mark.parametrize("given", [["weight"], 3, {"weight": 1}])
def test_several_names_where_one_is_meant_are_a_fault(people, role, given):
    with pytest.raises(BadStudy, match=f"{role}: .*one name"):
        sdc.Study(people, keys=KEYS, **{role: given})


@pytest.mark.parametrize("given", [3, [3], [["age"]]])
def test_what_is_no_name_is_a_fault(people, given):
    with pytest.raises(BadStudy, match="keys: "):
        sdc.Study(people, keys=given)


# What reads the same is the same


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("data", ["NFC", "NFD"])
def test_names_and_labels_are_found_in_whichever_unicode_form_they_are_given(form, data):
    towns = ["Zürich", "Genève", "Bern"]

    def told(text):
        return unicodedata.normalize(form, text)

    frame = pd.DataFrame({"région": towns * 20, "age": range(60), "santé": ["bien", "gêné"] * 30})
    for name in ("région", "santé"):
        frame[name] = frame[name].map(lambda text: unicodedata.normalize(data, text))
    frame = frame.rename(columns=lambda name: unicodedata.normalize(data, name))
    study = sdc.Study(
        frame,
        keys=[told("région"), "age"],
        variables={
            told("région"): {"type": "ordinal", "order": [told(town) for town in towns]},
            told("santé"): {"role": "sensitive", "allowed": ["bien", told("gêné")]},
        },
        seed=1,
    )
    assert study.keys == ["région", "age"]
    recoded = study.protect(
        "global_recode", {told("région"): {"groups": {"West": [told("Zürich"), told("Genève")]}}}
    )
    assert recoded.table["région"].astype(str).value_counts().to_dict() == {"West": 40, "Bern": 20}
    found = recoded.utility(entropy_change={"variables": [told("santé")]})
    assert found.value("entropy_change", told("original.santé")) > 0
    ordered = frame.assign(
        **{
            name: pd.Categorical(
                frame[name], [unicodedata.normalize(data, town) for town in towns], ordered=True
            )
            for name in frame.columns[:1]
        }
    )
    assert sdc.Study(ordered, keys=["région"], seed=1).risk("k_anonymity").value("k_anonymity") == 20
