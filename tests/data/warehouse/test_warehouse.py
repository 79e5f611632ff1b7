"""Is what a run stores private, encrypted where asked, and there again afterwards?"""

import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement, NotAssessed
from sdc.data.warehouse import Warehouse
from sdc.errors import BadProfile, CannotEncrypt, SdcError, WarehouseUnusable
from sdc.profile.plan import Limits

CANARY = "CANARY_7f3a91"
KEY = "a long key's text"


def canaries(warehouse: Warehouse, rows: int = 5000) -> None:
    warehouse.database.write("original", pa.table({"name": [f"{CANARY}_{row % 7}" for row in range(rows)]}))


def test_the_directory_and_the_file_are_their_owners_alone(tmp_path: Path) -> None:
    with Warehouse.create(tmp_path / "run") as warehouse:
        canaries(warehouse)
        assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
        assert (tmp_path / "run" / "warehouse.duckdb").stat().st_mode & 0o777 == 0o600
        assert warehouse.spill.stat().st_mode & 0o777 == 0o700


def test_what_was_stored_is_there_when_opened_again(tmp_path: Path) -> None:
    with Warehouse.create(tmp_path) as warehouse:
        canaries(warehouse)
    with Warehouse.open(tmp_path) as warehouse:
        assert warehouse.database.table("original").rows == 5000


def test_a_second_warehouse_in_the_same_place_is_refused(tmp_path: Path) -> None:
    Warehouse.create(tmp_path).close()
    with pytest.raises(WarehouseUnusable, match="there is one already"):
        Warehouse.create(tmp_path)


def test_opening_where_there_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WarehouseUnusable, match="there is none"):
        Warehouse.open(tmp_path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "warehouse.duckdb").write_text("no database\n" * 1000)
    with pytest.raises(WarehouseUnusable, match="no database that DuckDB can open"):
        Warehouse.open(tmp_path)


def test_another_process_is_told_that_the_file_is_in_use(tmp_path: Path) -> None:
    code = f"from pathlib import Path\nfrom sdc.data.warehouse import Warehouse\nWarehouse.open(Path({str(tmp_path)!r}))"
    with Warehouse.create(tmp_path) as warehouse:
        spilled = warehouse.spill / "in_use.tmp"
        spilled.touch()
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert "another process has it open" in other.stderr
        assert spilled.exists()


def test_without_a_key_the_values_are_in_the_file(tmp_path: Path) -> None:
    with Warehouse.create(tmp_path) as warehouse:
        canaries(warehouse)
    assert CANARY.encode() in (tmp_path / "warehouse.duckdb").read_bytes()


def test_with_a_key_no_value_and_no_column_name_is_in_any_file(tmp_path: Path) -> None:
    with Warehouse.create(tmp_path, key=KEY) as warehouse:
        warehouse.database.write(
            "original", pa.table({f"{CANARY}_column": [f"{CANARY}_{row % 7}" for row in range(5000)]})
        )
        before_closing = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        assert len(before_closing) > 1
    after = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(CANARY.encode() in held or KEY.encode() in held for held in [*before_closing, *after])


def test_with_a_key_what_is_spilled_is_encrypted_too(tmp_path: Path) -> None:
    with Warehouse.create(tmp_path, key=KEY, limits=Limits(memory="60MB", threads=1)) as warehouse:
        texts = f"'{CANARY}' || CAST(i AS VARCHAR) || repeat('x', 40)"
        warehouse.database.cursor().execute(
            f"CREATE TEMP TABLE t AS SELECT {texts} AS x FROM range(1500000) r(i)"
        )
        spilled = list(warehouse.spill.iterdir())
        assert spilled
        assert not any(CANARY.encode() in path.read_bytes() for path in spilled)
    assert not warehouse.spill.exists()


def test_with_the_right_key_the_file_opens_again(tmp_path: Path) -> None:
    with Warehouse.create(tmp_path, key=KEY) as warehouse:
        canaries(warehouse)
    with Warehouse.open(tmp_path, key=KEY) as warehouse:
        assert warehouse.database.table("original").rows == 5000


@pytest.mark.parametrize(
    ("key", "problem"), [(None, "no key was given"), ("open sesame", "with another key")]
)
def test_an_encrypted_file_does_not_open_without_its_key(
    tmp_path: Path, key: str | None, problem: str
) -> None:
    Warehouse.create(tmp_path, key=KEY).close()
    with pytest.raises(WarehouseUnusable, match=problem) as refused:
        Warehouse.open(tmp_path, key=key)
    assert KEY not in str(refused.value)
    assert str(key) not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_plain_file_does_not_pass_for_an_encrypted_one(tmp_path: Path) -> None:
    Warehouse.create(tmp_path).close()
    with pytest.raises(CannotEncrypt, match="not encrypted") as refused:
        Warehouse.open(tmp_path, key=KEY)
    assert KEY not in str(refused.value)


