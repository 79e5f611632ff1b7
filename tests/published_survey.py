"""A small candidate with awkward names and values, as a run stores it, and the plan to publish it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from sdc.catalogue.protection import Protection, Step
from sdc.data import sql
from sdc.data.database import Database
from sdc.profile import Profile
from sdc.publish import BundlePlan
from sdc.run import digest

COLUMNS: dict[str, Any] = {
    "select": pa.array(["North", "South", None, "South", 'Øst "7"']),
    'a "b", c': pa.array(["=1+1", "-x", "@y", "+z\nnext", ""]),
    "age": pa.array(["20-29", "30-39", "20-29", None, "40+"]),
    "education": pa.array(["secondary", "none", "primary", "none", None]),
    "income": pa.array([0.1, 1e-7, 123456789.123456789, None, 1 / 3], pa.float64()),
    "children": pa.array([0, 1, None, 2, 12], pa.int64()),
    "interviewed": pa.array([date(2025, 1, 31), None, date(2024, 2, 29), date(1900, 1, 1), date(2025, 1, 1)]),
}

PROFILE: dict[str, Any] = {
    "name": "survey",
    "title": "Survey of Ålesund, public use",
    "description": "Five fictitious persons.",
    "seed": 987654321,
    "source": {"path": "survey.csv"},
    "variables": {
        "name": "direct_identifier",
        "select": {"role": "quasi_identifier", "label": "Region"},
        'a "b", c': "other",
        "age": {"role": "quasi_identifier", "type": "numeric", "label": "Age", "unit": "years"},
        "education": {
            "role": "quasi_identifier",
            "type": "ordinal",
            "order": ["none", "primary", "secondary", "tertiary"],
        },
        "income": {"role": "sensitive", "type": "numeric", "unit": "EUR"},
        "children": {"type": "numeric"},
        "interviewed": {"type": "date"},
    },
    "candidates": {"recoded": []},
    "publish": {
        "version": "1.0",
        "publisher": "Office",
        "contact": "data@office.example",
        "licence": "CC-BY-4.0",
    },
}

STEPS = (
    Step(
        "global_recode",
        {"age": {"width": 10}},
        Protection.NON_PERTURBATIVE,
        aligned=True,
        touched=frozenset({"age"}),
        changed={"age": 5},
    ),
    Step("rank_swap", {"p": 0.15}, Protection.PERTURBATIVE, aligned=True, touched=frozenset({"income"})),
)
SYNTHETIC = (Step("sequential", {}, Protection.SYNTHETIC, aligned=False, touched=frozenset(COLUMNS)),)


def plan_of(
    directory: Path,
    *,
    columns: dict[str, Any] = COLUMNS,
    run: str = "20261116T084705Z-survey-3f9a2c",
    **changes: Any,
) -> BundlePlan:
    """The plan for a candidate that was stored in the directory."""
    database = Database.in_memory()
    table = database.write("candidate", pa.table(columns))
    place = directory / "candidate.parquet"
    database.cursor().execute(f'COPY "candidate" TO {sql.text(str(place))} (FORMAT parquet)')
    plan = BundlePlan(
        profile=Profile.model_validate(PROFILE),
        run=run,
        table=table,
        parquet=place,
        sha256=digest.of_file(place),
        rows=table.rows,
        steps=STEPS,
        report="<!doctype html><title>Report</title>",
        released=datetime(2026, 11, 16, 8, 47, 5, tzinfo=UTC),
    )
    return replace(plan, **changes)
