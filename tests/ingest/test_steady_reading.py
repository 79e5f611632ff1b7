"""Does a source read the same at any time and on any machine, and is no password repeated?"""

import datetime as dt
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sdc.data.expressions import BadExpression, RecordExpression
from sdc.data.warehouse import Warehouse
from sdc.errors import BadData, BadProfile
from sdc.ingest import ingest
from sdc.profile.load import examine
from sdc.profile.plan import Profile
from sdc.profile.surroundings import place_faults
from sdc.run.secret import NO_SECRET


def read(folder: Path, variables: dict[str, Any], **source: Any) -> list[tuple[Any, ...]]:
    profile = Profile(name="t", seed=1, source=source, variables=variables, candidates={})
    with Warehouse.create(folder / "run", readable=[folder / source["path"]]) as warehouse:
        ingest(profile, folder, warehouse, NO_SECRET)
        found: list[tuple[Any, ...]] = warehouse.database.cursor().execute("FROM original").fetchall()
        return found


@pytest.mark.parametrize(
    "text",
    [
        "current_localtimestamp()",
        "current_localtime()",
        "date_diff('year', a, CAST(current_localtimestamp() AS DATE))",
    ],
)
def test_no_expression_asks_the_clock(text: str) -> None:
    with pytest.raises(BadExpression, match="does not give the same value every time"):
        RecordExpression.of(text)


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("SELECT * FROM t WHERE random() < 0.5", "it calls random"),
        ("SELECT x, CAST(now() AS VARCHAR) AS y FROM t", "it calls now"),
        ("SELECT x, current_localtimestamp() AS y FROM t", "it calls current_localtimestamp"),
        ("SELECT * FROM t USING SAMPLE 1", "it draws a sample"),
        ("SELECT * FROM t TABLESAMPLE 50%", "it draws a sample"),
        ("SELECT x, current_date AS y FROM t", "it asks for current_date"),
    ],
)
def test_no_query_depends_on_chance_or_the_clock(tmp_path: Path, query: str, problem: str) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as held:
        held.execute("CREATE TABLE t AS SELECT 1 AS x, 2 AS y")
    with pytest.raises(BadData, match=problem):
        read(tmp_path, {"x": "other", "y": "other"}, path="s.duckdb", query=query)


def test_long_codes_stay_apart(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as held:
        held.execute(
            "CREATE TABLE t AS SELECT 1000000000000000001::DECIMAL(20,0) + i AS code, (i / 4)::DECIMAL(9,2) AS part FROM range(2) r(i)"
        )
    assert read(tmp_path, {"code": "other", "part": "other"}, path="s.duckdb", table="t") == [
        ("1000000000000000001", "0"),
        ("1000000000000000002", "0.25"),
    ]


def test_a_code_that_a_float_cannot_hold_is_a_fault(tmp_path: Path) -> None:
    pq.write_table(pa.table({"code": [1.2345678901234567e19, 1.0]}), tmp_path / "s.parquet")
    with pytest.raises(BadData, match=r"column 'code': .*too large.* in 1 record"):
        read(tmp_path, {"code": "other"}, path="s.parquet")


MOMENTS = """
import sys; from pathlib import Path
sys.path.insert(0, {tests!r})
from test_steady_reading import read
print(read(Path({folder!r}), {{"at": "other"}}, path="s.parquet"))
"""


@pytest.mark.slow
def test_a_moment_reads_the_same_in_any_time_zone(tmp_path: Path) -> None:
    at = pa.array([dt.datetime(2020, 1, 1, 15, tzinfo=dt.UTC)], pa.timestamp("us", tz="UTC"))
    pq.write_table(pa.table({"at": at}), tmp_path / "s.parquet")
    told = set()
    for zone in ("UTC", "America/New_York", "Asia/Tokyo"):
        folder = tmp_path / zone.replace("/", "-")
        folder.mkdir()
        (folder / "s.parquet").symlink_to(tmp_path / "s.parquet")
        script = MOMENTS.format(tests=str(Path(__file__).parent), folder=str(folder))
        ran = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        )
        told.add(ran.stdout)
    assert len(told) == 1
    assert "2020-01-01 15:00:00" in told.pop()


PROFILE = """
name: t
source: {{path: "{path}", table: t}}
variables: {{x: quasi_identifier}}
candidates: {{plain: []}}
risk: [{{measure: k_anonymity, at_least: 3, because: rule}}]
"""


@pytest.mark.parametrize(
    "path",
    [
        "POSTGRES://u:hunter2@h/db",
        "jdbc:postgresql://h/db?user=u&pass=hunter2",
        "Mysql://u:hunter2@h/db",
        "postgresql://h/db?passphrase=hunter2",
    ],
)
def test_no_fault_repeats_a_password(tmp_path: Path, path: str) -> None:
    (tmp_path / "profile.yaml").write_text(PROFILE.format(path=path))
    with pytest.raises(BadProfile) as bad:
        examine(tmp_path / "profile.yaml", lambda reading: place_faults(reading, tmp_path))
    assert "hunter2" not in str(bad.value)
    assert "password" in str(bad.value)


def test_a_column_may_be_called_like_a_clock(tmp_path: Path) -> None:
    """Only the bare words of SQL stand for the time."""
    with duckdb.connect(str(tmp_path / "s.duckdb")) as held:
        held.execute("CREATE TABLE t AS SELECT 'at work' AS current_status, 'yes' AS nowhere_else")
    variables = {"current_status": "other", "nowhere_else": "other"}
    query = "SELECT current_status, nowhere_else FROM t"
    assert read(tmp_path, variables, path="s.duckdb", query=query) == [("at work", "yes")]