def test_without_the_extension_a_key_is_refused_and_no_file_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *more: None if "httpfs" in name else found(name, *more)
    )
    with pytest.raises(CannotEncrypt, match="duckdb-extension-httpfs"):
        Warehouse.create(tmp_path, key=KEY)
    assert not (tmp_path / "warehouse.duckdb").exists()


def test_an_extension_of_another_version_is_refused_and_no_file_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "elsewhere" / "duckdb_extension_httpfs"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "httpfs.duckdb_extension").write_bytes(b"not an extension" * 100)
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.delitem(sys.modules, "duckdb_extension_httpfs", raising=False)
    with pytest.raises(CannotEncrypt, match="cannot load"):
        Warehouse.create(tmp_path / "run", key=KEY)
    assert not (tmp_path / "run" / "warehouse.duckdb").exists()


def test_an_empty_key_is_no_key_and_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotEncrypt, match="empty"):
        Warehouse.create(tmp_path, key="")
    assert not (tmp_path / "warehouse.duckdb").exists()


def test_the_key_is_in_no_setting_that_a_query_can_read(tmp_path: Path) -> None:
    with Warehouse.create(tmp_path, key=KEY) as warehouse:
        cursor = warehouse.database.cursor()
        seen = [
            cursor.execute(f"SELECT * FROM {source}").fetchall()
            for source in ("duckdb_settings()", "duckdb_databases()")
        ]
    assert KEY not in str(seen)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{outside}')",
        "COPY (SELECT 1) TO '{outside}'",
        "ATTACH '{outside}.db' AS other",
        "SET memory_limit = '1GB'",
        "SET enable_external_access = true",
        "INSTALL spatial",
        "LOAD spatial",
    ],
)
def test_a_query_reaches_no_other_file_and_changes_no_setting(tmp_path: Path, query: str) -> None:
    outside = tmp_path / "outside.csv"
    outside.write_text("a\n1\n")
    with Warehouse.create(tmp_path / "run", readable=[tmp_path / "readable.csv"]) as warehouse:
        import duckdb

        with pytest.raises(duckdb.Error):
            warehouse.database.cursor().execute(query.format(outside=outside))
    assert outside.read_text() == "a\n1\n"


def test_only_the_readable_file_is_read_and_not_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "readable.csv").write_text("a\n1\n")
    with Warehouse.create(tmp_path / "run", readable=[tmp_path / "readable.csv"]) as warehouse:
        assert warehouse.database.cursor().execute(
            f"SELECT a FROM read_csv('{tmp_path}/readable.csv')"
        ).fetchall() == [(1,)]


def test_limits_of_the_profile_are_set(tmp_path: Path) -> None:
    limits = Limits(memory="300MB", threads=1, spill=tmp_path / "scratch")
    with Warehouse.create(tmp_path / "run", limits=limits) as warehouse:
        ask = "SELECT current_setting('threads'), current_setting('memory_limit'), current_setting('temp_directory')"
        assert warehouse.database.cursor().execute(ask).fetchone() == (
            1,
            "286.1 MiB",
            str(tmp_path / "scratch" / "run"),
        )
        assert (tmp_path / "scratch" / "run").stat().st_mode & 0o777 == 0o700


def test_an_amount_of_memory_that_is_none_is_a_fault_of_the_profile(tmp_path: Path) -> None:
    with pytest.raises(BadProfile, match=r"limits\.memory"):
        Warehouse.create(tmp_path, limits=Limits(memory="much"))


def test_what_a_killed_process_spilled_is_removed_at_the_next_opening(tmp_path: Path) -> None:
    Warehouse.create(tmp_path).close()
    (tmp_path / "spill").mkdir()
    (tmp_path / "spill" / "duckdb_temp_storage_DEFAULT-0.tmp").write_text("left behind")
    with Warehouse.open(tmp_path) as warehouse:
        assert list(warehouse.spill.iterdir()) == []


def test_measurements_come_back_as_they_were(tmp_path: Path) -> None:
    given = [
        Assessment(
            "k_anonymity",
            "k",
            "a",
            Measurement(3, {"share.région": 0.1 + 0.2, 'a"b': 1e-300}, Interval(2.5, 3.5, 0.9)),
            {"k": 3, "keys": ["x"]},
            0.25,
        ),
        Assessment("l_diversity", "l", "a", NotAssessed("it's missing"), {}, 0.5),
    ]
    with Warehouse.create(tmp_path) as warehouse:
        for each in given:
            warehouse.store_assessment(each)
    with Warehouse.open(tmp_path) as warehouse:
        assert warehouse.assessments() == given


def test_a_measurement_taken_again_replaces_the_earlier(tmp_path: Path) -> None:
    with Warehouse.create(tmp_path) as warehouse:
        for value in (1, 2):
            warehouse.store_assessment(Assessment("k_anonymity", "k", "a", Measurement(value)))
        assert [each.value for each in warehouse.assessments()] == [2]


