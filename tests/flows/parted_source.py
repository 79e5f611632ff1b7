"""People in a folder of Parquet parts, of all types that a source may have, and what is read of them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sdc.data.warehouse import Warehouse
from sdc.data.warehouse.candidates import PERSONS
from tests.flows.small_release import PROFILE, small_people

SOURCE = """source:
  path: people
  record_key: [person]
  holdout_share: 0.2
  missing_codes: ["-9"]
  population: {path: people}
"""
MORE_VARIABLES = """  born: {type: date}
  weight: weight
  moved: {type: datetime}
  own: {role: other, type: categorical}
  children: {role: other, type: numeric}
"""
PARTS = {
    "region=north/part-10.parquet": slice(0, 60),
    "region=north/part-2.parquet": slice(60, 61),
    "region=south/part-1.parquet": slice(61, 160),
    "region=west/part-0.parquet": slice(160, 240),
    "region=west/part-1.parquet": slice(240, 240),
}


def people_table(rows: int = 240) -> pa.Table:
    """Whole and broken numbers, -0.0 and 0.0, codes for missing, days, moments, truth values, decomposed letters."""
    rng = np.random.default_rng(3)
    held = small_people(rows).drop(columns="region")
    income = held["income"].where(np.arange(rows) % 11 != 0, -9.0).to_numpy().copy()
    income[5::40], income[6::40] = -0.0, 0.0
    days = [dt.date(1950, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 20000, rows)]
    table = pa.Table.from_pandas(held, preserve_index=False)
    return (
        table.set_column(table.schema.get_field_index("income"), "income", pa.array(income))
        .set_column(table.schema.get_field_index("age"), "age", pa.array(held["age"], pa.int16()))
        .append_column("born", pa.array([None if day.day == 1 else day for day in days]))
        .append_column("weight", pa.array([Decimal(int(n)) / 100 for n in rng.integers(100, 900, rows)]))
        .append_column("moved", pa.array([dt.datetime.combine(day, dt.time(9, 30)) for day in days]))
        .append_column("own", pa.array(rng.choice(["Zu\u0308rich", "Zürich", "-9", "Bern"], rows)))
        .append_column("children", pa.array(rng.choice(["0", "1", "2", "-9"], rows)))
    )


def write_parts(folder: Path, table: pa.Table) -> Path:
    for name, rows in PARTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table.slice(rows.start, rows.stop - rows.start), folder / name)
    return folder


def parted_profile(place: Path, table: pa.Table | None = None) -> Path:
    """The small release with its people in parts, and the parts beside it."""
    (place / "outbox").mkdir(parents=True)
    write_parts(place / "people", people_table() if table is None else table)
    text = PROFILE.replace("source: {path: people.csv, record_key: [person]}\n", SOURCE)
    text = text.replace("  health: sensitive\n", "  health: sensitive\n" + MORE_VARIABLES)
    (place / "profile.yaml").write_text(text)
    return place / "profile.yaml"


def tables_read(warehouse: Warehouse) -> dict[str, Any]:
    """Every table that was read, with its types and in its order; 0.0 and -0.0 are told apart."""
    held = {}
    for name in ("original", "holdout", "population", PERSONS):
        table = warehouse.database.table(name)
        rows = table.arrow(f'SELECT rowid, * FROM "{name}"').to_pydict()
        held[name] = (table.types, {column: list(map(repr, values)) for column, values in rows.items()})
    return held
