"""All syntheses of a candidate are judged, and all of them leave, as the profile says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from signing_keys import PASSPHRASE, key_for

from flows.orchestration.run_release import run_release
from sdc.audit.record import show, verify
from sdc.audit.replay import replay
from sdc.cli.protect import protect_file
from sdc.errors import CannotApprove, LedgerBroken
from sdc.gate.decision import Verdict
from sdc.run.home import Home

pytestmark = pytest.mark.usefixtures("server", "home")

STEP = "{method: sequential, with: {visit: [sex, region, health], smoothing: spline, m: 3}}"
SYNTHETIC = [
    (
        """  masked:
    - {method: global_recode, with: {age: {width: 20}}}
    - {method: local_suppression, with: {k: 3}}
    - {method: microaggregation, with: {variables: [income], k: 3}}
""",
        f"  synthetic:\n    - {STEP}\n    - {{method: rounding, with: {{income: {{to: 100}}}}}}\n",
    ),
    (
        "{measure: k_anonymity, at_least: 3, because: rule 1}",
        "{measure: replicated_uniques, at_most: 40, because: rule 1}",
    ),
    ("  - {measure: records_changed}\n", "  - {measure: interval_overlap}\n"),
]
TO_REFER = ("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because")
ONE_ROLE = ("publish: {", "approval: {required: when_referred, roles: [reviewer]}\npublish: {")


def layout(name: str) -> tuple[str, str]:
    return "outbox: outbox}", f"outbox: outbox, syntheses: {name}}}"


def data(bundle: Path, ending: str) -> list[str]:
    return sorted(file.name for file in bundle.glob(f"*.{ending}") if not file.name.startswith("dictionary"))


@pytest.fixture
def published(release_files: Callable[..., Path], tmp_path: Path) -> Callable[..., tuple[str, Path]]:
    def run(*more: tuple[str, str]) -> tuple[str, Path]:
        outcome = run_release(release_files(*SYNTHETIC, *more), quiet=True)
        assert outcome.verdict is Verdict.PUBLISHED, outcome.sentence
        (bundle,) = (tmp_path / "outbox").iterdir()
        return outcome.run_id, bundle

    return run


def test_each_synthesis_leaves_in_a_file_of_its_own_and_all_know_of_it(published, home: Path) -> None:
    run, bundle = published()
    names = [f"small.synthetic.synthesis_{number}" for number in (1, 2, 3)]
    assert data(bundle, "csv") == [f"{name}.csv" for name in names]
    assert data(bundle, "parquet") == [f"{name}.parquet" for name in names]
    tables = [pd.read_csv(bundle / f"{name}.csv") for name in names]
    assert [len(table) for table in tables] == [240, 240, 240]
    assert not tables[0].equals(tables[1])
    assert all((table["income"] % 100 == 0).all() for table in tables)  # later steps reach each of them
    dictionary = json.loads((bundle / "dictionary.json").read_text())
    assert (dictionary["records"], dictionary["syntheses"], dictionary["layout"]) == (240, 3, "each")
    package = json.loads((bundle / "datapackage.json").read_text())
    assert [each["name"] for each in package["resources"]][:2] == [
        "small_synthesis_1_csv",
        "small_synthesis_1_parquet",
    ]
    ddi = (bundle / "ddi.xml").read_text()
    assert all(f"<fileName>{name}.csv</fileName>" in ddi for name in names)
    assert len(json.loads((bundle / "csv-metadata.json").read_text())["tables"]) == 3
    note = (bundle / "RELEASE_NOTE.md").read_text()
    assert "3 syntheses of the same records, in a file of its own each" in note
    assert "v (k/n + 1/m)" in note
    again = replay(Home.at(home), run)
    assert again.equal
    assert list(again.candidates) == ["synthetic", "synthetic_2", "synthetic_3"]
    assert verify(Home.at(home)).bundles == 1


def test_stacked_syntheses_are_one_file_with_a_column_that_numbers_them(published, home: Path) -> None:
    _, bundle = published(layout("stacked"))
    assert data(bundle, "csv") == ["small.synthetic.csv"]
    table = pd.read_csv(bundle / "small.synthetic.csv")
    assert next(iter(table.columns)) == "synthesis"
    assert table["synthesis"].value_counts().to_dict() == {1: 240, 2: 240, 3: 240}
    dictionary = json.loads((bundle / "dictionary.json").read_text())
    assert (dictionary["records"], dictionary["syntheses"]) == (720, 3)
    entry = dictionary["variables"][0]
    assert (entry["name"], entry["categories"]) == ("synthesis", ["1", "2", "3"])
    assert table.equals(pd.read_parquet(bundle / "small.synthetic.parquet").astype(table.dtypes))
    assert verify(Home.at(home)).bundles == 1


def test_the_first_alone_leaves_where_the_profile_says_so_and_it_alone_is_judged(
    published, home: Path
) -> None:
    run, bundle = published(layout("first"))
    assert data(bundle, "csv") == ["small.synthetic.csv"]
    (candidate,) = show(Home.at(home), run).record["candidates"]
    assert all("syntheses" not in each for each in candidate["measurements"])
    (overlap,) = (each for each in candidate["measurements"] if each["as"] == "interval_overlap")
    assert overlap["parts"]["syntheses"] == 1
    assert verify(Home.at(home)).bundles == 1


def test_the_record_has_what_was_measured_on_each_and_the_worst_is_judged(published, home: Path) -> None:
    run, _ = published()
    (candidate,) = show(Home.at(home), run).record["candidates"]
    assert len(candidate["further"]) == 2
    (uniques,) = (each for each in candidate["measurements"] if each["as"] == "replicated_uniques")
    values = [each["value"] for each in uniques["syntheses"]]
    assert len(values) == 3
    assert uniques["value"] == max(values) == values[uniques["synthesis"] - 1]
    (finding,) = (each for each in candidate["findings"] if each["criterion"] == "replicated_uniques")
    assert finding["value"] == max(values)
    (overlap,) = (each for each in candidate["measurements"] if each["as"] == "interval_overlap")
    assert overlap["parts"]["syntheses"] == 3
    assert "syntheses" not in overlap


@pytest.mark.parametrize("name", ["each", "stacked"])
def test_people_approve_all_syntheses_and_none_that_was_altered_leaves(
    release_files: Callable[..., Path], home: Path, tmp_path: Path, name: str
) -> None:
    from flows.publish_approved import approve_and_publish

    held = Home.at(home)
    key_for(held, "anna", ["reviewer"])
    outcome = run_release(release_files(*SYNTHETIC, TO_REFER, ONE_ROLE, layout(name)), quiet=True)
    assert outcome.verdict is Verdict.REFERRED
    stored = held.directory(outcome.run_id).stored("synthetic_3")
    kept = stored.read_bytes()
    said = {"role": "reviewer", "by": "anna", "reason": "it suffices", "passphrase": PASSPHRASE}
    stored.write_bytes(kept[:-1] + b"x")
    with pytest.raises(CannotApprove, match="synthetic_3"):
        approve_and_publish(held, outcome.run_id, **said)
    stored.write_bytes(kept)
    assert approve_and_publish(held, outcome.run_id, **said).startswith("approved and published")
    (bundle,) = (tmp_path / "outbox").iterdir()
    assert len(data(bundle, "parquet")) == (3 if name == "each" else 1)
    assert verify(held).bundles == 1


@pytest.mark.parametrize("name", ["each", "stacked"])
def test_a_published_synthesis_that_was_not_judged_is_found(published, home: Path, name: str) -> None:
    """Manifest and ledger were forged along with the file: only the comparison with the judged tables tells."""
    from sdc.audit.bundles import BundleAudit
    from sdc.audit.ledger import Ledger
    from sdc.audit.runs import folded
    from sdc.publish import manifest
    from sdc.run import digest

    run, bundle = published(layout(name))
    table = max(bundle.glob("*.parquet"))
    frame = pd.read_parquet(table)
    frame.loc[frame.index[-1], "income"] += 100
    frame.to_parquet(table, index=False)
    held = json.loads((bundle / manifest.MANIFEST).read_text())
    (bundle / manifest.MANIFEST).unlink()
    (bundle / manifest.MANIFEST).write_bytes(
        manifest.as_json(bundle, bundle=held["bundle"], run=run, anchor=held["ledger"])
    )
    entries = Ledger(Home.at(home).ledger).entries()
    rows = {row.run: row for row in folded(entries)}
    rows[run].facts["manifest"] = digest.of_file(bundle / manifest.MANIFEST)
    (fault,) = BundleAudit(Home.at(home), entries, rows).faults()
    assert f"{table.name} is not the candidate that was judged" in fault.problem
    with pytest.raises(LedgerBroken):
        verify(Home.at(home))


def test_protect_writes_all_of_them(release_files: Callable[..., Path], tmp_path: Path) -> None:
    made, places = protect_file(release_files(*SYNTHETIC), "synthetic", tmp_path / "made.csv")
    assert [place.name for place in places] == ["made.csv", "made_2.csv", "made_3.csv"]
    tables = [pd.read_csv(place) for place in places]
    assert [len(table) for table in tables] == [240] * 3
    assert made.syntheses == 3
    path = release_files(*SYNTHETIC, layout("stacked"))
    _, (stacked,) = protect_file(path, "synthetic", tmp_path / "stacked.csv")
    found = pd.read_csv(stacked)
    for number, table in enumerate(tables, start=1):
        own = found[found["synthesis"] == number].drop(columns="synthesis").reset_index(drop=True)
        pd.testing.assert_frame_equal(own, table)


def test_a_later_release_is_compared_with_every_synthesis_that_left(
    published, release_files: Callable[..., Path], home: Path
) -> None:
    from sdc.audit.earlier_releases import releases
    from sdc.audit.ledger import Ledger
    from sdc.audit.released_tables import read_each
    from sdc.profile.load import load_profile

    run, bundle = published(layout("stacked"))
    (release,) = releases(Ledger(Home.at(home).ledger).entries(), "small")
    roles = load_profile(bundle.parent.parent / "profile.yaml").roles
    from_runs = read_each(Home.at(home), release, roles)
    assert [table.num_rows for table in from_runs] == [240] * 3
    for file in Home.at(home).directory(run).candidates.glob("*.parquet"):
        file.unlink()
    from_bundle = read_each(Home.at(home), release, roles)
    assert [table.to_pydict() for table in from_bundle] == [table.to_pydict() for table in from_runs]
