"""Are files of SPSS, Stata and SAS read with their labels, kinds of missing values and dates?

The files were written by R's haven and foreign; make_reference_files.R has the values that stand here.
"""

import datetime as dt
import math
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdc.data import sql
from sdc.data.warehouse import Warehouse
from sdc.errors import BadData
from sdc.ingest import ingest
from sdc.ingest.readers import statistical_file
from sdc.ingest.readers.opened import Level
from sdc.ingest.readers.statistical_values import temporal
from sdc.profile.plan import Profile
from sdc.run.secret import NO_SECRET

FILES = Path(__file__).parent / "files"
BORN = [dt.date(1990, 1, 2), None, dt.date(2020, 2, 29), dt.date(1600, 3, 1), dt.date(2000, 12, 31)]
SEEN = [
    dt.datetime.fromisoformat("1990-01-02 10:11:12"),
    None,
    dt.datetime.fromisoformat("2020-02-29 00:00:00"),
    dt.datetime.fromisoformat("2000-01-01 00:00:00"),
    dt.datetime.fromisoformat("2000-12-31 23:59:59"),
]


@pytest.mark.parametrize("name", ["people.sav", "people.zsav"])
def test_spss_is_read_as_haven_wrote_it(read: Callable[..., Any], name: str) -> None:
    found = read(FILES / name)
    assert found.column("health") == [1, 2, 9, None, 8]
    # -50 lies in the range of missing values and has no label: it has no name of its own.
    assert found.column("income") == [10.5, -1, None, 20, -99]
    assert found.column("code") == ["a", "b", "X", "", "ü"]
    assert found.column("born") == BORN
    assert found.column("seen") == SEEN
    assert found.column("clock") == ["01:01:00", "02:02:00", None, "03:03:00", "23:59:00"]
    health = found.columns["health"].metadata
    assert health.label == "Health now"
    assert health.values == {"1": "good", "2": "bad", "7": "never", "8": "unknown", "9": "refused"}
    assert sorted(health.missing_codes) == ["8", "9"]
    assert sorted(found.columns["income"].metadata.missing_codes) == ["-1", "-99"]
    assert found.columns["code"].metadata.missing_codes == ("X",)


def test_kinds_of_missing_of_stata_are_codes_of_their_own(read: Callable[..., Any]) -> None:
    found = read(FILES / "people.dta")
    assert found.column("health") == ["1", "2", ".a", None, ".z"]
    assert found.column("income") == ["10.5", ".c", "3", "20", None]
    assert found.column("code") == ["a", "b", "ü", "", "c"]
    assert found.column("number") == [1, 2, 3, 4, 5]
    assert (found.column("born"), found.column("seen")) == (BORN, SEEN)
    health = found.columns["health"].metadata
    assert health.missing_codes == (".a", ".b", ".z")
    assert health.values == {"1": "good", "2": "bad", ".a": "refused", ".b": "unknown"}


def test_an_old_file_of_stata_is_read(read: Callable[..., Any]) -> None:
    assert read(FILES / "old.dta").records == [(1, "a"), (2, "b"), (3, "c")]


def test_sas_is_read_with_its_kinds_of_missing(read: Callable[..., Any]) -> None:
    found = read(FILES / "people.sas7bdat")
    assert found.column("health") == ["1", "2", ".A", None, "._"]
    assert found.columns["health"].metadata.missing_codes == (".A", "._")
    assert found.columns["health"].metadata.label == "Health now"
    assert (found.column("born"), found.column("seen")) == (BORN, SEEN)


def test_a_transport_file_has_one_kind_of_missing(read: Callable[..., Any]) -> None:
    found = read(FILES / "people.xpt")
    assert found.column("health") == [1, 2, None, None, None]
    assert (found.column("born"), found.column("seen")) == (BORN, SEEN)


def test_a_portable_file_is_read(read: Callable[..., Any]) -> None:
    found = read(FILES / "people.por")
    assert found.records == [(1, "a"), (2, "b"), (None, "c")]
    assert found.columns["AGE"].metadata.label == "Age"


def test_an_ordinal_variable_has_the_order_of_its_codes(read: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "levels.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"health": [3.0, 1.0, 9.0]}),
        str(file),
        variable_value_labels={"health": {3: "bad", 1: "good", 2: "fair", 9: "refused"}},
        missing_ranges={"health": [9]},
        variable_measure={"health": "ordinal"},
    )
    said = read(file).columns["health"].metadata
    assert said.level is Level.ORDINAL
    assert said.order == ("1", "2", "3")


