"""Synthetic households keep their structure: one value for all members, sizes as observed, two files."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from linked_survey import linked_survey, write_csv

from sdc.data.warehouse import Warehouse
from sdc.draft import draft
from sdc.gate import table_facts
from sdc.ingest import ingest
from sdc.profile.load import load_profile
from sdc.publish import BundlePlan, publish
from sdc.publish.candidates import make
from sdc.run.randomness import Randomness
from sdc.run.secret import NO_SECRET

OF_HOUSEHOLDS = ["region", "tenure", "rooms", "hincome"]


@pytest.mark.slow
def test_synthetic_households_are_whole_and_leave_as_two_files(tmp_path: Path) -> None:
    files = write_csv(tmp_path)
    text = draft(files[0], households=files[1], kept_in=tmp_path)
    steps = text.index("  recoded:"), text.index("\nrisk:")
    place = tmp_path / "linked.yaml"
    place.write_text(
        text[: steps[0]]
        + "  drawn: [{method: sequential}]\n"
        + 'risk: [{measure: class_attribution, at_most: 0.99, because: "rule 1"}]\n'
        + "publish: {formats: [csv], outbox: outbox}\n"
    )
    profile = load_profile(place)
    readable = [tmp_path / path for path in profile.files]
    with Warehouse.create(tmp_path / "run", readable=readable) as warehouse:
        ingested = ingest(profile, tmp_path, warehouse, NO_SECRET)
        randomness = Randomness.of_release(NO_SECRET, profile, ingested.sha256)
        made = make(profile, tmp_path, warehouse, "drawn", randomness)
        table = warehouse.database.table(made.tables[0])
        facts = table_facts(profile, table, made.steps)
        assert not [name for name, count in facts.items() if "household" in name and count]
        (tmp_path / "outbox").mkdir()
        released = datetime(2026, 11, 16, tzinfo=UTC)
        plan = BundlePlan(
            profile, "run", table, Path(made.path), made.sha256, made.rows, made.steps, "", released
        )
        bundle = publish(plan, tmp_path / "outbox").path
    persons, homes = (
        pd.read_csv(bundle / f"persons.synthetic.{part}.csv") for part in ("persons", "households")
    )
    assert list(homes.columns) == ["hid", *OF_HOUSEHOLDS]
    assert homes["hid"].is_unique
    assert {*homes["hid"]} == {*persons["hid"]}
    observed, original_homes = linked_survey()
    assert len(persons) == len(observed)
    sizes, before = (
        frame.groupby("hid").size().value_counts(normalize=True) for frame in (persons, observed)
    )
    assert {*sizes.index} <= {*before.index}
    assert max(abs(sizes.get(size, 0) - share) for size, share in before.items()) < 0.12
    shares = (frame["tenure"].value_counts(normalize=True) for frame in (homes, original_homes))
    owners, owners_before = (share["owner"] for share in shares)
    assert abs(owners - owners_before) < 0.12
