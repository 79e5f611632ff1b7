"""A published bundle is brought to other places: whole and verified, or without a manifest."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from object_store import SECRET, let_in, running_store
from published_survey import plan_of
from signing_keys import PASSPHRASE, key_for

from sdc.audit.delivering import deliver_release
from sdc.audit.ledger import Event, Ledger
from sdc.audit.verification import verify
from sdc.audit.withdrawal import withdraw
from sdc.errors import BadProfile, CannotDeliver
from sdc.profile.load import examine
from sdc.publish import publish
from sdc.publish.delivery import check_place, deliver
from sdc.publish.places import BundleStore
from sdc.run import digest
from sdc.run.home import Home, Run

PLACE = "s3://archive/releases"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running_store() as address:
        yield address


@pytest.fixture
def store(server: str, monkeypatch: pytest.MonkeyPatch) -> BundleStore:
    """An empty bucket, with address and credentials in the environment."""
    let_in(monkeypatch, server)
    made = BundleStore(PLACE)
    if made.files_of.exists("archive"):
        made.files_of.rm("archive", recursive=True)
    made.files_of.mkdir("archive")
    return made


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "outbox").mkdir()
    return publish(plan_of(tmp_path), tmp_path / "outbox").path


def there(store: BundleStore) -> dict[str, str]:
    return {
        name: digest.of_bytes(store.read("survey-1.0", name) or b"") for name in store.files("survey-1.0")
    }


def here(bundle: Path) -> dict[str, str]:
    return {place.name: digest.of_file(place) for place in bundle.iterdir()}


def test_a_store_has_every_file_of_the_bundle(store: BundleStore, bundle: Path) -> None:
    deliver(bundle, PLACE)
    assert there(store) == here(bundle)
    deliver(bundle, PLACE)
    assert there(store) == here(bundle), "said twice, it is done once"


def test_the_manifest_comes_last(store: BundleStore, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store goes away in the middle: what is there has no manifest, and the rest comes later."""
    real, sent = BundleStore.put, []

    def failing(self: BundleStore, name: str, source: Path) -> None:
        if len(sent) == 3:
            raise ConnectionError(f"no answer for {SECRET}")
        sent.append(source.name)
        real(self, name, source)

    with monkeypatch.context() as patch:
        patch.setattr(BundleStore, "put", failing)
        with pytest.raises(CannotDeliver, match="the store does not answer") as caught:
            deliver(bundle, PLACE)
    assert SECRET not in str(caught.value)
    assert sorted(there(store)) == sorted(sent)
    store.write("survey-1.0", sent[0], b"cut off")
    store.write("survey-1.0", "stranger.txt", b"left by another try")
    deliver(bundle, PLACE)
    assert there(store) == here(bundle)


def test_a_file_that_reads_back_otherwise_leaves_no_manifest(
    store: BundleStore, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        BundleStore, "put", lambda self, name, source: self.write(name, source.name, b"other")
    )
    with pytest.raises(CannotDeliver, match="read back, is not the file that was sent"):
        deliver(bundle, PLACE)
    assert "MANIFEST.json" not in there(store)


def test_another_release_of_the_name_is_never_overwritten(store: BundleStore, bundle: Path) -> None:
    store.write("survey-1.0", "MANIFEST.json", b"{}")
    with pytest.raises(CannotDeliver, match="a release is never overwritten"):
        deliver(bundle, PLACE)
    assert list(there(store)) == ["MANIFEST.json"]


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({}, "there is no such bucket"),
        ({"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}, "no credentials in the environment"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "the store does not answer"),
    ],
)
def test_what_keeps_a_store_out_of_reach_is_said_without_secrets(
    store: BundleStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, str | None],
    because: str,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    for name, value in change.items():
        monkeypatch.delenv(name) if value is None else monkeypatch.setenv(name, value)
    with pytest.raises(CannotDeliver, match=because) as caught:
        check_place("s3://nobodys-bucket/x")
    assert SECRET not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_an_altered_bundle_is_not_delivered(store: BundleStore, bundle: Path) -> None:
    (bundle / "survey.csv").write_text("another")
    with pytest.raises(CannotDeliver, match=r"not whole: survey.csv was altered"):
        deliver(bundle, PLACE)
    assert not there(store)


def released(tmp_path: Path, to: list[str], layout: str = "plain") -> tuple[Home, str]:
    home = Home.at(tmp_path / "home")
    key_for(home, "anna", ["reviewer"])
    (tmp_path / "outbox").mkdir()
    with Run.start(home, "survey") as begun:
        ledger = Ledger(home.ledger)
        ledger.append(begun.id, "survey", Event.STARTED, {"outbox": str(tmp_path / "outbox")})

        def announce(intent: dict[str, object]) -> None:
            ledger.append(begun.id, "survey", Event.PUBLISHING, {**intent, "to": to, "layout": layout})

        publish(plan_of(tmp_path, run=begun.id), tmp_path / "outbox", announce=announce)
        ledger.append(begun.id, "survey", Event.PUBLISHED, {})
    return home, begun.id


