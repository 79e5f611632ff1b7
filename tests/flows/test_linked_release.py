"""A pair of linked files from draft to release: two files leave, and joined they are what was judged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
from click.testing import CliRunner
from linked_survey import HOUSEHOLDS, linked_survey, write_csv, write_sav
from signing_keys import PASSPHRASE, key_for

from flows.orchestration.run_release import run_release
from sdc.audit.bundles import BundleAudit
from sdc.audit.earlier_releases import releases
from sdc.audit.ledger import Ledger, folded
from sdc.audit.record import show, verify
from sdc.audit.released_tables import read
from sdc.audit.replay import CannotReplay, replay
from sdc.check import check
from sdc.cli.assess import assess_file
from sdc.cli.main import cli
from sdc.cli.protect import protect_file
from sdc.draft import draft
from sdc.errors import BadData, BadProfile
from sdc.profile.load import load_profile
from sdc.run import digest
from sdc.run.home import Home

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("server")]

DRAFTED = (
    ("name: persons", "name: silc"),
    ("approval: {required: always, roles: [reviewer]}", "approval: {required: never}"),
    ('"first draft, to be replaced by the rule of your agency"', "rule 1"),
)
MEASURED = ("k_anonymity", "household_risk")
REFERRED = (
    ("approval: {required: never}", "approval: {required: always, roles: [reviewer]}"),
    ("formats: [csv, parquet]", "formats: [csv]"),
    # Direct identifiers are looked for in what leaves, and for that the source must still be there.
    ("pid: direct_identifier", "pid: dropped"),
)


def drafted(files: tuple[Path, Path], *replacements: tuple[str, str]) -> Path:
    """A profile as `sdc draft` writes it, with what people would correct in it."""
    persons, households = files
    text = draft(persons, households=households, kept_in=persons.parent)
    for old, new in (*DRAFTED, *replacements):
        assert old in text, old
        text = text.replace(old, new)
    (persons.parent / "outbox").mkdir()
    place = persons.parent / "linked.yaml"
    place.write_text(text)
    return place


def joined(bundle: Path) -> pd.DataFrame:
    """The two CSV files, each person with its household."""
    persons, homes = (
        pd.read_csv(bundle / f"silc.{part}.csv", dtype={"hid": str}) for part in ("persons", "households")
    )
    assert homes["hid"].is_unique
    assert {*homes["hid"]} == {*persons["hid"]}
    return persons.merge(homes, on="hid", validate="many_to_one")


def as_texts(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    texts = frame.astype(object).where(frame.notna(), "")
    return [tuple(map(str, row)) for row in texts.itertuples(index=False)]


def test_a_pair_is_drafted_released_verified_and_replayed(home: Path, tmp_path: Path) -> None:
    files = write_csv(tmp_path)
    profile = drafted(files)
    assert "of households" in profile.read_text()
    assert not [note for note in check(profile) if "household" in note]
    outcome = run_release(profile, quiet=True)
    assert outcome.verdict.value == "published"
    held, (bundle,) = Home.at(home), (tmp_path / "outbox").iterdir()
    people = len(linked_survey()[0])
    left = joined(bundle)
    assert (len(left), left["hid"].nunique()) == (people, HOUSEHOLDS)
    judged = pd.read_parquet(held.directory(outcome.run_id).stored("recoded"))
    assert as_texts(left[list(judged.columns)]) == as_texts(judged.astype({"hid": str}))
    assert all(f'"{name}"' in json.dumps(show(held, outcome.run_id).record) for name in MEASURED)
    assert not [note for note in verify(held).notes if "not compared" in note]
    assert replay(held, outcome.run_id).equal
    _without_the_run(held, outcome.run_id, judged, profile)
    _as_if_another_had_been_judged(held, outcome.run_id, judged)
    _moved(held, outcome.run_id, files)
    households = files[1]
    households.write_text(households.read_text().replace("owner", "tenant", 1))
    with pytest.raises(CannotReplay, match="has changed since the run"):
        replay(held, outcome.run_id)


def _moved(held: Home, run: str, files: tuple[Path, Path]) -> None:
    """Both files may lie elsewhere when the run is replayed; another file is refused."""
    elsewhere = files[0].parent / "elsewhere"
    elsewhere.mkdir()
    persons, households = (file.rename(elsewhere / file.name) for file in files)
    with pytest.raises(CannotReplay, match=r"persons.csv is not where it was.* --source FILE"):
        replay(held, run)
    with pytest.raises(CannotReplay, match=r"households.csv is not where it was.* --households FILE"):
        replay(held, run, source=persons)
    with pytest.raises(CannotReplay, match="has changed since the run"):
        replay(held, run, source=persons, households=persons)
    said = CliRunner().invoke(cli, ["replay", run, "--source", str(persons), "--households", str(households)])
    assert (said.exit_code, "the same bytes" in said.output) == (0, True), said.output
    persons.rename(files[0])
    households.rename(files[1])


def _without_the_run(held: Home, run: str, judged: pd.DataFrame, profile: Path) -> None:
    """A later release reads the two published files where the stored candidate is gone."""
    stored = held.directory(run).stored("recoded")
    kept = stored.rename(stored.with_name("elsewhere.kept"))
    (release,) = releases(Ledger(held.ledger).entries(), "silc")
    again = read(held, release, load_profile(profile).roles).to_pandas()
    kept.rename(stored)
    assert as_texts(again[list(judged.columns)]) == as_texts(judged)


def _as_if_another_had_been_judged(held: Home, run: str, judged: pd.DataFrame) -> None:
    """The ledger knows another candidate than the one that left: one income of a household differs. Audit finds it."""
    entries = Ledger(held.ledger).entries()
    rows = {row.run: row for row in folded(entries)}
    assert list(BundleAudit(held, entries, rows).faults()) == []
    stored = held.directory(run).stored("recoded")
    kept, other = stored.read_bytes(), judged.copy()
    other.loc[0, "hincome"] = other.loc[0, "hincome"] + 1
    other.to_parquet(stored)
    candidates = {"recoded": {**rows[run].facts["candidates"]["recoded"], "sha256": digest.of_file(stored)}}
    rows[run] = replace(rows[run], facts={**rows[run].facts, "candidates": candidates})
    found = [fault.problem for fault in BundleAudit(held, entries, rows).faults()]
    stored.write_bytes(kept)
    assert [problem.split()[2] for problem in found] == ["silc.households.parquet", "silc.persons.parquet"]
    assert all(problem.endswith("is not the candidate that was judged") for problem in found)


def test_what_people_approve_leaves_after_both_files_are_gone(home: Path, tmp_path: Path) -> None:
    from flows.publish_approved import approve_and_publish

    files = write_csv(tmp_path, households=80)
    held = Home.at(home)
    key_for(held, "anna", ["reviewer"])
    run = run_release(drafted(files, *REFERRED), quiet=True).run_id
    for file in files:
        file.unlink()
    said = {"role": "reviewer", "by": "anna", "reason": "fine", "passphrase": PASSPHRASE}
    assert approve_and_publish(held, run, **said).startswith("approved and published")
    (bundle,) = (tmp_path / "outbox").iterdir()
    judged = pd.read_parquet(held.directory(run).stored("recoded"))
    assert as_texts(joined(bundle)[list(judged.columns)]) == as_texts(judged)
    verify(held)


def test_an_spss_pair_leaves_as_one_with_its_labels(home: Path, tmp_path: Path) -> None:
    profile = drafted(
        write_sav(tmp_path, households=80), ("formats: [csv, parquet]", 'version: "1", formats: [sav]')
    )
    assert run_release(profile, quiet=True).verdict.value == "published"
    bundle = tmp_path / "outbox" / "silc-1"
    persons, told = pyreadstat.read_sav(str(bundle / "silc.persons.sav"))
    homes, told_of_homes = pyreadstat.read_sav(str(bundle / "silc.households.sav"))
    assert told.column_names_to_labels["sex"] == "Sex of the person"
    assert told_of_homes.column_names_to_labels["tenure"] == "How the dwelling is held"
    assert told_of_homes.variable_value_labels["tenure"][1.0] == "owner"
    assert sorted(homes["hid"]) == list(range(1, 81))
    assert {*persons["hid"]} == {*homes["hid"]}
    assert json.loads((bundle / "dictionary.json").read_bytes())["households"] == 80


def test_a_candidate_that_cannot_be_split_is_withheld_and_nothing_leaves(home: Path, tmp_path: Path) -> None:
    """Without by_household a key is blanked for one member and told by another."""
    profile = drafted(write_csv(tmp_path, households=80), (", by_household: true", ""))
    outcome = run_release(profile, quiet=True)
    assert outcome.verdict.value == "withheld"
    found = json.loads(Home.at(home).directory(outcome.run_id).record.read_text())
    assert "by_household of local_suppression blanks it for all members" in json.dumps(found)
    assert not list((tmp_path / "outbox").iterdir())


def test_one_candidate_is_protected_and_assessed_as_one_table(home: Path, tmp_path: Path) -> None:
    profile = drafted(write_csv(tmp_path, households=80))
    protect_file(profile, "recoded", tmp_path / "protected.csv")
    found = assess_file(profile, tmp_path / "protected.csv", MEASURED)
    assert tuple(each.alias for each in found if each.outcome.value is not None) == MEASURED
    assert found[0].outcome.value >= 3


@pytest.mark.parametrize("change", ["gone", "another header", "a household less"])
def test_a_household_file_that_changes_between_check_and_run_stops_it(
    home: Path, tmp_path: Path, change: str
) -> None:
    files = write_csv(tmp_path, households=80)
    profile, households = drafted(files), files[1]
    check(profile)
    if change == "gone":
        households.unlink()
    elif change == "another header":
        households.write_text(households.read_text().replace("tenure", "tenancy", 1))
    else:
        households.write_text(households.read_text().rstrip("\n").rpartition("\n")[0] + "\n")
    told = {
        "gone": "there is no such file: households.csv",
        "another header": "persons.csv and households.csv, column 'tenure'",
        "a household less": r"persons.csv, column 'hid': a key that households.csv does not have in \d record",
    }
    with pytest.raises((BadProfile, BadData), match=told[change]):
        run_release(profile, quiet=True)
    assert not list((tmp_path / "outbox").iterdir())
