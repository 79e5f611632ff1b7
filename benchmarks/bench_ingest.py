"""Times ingest beside DuckDB's own reading of the same file."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import duckdb
from survey import ROLES, write_csv

from sdc.data.warehouse import Warehouse
from sdc.ingest import ingest
from sdc.profile.plan import Profile
from sdc.run.secret import NO_SECRET

ROWS = 1_000_000
TURNS = 3


def floor(source: Path, file: Path) -> float:
    """DuckDB's own CREATE TABLE AS SELECT * FROM read_csv, into a file as well."""
    started = time.perf_counter()
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM read_csv('{source}')")
    return time.perf_counter() - started


def ours(source: Path, run: Path, holdout_share: float, *, key: str | None = None) -> float:
    variables = {variable.name: {"role": variable.role, "type": variable.type} for variable in ROLES}
    profile = Profile(
        name="bench",
        seed=1,
        source={"path": source, "holdout_share": holdout_share},
        variables=variables,
        candidates={},
    )
    started = time.perf_counter()
    with Warehouse.create(run, readable=[source], key=key) as warehouse:
        assert ingest(profile, source.parent, warehouse, NO_SECRET).columns == ROLES.released
    return time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        source = directory / "survey.csv"
        write_csv(source, ROWS)
        times: dict[str, list[float]] = {
            "floor": [],
            "ingest": [],
            "ingest with a holdout": [],
            "ingest, encrypted": [],
        }
        for turn in range(TURNS):
            times["floor"].append(floor(source, directory / f"{turn}.duckdb"))
            times["ingest"].append(ours(source, directory / f"plain{turn}", 0))
            times["ingest with a holdout"].append(ours(source, directory / f"holdout{turn}", 0.1))
            times["ingest, encrypted"].append(ours(source, directory / f"key{turn}", 0, key="a key"))
        least = {name: min(taken) for name, taken in times.items()}
        print(f"rows: {ROWS}, columns: {len(ROLES.variables)}, bytes: {source.stat().st_size}")
        print(f"floor: {least['floor']:.2f} s (CREATE TABLE AS SELECT * FROM read_csv into a DuckDB file)")
        for name in list(times)[1:]:
            print(f"{name}: {least[name]:.2f} s, {least[name] / least['floor']:.2f} x the floor, limit 3")


if __name__ == "__main__":
    main()
