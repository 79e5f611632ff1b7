"""The files of a run's directory: each name is spelt here and nowhere else."""

from __future__ import annotations

RECORD = "record.json"
REPORT = "report.html"
PROFILE = "profile.yaml"
ORIGIN = "origin.json"
SOURCE = "source.json"
CANDIDATES = "candidates.json"
EARLIER = "earlier.json"
WAREHOUSE = "warehouse.duckdb"
JOURNAL = f"{WAREHOUSE}.wal"
"""What DuckDB would still add to the database when it is opened; a sealed one has none."""
TIMINGS = "timings.json"
"""The file a run keeps the seconds of its stages in while it lives."""


def stored(candidate: str) -> str:
    """The file a candidate leaves as."""
    return f"candidates/{candidate}.parquet"


def persons(candidate: str) -> str:
    """The file that says of which person each record of a candidate is."""
    return f"persons/{candidate}.parquet"


def suites(candidate: str) -> str:
    """What the gate was asked of a candidate."""
    return f"gate/{candidate}.suites.json"


def judged(candidate: str) -> str:
    """The numbers the gate judged a candidate by."""
    return f"gate/{candidate}.judged.json"


def steps_of(candidate: str) -> str:
    """The file a run keeps from the moment a candidate is made.

    Its steps, and beside each what only the sealed record may hold.
    """
    return f"candidates/{candidate}.json"