def test_values_by_record_have_a_table_of_their_own(tmp_path: Path) -> None:
    by_record = {"risk": np.array([0.5, 0.25]), "class": np.array([1, 2])}
    with Warehouse.create(tmp_path) as warehouse:
        warehouse.store_assessment(
            Assessment("individual_risk", "risk", "a", Measurement(1, by_record=by_record))
        )
        table = warehouse.records("risk", "a")
        assert table is not None
        assert table.fetch('SELECT risk, class FROM "records_risk.a"') == [(0.5, 1), (0.25, 2)]
        assert warehouse.records("risk", "b") is None


def test_two_measurements_whose_names_join_to_the_same_words_keep_their_records(tmp_path: Path) -> None:
    with Warehouse.create(tmp_path) as warehouse:
        for value, (alias, candidate) in enumerate([("k_a", "b"), ("k", "a_b")]):
            by_record = {"risk": np.array([value])}
            warehouse.store_assessment(
                Assessment("individual_risk", alias, candidate, Measurement(1, by_record=by_record))
            )
        held = [warehouse.records("k_a", "b"), warehouse.records("k", "a_b")]
        assert [table and table.fetch(f'SELECT risk FROM "{table.name}"') for table in held] == [
            [(0,)],
            [(1,)],
        ]


def test_findings_come_back_in_order_and_replace_those_of_the_same_candidate(tmp_path: Path) -> None:
    first = Finding(
        "k",
        "risk",
        "a",
        holds=False,
        otherwise="withhold",
        value=2.0,
        at_least=3.0,
        margin=-1.0,
        because="rule",
        reason="k is 2",
    )
    second = Finding("l", "risk", "a", holds=True, otherwise="refer")
    other = Finding("k", "risk", "b", holds=True, otherwise="note")
    with Warehouse.create(tmp_path) as warehouse:
        warehouse.store_findings([second])
        warehouse.store_findings([other])
        warehouse.store_findings([first, second])
        assert warehouse.findings() == [other, first, second]


def test_threads_store_side_by_side_and_lose_nothing(tmp_path: Path) -> None:
    failed: list[BaseException] = []
    with Warehouse.create(tmp_path) as warehouse:

        def store(thread: int) -> None:
            try:
                for number in range(10):
                    warehouse.store_assessment(
                        Assessment("m", f"m{thread}_{number}", "a", Measurement(number))
                    )
                    warehouse.store_assessment(Assessment("m", f"shared_{number}", "a", Measurement(number)))
            except Exception as error:
                failed.append(error)
                raise

        threads = [threading.Thread(target=store, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        assert len(warehouse.assessments()) == 50


FILLS_THE_DISK = """
import resource, sys
from pathlib import Path
from sdc.data.warehouse import Warehouse
from sdc.data.warehouse.handle import storing
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
warehouse = Warehouse.create(Path(sys.argv[1]))
with storing(warehouse.directory.path):
    warehouse.database.cursor().execute("CREATE TABLE t AS SELECT 'CANARY' || md5(CAST(i AS VARCHAR)) AS x FROM range(3000000) r(i)")
    warehouse.database.cursor().execute("CHECKPOINT")
"""


@pytest.mark.slow
def test_a_disk_that_cannot_take_the_tables_is_named_without_a_value(tmp_path: Path) -> None:
    filled = subprocess.run(
        [sys.executable, "-c", FILLS_THE_DISK, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert filled.returncode == 1
    assert "WarehouseUnusable: the warehouse" in filled.stderr
    assert "a file may not grow any further" in filled.stderr
    assert "CANARY" not in filled.stderr


@pytest.mark.parametrize(
    "words",
    [
        "IO Error: Could not write file: No space left on device",
        "IO Error: failed to offload: max_temp_directory_size",
    ],
)
def test_duckdb_on_a_full_disk_is_a_sentence(tmp_path: Path, words: str) -> None:
    import duckdb

    from sdc.data.warehouse.handle import storing

    with pytest.raises(SdcError, match=r"the warehouse .* cannot be used: the disk"), storing(tmp_path):
        raise duckdb.IOException(words + " CANARY")


def test_a_memory_limit_that_is_too_small_is_a_sentence(tmp_path: Path) -> None:
    from sdc.data.warehouse.handle import storing

    with Warehouse.create(tmp_path, limits=Limits(memory="20MB", threads=1)) as warehouse:
        cursor = warehouse.database.cursor()
        with pytest.raises(WarehouseUnusable, match="memory limit"), storing(tmp_path):
            cursor.execute("SELECT list(i) FROM range(50000000) r(i)").fetchall()


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WarehouseUnusable, match=r"file/run"):
        Warehouse.create(tmp_path / "file" / "run")
    assert not os.path.lexists(tmp_path / "file" / "run")
