"""Is the file that may be published what was judged, with the types of the original and in no telling order?"""

import errno
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.data.warehouse import Warehouse
from sdc.errors import SdcError, WarehouseUnusable
from sdc.profile.plan import Limits

NUMERIC, DATE, ORDINAL = VariableType.NUMERIC, VariableType.DATE, VariableType.ORDINAL
ROLES = Roles.of(
    [
        Variable("person", Role.DIRECT_IDENTIFIER),
        Variable("age", Role.QUASI_IDENTIFIER, NUMERIC),
        Variable("income", Role.SENSITIVE, NUMERIC),
        Variable("born", Role.OTHER, DATE),
        Variable("member", Role.OTHER),
        Variable("rooms", Role.OTHER),
        Variable('select "région"', Role.OTHER, ORDINAL, ("low", "é'x")),
    ]
)
ORIGINAL = pa.table(
    {
        "age": pa.array([23, 41, None, 35], pa.int64()),
        "income": [1.5, 2.0, 3.25, None],
        "born": pa.array([pd.Timestamp(f"200{year}-01-02").date() for year in range(4)]),
        "member": [True, False, None, True],
        "rooms": pa.array([1, 2, 3, 3], pa.int64()),
        'select "région"': ["low", "é'x", None, "low"],
    }
)
ORDER = np.array([2, 0, 3, 1])


@pytest.fixture
def warehouse(tmp_path: Path):
    with Warehouse.create(tmp_path / "run") as made:
        made.database.write("original", ORIGINAL)
        yield made


def frame(warehouse: Warehouse) -> pd.DataFrame:
    return warehouse.database.table("original").frame(ROLES.released, ROLES)


def test_an_unchanged_candidate_is_the_original_in_types_values_and_order(warehouse: Warehouse) -> None:
    stored = warehouse.store_candidate("plain", frame(warehouse), ROLES, ORDER)
    assert stored.table.types == warehouse.database.table("original").types
    assert stored.table.fetch("FROM candidate_plain") == stored.table.fetch("FROM original")
    assert stored.rows == 4


def test_record_j_of_the_file_is_record_order_j(warehouse: Warehouse) -> None:
    stored = warehouse.store_candidate("plain", frame(warehouse), ROLES, ORDER)
    assert pq.read_table(stored.path).column("rooms").to_pylist() == [3, 1, 3, 2]
    assert stored.table.fetch("SELECT rooms FROM candidate_plain") == [(1,), (2,), (3,), (3,)]


def test_a_direct_identifier_is_in_no_candidate(warehouse: Warehouse) -> None:
    stored = warehouse.store_candidate("plain", frame(warehouse), ROLES, ORDER)
    assert "person" not in pq.read_schema(stored.path).names
    with pytest.raises(SdcError, match="not released: person"):
        warehouse.store_candidate("leaky", frame(warehouse).assign(person="x"), ROLES, ORDER)


def test_the_file_tells_nothing_of_its_making(warehouse: Warehouse) -> None:
    stored = warehouse.store_candidate("plain", frame(warehouse), ROLES, ORDER)
    assert pq.read_schema(stored.path).metadata is None
    assert stored.path.stat().st_mode & 0o777 == 0o600


def test_whole_numbers_stay_whole_only_while_every_value_is(warehouse: Warehouse) -> None:
    changed = frame(warehouse).assign(age=[23.0, 41.5, np.nan, 35.0])
    assert warehouse.store_candidate("noisy", changed, ROLES, ORDER).table.types["age"] == "DOUBLE"
    changed = frame(warehouse).assign(income=[1.0, 2.0, 3.0, np.nan])
    assert warehouse.store_candidate("rounded", changed, ROLES, ORDER).table.types["income"] == "DOUBLE"


def test_no_zero_that_leaves_has_a_sign(warehouse: Warehouse) -> None:
    """The database loses it where a stretch of a column is nothing but zeros: it would depend on the way."""
    changed = frame(warehouse).assign(income=[-0.0, 0.0, 1 / 3, np.nan])
    stored = warehouse.store_candidate("zeros", changed, ROLES, ORDER)
    left = [number for number in pq.read_table(stored.path)["income"].to_pylist() if number is not None]
    assert sorted(map(str, left)) == ["0.0", "0.0", str(1 / 3)]


