"""Do columns come out of DuckDB as they are, in their order, whatever their type and name?"""

import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdc.data import sql
from sdc.data.database import Database
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.data.table import Table, encode


@pytest.fixture
def database() -> Database:
    return Database.in_memory()


def column(database: Database, expression: str) -> Table:
    database.cursor().execute(f"CREATE OR REPLACE TABLE one AS SELECT {expression} AS x")
    return database.table("one")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("CAST(23 AS BIGINT)", "23"),
        ("CAST(23 AS TINYINT)", "23"),
        ("CAST(23 AS DOUBLE)", "23"),
        ("CAST(23 AS FLOAT)", "23"),
        ("CAST(23 AS DECIMAL(9, 3))", "23"),
        ("'23'", "23"),
        ("CAST(-0.0 AS DOUBLE)", "0"),
        ("CAST(0.1 AS DOUBLE)", "0.1"),
        ("CAST(0.10 AS DECIMAL(9, 2))", "0.1"),
        ("CAST(9007199254740991 AS DOUBLE)", "9007199254740991"),
        ("CAST(9007199254740991 AS BIGINT)", "9007199254740991"),
        ("CAST('nan' AS DOUBLE)", None),
        ("CAST(NULL AS DOUBLE)", None),
        ("DATE '2020-02-29'", "2020-02-29"),
        ("TIMESTAMP '2020-02-29 00:00:00'", "2020-02-29"),
        ("CAST('2020-02-29' AS TIMESTAMP_NS)", "2020-02-29"),
        ("TIMESTAMP '2020-02-29 10:30:00'", "2020-02-29 10:30:00"),
        ("TRUE", "true"),
        ("'true'", "true"),
        ("CAST('a' AS ENUM ('a', 'b'))", "a"),
        ("''", ""),
    ],
)
def test_equal_values_read_alike_whatever_type_holds_them(
    database: Database, expression: str, text: str | None
) -> None:
    codes, levels = column(database, expression).codes("x")
    assert (codes.tolist(), levels) == (([0], [text]) if text is not None else ([-1], []))


def test_codes_are_in_byte_order_and_missing_is_minus_one(database: Database) -> None:
    table = database.write("t", pa.table({"x": ["é", "b", None, "Z", "b", "10", "9", "日"]}))
    codes, levels = table.codes("x")
    assert levels == ["10", "9", "Z", "b", "é", "日"]
    assert codes.tolist() == [4, 3, -1, 2, 3, 0, 1, 5]


def test_the_order_of_rows_is_that_of_writing_however_many_there_are(database: Database) -> None:
    rows = 500_000
    table = database.write("t", pa.table({"x": np.arange(rows)}))
    assert np.array_equal(table.numbers("x"), np.arange(rows, dtype=float))


def test_numbers_are_floats_with_nan_where_missing(database: Database) -> None:
    table = database.write("t", pa.table({"x": pa.array([1, None, 3], pa.int16())}))
    assert table.numbers("x").dtype == np.float64
    assert np.array_equal(table.numbers("x"), [1.0, np.nan, 3.0], equal_nan=True)


def test_a_frame_has_the_types_its_roles_say(database: Database) -> None:
    held = pa.table(
        {
            "age": [1, None],
            "level": ["low", "high"],
            "born": pa.array([0, None], pa.date32()),
            "sex": ["f", None],
            "recoded": ["1-2", "3-4"],
        }
    )
    roles = Roles.of(
        [
            Variable("age", Role.OTHER, VariableType.NUMERIC),
            Variable("level", Role.OTHER, VariableType.ORDINAL, ("low", "medium", "high")),
            Variable("born", Role.OTHER, VariableType.DATE),
            Variable("sex"),
            Variable("recoded", Role.OTHER, VariableType.NUMERIC),
        ]
    )
    frame = database.write("t", held).frame([variable.name for variable in roles], roles)
    assert frame["age"].dtype == np.float64
    assert list(frame["level"].cat.categories) == ["low", "medium", "high"]
    assert frame["level"].cat.ordered
    assert frame["born"].iloc[0] == pd.Timestamp("1970-01-01")
    assert pd.isna(frame["born"].iloc[1])
    assert list(frame["sex"].cat.categories) == ["f"]
    assert list(frame["recoded"].cat.categories) == ["1-2", "3-4"]


def test_an_order_that_does_not_cover_the_values_leaves_them_unordered(database: Database) -> None:
    roles = Roles.of([Variable("level", Role.OTHER, VariableType.ORDINAL, ("low", "high"))])
    frame = database.write("t", pa.table({"level": ["low", "other"]})).frame(["level"], roles)
    assert not frame["level"].cat.ordered