def test_a_withdrawn_release_is_withdrawn_from_the_store_too(store: BundleStore, tmp_path: Path) -> None:
    home, run = released(tmp_path, [PLACE])
    assert deliver_release(home, run) == (PLACE,)
    withdraw(home, run, role="reviewer", by="anna", reason="wrong", passphrase=PASSPHRASE)
    assert sorted(there(store)) == ["MANIFEST.json", "WITHDRAWN.json"]
    assert b'"wrong"' in (store.read("survey-1.0", "WITHDRAWN.json") or b"")
    verify(home)
    with pytest.raises(CannotDeliver, match="is withdrawn"):
        deliver_release(home, run)


def test_a_git_repository_has_one_commit_a_release_and_one_for_its_end(tmp_path: Path) -> None:
    place = tmp_path / "repository"
    place.mkdir()
    with pytest.raises(CannotDeliver, match="no Git repository"):
        deliver(publish_one(tmp_path / "first"), str(place), "git")
    assert not list(place.iterdir())
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    home, run = released(tmp_path, [str(place)], "git")
    deliver_release(home, run)
    deliver_release(home, run)
    withdraw(home, run, role="reviewer", by="anna", reason="wrong", passphrase=PASSPHRASE)
    said = subprocess.run(
        ["git", "-C", str(place), "log", "--format=%s"], capture_output=True, text=True, check=True
    )
    assert said.stdout.splitlines() == ["Withdraw survey-1.0", "Release survey-1.0"]
    assert sorted(each.name for each in (place / "survey-1.0").iterdir()) == [
        "MANIFEST.json",
        "WITHDRAWN.json",
    ]


def publish_one(place: Path) -> Path:
    (place / "outbox").mkdir(parents=True)
    return publish(plan_of(place), place / "outbox").path


def test_ckan_and_nada_get_their_lists_of_files(tmp_path: Path, bundle: Path) -> None:
    for name in ("ckan", "nada"):
        (tmp_path / name).mkdir()
        deliver(bundle, str(tmp_path / name), name)
    package = json.loads((tmp_path / "ckan" / "survey-1.0" / "package.json").read_text())
    assert (package["name"], package["title"], package["author"]) == (
        "survey-1.0",
        "Survey of Ålesund, public use",
        "Office",
    )
    listed = {each["path"]: each for each in json.loads((bundle / "MANIFEST.json").read_text())["files"]}
    assert {each["url"]: each["hash"] for each in package["resources"]} == {
        name: f"sha256:{each['sha256']}" for name, each in listed.items()
    }
    resources = json.loads((tmp_path / "nada" / "survey-1.0" / "resources.json").read_text())
    kinds = {each["filename"]: each["dctype"] for each in resources}
    assert (kinds["survey.csv"], kinds["report.html"]) == ("dat/micro", "doc/oth")
    assert "ddi.xml" not in kinds
    assert (tmp_path / "nada" / "survey-1.0" / "ddi.xml").exists()


PLAN = """name: people
source: {path: people.csv}
variables:
  sex: quasi_identifier
candidates:
  plain: [{method: global_recode, with: {sex: {groups: {all: [f, m]}}}}]
risk:
  - {measure: k_anonymity, at_least: 3, because: rule}
publish: {TOLD}
"""


@pytest.mark.parametrize(
    ("told", "because"),
    [
        ("to: ['s3://key:secret@host/bucket']", "the 1st place is neither a folder nor s3://bucket/prefix"),
        ("to: ['ftp://host/x']", "the 1st place is neither a folder nor s3://bucket/prefix"),
        ("to: ['s3://archive/x'], layout: git", "layout git is for folders"),
        ("layout: ckan", "to is empty"),
        ("to: [x], layout: nada, metadata: [csvw]", "layout nada needs ddi"),
        ("metadata: [ddi, ddi]", "the 2nd description is there before"),
        ("metadata: [dublin]", "write ddi, csvw, dcat, ro_crate or citation"),
    ],
)
def test_a_place_that_cannot_be_is_a_fault_of_the_profile(tmp_path: Path, told: str, because: str) -> None:
    place = tmp_path / "profile.yaml"
    place.write_text(PLAN.replace("TOLD", told))
    with pytest.raises(BadProfile, match=because) as caught:
        examine(place)
    assert "secret" not in str(caught.value)