def test_a_recoded_number_is_text(warehouse: Warehouse) -> None:
    changed = frame(warehouse).assign(age=pd.Categorical(["20-29", "40-49", None, "30-39"]))
    stored = warehouse.store_candidate("recoded", changed, ROLES, ORDER)
    assert stored.table.types["age"] == "VARCHAR"
    assert stored.table.fetch("SELECT age FROM candidate_recoded") == [
        ("20-29",),
        ("40-49",),
        (None,),
        ("30-39",),
    ]


def test_a_number_recoded_to_labels_that_look_like_numbers_is_still_text(warehouse: Warehouse) -> None:
    changed = frame(warehouse).assign(age=pd.Categorical(["20", "40", None, "30"]))
    assert warehouse.store_candidate("recoded", changed, ROLES, ORDER).table.types["age"] == "VARCHAR"


@pytest.mark.parametrize(
    ("label", "kind"),
    [("4", "BIGINT"), ("04", "VARCHAR"), ("3+", "VARCHAR"), ("1_0", "VARCHAR"), ("٤", "VARCHAR")],
)
def test_codes_are_whole_numbers_again_only_where_they_read_back_exactly(
    warehouse: Warehouse, label: str, kind: str
) -> None:
    changed = frame(warehouse).assign(rooms=pd.Categorical(["1", "2", label, None]))
    stored = warehouse.store_candidate("coded", changed, ROLES, ORDER)
    assert stored.table.types["rooms"] == kind
    assert [str(row[0]) for row in stored.table.fetch("SELECT rooms FROM candidate_coded")] == [
        "1",
        "2",
        label,
        "None",
    ]


def test_a_grouped_truth_value_is_text(warehouse: Warehouse) -> None:
    changed = frame(warehouse).assign(member=pd.Categorical(["true", "unknown", None, "true"]))
    assert warehouse.store_candidate("grouped", changed, ROLES, ORDER).table.types["member"] == "VARCHAR"


def test_a_time_of_day_is_kept(warehouse: Warehouse) -> None:
    changed = frame(warehouse).assign(
        born=pd.to_datetime(["2000-01-02 10:30", "2001-01-02", None, "2003-01-02"], format="mixed")
    )
    assert warehouse.store_candidate("timed", changed, ROLES, ORDER).table.types["born"] == "TIMESTAMP"


def test_a_column_suppressed_altogether_keeps_its_place(warehouse: Warehouse) -> None:
    changed = frame(warehouse).assign(rooms=pd.Categorical([None] * 4, categories=["1", "2"]), age=np.nan)
    stored = warehouse.store_candidate("suppressed", changed, ROLES, ORDER)
    assert stored.table.fetch("SELECT count(rooms), count(age), count(*) FROM candidate_suppressed") == [
        (0, 0, 4)
    ]
    assert stored.table.columns == ROLES.released


def test_a_candidate_with_fewer_records_has_its_own_order(warehouse: Warehouse) -> None:
    stored = warehouse.store_candidate("half", frame(warehouse).iloc[[3, 1]], ROLES, np.array([1, 0]))
    assert stored.table.fetch("SELECT rooms FROM candidate_half") == [(3,), (2,)]


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 1, 2, 2], [1, 2, 3, 4]])
def test_an_order_that_is_none_is_refused(warehouse: Warehouse, order: list[int]) -> None:
    with pytest.raises(SdcError, match="no order of all of them"):
        warehouse.store_candidate("plain", frame(warehouse), ROLES, np.array(order))


@pytest.mark.parametrize("name", ["../outside", "a/b", "", "a b"])
def test_a_candidate_cannot_be_named_out_of_its_directory(warehouse: Warehouse, name: str) -> None:
    with pytest.raises(SdcError, match="name of a candidate"):
        warehouse.store_candidate(name, frame(warehouse), ROLES, ORDER)


def test_further_syntheses_are_tables_of_their_own(warehouse: Warehouse) -> None:
    for name in ("synthetic", "synthetic_2"):
        warehouse.store_candidate(name, frame(warehouse), ROLES, ORDER)
    assert warehouse.database.has("candidate_synthetic")
    assert warehouse.database.has("candidate_synthetic_2")


