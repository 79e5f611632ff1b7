"""Plausible slips of a user end in a sentence of ours, or do what was meant; nothing is left behind."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sdc
from sdc.catalogue.registry import measures
from sdc.catalogue.units import Unit
from sdc.errors import BadStudy, SdcError
from sdc.profile.criteria import NEEDED
from sdc.run.home import Home
from sdc.study.python_words import in_python
from tests.conftest import DEMO

KEYS = ["region", "age", "sex"]
SOME = ["household_id", "region", "household_size", "age", "sex", "income", "health", "weight"]
YAML = re.compile(
    r"\bsource\.|\b(as|with|type|per|allowed|because|population|aligned|order): |\bas:|under source"
)


@pytest.fixture(scope="module")
def people():
    return pd.read_csv(DEMO / "households.csv")[SOME].head(200)


@pytest.fixture(scope="module")
def study(people):
    return sdc.Study(people, keys=KEYS, sensitive=["health"], identifiers=["household_id"], seed=1)


@pytest.fixture(scope="module")
def safe(study):
    return study.protect("global_recode", age={"width": 20})


# Names of any kind


@pytest.mark.parametrize("kind", [pd.Index, np.array, pd.Series, tuple, pl.Series, iter])
def test_names_are_taken_from_whatever_holds_them(people, kind):
    assert sdc.Study(people, keys=kind(["region", "sex"])).keys == ["region", "sex"]


@pytest.mark.parametrize("kind", [pd.Index, np.array, pd.Series, tuple, pl.Series, pa.array])
def test_options_are_taken_from_whatever_holds_them(study, kind):
    made = study.protect("local_suppression", k=np.int64(3), importance=kind(["region", "age"]))
    assert repr(made).endswith("local_suppression {k: 3, importance: [region, age]}")


def test_a_variable_may_have_the_name_of_anything_here(people):
    frame = people[["region", "age", "income"]].rename(columns={"age": "given", "income": "unit"})
    study = sdc.Study(frame.assign(call=[1.5, 7, 9.25, 20] * 50, method="a"), keys=["given"], seed=1)
    made = study.protect("rounding", given={"to": 5}, unit={"to": 10}, call={"to": 2})
    assert sorted(made.changes["1 rounding"]) == ["call", "given", "unit"]


# What was meant is said

SLIPS = {
    "a list of measures": (lambda s, _: s.risk(["k_anonymity"]), 'write risk("one", "another")'),
    "options that are a number": (
        lambda s, _: s.protect("local_suppression", 3),
        "its options are no mapping but of type int; write protect('local_suppression', option=value)",
    ),
    "a limit without a name": (
        lambda _, c: c.demand("k_anonymity", 3),
        "write demand('k_anonymity', at_least=3)",
    ),
    "an argument there is not": (
        lambda _, c: c.demand("k_anonymity", least=3),
        "demand has no argument 'least'; did you mean 'at_least'?",
    ),
    "a method that is no name": (lambda s, _: s.protect(3), 'write protect("name")'),
    "a model for a method": (lambda s, _: s.synthesise("cart"), "write synthesise(model='cart')"),
    "a frame for an option": (
        lambda s, _: s.protect("local_suppression", k=pd.DataFrame()),
        "option 'k' is of type DataFrame",
    ),
    "a number for a mapping": (lambda s, _: s.protect("global_recode", age=10), "age must be a mapping"),
    "a text for a list": (lambda s, _: s.protect("pram", variables="sex"), 'write ["sex"]'),
    "the study beside a candidate": (lambda s, c: c.compare(s), "held against the original already"),
    "a frame beside a candidate": (
        lambda _, c: c.compare(pd.DataFrame()),
        "give what protect(), synthesise() or made_elsewhere() made",
    ),
    "a report that is no page": (lambda _, c: c.report("r.docx"), "end its name in .html or .htm"),
    "a folder that is not there": (lambda _, c: c.report("none/r.html"), "there is no folder none"),
    "a figure in no folder": (
        lambda _, c: c.risk("k_anonymity").plot().save("none/x.svg"),
        "there is no folder none",
    ),
    "a profile in no folder": (
        lambda _, c: c.to_profile("none/p.yaml", data="r.parquet"),
        "there is no folder none",
    ),
    "records in no folder": (
        lambda _, c: c.to_profile("p.yaml", data="none/r.parquet"),
        "there is no folder none",
    ),
    "records of another kind": (
        lambda _, c: c.to_profile("p.yaml", data="r.csv"),
        "end its name in .parquet",
    ),
    "several variables": (lambda s, _: s.plot(["age"]), 'write plot("name")'),
    "a measurement by number": (lambda s, _: s.risk("k_anonymity")[0], "no measurement is called '0'"),
    "a profile that is none": (lambda *_: sdc.load(3), 'write sdc.load("release.yaml")'),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_answered_with_what_would_be_right(study, safe, slip, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong, sentence = SLIPS[slip]
    with pytest.raises(SdcError) as error:
        wrong(study, safe)
    assert sentence in str(error.value)
    assert list(tmp_path.iterdir()) == []


MAKING = {
    "types that are a list": ({"types": ["age"]}, 'write types={"age": "numeric"}'),
    "variables that are a number": ({"variables": 3}, "variables: a mapping is meant"),
    "a variable that is a number": (
        {"variables": {"age": 3}},
        "variable 'age': what is said of it is of type int",
    ),
    "a holdout of three": ({"holdout": 3}, "holdout: holdout must be less than 1"),
    "a table of a frame": ({"table": "x"}, "table= and query= are for a database"),
    "a home that is a number": ({"home": 3}, 'write home="folder"'),
    "a list for a weight": ({"weight": ["weight"]}, 'write weight="name"'),
}


@pytest.mark.parametrize("slip", MAKING)
def test_a_study_with_a_slip_says_what_would_be_right(people, slip):
    wrong, sentence = MAKING[slip]
    with pytest.raises(BadStudy) as error:
        sdc.Study(people, keys=KEYS, **wrong)
    assert sentence in str(error.value)


@pytest.mark.parametrize("remedy", [remedy for _, remedy in NEEDED.values()])
def test_what_a_study_lacks_is_said_in_python(remedy):
    assert YAML.search(in_python(remedy)) is None
    assert in_python(remedy) != remedy


def test_faults_of_records_are_said_in_python(people):
    with pytest.raises(SdcError) as error:
        sdc.Study(people.assign(weight=[None, *people["weight"][1:]]), keys=KEYS, weight="weight")
    assert "leave such records out before" in str(error.value)
    assert YAML.search(str(error.value)) is None


@pytest.mark.parametrize("given", [lambda frame: frame["sex"], lambda frame: list(frame["sex"]), np.asarray])
def test_values_of_records_in_the_place_of_names_are_never_quoted(people, study, given):
    """The column itself is given where its name is meant."""
    values = given(people["sex"] if given is np.asarray else people)
    with pytest.raises(BadStudy, match="this looks like values of records") as error:
        sdc.Study(people, keys=values)
    assert "male" not in str(error.value)
    with pytest.raises(BadStudy, match="option 'importance' is a column of a frame") as error:
        study.protect("local_suppression", importance=people["sex"])
    assert "male" not in str(error.value)


def test_the_index_of_a_frame_is_said_to_be_no_column(people):
    with pytest.raises(BadStudy, match=r"'sex' is its index, and no column; give frame\.reset_index\(\)"):
        sdc.Study(people.set_index("sex"), keys=["sex"])


# Results say what they are about


def test_results_hold_what_was_asked_for_and_no_demand_beside(study):
    safe = study.protect("local_suppression", k=2).demand("k_anonymity", at_least=2).demand("il1s", at_most=1)
    assert list(safe.risk("k_anonymity")) == ["k_anonymity"]
    assert list(safe.risk("unique_entries")) == ["unique_entries"]
    assert list(safe.utility("il1s")) == ["il1s"]
    assert list(safe.assess("ks_distance")) == ["ks_distance"]
    assert safe.risk(k_anonymity={"k": 5})["k_anonymity"].assessment.options == {"k": 5}
    assert list(safe.risk("k_anonymity", "k_anonymity")) == ["k_anonymity"]


def test_a_variable_that_is_not_compared_is_named_and_nothing_demanded_of_all_holds(safe):
    found = safe.utility("il1s", "ks_distance")
    assert found["il1s"].left_out == ("without age, no longer compared as numbers",)
    assert found["ks_distance"].left_out == ("age at the limits of the bands only",)
    assert "il1s: without age, no longer compared as numbers" in repr(found)
    assert "without age" in found._repr_html_()
    assert found.frame.loc["il1s", "left_out"] == found["il1s"].left_out[0]
    assert safe.demand("il1s", at_most=1).holds is False
    assert safe.demand("il1s", {"variables": ["income"]}, at_most=1).holds is True


def test_every_measure_has_a_unit_and_every_result_shows_it(study):
    assert [name for name, entry in measures().items() if entry.unit is Unit.NUMBER] == []
    shown = str(study.risk("t_closeness")["t_closeness"])
    assert re.search(r"^unit +nats with kl, else share$", shown, re.MULTILINE)


def test_of_a_table_made_elsewhere_only_what_it_changed_is_called_perturbed(study, people):
    made = people.drop(columns="household_id")
    same = study.made_elsewhere(
        made.assign(income=made["income"] + 1), protection="perturbative", aligned=True
    )
    assert same.risk("k_anonymity").not_believed == {}
    moved = study.made_elsewhere(made.assign(age=made["age"] + 1), protection="perturbative", aligned=True)
    assert "external_file perturbs age, and" in moved.risk("k_anonymity").not_believed["k_anonymity"]


# Homes, seeds and files


def test_a_misspelt_home_is_refused_and_a_new_one_is_said_to_be_new(people, tmp_path):
    Home.at(tmp_path / "home")
    with pytest.raises(BadStudy, match="did you mean 'home'"):
        sdc.Study(people, keys=KEYS, home=tmp_path / "hmoe")
    with pytest.raises(BadStudy, match="there is no folder"):
        sdc.Study(people, keys=KEYS, home=tmp_path / "none" / "home")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]
    assert sdc.Study(people, keys=KEYS, home=tmp_path / "home").notes == ()
    fresh = sdc.Study(people, keys=KEYS, home=tmp_path / "archive")
    assert "archive is new: it has a secret of its own" in repr(fresh).replace("\n  ", " ")


def test_a_frame_draws_what_the_file_draws_that_to_profile_writes_of_it(study, tmp_path):
    swapped = study.protect("rank_swap", variables=["income"])
    swapped.to_profile(tmp_path / "p.yaml", data=tmp_path / "records.parquet")
    again = sdc.Study(
        tmp_path / "records.parquet", keys=KEYS, sensitive=["health"], identifiers=["household_id"], seed=1
    ).protect("rank_swap", variables=["income"])
    assert again.table.equals(swapped.table)


def test_nothing_is_left_where_a_profile_cannot_be_written(safe, tmp_path):
    (tmp_path / "outbox").write_text("in the way")
    for given in ({"access": "everybody"}, {}):
        with pytest.raises(SdcError):
            safe.to_profile(tmp_path / "p.yaml", data=tmp_path / "records.parquet", **given)
        assert [path.name for path in Path(tmp_path).iterdir()] == ["outbox"]


# Copies


def test_a_copy_is_the_study_itself_and_nothing_of_it_is_pickled(study, safe):
    for held in (study, safe, safe.compare(study.protect("local_suppression", k=2))):
        assert copy.copy(held) is held
        assert copy.deepcopy({"held": held})["held"] is held
        with pytest.raises(BadStudy, match="pickle would carry them elsewhere"):
            pickle.dumps(held)


def test_values_that_are_no_answers_of_yes_and_no_are_told_in_words_of_python(people):
    with pytest.raises(SdcError) as told:
        sdc.Study(people, keys=["region"], types={"age": "boolean"})
    assert 'list them instead: variables={"...": {"allowed": [...]}}' in str(told.value)


def test_a_comparison_shows_intervals_as_results_do(people):
    held = sdc.Study(people, keys=KEYS, identifiers=["household_id"], seed=1, holdout=0.3)
    plain = held.protect("rounding", income={"to": 1000})
    found = plain.risk("linkability")
    interval = found["linkability"].interval
    compared = plain.compare(other=held.protect("local_suppression", k=2))
    row = next(line for line in str(compared).splitlines() if line.startswith("linkability"))
    assert str(found).split("linkability")[1].split("  share")[0].strip() in row
    assert f"{interval.low:.1f}" in row
