"""The steps of one candidate by themselves: what is written, and what is told meanwhile."""

from pathlib import Path

import pandas as pd
import pytest

import sdc.audit.replay
import sdc.cli.assess
import sdc.cli.protect
from sdc.cli.protect import protect_file
from sdc.data.warehouse import KEY_VARIABLE
from sdc.profile.load import load_profile
from sdc.run.progress import Advance
from sdc.run.progress_display import Silent
from sdc.run.secret import NO_SECRET

pytestmark = pytest.mark.usefixtures("home")

SYNTHETIC = [
    (
        "candidates:\n",
        "candidates:\n  synthetic:\n    - {method: sequential, with: {visit: [sex, region]}}\n",
    ),
    (
        "at_least: 3, because: rule 1",
        "at_least: 3, because: rule 1, for: [masked]}\n  - {measure: replicated_uniques, at_most: 1, because: rule 1, for: [synthetic]",
    ),
    ("{measure: records_changed}", "{measure: records_changed, for: [masked]}"),
]


class Recording(Silent):
    def __init__(self) -> None:
        self.told: list[str] = []

    def done(self, what: str, outcome: str = "") -> None:
        self.told.append(f"{what}: {outcome}")

    def under_way(self, what: str, advance: Advance) -> None:
        self.told.append(f"{what}: {advance.what} {advance.done}/{advance.of}")


def test_a_candidate_is_written_in_full_and_told_variable_by_variable(release_files, tmp_path: Path) -> None:
    told = Recording()
    (step,) = protect_file(release_files(*SYNTHETIC), "synthetic", tmp_path / "made.csv", told)[0].steps
    assert step.method == "sequential"
    assert list(pd.read_csv(tmp_path / "made.csv").columns) == ["region", "sex", "age", "income", "health"]
    assert told.told[0] == "source: 240 records"
    assert told.told[-1] == "synthetic: 240 records"
    assert told.told[-6:-1] == [
        f"synthetic: values of {name} {place}/10" for place, name in enumerate(step.record["visit"], start=6)
    ]


def test_records_held_out_are_told_beside_those_that_are_protected(release_files, tmp_path: Path) -> None:
    told = Recording()
    protect_file(
        release_files(("record_key: [person]", "record_key: [person], holdout_share: 0.25")),
        "masked",
        tmp_path / "made.csv",
        told,
    )
    assert told.told[0] == "source: 180 records, 60 more held out"
    assert told.told[-1] == "masked: 180 records"


def test_a_candidate_can_be_made_without_anyone_listening(release_files, tmp_path: Path) -> None:
    assert len(protect_file(release_files(), "masked", tmp_path / "made.parquet")[0].steps) == 3
    assert len(pd.read_parquet(tmp_path / "made.parquet")) == 240


@pytest.mark.parametrize("command", [sdc.cli.protect, sdc.cli.assess, sdc.audit.replay])
def test_with_a_key_no_command_has_records_on_a_disk_in_the_clear(
    release_files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command
) -> None:
    seen = []
    read = command.ingest

    def watched(profile, base, warehouse, secret):
        seen.append(
            warehouse.database.cursor()
            .execute("SELECT encrypted FROM duckdb_databases() WHERE path IS NOT NULL")
            .fetchall()
        )
        return read(profile, base, warehouse, secret)

    monkeypatch.setattr(command, "ingest", watched)
    monkeypatch.setenv(KEY_VARIABLE, "a key of the agency")
    path = release_files()
    if command is sdc.cli.protect:
        protect_file(path, "masked", tmp_path / "made.csv")
    elif command is sdc.cli.assess:
        pd.read_csv(tmp_path / "people.csv").drop(columns=["person", "name"]).to_csv(
            tmp_path / "made.csv", index=False
        )
        sdc.cli.assess.assess_file(path, tmp_path / "made.csv", ["k_anonymity"])
    else:
        with pytest.raises(sdc.audit.replay.CannotReplay, match="has changed"):
            sdc.audit.replay._made_again(
                load_profile(path), tmp_path, {"source": {"sha256": "another"}}, NO_SECRET
            )
    assert seen == [[(True,)]]