@pytest.mark.slow
def test_equal_records_give_equal_bytes_on_one_thread_and_on_four(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = 300_000
    made = pa.table(
        {
            "age": rng.integers(18, 90, rows),
            "income": rng.normal(size=rows),
            "born": pa.array(rng.integers(0, 20_000, rows), pa.int32()).cast(pa.date32()),
            "member": rng.random(rows) < 0.5,
            "rooms": rng.integers(1, 6, rows),
            'select "région"': np.where(rng.random(rows) < 0.5, "low", "é'x"),
        }
    )
    order = rng.permutation(rows)
    seen = []
    for threads in (1, 4):
        with Warehouse.create(tmp_path / str(threads), limits=Limits(threads=threads)) as warehouse:
            warehouse.database.write("original", made)
            stored = warehouse.store_candidate("plain", frame(warehouse), ROLES, order)
            same = (
                "SELECT count(*) FROM candidate_plain c POSITIONAL JOIN original o WHERE c IS DISTINCT FROM o"
            )
            assert stored.table.fetch(same) == [(0,)]
            seen.append((stored.sha256, stored.path.read_bytes()))
    assert seen[0] == seen[1]


def test_a_full_disk_leaves_no_file_and_is_named(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", full)
    with pytest.raises(WarehouseUnusable, match="the disk is full"):
        warehouse.store_candidate("plain", frame(warehouse), ROLES, ORDER)
    assert list(warehouse.directory.candidates.iterdir()) == []


def test_what_is_judged_is_read_from_the_file(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    write = pq.ParquetWriter.write_table

    def tampered(writer: pq.ParquetWriter, rows: pa.Table) -> None:
        write(writer, rows.set_column(0, "age", pa.array([1, 2, 3, 4])))

    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", tampered)
    stored = warehouse.store_candidate("plain", frame(warehouse), ROLES, ORDER)
    assert stored.table.fetch("SELECT age FROM candidate_plain") == [(2,), (4,), (1,), (3,)]


def test_the_published_file_reads_alike_elsewhere(warehouse: Warehouse) -> None:
    stored = warehouse.store_candidate("plain", frame(warehouse), ROLES, ORDER)
    with duckdb.connect() as elsewhere:
        assert elsewhere.execute(f"SELECT count(*), sum(income) FROM '{stored.path}'").fetchone() == (4, 6.75)


def test_a_column_that_no_step_looked_at_leaves_as_the_original_holds_it(warehouse: Warehouse) -> None:
    frame = warehouse.database.table("original").frame(ROLES.released, ROLES)
    whole = warehouse.store_candidate("whole", frame, ROLES, ORDER)
    rest = [name for name in ROLES.released if name != "age"]
    part = warehouse.store_candidate("part", frame[["age"]], ROLES, ORDER, as_held=rest)
    assert part.sha256 == whole.sha256
    with pytest.raises(SdcError, match="all columns of its own"):
        warehouse.store_candidate("fewer", frame[["age"]].head(2), ROLES, np.array([1, 0]), as_held=rest)
    with pytest.raises(KeyError):
        warehouse.store_candidate("lost", frame[["age"]], ROLES, ORDER)


def test_a_group_of_rows_lists_only_the_categories_that_its_records_have(warehouse: Warehouse) -> None:
    """A category of a long file that one group of rows has and another has not is no hidden one."""
    rows = 2**20 + 3
    roles = Roles.of([Variable("town", Role.OTHER)])
    towns = pd.Categorical.from_codes([0] * (rows - 1) + [1], ["common", "rare"])
    stored = warehouse.store_candidate("long", pd.DataFrame({"town": towns}), roles, np.arange(rows))
    with pq.ParquetFile(stored.path, read_dictionary=["town"]) as file:
        listed = [
            file.read_row_group(group).column("town").chunk(0).dictionary.to_pylist()
            for group in range(file.num_row_groups)
        ]
    assert listed == [["common"], ["common", "rare"]]


def test_a_candidate_written_in_parts_is_the_same_table(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdc.data.warehouse.leaving.ROWS_AT_ONCE", 3)
    stored = warehouse.store_candidate("parts", frame(warehouse), ROLES, ORDER)
    assert pq.ParquetFile(stored.path).num_row_groups == 2
    assert stored.table.types == warehouse.database.table("original").types
    assert stored.table.fetch("FROM candidate_parts") == stored.table.fetch("FROM original")


def test_persons_have_the_order_of_the_file(warehouse: Warehouse) -> None:
    warehouse.database.write("persons", pa.table({"person": ["a", "b", "c", "d"]}))
    warehouse.store_persons("plain", ORDER)
    held = pq.read_table(warehouse.directory.persons("plain"))
    assert held.column("person").to_pylist() == ["c", "a", "d", "b"]