def test_an_empty_table_gives_empty_columns(database: Database) -> None:
    table = database.write("t", pa.table({"x": pa.array([], pa.string()), "y": pa.array([], pa.float64())}))
    assert (table.rows, table.codes("x")[1], table.numbers("y").size) == (0, [], 0)


@pytest.mark.parametrize("name", ["select", 'a"b', "it's", "n", "Ärger ß", "a.b", "x; DROP TABLE t", ""])
def test_names_are_quoted(database: Database, name: str) -> None:
    if not name:
        assert sql.name(name) == '""'
        return
    table = database.write(name, pa.table({name: [1.0, 2.0]}))
    assert table.columns == (name,)
    assert table.numbers(name).tolist() == [1.0, 2.0]
    assert database.has(name)


@pytest.mark.parametrize("text", ["it's; --", "'", "''", 'a"b', "\\", "日本\n"])
def test_texts_are_quoted(database: Database, text: str) -> None:
    assert database.cursor().execute(f"SELECT {sql.text(text)}").fetchall() == [(text,)]


def test_a_number_in_sql_is_the_same_number(database: Database) -> None:
    for number in (0.1 + 0.2, 1e-300, -1.7976931348623157e308, 0.30000000000000004, 123456789.12345679):
        assert database.cursor().execute(f"SELECT {sql.number(number)}").fetchall() == [(number,)]


@pytest.mark.slow
def test_encoding_a_million_levels_keeps_their_order() -> None:
    texts = [f"{number:07d}" for number in range(1_000_000)]
    codes, levels = encode([pa.array(texts[::-1])])
    assert codes[0] == 999_999
    assert levels[:2] == ["0000000", "0000001"]


def test_each_thread_has_its_own_cursor_and_sees_the_same_tables(database: Database) -> None:
    database.write("t", pa.table({"x": [1, 2, 3]}))
    seen: dict[int, tuple[int, int]] = {}

    def look(number: int) -> None:
        seen[number] = (id(database.cursor()), database.table("t").rows)

    threads = [threading.Thread(target=look, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({cursor for cursor, _ in seen.values()}) == 4
    assert {rows for _, rows in seen.values()} == {3}


def test_a_closed_database_lets_go_of_its_file_though_threads_had_cursors(tmp_path: Path) -> None:
    import duckdb

    database = Database(duckdb.connect(str(tmp_path / "file.db")))
    thread = threading.Thread(target=lambda: database.cursor().execute("CREATE TABLE t AS SELECT 1 AS x"))
    thread.start()
    thread.join()
    database.close()
    with duckdb.connect(str(tmp_path / "file.db"), read_only=True) as other:
        assert other.execute("SELECT x FROM t").fetchall() == [(1,)]


def test_texts_that_read_the_same_are_the_same_in_whatever_unicode_form(tmp_path):
    """Five regions with accents, each of one person: a candidate in decomposed form replicates them all."""
    import unicodedata

    from sdc.data.release_pair import ReleasePair
    from sdc.data.roles import Role, Roles, Variable
    from sdc.data.warehouse import Warehouse
    from sdc.ingest import ingest
    from sdc.measures.risk.replicated_uniques import replicated_uniques
    from sdc.profile.load import load_profile
    from sdc.run.secret import NO_SECRET

    names = ["Orléans", "Łódź", "Århus", "Málaga", "Ulm"]
    taken_apart = [unicodedata.normalize("NFD", name) for name in names]
    roles = Roles.of([Variable("ort", Role.QUASI_IDENTIFIER)])
    for kind in ("object", "category"):
        frames = [pd.DataFrame({"ort": pd.Series(held, dtype=kind)}) for held in (names, taken_apart)]
        assert replicated_uniques(ReleasePair.from_frames(*frames, roles)).value == 100
    (tmp_path / "d.csv").write_text(
        "stra\u00dfe,größe\n" + "".join(f"{name},{len(name)}\n" for name in taken_apart), encoding="utf-8"
    )
    text = "name: a\nsource: {path: d.csv}\nvariables:\n  straße: {role: quasi_identifier, allowed: [Orléans, Łódź, Århus, Málaga, Ulm]}\n  größe: {type: numeric}\n"
    (tmp_path / "p.yaml").write_text(
        unicodedata.normalize(
            "NFD",
            text
            + "candidates: {c: [{method: local_suppression, with: {k: 2}}]}\nrisk: [{measure: k_anonymity, at_least: 2, because: a}]\n",
        )
    )
    with Warehouse.create(tmp_path / "run", readable=[tmp_path / "d.csv"]) as warehouse:
        ingest(load_profile(tmp_path / "p.yaml"), tmp_path, warehouse, NO_SECRET)
        held = warehouse.database.table("original").fetch('SELECT "straße" FROM original ORDER BY rowid')
    assert [name for (name,) in held] == names
