"""Runs the studies of the source documents and writes the page of their results, `docs/studies.md`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from make_sources import FOLDER, write

from sdc.catalogue.measurement import Measurement
from sdc.data.release_pair import ReleasePair
from sdc.data.warehouse import Warehouse
from sdc.ingest import ingest
from sdc.measures.assess import assess
from sdc.profile.load import LoadedProfile, load_sources
from sdc.publish.candidates import make
from sdc.run.randomness import Randomness
from sdc.run.secret import NO_SECRET

HERE = Path(__file__).parent
Found = Mapping[tuple[str, str], Measurement | str]
"""What was measured, by candidate and name; the reason where nothing was."""


def measured(name: str) -> dict[str, Found]:
    """All measurements of a study, by source."""
    if not FOLDER.exists():
        write()
    return {source: dict(_measured(loaded)) for source, loaded in load_sources(HERE / f"{name}.yaml").items()}


def _measured(loaded: LoadedProfile) -> Iterator[tuple[tuple[str, str], Measurement | str]]:
    profile, base = loaded.profile, loaded.base
    readable = [base / path for path in profile.files]
    with (
        tempfile.TemporaryDirectory() as place,
        Warehouse.create(Path(place) / "run", limits=profile.limits, readable=readable) as warehouse,
    ):
        ingested = ingest(profile, base, warehouse, NO_SECRET)
        randomness = Randomness.of_release(NO_SECRET, profile, ingested.sha256)
        for name in profile.candidates:
            made = make(profile, base, warehouse, name, randomness)
            database = warehouse.database
            pair = ReleasePair(
                database.table("original"),
                database.table(made.tables[0]),
                profile.roles,
                aligned=made.aligned,
                missing=profile.missing_keys,
                steps=made.steps,
            )
            for criterion in profile.measurements(name):
                taken = assess(
                    criterion.measure,
                    pair,
                    criterion.options,
                    alias=criterion.alias,
                    candidate=name,
                    randomness=randomness.below("measures"),
                )
                held = taken.outcome
                yield (name, criterion.alias), held if isinstance(held, Measurement) else held.reason
