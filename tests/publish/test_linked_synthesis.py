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
from sdc.profile import Profile
from sdc.profile.load import load_profile
from sdc.publish import BundlePlan, publish
from sdc.publish.bundle_plan import JudgedCopy
from sdc.publish.candidates import make
from sdc.publish.stacking import stack_differs
from sdc.run.randomness import Randomness
from sdc.run.secret import NO_SECRET

OF_HOUSEHOLDS = ["region", "tenure", "rooms", "hincome"]


def profile_of(tmp_path: Path, step: str = "{method: sequential}", publish: str = "") -> Profile:
    files = write_csv(tmp_path)
    text = draft(files[0], households=files[1], kept_in=tmp_path)
    steps = text.index("  recoded:"), text.index("\nrisk:")
    place = tmp_path / "linked.yaml"
    place.write_text(
        text[: steps[0]]
        + f"  drawn: [{step}]\n"
        + 'risk: [{measure: class_attribution, at_most: 0.99, because: "rule 1"}]\n'
        + f"publish: {{formats: [csv, parquet], outbox: outbox{publish}}}\n"
    )
    return load_profile(place)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["each", "stacked"])
def test_several_syntheses_of_households_leave_linked_by_synthesis_and_number(
    tmp_path: Path, layout: str
) -> None:
    profile = profile_of(tmp_path, "{method: sequential, with: {m: 2}}", f", syntheses: {layout}")
    readable = [tmp_path / path for path in profile.files]
    with Warehouse.create(tmp_path / "run", readable=readable) as warehouse:
        ingested = ingest(profile, tmp_path, warehouse, NO_SECRET)
        made = make(
            profile, tmp_path, warehouse, "drawn", Randomness.of_release(NO_SECRET, profile, ingested.sha256)
        )
        tables = [warehouse.database.table(name) for name in made.tables]
        stored = list(map(warehouse.directory.stored, made.copies))
        (tmp_path / "outbox").mkdir()
        further = [JudgedCopy(tables[1], stored[1], made.further[0], made.rows)]
        plan = BundlePlan(
            profile,
            "run",
            tables[0],
            stored[0],
            made.sha256,
            made.rows,
            made.steps,
            "",
            datetime(2026, 11, 16, tzinfo=UTC),
            further=further,
        )
        bundle = publish(plan, tmp_path / "outbox").path
        judged = [pd.read_parquet(file) for file in stored]
        if layout == "stacked":
            parts = {part: bundle / f"persons.synthetic.{part}.parquet" for part in ("persons", "households")}
            assert not stack_differs(stored, parts)
            assert stack_differs(stored[::-1], parts)
    for number, whole in enumerate(judged, start=1):
        if layout == "stacked":
            persons, homes = (
                frame[frame["synthesis"] == number].drop(columns="synthesis")
                for frame in (
                    pd.read_csv(bundle / f"persons.synthetic.{part}.csv")
                    for part in ("persons", "households")
                )
            )
        else:
            persons, homes = (
                pd.read_csv(bundle / f"persons.synthetic.synthesis_{number}.{part}.csv")
                for part in ("persons", "households")
            )
        joined = persons.merge(homes, on="hid", how="left", validate="many_to_one")
        assert len(joined) == len(whole)
        assert joined["hincome"].sum() == pytest.approx(pd.to_numeric(whole["hincome"]).sum())


@pytest.mark.slow
def test_synthetic_households_are_whole_and_leave_as_two_files(tmp_path: Path) -> None:
    profile = profile_of(tmp_path)
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
