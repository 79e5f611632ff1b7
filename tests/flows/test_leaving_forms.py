"""A whole release in every format, delivered to another folder, and withdrawn."""

from __future__ import annotations

import json
from pathlib import Path

import pyreadstat
import pytest
from signing_keys import PASSPHRASE, key_for

from flows.orchestration.run_release import run_release
from sdc.audit.record import verify
from sdc.audit.withdrawal import withdraw
from sdc.errors import BadProfile
from sdc.run.home import Home

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("server")]
EVERY = "publish: {formats: [csv, parquet, sav, dta, xpt, xlsx], version: '1', to: [mirror], outbox: outbox}"


def test_a_release_leaves_in_every_format_and_is_taken_back(
    home: Path, release_files, tmp_path: Path
) -> None:
    profile = release_files(
        ("publish: {formats: [csv, parquet], outbox: outbox}", EVERY),
        ("health: sensitive", "health: {role: sensitive, label: General health}"),
    )
    with pytest.raises(BadProfile, match="there is no folder mirror to deliver to"):
        run_release(profile, quiet=True)
    (profile.parent / "mirror").mkdir()
    outcome = run_release(profile, quiet=True)
    bundle, copy = (profile.parent / name / "small-1" for name in ("outbox", "mirror"))
    assert {each.name for each in bundle.iterdir()} == {each.name for each in copy.iterdir()}
    frame, told = pyreadstat.read_sav(str(bundle / "small.sav"))
    assert told.column_names_to_labels["health"] == "General health"
    cents = frame["income"].dropna() * 100
    assert (cents.round() - cents).abs().max() < 1e-6, "incomes have two decimals, as in the source"
    crate = json.loads((bundle / "ro-crate-metadata.json").read_text())
    source = next(each for each in crate["@graph"] if each["@id"] == "#source")
    assert len(source["sha256"]) == 64
    held = Home.at(home)
    key_for(held, "anna", ["reviewer"])
    withdraw(held, "small-1", role="reviewer", by="anna", reason="a test", passphrase=PASSPHRASE)
    assert sorted(each.name for each in copy.iterdir()) == ["MANIFEST.json", "WITHDRAWN.json"]
    assert verify(held).bundles == 1
    assert outcome.verdict.value == "published"