@pytest.mark.parametrize("name", ["people.sav", "people.zsav", "people.dta", "people.sas7bdat", "people.xpt"])
def test_a_file_that_breaks_off_is_a_fault(refused: Callable[..., str], tmp_path: Path, name: str) -> None:
    held = (FILES / name).read_bytes()
    file = tmp_path / name
    file.write_bytes(held[: len(held) * 9 // 10])
    assert refused(file) == (
        f"1 fault in the data\n  {file}: the file cannot be read to its end; is the file whole?"
    )


def test_chunks_put_together_are_the_file(
    read: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = [float(number) for number in range(25)]
    for name, write in (
        ("n.sav", pyreadstat.write_sav),
        ("n.dta", pyreadstat.write_dta),
        ("n.xpt", pyreadstat.write_xport),
    ):
        write(pd.DataFrame({"n": numbers, "t": [f"t{n:g}" for n in numbers]}), str(tmp_path / name))
        monkeypatch.setattr(statistical_file, "CELLS_AT_A_TIME", 14)
        monkeypatch.setattr(statistical_file, "CELLS_OF_A_PASS", 14)
        assert read(tmp_path / name).records == [(n, f"t{n:g}") for n in numbers]


NUMBERS = st.none() | st.floats(-1e12, 1e12).map(lambda x: x + 0.0)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=8)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(NUMBERS, TEXTS, st.dates(dt.date(1600, 1, 1))), min_size=1, max_size=30))
def test_a_table_comes_back_from_each_package(
    read: Callable[..., Any], tmp_path: Path, rows: list[tuple[float | None, str, dt.date]]
) -> None:
    numbers, texts, days = (list(column) for column in zip(*rows, strict=True))
    frame = pd.DataFrame({"n": pd.Series(numbers, dtype=float), "t": texts, "d": days})
    for name, write in (("r.sav", pyreadstat.write_sav), ("r.dta", pyreadstat.write_dta)):
        write(frame, str(tmp_path / name))
        found = read(tmp_path / name)
        again = found.column("n")
        assert all(
            (one is None and two is None) or math.isclose(one, two, rel_tol=0, abs_tol=0)
            for one, two in zip(numbers, again, strict=True)
        )
        assert found.column("d") == days
        normal = [unicodedata.normalize("NFC", text) for text in texts]
        assert found.column("t") == normal


def test_a_code_reads_as_a_category_without_decimals(read: Callable[..., Any]) -> None:
    held = read(FILES / "people.sav").columns["health"]
    assert held.type == "DOUBLE"
    assert "BIGINT" in sql.as_text(held.expression, held.type)


def taken(folder: Path, income: dict[str, Any]) -> list[Any]:
    """The incomes of a file in which -1 stands for missing, as a warehouse has them."""
    pyreadstat.write_sav(
        pd.DataFrame({"income": [10.0, -1.0, 20.0], "sex": [1.0, 2.0, 1.0]}),
        str(folder / "a.sav"),
        missing_ranges={"income": [-1]},
    )
    variables = {"income": income, "sex": "quasi_identifier"}
    profile = Profile(name="t", seed=1, source={"path": "a.sav"}, variables=variables, candidates={})
    with Warehouse.create(folder / "run", readable=[folder / "a.sav"]) as warehouse:
        ingest(profile, folder, warehouse, NO_SECRET)
        return [row[0] for row in warehouse.database.table("original").fetch("SELECT income FROM original")]


def test_a_number_that_the_file_calls_missing_is_never_read_as_a_value(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="column 'income': the file says that -1 stand for missing"):
        taken(tmp_path, {"type": "numeric"})


def test_declared_as_the_file_says_it_is_missing(tmp_path: Path) -> None:
    assert taken(tmp_path, {"type": "numeric", "missing_codes": ["-1"]}) == [10, None, 20]


def test_as_a_category_it_may_stay(tmp_path: Path) -> None:
    assert taken(tmp_path, {}) == ["10", "-1", "20"]


def test_a_format_of_the_user_is_no_time_though_its_name_begins_like_one(
    read: Callable[..., Any], tmp_path: Path
) -> None:
    held = pd.DataFrame({name: [1.0, 2.0] for name in ("use", "care", "born", "month", "hour")})
    formats = {"use": "TIMEUSE", "care": "DAYCARE", "born": "DATE9", "month": "YYMMS7", "hour": "TIMEAMPM8"}
    pyreadstat.write_xport(held, str(tmp_path / "a.xpt"), variable_format=formats, file_format_version=8)
    found = read(tmp_path / "a.xpt")
    assert found.column("use") == [1, 2]
    assert found.column("care") == [1, 2]
    # SAS counts days and seconds; its first day is the first of January 1960.
    assert found.column("born") == found.column("month") == [dt.date(1960, 1, 2), dt.date(1960, 1, 3)]
    assert found.column("hour") == ["00:00:01", "00:00:02"]


@pytest.mark.parametrize(
    ("package", "form", "kind"),
    [
        ("sas", "DATETIME20.", "TIMESTAMP"),
        ("sas", "datetime22.3", "TIMESTAMP"),
        ("sas", "DDMMYYP10.", "DATE"),
        ("sas", "YYQR6", "DATE"),
        ("sas", "DATEX9", None),
        ("sas", "DATETIMES", None),
        ("sas", "YYMMDDQ", None),
        ("spss", "DATE11", "DATE"),
        ("spss", "DATETIME23.2", "TIMESTAMP"),
        ("spss", "TIME11.2", "VARCHAR"),
        ("spss", "F8.2", None),
    ],
)
def test_a_format_counts_by_its_whole_name(package: str, form: str, kind: str | None) -> None:
    found = temporal(package, form, "x")
    assert (found and found.type) == kind
