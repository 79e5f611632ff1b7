"""A study of a profile with two linked files reads both, and writes a profile that does."""

from __future__ import annotations

from pathlib import Path

import pytest
from linked_survey import write_csv

import sdc
from sdc.draft import draft
from sdc.profile.load import load_profile


@pytest.mark.slow
def test_a_study_of_linked_files_is_measured_and_written(tmp_path: Path) -> None:
    persons, households = write_csv(tmp_path, households=60)
    place = tmp_path / "linked.yaml"
    place.write_text(draft(persons, households=households, kept_in=tmp_path))
    loaded = sdc.load(place)
    made = loaded.candidate("recoded")
    held = made.table
    assert {"region", "hincome", "age", "hid"} <= {*held.columns}
    assert (held.groupby("hid", observed=True)["hincome"].nunique(dropna=False) == 1).all()
    (tmp_path / "written").mkdir()
    again = load_profile(made.to_profile(tmp_path / "written" / "again.yaml"))
    assert again.source.households is not None
    assert again.variables == load_profile(place).variables
    assert str(again.source.households.path) == "../households.csv"
