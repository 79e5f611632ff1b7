"""The sealed record of a run, and what the ledger tells of it."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

from sdc.audit import record as audit
from sdc.audit import software
from sdc.audit.export import export
from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import CandidateRecord, RunRecord, show, verify, write_record
from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement, NotAssessed
from sdc.catalogue.protection import Budget, Protection, Step
from sdc.errors import HomeUnusable, LedgerBroken, UnknownName
from sdc.gate.decision import Decision
from sdc.profile import Profile
from sdc.run.home import Home, Run

SEED = 987654321
PROFILE = Profile.model_validate(
    {
        "name": "survey",
        "seed": SEED,
        "source": {"path": "survey.csv"},
        "variables": {"age": "quasi_identifier"},
        "candidates": {"recoded": [{"method": "global_recode", "with": {"age": {"width": 10}}}]},
    }
)
STEP = Step(
    "global_recode",
    {"age": {"width": 10}},
    Protection.NON_PERTURBATIVE,
    aligned=True,
    touched=frozenset({"age"}),
    budget=Budget(1.0),
    changed={"age": 7},
    record={"levels": np.int64(9)},
    labels={"age": {"23": "20-29"}},
)
MEASURED = Assessment(
    "k_anonymity",
    "k_anonymity",
    "recoded",
    Measurement(2, {"records_below_3": 13}, Interval(1, 3)),
    {"k": 3},
    0.25,
)
BROKEN = Assessment("k_anonymity", "again", "recoded", NotAssessed("no keys"))
FINDING = Finding(
    "k_anonymity",
    "risk",
    "recoded",
    holds=False,
    otherwise="withhold",
    value=2.0,
    at_least=3,
    margin=-1.0,
    because="rule 4.2",
)
RECORD = RunRecord(
    PROFILE,
    profile_sha256="a" * 64,
    outcome="withheld",
    choice="“recoded” may not leave.",
    source={"sha256": "b" * 64, "rows": 4321},
    candidates=[
        CandidateRecord(
            "recoded",
            "c" * 64,
            4321,
            [STEP],
            [{"matrix": np.array([[0.5, 0.5]])}],
            [MEASURED, BROKEN],
            Decision("recoded", (FINDING,)),
        )
    ],
    timings={"ingest": 1.5},
)


@pytest.fixture
def home(tmp_path) -> Home:
    return Home.at(tmp_path / "home")


@pytest.fixture
def run(home):
    with Run.start(home, "survey") as run:
        yield run


@pytest.fixture
def withheld(home, run) -> Run:
    """A run whose record is written and known to the ledger."""
    ledger = Ledger(home.ledger)
    ledger.append(run.id, run.profile, Event.STARTED)
    ledger.append(run.id, run.profile, Event.WITHHELD, write_record(run, RECORD).public_facts)
    return run


def test_the_record_holds_everything_needed_to_repeat_and_to_judge_the_run(run):
    held = json.loads(write_record(run, RECORD).path.read_bytes())
    (candidate,) = held["candidates"]
    assert (held["run"], held["outcome"], held["seed"], held["source"]) == (
        run.id,
        "withheld",
        SEED,
        {"sha256": "b" * 64, "rows": 4321},
    )
    assert (held["profile"]["name"], held["profile"]["sha256"]) == ("survey", "a" * 64)
    assert held["profile"]["plan"]["candidates"]["recoded"] == [
        {"method": "global_recode", "with": {"age": {"width": 10}}}
    ]
    assert candidate["steps"] == [
        {
            "method": "global_recode",
            "options": {"age": {"width": 10}},
            "protection": "non_perturbative",
            "aligned": True,
            "touched": ["age"],
            "budget": {"epsilon": 1.0, "delta": 0.0},
            "changed": {"age": 7},
            "record": {"levels": 9},
            "sealed": {"matrix": [[0.5, 0.5]]},
        }
    ]
    assert candidate["measurements"] == [MEASURED.as_json(), BROKEN.as_json()]
    assert candidate["findings"][0]["because"] == "rule 4.2"
    assert candidate["verdict"] == "would be withheld"
    assert "Sweeney" in held["definitions"]["k_anonymity"]["reference"]
    assert held["timings"] == {"ingest": 1.5}
    assert held["choice"] == "“recoded” may not leave."


def test_an_export_leaves_behind_what_may_hold_values_of_the_original(home, withheld, tmp_path):
    for name in ("refused.html", "warehouse.duckdb", "candidate.parquet", "anything.html"):
        (withheld.directory.path / name).write_text("Aurelia Beck 00017")
    (withheld.directory.path / "report.html").write_text("a report")
    with zipfile.ZipFile(export(home, withheld.id, tmp_path / "audit.zip")) as archive:
        held = {name.removeprefix(f"{withheld.id}/"): archive.read(name) for name in archive.namelist()}
    assert set(held) == {
        "record.json",
        "report.html",
        "ledger.jsonl",
        "ledger.head",
        "ro-crate-metadata.json",
        "SHA256SUMS",
    }
    assert not any(b"Aurelia" in data for data in held.values())


def test_the_record_names_code_packages_and_machine(run):
    software = json.loads(write_record(run, RECORD).path.read_bytes())["software"]
    assert software["packages"]["duckdb"] == importlib.metadata.version("duckdb")
    assert software["packages"]["sdc-release"] == importlib.metadata.version("sdc-release")
    assert "pytest" not in software["packages"]
    assert set(software) == {"code", "packages", "python", "platform"}
    assert len(software["code"]) == 64


def test_the_same_facts_give_the_same_bytes_whatever_their_order(home, run):
    first = write_record(run, RECORD).path.read_bytes()
    again = RunRecord(**{**RECORD.__dict__, "source": {"rows": 4321, "sha256": "b" * 64}})
    assert write_record(run, again).path.read_bytes() == first


def test_only_the_owner_may_read_the_record(run):
    assert stat.S_IMODE(write_record(run, RECORD).path.stat().st_mode) == 0o600


def test_the_ledger_knows_the_records_hash_and_neither_seed_nor_counts(home, withheld):
    entry = Ledger(home.ledger).entries()[-1]
    assert (
        entry.body["record"]
        == hashlib.sha256((withheld.directory.path / "record.json").read_bytes()).hexdigest()
    )
    budget = {"epsilon": 1.0, "delta": 0.0, "covers": ["age"]}
    assert entry.body["candidates"] == {
        "recoded": {"sha256": "c" * 64, "does_not_hold": ["k_anonymity"], "budget": budget}
    }
    assert entry.body["family"] == "survey"
    for secret in (str(SEED), "4321", "13", '"7"', ":7", "20-29"):
        assert secret not in json.dumps(
            {name: held for name, held in entry.body.items() if name not in ("record", "code")}
        )


def test_a_failed_run_has_a_record_too(run):
    sealed = write_record(run, RunRecord(PROFILE, "a" * 64, "failed", error="ingest failed: ValueError"))
    assert (
        json.loads(sealed.path.read_bytes())["error"]
        == sealed.public_facts["error"]
        == "ingest failed: ValueError"
    )


def test_a_record_that_cannot_be_written_is_named(run, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(audit.durable, "replace", full)
    with pytest.raises(HomeUnusable, match="the disk is full"):
        write_record(run, RECORD)


def test_everything_holds_after_a_run(home, withheld):
    held = verify(home)
    assert (held.entries, held.records, held.gone) == (2, 1, ())


def test_an_altered_record_is_named(home, withheld):
    place = withheld.directory.path / "record.json"
    place.write_bytes(place.read_bytes().replace(b"rule 4.2", b"rule 4.3"))
    with pytest.raises(LedgerBroken, match=withheld.id) as caught:
        verify(home)
    assert caught.value.sequence == 2
    assert show(home, withheld.id).record_holds is False
    assert show(home, withheld.id).record is None


def test_a_record_that_was_deleted_is_named_as_gone(home, withheld):
    (withheld.directory.path / "record.json").unlink()
    assert verify(home).gone == (withheld.id,)
    assert show(home, withheld.id).record_holds is None


def test_a_run_is_shown_by_its_id_or_the_end_of_it(home, withheld):
    for name in (withheld.id, withheld.id[-6:]):
        view = show(home, name)
        assert (view.row.run, view.row.state, view.record_holds) == (withheld.id, "withheld", True)
        assert [entry.event for entry in view.entries] == [Event.STARTED, Event.WITHHELD]
        assert view.record["seed"] == SEED


@pytest.mark.parametrize("name", ["", "nothing", "20261116T084705Z-survey"])
def test_an_unknown_run_is_named(home, withheld, name):
    with pytest.raises(UnknownName, match="no run is called"):
        show(home, name)


def test_the_digest_of_the_code_moves_with_any_of_its_files(tmp_path, monkeypatch):
    package = tmp_path / "some_release_code"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "page.html").write_text("<p>")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(software, "PACKAGES", ("some_release_code",))
    before = software.code_digest.__wrapped__()
    assert software.code_digest.__wrapped__() == before
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.pyc").write_text("")
    assert software.code_digest.__wrapped__() == before
    (package / "page.html").write_text("<b>")
    assert software.code_digest.__wrapped__() != before


def test_the_digest_covers_the_packages_that_make_a_release():
    files = software._code_files()
    assert {Path(name).parts[0] for name in files} == {"sdc", "tasks", "flows"}
    assert "sdc/measures/risk/k_anonymity.py" in files
