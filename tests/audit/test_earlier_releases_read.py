"""What was released before, read from what is left of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdc.audit.earlier_releases import read_earlier, releases
from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import CandidateRecord, RunRecord, write_record
from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.protection import Budget, Protection, Step
from sdc.data.database import Database
from sdc.data.warehouse import Warehouse
from sdc.profile import Profile
from sdc.publish import manifest
from sdc.run import digest
from sdc.run.home import Home, Run
from sdc.run.secret import NO_SECRET, Secret

PROFILE = Profile.model_validate(
    {
        "name": "survey",
        "seed": 7,
        "source": {"path": "survey.csv", "family": "census"},
        "variables": {
            "age": {"role": "quasi_identifier", "type": "numeric"},
            "region": "quasi_identifier",
            "code": "sensitive",
        },
        "candidates": {"recoded": [{"method": "global_recode", "with": {"age": {"width": 10}}}]},
    }
)
SOURCE = "b" * 64
PERSONS = ["ann", "bob", "cay", "dee", "eve"]
ORIGINAL = pd.DataFrame(
    {"age": [23, 25, 31, 38, 44], "region": ["a", "b", "a", "c", "b"], "code": ["007", "1", "2", "3", "4"]}
)
RELEASED = ORIGINAL.assign(age=[f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in ORIGINAL["age"]])
RECODED = Step(
    "global_recode",
    {"age": {"width": 10}},
    Protection.NON_PERTURBATIVE,
    True,
    frozenset({"age"}),
    labels={"age": {"23": "20-29"}},
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.at(tmp_path / "home")


@pytest.fixture
def database() -> Database:
    made = Database.in_memory()
    made.write("original", pa.Table.from_pandas(ORIGINAL))
    made.write("persons", pa.table({"person": PERSONS}))
    return made


def published(
    home: Home,
    *,
    table: pd.DataFrame = RELEASED,
    step: Step = RECODED,
    profile: Profile = PROFILE,
    persons: list[str] = PERSONS,
    file_format: str = "parquet",
) -> tuple[Run, Path]:
    """A run that published a table in the order it drew, as the release flow leaves it behind."""
    order = np.array([3, 0, 4, 1, 2])[: len(table)]
    with Run.start(home, profile.name) as run, Warehouse.create(run.directory.path) as warehouse:
        warehouse.database.write("persons", pa.table({"person": persons}))
        kept = warehouse.store_persons("recoded", order)
        stored = warehouse.store_candidate("recoded", table.astype("category"), profile.roles, order)
        bundle = home.path.parent / "outbox" / f"survey-{run.id}"
        bundle.mkdir(parents=True)
        if file_format == "parquet":
            shutil.copyfile(stored.path, bundle / "survey.parquet")
        else:
            table.iloc[order].to_csv(bundle / "survey.csv", index=False)
        (bundle / manifest.MANIFEST).write_bytes(manifest.as_json(bundle, bundle=bundle.name, run=run.id))
        candidate = CandidateRecord(
            "recoded", stored.sha256, len(table), [step], persons=kept if step.aligned else ""
        )
        listed = json.dumps(
            [{"name": "recoded", "sha256": stored.sha256, "steps": [{"labels": {"age": {"23": "20-29"}}}]}]
        )
        (run.directory.path / "candidates.json").write_text(listed)
        files = {"candidates.json": digest.of_bytes(listed.encode())}
        source = {"sha256": SOURCE, "secret": NO_SECRET.fingerprint}
        record = RunRecord(profile, "a" * 64, "published", source, [candidate], "recoded", files=files)
        facts = {"outbox": str(bundle.parent), "bundle": bundle.name, "manifest": manifest_digest(bundle)}
        Ledger(home.ledger).append(
            run.id, run.profile, Event.PUBLISHED, {**write_record(run, record).public_facts, **facts}
        )
    return run, bundle


def manifest_digest(bundle: Path) -> str:
    return digest.of_file(bundle / manifest.MANIFEST)


def found(home: Home, database: Database, secret: Secret = NO_SECRET):
    return read_earlier(
        home, releases(Ledger(home.ledger).entries(), "census"), database, PROFILE.roles, secret
    )


def shown(release) -> pd.DataFrame:
    return (
        release.table.database.cursor().execute(f'SELECT age, region, code FROM "{release.table.name}"').df()
    )


def places(release) -> list[int]:
    return [place for (place,) in release.places.fetch(f'SELECT place FROM "{release.places.name}"')]


def test_each_person_is_found_in_a_release_that_left_in_another_order(home, database):
    _, bundle = published(home)
    (release,) = found(home, database)
    # The file has the persons 3, 0, 4, 1, 2 of the original.
    assert places(release) == [1, 3, 4, 0, 2]
    assert release.name == bundle.name
    assert release.steps == (RECODED,)
    assert shown(release).astype(str).iloc[places(release)].reset_index(drop=True).equals(RELEASED)
    assert not pd.read_parquet(bundle / "survey.parquet").astype(str).equals(RELEASED)


def test_groups_of_labels_that_were_altered_in_the_run_are_not_believed(home, database):
    run, _ = published(home)
    (run.directory.path / "candidates.json").write_text(
        (run.directory.path / "candidates.json").read_text().replace("23", "24")
    )
    (release,) = found(home, database)
    assert release.steps[0].labels == {}


def test_who_has_come_or_gone_since_is_in_no_place(home, database):
    published(home, persons=["ann", "zoe", "cay", "dee", "eve"])
    (release,) = found(home, database)
    assert places(release) == [1, -1, 4, 0, 2]


@pytest.mark.parametrize("gone", ["run", "bundle"])
def test_one_of_run_and_bundle_is_enough_to_read_it(home, database, gone):
    run, bundle = published(home)
    shutil.rmtree(run.directory.path if gone == "run" else bundle)
    (release,) = found(home, database)
    assert (release.places is not None) == (gone == "bundle")
    assert sorted(shown(release)["code"]) == sorted(RELEASED["code"])


def test_a_csv_file_alone_is_read_with_its_codes_as_texts(home, database):
    run, _ = published(home, file_format="csv")
    shutil.rmtree(run.directory.path)
    (release,) = found(home, database)
    assert sorted(shown(release)["code"]) == sorted(RELEASED["code"])


@pytest.mark.parametrize("altered", ["survey.parquet", manifest.MANIFEST])
def test_what_was_altered_is_not_read_and_not_passed_over(home, database, altered):
    run, bundle = published(home)
    (run.directory.path / "candidates" / "recoded.parquet").write_bytes(b"other")
    (bundle / altered).write_bytes((bundle / altered).read_bytes() + b" ")
    outcome = found(home, database)
    assert isinstance(outcome, NotAssessed)
    assert run.id in outcome.reason


def test_whose_the_records_are_is_read_under_the_same_secret_and_unaltered_or_not_at_all(home, database):
    run, _ = published(home)
    elsewhere = found(home, database, Secret(b"1" * 32))
    assert isinstance(elsewhere, NotAssessed)
    assert NO_SECRET.fingerprint in elsewhere.reason
    place = run.directory.path / "persons" / "recoded.parquet"
    place.write_bytes(place.read_bytes() + b" ")
    altered = found(home, database)
    assert isinstance(altered, NotAssessed)
    assert "list of persons" in altered.reason


def test_methods_that_do_not_keep_records_leave_them_where_they_are(home, database):
    published(
        home, step=Step("bootstrap", {}, Protection.SYNTHETIC, False, frozenset({"age", "region", "code"}))
    )
    (release,) = found(home, database)
    assert release.places is None
    assert release.steps[0].protection is Protection.SYNTHETIC


def test_a_budget_is_known_as_long_as_the_ledger_is(home, database):
    run, _ = published(
        home,
        step=Step("laplace_noise", {}, Protection.PERTURBATIVE, True, frozenset({"age"}), Budget(0.5, 1e-9)),
    )
    shutil.rmtree(run.directory.path)
    (release,) = found(home, database)
    assert release.budget == Budget(0.5, 1e-9)
    assert release.covered == {"age"}
    assert release.steps == ()


def test_only_what_left_counts_in_the_order_it_left_and_of_one_family(home):
    ledger = Ledger(home.ledger)
    for run, family in (("one", "census"), ("two", "census"), ("three", "other"), ("four", None)):
        ledger.append(run, "census" if family is None else "p", Event.STARTED)
    facts = {"family": "census"}
    ledger.append("two", "p", Event.PUBLISHED, facts)
    ledger.append("one", "p", Event.PUBLISHED, facts)
    ledger.append("three", "p", Event.PUBLISHED, {"family": "other"})
    ledger.append("four", "census", Event.PUBLISHED)
    ledger.append("five", "p", Event.WITHHELD, facts)
    ledger.append("six", "p", Event.PUBLISHING, facts)
    ledger.append("seven", "p", Event.PUBLISHING, facts)
    ledger.append("seven", "p", Event.FAILED, facts)
    assert [release.run for release in releases(ledger.entries(), "census")] == ["two", "one", "four", "six"]
    assert [release.run for release in releases(ledger.entries(), "census", besides="one")] == [
        "two",
        "four",
        "six",
    ]


def test_a_recovered_run_that_never_said_what_it_chose_is_found_by_its_manifest(home, database):
    run, bundle = published(home)
    for place in (home.ledger, home.ledger.with_suffix(".head"), run.directory.path / "record.json"):
        place.unlink()
    announced = {
        "outbox": str(bundle.parent),
        "bundle": bundle.name,
        "manifest": manifest_digest(bundle),
        "family": "census",
        "recovered": True,
    }
    Ledger(home.ledger).append(run.id, run.profile, Event.PUBLISHED, announced)
    (release,) = found(home, database)
    assert release.places is None
    assert sorted(shown(release)["code"]) == sorted(RELEASED["code"])
    assert np.all(shown(release)["age"].str.contains("-"))
