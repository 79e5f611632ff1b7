"""Attacks on words: does anything confidential get into a message, a page, a file left behind or a query?"""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from sdc.check import check
from sdc.data.warehouse import Warehouse
from sdc.draft import draft
from sdc.errors import BadData, SdcError
from sdc.gate.decision import Decision, JudgedNumber, Verdict
from sdc.ingest import ingest_candidate
from sdc.profile import Profile
from sdc.profile.load import load_profile
from sdc.profile.plan import VariablePlan
from sdc.run.secret import NO_SECRET

FIRST = ["Zebulon Haas", "Rarevillage", "67", "98765.43"]
"""The first person of the file: what a reader without a header takes for names."""

PROFILE = """\
name: people
seed: 1
source: {path: people.csv}
variables:
  name: direct_identifier
  region: quasi_identifier
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric}
candidates:
  plain: []
risk:
  - {measure: k_anonymity, at_least: 2, because: rule}
"""


def people(rows: int = 40) -> pd.DataFrame:
    others = [
        [f"Person {row} Nobody", ["Northland", "Southland"][row % 2], str(30 + row % 4), "1000"]
        for row in range(rows)
    ]
    return pd.DataFrame([FIRST, *others], columns=["name", "region", "age", "income"])


def write(tmp_path: Path, frame: pd.DataFrame, profile: str = PROFILE, *, header: bool = True) -> Path:
    path = tmp_path / "profile.yaml"
    path.write_text(profile, encoding="utf-8")
    frame.to_csv(tmp_path / "people.csv", index=False, header=header)
    (tmp_path / "outbox").mkdir(exist_ok=True)
    return path


def refusal(call: Any, *arguments: Any, **options: Any) -> str:
    """The words of a refusal; none of them is a value of the first person."""
    with pytest.raises(SdcError) as refused:
        call(*arguments, **options)
    # The folder of the tests has a number, which may hold one of the values.
    words = re.sub(r"pytest-\d+", "pytest", str(refused.value))
    assert not [value for value in FIRST if value in words], words
    return words


# A file without a header


def test_the_first_record_of_a_file_without_a_header_is_in_no_message(tmp_path: Path):
    words = refusal(check, write(tmp_path, people(), header=False))
    assert "people.csv: this file seems to have no header" in words


def test_a_candidate_without_a_header_is_refused_without_its_first_record(tmp_path: Path):
    profile = load_profile(write(tmp_path, people()))
    people().drop(columns="name").to_csv(tmp_path / "made.csv", index=False, header=False)
    with Warehouse.create(tmp_path / "run", readable=[tmp_path / "made.csv"]) as warehouse:
        words = refusal(ingest_candidate, profile, tmp_path / "made.csv", warehouse, "made")
    assert "made.csv: this file seems to have no header" in words


@pytest.mark.parametrize("kind", ["csv", "parquet", "duckdb"])
def test_columns_nobody_declared_are_told_by_position_and_count(tmp_path: Path, kind: str):
    frame = people().assign(**{"Zebulon Haas": "x", "98765.43": "y"})
    path = write(tmp_path, frame, PROFILE.replace("people.csv", f"people.{kind}"))
    if kind == "parquet":
        frame.to_parquet(tmp_path / "people.parquet")
    elif kind == "duckdb":
        with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
            connection.register("frame", frame)
            connection.execute("CREATE TABLE people AS FROM frame")
    assert "the data have 2 columns the profile does not declare, columns 5 and 6 of the file" in refusal(
        check, path
    )


def test_equal_values_in_a_first_record_are_taken_for_no_header(tmp_path: Path):
    path = write(tmp_path, people())
    (tmp_path / "people.csv").write_text("4711,35,4711,x\n4712,36,1,y\n")
    words = refusal(check, path)
    assert "columns 1 and 3 have one name" in words
    assert "people.csv: this file seems to have no header" in words
    assert "4711" not in words


def test_equal_names_are_told_by_position(tmp_path: Path):
    path = write(tmp_path, people())
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [["name", "region", "age", "income", "Zebulon Haas", "zebulon haas"], [*FIRST, "1", "2"]]
        )
    words = refusal(check, path)
    assert "columns 5 and 6 have one name, which capitals do not tell apart" in words
    assert "zebulon" not in words.lower()


def test_a_slip_in_a_name_is_told_by_position(tmp_path: Path):
    words = refusal(check, write(tmp_path, people().rename(columns={"income": "incmoe"})))
    assert (
        "column 'income': the profile declares it and the data do not have it; column 4 of the file has nearly this name"
        in words
    )
    assert "incmoe" not in words


def test_no_draft_is_made_of_a_file_without_a_header(tmp_path: Path):
    write(tmp_path, people(), header=False)
    assert "people.csv: this file seems to have no header" in refusal(draft, tmp_path / "people.csv")


@pytest.mark.parametrize(
    "columns",
    [
        {"country": ["at", "de", "at"], "2019": [1.5, 2, 3], "2020": [2, 2, 1], "2021": [1, 1, 1]},
        {"0": [5, 6, 7], "1": [1, 2, 3], "2": [5, 5, 5]},
        {"smoker": ["smoker", None, "smoker"], "drinker": [None, "drinker", None], "age": [1, 2, 3]},
    ],
)
def test_a_draft_is_made_where_names_are_years_running_numbers_or_marks_of_a_box(
    tmp_path: Path, columns: dict[str, list[Any]]
):
    pd.DataFrame(columns).to_csv(tmp_path / "wide.csv", index=False)
    assert all(name in draft(tmp_path / "wide.csv") for name in columns)


# The identifiers that are looked for in a page


@pytest.mark.parametrize("change", ["altered", "gone"])
def test_a_source_that_changed_during_the_run_refuses_the_scan(tmp_path: Path, change: str):
    from sdc.ingest import identifier_values
    from sdc.run import digest

    profile, source = load_profile(write(tmp_path, people())), tmp_path / "people.csv"
    read = digest.of_file(source)
    if change == "gone":
        source.unlink()
    else:
        source.write_text(source.read_text() + "Somebody,Northland,30,1000\n")
    with (
        pytest.raises(BadData, match="the source is no longer the file that was read"),
        identifier_values(profile, tmp_path, read, tmp_path),
    ):
        pass


# What a query may read


QUERIED = PROFILE.replace("{path: people.csv}", "{path: people.duckdb, query: QUERY}")


def queried(tmp_path: Path, query: str) -> Path:
    import json

    path = write(tmp_path, people(), QUERIED.replace("QUERY", json.dumps(query)))
    people().to_csv(tmp_path / "other.csv", index=False)
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute(
            f"CREATE TABLE people AS SELECT * FROM read_csv('{tmp_path}/people.csv', all_varchar = true)"
        )
        connection.execute(
            f"CREATE VIEW others AS SELECT * FROM read_csv('{tmp_path}/other.csv', all_varchar = true)"
        )
        connection.execute(
            "CREATE VIEW northern AS WITH n AS (SELECT * FROM people WHERE region = 'Northland') SELECT * FROM n"
        )
        connection.execute(
            "CREATE MACRO told(x) AS current_setting(x); CREATE MACRO doubled(x) AS 2 * x; CREATE SCHEMA more"
        )
        connection.execute(
            "CREATE MACRO more.told(x) AS current_setting(x); CREATE MACRO rows() AS TABLE SELECT * FROM people"
        )
        for name, told in (
            ("by_macro", "told('temp_directory')"),
            ("by_function", "current_setting('temp_directory')"),
        ):
            connection.execute(
                f"CREATE VIEW {name} AS SELECT name, region, age, {told} AS income FROM people"
            )
            connection.execute(
                f"CREATE TABLE {name}_column (name TEXT, region TEXT, age TEXT, income TEXT AS ({told}))"
            )
            connection.execute(f"INSERT INTO {name}_column SELECT name, region, age FROM people")
        connection.execute('CREATE VIEW "hidden AS SELECT 1 --" AS SELECT * FROM by_macro')
        connection.execute('CREATE VIEW more.deep AS SELECT * FROM "hidden AS SELECT 1 --"')
    with duckdb.connect(str(tmp_path / "other.duckdb")) as connection:
        connection.execute(
            f"CREATE TABLE people AS SELECT * FROM read_csv('{tmp_path}/people.csv', all_varchar = true)"
        )
    return path


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{}/other.csv')",
        "SELECT * FROM '{}/other.csv'",
        "SELECT * FROM others",
        "SELECT name, region, age, (SELECT max(content) FROM read_text('/etc/passwd')) AS income FROM people",
        "SELECT name, region, age, (SELECT count(*) FROM glob('/*')) AS income FROM people",
        "SELECT name, region, age, getenv('PATH') AS income FROM people",
        "SELECT name, region, age, current_setting('temp_directory') AS income FROM people",
        "SELECT name, region, age, (SELECT max(value) FROM duckdb_settings()) AS income FROM people",
        "SELECT name, region, age, (SELECT max(path) FROM pragma_database_list) AS income FROM people",
        "SELECT name, region, age, (SELECT max(table_name) FROM information_schema.tables) AS income FROM people",
        "SELECT * FROM query('SELECT * FROM people')",
        "SELECT name, region, age, told('temp_directory') AS income FROM people",
        "SELECT name, region, age, more.told('temp_directory') AS income FROM people",
        "SELECT name, region, age, list_transform([1], lambda x: told('temp_directory'))[1] AS income FROM people",
        "SELECT name, region, doubled(CAST(age AS INTEGER)) AS age, income FROM people",
        "SELECT * FROM rows()",
        "SELECT * FROM by_macro",
        "SELECT * FROM by_function",
        "SELECT * FROM by_macro_column",
        "SELECT * FROM by_function_column",
        'SELECT * FROM "hidden AS SELECT 1 --"',
        "SELECT * FROM more.deep",
        "SELECT * FROM (SHOW DATABASES)",
        "ATTACH '{}/other.duckdb' AS o; SELECT * FROM o.people",
        "PRAGMA database_list",
        "COPY people TO '{}/copied.csv'",
    ],
)
def test_a_query_reads_nothing_but_tables_of_its_file(tmp_path: Path, query: str):
    path = queried(tmp_path, query.replace("{}", str(tmp_path)))
    with pytest.raises(BadData):
        check(path)
    with pytest.raises(BadData):
        draft(tmp_path / "people.duckdb", query=query.replace("{}", str(tmp_path)))
    assert not (tmp_path / "copied.csv").exists()


@pytest.mark.parametrize(
    "table", ["others", "by_macro", "by_function", "by_macro_column", "by_function_column", "more.deep"]
)
def test_a_table_or_view_of_a_file_tells_nothing_but_its_records(tmp_path: Path, table: str):
    path = queried(tmp_path, "SELECT 1")
    path.write_text(PROFILE.replace("people.csv", f"people.duckdb, table: {table}"))
    with pytest.raises(BadData):
        check(path)
    with pytest.raises(BadData):
        draft(tmp_path / "people.duckdb", table=table)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM people",
        "SELECT * FROM northern UNION ALL SELECT * FROM people",
        "FROM main.people",
        "WITH young AS (SELECT * FROM people WHERE age < '60') SELECT * FROM young UNION ALL SELECT * FROM people WHERE age >= '60'",
        "SELECT name, region, age, sum(CAST(income AS DOUBLE)) AS income FROM people GROUP BY ALL",
        "SELECT p.name, p.region, p.age, p.income FROM people p JOIN (SELECT DISTINCT region FROM people) USING (region), range(1)",
    ],
)
def test_a_query_of_tables_in_its_file_is_read(tmp_path: Path, query: str):
    assert check(queried(tmp_path, query)) == []


# Columns that do not leave


DROPPED = PROFILE.replace("  income:", "  remark: dropped\n  income:")


def dropped(tmp_path: Path, profile: str = DROPPED) -> Path:
    return write(tmp_path, people().assign(remark="=1+1"), profile)


def test_a_dropped_column_is_read_into_no_table_and_released_in_none(tmp_path: Path):
    from sdc.ingest import ingest

    path = dropped(tmp_path)
    check(path)
    with Warehouse.create(tmp_path / "run", readable=[tmp_path / "people.csv"]) as warehouse:
        profile = load_profile(path)
        assert ingest(profile, tmp_path, warehouse, NO_SECRET).columns == ("region", "age", "income")
        assert list(warehouse.database.table("original").columns) == ["region", "age", "income"]
    assert profile.roles.dropped == ("remark",)
    assert profile.roles.released == ("region", "age", "income")
    assert profile.roles.direct_identifiers == ("name",)


def test_a_dropped_column_is_no_option_of_a_step_or_a_measure(tmp_path: Path):
    profile = DROPPED.replace(
        "plain: []", "plain:\n    - {method: microaggregation, with: {variables: [remark]}}"
    )
    profile += "  - {measure: class_attribution, with: {target: remark}}\n"
    words = refusal(check, dropped(tmp_path, profile))
    assert words.count("'remark' is dropped: it stays behind at ingest and no step or measure sees it") == 2


def test_a_candidate_with_a_dropped_column_is_refused_and_shuts_the_gate(tmp_path: Path):
    from sdc.data.database import Database
    from sdc.gate import table_facts
    from sdc.gate.table_facts import table_limits

    profile = load_profile(dropped(tmp_path))
    database = Database.in_memory()
    database.cursor().execute(
        "CREATE TABLE candidate AS SELECT 'a' AS region, 1 AS age, 1 AS income, 'x' AS \"Remark\""
    )
    counted = table_facts(profile, database.table("candidate"), (), rows=1)
    (limit,) = [limit for limit in table_limits(profile, ()) if limit.column == "table.dropped.remark"]
    assert counted["table.dropped.remark"] == 1
    assert not limit.holds(counted["table.dropped.remark"])
    assert counted["table.columns_undeclared"] == 0
    people().assign(remark="x").drop(columns="name").to_csv(tmp_path / "made.csv", index=False)
    with Warehouse.create(tmp_path / "run", readable=[tmp_path / "made.csv"]) as warehouse:
        assert "must not have a dropped column" in refusal(
            ingest_candidate, profile, tmp_path / "made.csv", warehouse, "made"
        )


def test_nothing_but_dropped_columns_is_no_release(tmp_path: Path):
    profile = (
        DROPPED.replace("quasi_identifier", "dropped")
        .replace("sensitive", "dropped")
        .replace(", type: numeric", "")
    )
    assert "every variable is dropped or a direct identifier: nothing would be released" in refusal(
        check, dropped(tmp_path, profile)
    )


# What the public page may say


RICHEST = 98765432.1


@pytest.fixture(scope="module")
def forbidden() -> Any:
    """400 people; one is very rich, one married in 1949."""
    import numpy as np

    from sdc.data.release_pair import ReleasePair
    from sdc.data.roles import Role, Roles, Variable, VariableType
    from sdc.report.forbidden import Forbidden

    rows = np.arange(400)
    frame = pd.DataFrame(
        {
            "region": np.where(rows % 2, "Northland", "Southland"),
            "income": 1000.0 + rows % 20,
            "married": 1980 + rows % 20,
        }
    )
    frame.loc[0, ["income", "married"]] = [RICHEST, 1949]
    numeric = VariableType.NUMERIC
    roles = Roles.of(
        [
            Variable("region", Role.QUASI_IDENTIFIER),
            Variable("income", Role.SENSITIVE, numeric),
            Variable("married", Role.OTHER, numeric),
        ]
    )
    return Forbidden.of(
        ReleasePair.from_frames(frame, frame, roles), declared={"income": VariablePlan(unit="euros a year")}
    )


NAMES = {"name": ["Zoé Öberg", "Finn Haas"], "rent": ["50.59", "1234.56"], "code": ["50-60"]}
NAME = "a value of the direct identifier name"
INCOME = "an extreme of income"


def said(body: str, forbidden: Any) -> list[str]:
    from sdc.report.leaks import scan

    page = f"<!DOCTYPE html><html><head><title>A report</title></head><body><main>{body}</main></body></html>"
    return sorted({hit.what for hit in scan(page, forbidden.naming(page, NAMES))})


@pytest.mark.parametrize(
    "body",
    [
        "<p>up to 98.77 million</p>",
        "<p>up to 98.77 Mio. euros</p>",
        "<p>98.765M</p>",
        "<p>98,765k</p>",
        "<p>98 765 thousand</p>",
        "<p>0.09877 bn</p>",
        "<p>9.877 × 10⁷</p>",
        "<p>9.877·10^7</p>",
        "<p>98\u200b765\u200b432.1</p>",
        "<p>98&shy;765&shy;432.1</p>",
        "<p>98765<b>432.1</b></p>",
        "<p>98765<!-- -->432</p>",
        "<p>98765<wbr>432</p>",
        "<p><span>987</span><span>65</span><span>432</span></p>",
        "<p>٩٨٧٦٥٤٣٢</p>",
        "<p>98765432</p>",
        "<p>98_765_432</p>",
        "<p>98_765_432.1</p>",
        '<img alt="x" src="data:text/plain,98765432%2E1">',
        '<img alt="x" src="data:image/svg+xml;utf8,%3Ctext%3E98765%3Ctspan%3E432%3C/tspan%3E%3C/text%3E">',
    ],
)
def test_an_extreme_is_found_however_it_is_written(body: str, forbidden: Any):
    assert said(body, forbidden) == [INCOME]


@pytest.mark.parametrize(
    "body",
    [
        "<p>Zoe Oberg</p>",
        "<p>Zoe\u0301 O\u0308berg</p>",
        "<p>Fi\u200bnn Ha\u00adas</p>",
        "<p>Finn H\u0430\u0430s</p>",
        "<p>F\u0456nn H\u03b1as</p>",
        "<p>Fi<b>nn</b> H<i>aa</i>s</p>",
        "<p>Fi<!-- -->nn Haas</p>",
        '<a href="?who=Finn%20Haas">x</a>',
        '<img alt="x" src="data:text/plain;charset=utf-8,Finn%20Haas">',
        '<img alt="x" src="data:text/html,%3Cp%3EFi%3Cb%3Enn%3C/b%3E%20Haas%3C/p%3E">',
        "<p>ＦＩＮＮ ＨＡＡＳ</p>",
        "<p>Haas, Finn</p>",
        "<p>asked by HAAS , Finn (2024)</p>",
        "<p>Öberg, Zoé</p>",
    ],
)
def test_a_name_is_found_however_it_is_spelt(body: str, forbidden: Any):
    assert NAME in said(body, forbidden)


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Marriages since 1949</h1>",
        "<title>Survey 1949, second wave</title>",
        "<p>Waves of 1949-1950 and 1949/50</p>",
        "<p>aged 50-59, or 50 to 59</p>",
        "<th>50–59</th>",
        "<p>98.77 % and 99 million</p>",
        "<p>98.77 metres</p>",
        "<td>98</td><td>765</td><td>432.1</td>",
        "<p>a mean of 50.59</p>",
        "<p>Haas and Finn, Haasland; Haas Finn</p>",
        "<p>in_98_765_432 and 98_765</p>",
    ],
)
def test_a_year_a_band_and_an_ordinary_number_are_no_values(body: str, forbidden: Any):
    assert said(body, forbidden) == []


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("<p>married: 1949</p>", "an extreme of married"),
        ("<p>married in years: <span data-values-of='married'>1949</span></p>", "an extreme of married"),
        ("<p>the first married 1949</p>", "an extreme of married"),
        ('<script>{"x": [1949]}</script>', "an extreme of married"),
        ("<p>a rent of 1234.56</p>", "a value of the direct identifier rent"),
        ("<p>code: 50-60</p>", "a value of the direct identifier code"),
    ],
)
def test_the_same_number_is_found_where_it_is_a_value(body: str, what: str, forbidden: Any):
    assert what in said(body, forbidden)


def test_a_year_with_a_unit_is_an_amount():
    import numpy as np

    from sdc.data.release_pair import ReleasePair
    from sdc.data.roles import Role, Roles, Variable, VariableType
    from sdc.report.forbidden import Forbidden

    frame = pd.DataFrame({"income": np.where(np.arange(100) == 0, 1949.0, 1000.0 + np.arange(100) % 5)})
    roles = Roles.of([Variable("income", Role.SENSITIVE, VariableType.NUMERIC)])
    held = Forbidden.of(
        ReleasePair.from_frames(frame, frame, roles), declared={"income": VariablePlan(unit="euros a year")}
    )
    assert said("<p>1949 euros</p>", held) == [INCOME]
    assert said("<p>€1949</p>", held) == [INCOME]
    assert said("<p>1,949</p>", held) == [INCOME]
    assert said("<p>in 1949</p>", held) == []


# What the producer wrote


@pytest.mark.parametrize(
    ("before", "after", "place", "what"),
    [
        (
            "name: people\n",
            "name: people\ntitle: Survey with Zebulon Haas\n",
            "title",
            "a value of the direct identifier name",
        ),
        (
            "name: people\n",
            "name: people\ndescription: Incomes up to 98.765 thousand\n",
            "description",
            INCOME,
        ),
        (
            "type: numeric}\n  income",
            "type: numeric, label: the oldest has age 67}\n  income",
            "variables.age.label",
            "an extreme of age",
        ),
        (
            "region: quasi_identifier",
            "region: {role: quasi_identifier, values: {Northland: Zebulon Haas}}",
            "variables.region.values",
            "a value of the direct identifier name",
        ),
        (
            "because: rule}",
            "because: asked by Zebulon Haas}",
            "risk.1.because",
            "a value of the direct identifier name",
        ),
        (
            "because: rule}",
            "because: 'asked by Haas, Zebulon'}",
            "risk.1.because",
            "a value of the direct identifier name",
        ),
        (
            "because: rule}",
            "because: rule, as: of_zebulon_haas}",
            "risk.1.as",
            "a value of the direct identifier name",
        ),
        ("  plain: []", "  zebulon_haas: []", "candidates.1", "a value of the direct identifier name"),
        ("name: people\n", "name: zebulon_haas\n", "name", "a value of the direct identifier name"),
        (
            "risk:\n",
            "publish: {publisher: Office of Zebulon Haas}\nrisk:\n",
            "publish.publisher",
            "a value of the direct identifier name",
        ),
        (
            "risk:\n",
            "publish: {contact: zebulon.haas@office.example}\nrisk:\n",
            "publish.contact",
            "a value of the direct identifier name",
        ),
        ("risk:\n", "publish: {licence: 'up to 98,765.43'}\nrisk:\n", "publish.licence", INCOME),
        ("risk:\n", "publish: {version: '98765.43'}\nrisk:\n", "publish.version", INCOME),
    ],
)
def test_what_the_producer_wrote_is_scanned_before_anything_runs(
    tmp_path: Path, before: str, after: str, place: str, what: str
):
    assert before in PROFILE
    path = write(tmp_path, people(), PROFILE.replace(before, after))
    with pytest.raises(BadData) as refused:
        check(path)
    (fault,) = refused.value.faults
    assert fault.place == place
    assert fault.problem == f"it says {what}, which nothing public may say"
    assert "zebulon" not in str(refused.value).casefold()


def test_every_text_of_a_profile_that_leaves_in_a_bundle_is_scanned(tmp_path: Path):
    """Each text is a word of its own.

    Those that are found in a file of the bundle, but not in its data, must be among the scanned.
    """
    from published_survey import PROFILE as SURVEY
    from published_survey import plan_of

    from sdc.publish import publish
    from sdc.report.producer_words import written

    marked = {
        **SURVEY,
        **{key: f"mark{key}" for key in ("name", "title", "description")},
        "source": {
            "path": "markpath.duckdb",
            "table": "marktable",
            "query": "markquery",
            "family": "markfamily",
            "missing_codes": ["markmissing"],
        },
        "variables": {
            "select": {
                "label": "marklabel",
                "unit": "markunit",
                "allowed": ["markallowed"],
                "order": ["markorder"],
                "values": {"North": "markvalue", "South": "markabsent"},
            }
        },
        "candidates": {"markcandidate": []},
        "risk": [{"measure": "k_anonymity", "as": "markalias", "because": "markreason", "at_least": 2}],
        "approval": {"roles": ["markrole"]},
        "publish": {
            **{key: f"mark{key}" for key in ("version", "publisher", "contact", "licence")},
            "outbox": "markoutbox",
        },
        "notify": {
            "webhook": "markwebhook",
            "mail_to": ["markto"],
            "mail_from": "markfrom",
            "mail_server": "markserver",
        },
    }
    profile = Profile.model_validate(marked)
    (tmp_path / "outbox").mkdir()
    plan = plan_of(tmp_path, columns={"select": ["North"]}, profile=profile, steps=())
    bundle = publish(plan, tmp_path / "outbox").path
    texts = [
        bundle.name,
        *(
            text
            for place in bundle.iterdir()
            for text in (place.name, place.read_bytes().decode("utf-8", "replace"))
        ),
    ]
    left = {word for text in texts for word in re.findall("mark[a-z]+", text)}
    scanned = {word for _, text in written(profile) for word in re.findall("mark[a-z]+", text)}
    assert "markabsent" not in left, "words for a code that no record has stay here"
    assert {
        "markname",
        "marktitle",
        "marklabel",
        "markunit",
        "markvalue",
        "markversion",
        "markpublisher",
        "markcontact",
        "marklicence",
    } <= left
    assert left <= scanned
    assert {"markcandidate", "markalias", "markreason"} <= scanned


@pytest.mark.parametrize(
    "text",
    [
        "publisher: Office of Finn Haas",
        "contact: 'Haas, Finn'",
        "licence: 98765432.1",
        "version: '98765432.1'",
    ],
)
def test_words_that_leave_beside_the_page_are_scanned_before_anything_is_published(tmp_path: Path, text: str):
    import numpy as np

    from sdc.data.release_pair import ReleasePair
    from sdc.errors import PageLeaks
    from sdc.gate.judged import JudgedCandidate
    from sdc.report import Edition, RunFacts, page

    profile = load_profile(write(tmp_path, people(), f"{PROFILE}publish: {{{text}}}\n"))
    made = JudgedCandidate("plain", Decision("plain", ()))
    facts = RunFacts(
        "run", profile, datetime(2025, 1, 27, tzinfo=UTC), Verdict.PUBLISHED, (made,), chosen="plain"
    )
    rows = np.arange(400)
    frame = pd.DataFrame(
        {
            "region": np.where(rows % 2, "Northland", "Southland"),
            "age": 30 + rows % 4,
            "income": 1000.0 + rows % 20,
        }
    )
    frame.loc[0, "income"] = RICHEST
    pair = ReleasePair.from_frames(frame, frame, facts.profile.roles)
    kept: list[str] = []
    with pytest.raises(
        PageLeaks, match=rf"publish\.{text.partition(':')[0]} of the profile: an? (extreme|value)"
    ) as refused:
        page(facts, Edition.PUBLIC, pair, identifiers=NAMES, refused=kept.append)
    assert "Haas" not in str(refused.value)
    assert len(kept) == 1


def test_a_year_and_a_band_in_what_the_producer_wrote_pass(tmp_path: Path):
    frame = people().assign(married=["1949", *["1980"] * 40], rent=["50.59", *["700.5"] * 40])
    profile = PROFILE.replace("  income:", "  married: {type: numeric}\n  rent: direct_identifier\n  income:")
    profile = profile.replace("name: people\n", "name: people\ntitle: Marriages since 1949\n").replace(
        "type: numeric}\n", "type: numeric, label: aged 50-59}\n", 1
    )
    assert check(write(tmp_path, frame, profile)) == []


# What commands leave behind


PLACES = """\
import os, signal, sys
from pathlib import Path
"""


def killed(code: str, **environment: str) -> None:
    """A process that ends itself as kill -9 would."""
    done = subprocess.run(
        [sys.executable, "-c", PLACES + code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.slow
def test_a_killed_protect_leaves_nothing_in_the_temporary_directory_and_nothing_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from sdc.cli.protect import protect_file

    path, home, temporary = write(tmp_path, people()), tmp_path / "home", tmp_path / "temporary"
    temporary.mkdir()
    kill = "import sdc.cli.protect as f\nf.make = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)\n"
    killed(
        f"{kill}f.protect_file(Path({str(path)!r}), 'plain', Path({str(tmp_path / 'a.csv')!r}))",
        SDC_HOME=str(home),
        TMPDIR=str(temporary),
    )
    assert list(temporary.iterdir()) == []
    assert len(list((home / "scratch").iterdir())) == 1, "killed in the middle of its work"
    assert not (tmp_path / "a.csv").exists()
    monkeypatch.setenv("SDC_HOME", str(home))
    protect_file(path, "plain", tmp_path / "b.csv")
    assert list((home / "scratch").iterdir()) == []


def test_what_a_living_process_works_on_is_left_alone(tmp_path: Path):
    from sdc.run.scratch import scratch

    with scratch(tmp_path / "s") as first, scratch(tmp_path / "s") as second:
        assert first.is_dir()
        assert first != second
        assert first.stat().st_mode & 0o777 == 0o700
    killed(
        f"from sdc.run.scratch import scratch\nwith scratch(Path({str(tmp_path / 's')!r})) as place: os.kill(os.getpid(), signal.SIGKILL)"
    )
    (left,) = (tmp_path / "s").iterdir()
    with scratch(tmp_path / "s"):
        assert not left.exists()
    assert list((tmp_path / "s").iterdir()) == []


def test_processes_that_sweep_at_once_do_not_take_each_others_place(tmp_path: Path):
    code = "from sdc.run.scratch import scratch\nfor _ in range(150):\n    with scratch(Path(sys.argv[1])) as place: (place / 'x').write_text('x')"
    command = [sys.executable, "-c", PLACES + code, str(tmp_path / "s")]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[1] for process in processes] == [""] * 4
    assert list((tmp_path / "s").iterdir()) == []


def test_leftovers_of_killed_starts_are_removed_and_those_of_living_ones_are_not(tmp_path: Path):
    from sdc.run.home import Home, Run
    from sdc.run.scratch import sweep_starts

    home = Home.at(tmp_path / "home")
    rename = "import pathlib\npathlib.Path.rename = lambda *a: os.kill(os.getpid(), signal.SIGKILL)\nfrom sdc.run.home import Home, Run\n"
    killed(f"{rename}Run.start(Home.at(Path({str(home.path)!r})), 'people')")
    (left,) = home.runs.iterdir()
    assert left.name.startswith(".starting-")
    sweep_starts(home)
    assert left.exists(), "it may be a start that is under way"
    os.utime(left, (0, 0))
    with Run.start(home, "living") as run:
        alive = run.directory.path.rename(home.runs / ".starting-alive")
        os.utime(alive, (0, 0))
        sweep_starts(home)
        assert [place.name for place in home.runs.iterdir()] == [".starting-alive"]


def test_protect_writes_for_its_owner_alone_from_the_first_byte_and_in_another_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from sdc.cli.protect import protect_file

    monkeypatch.setenv("SDC_HOME", str(tmp_path / "home"))
    frame = people(400).assign(income=[str(1000 + 10 * row) for row in range(401)])
    path = write(tmp_path, frame, PROFILE)
    seen = []
    opened = os.open

    def watched(place: Any, *arguments: Any, **named: Any) -> int:
        handle = opened(place, *arguments, **named)
        if str(place).endswith(".csv") and str(tmp_path / "made") in str(place):
            seen.append(os.fstat(handle).st_mode & 0o777)
        return handle

    (tmp_path / "made").mkdir()
    monkeypatch.setattr(os, "open", watched)
    old = os.umask(0)
    try:
        protect_file(path, "plain", tmp_path / "made" / "a.csv")
        protect_file(path, "plain", tmp_path / "made" / "b.parquet")
        protect_file(path, "plain", tmp_path / "made" / "c.csv", in_source_order=True)
    finally:
        os.umask(old)
    assert all(place.stat().st_mode & 0o777 == 0o600 for place in (tmp_path / "made").iterdir())
    assert set(seen) <= {0o600}
    original = frame["income"].astype(int).tolist()
    for name in ("a.csv", "b.parquet"):
        released = (pd.read_csv if name.endswith("csv") else pd.read_parquet)(tmp_path / "made" / name)[
            "income"
        ].tolist()
        assert sorted(released) == sorted(original)
        assert released != original
    assert pd.read_csv(tmp_path / "made" / "c.csv")["income"].tolist() == original


# Cells that a spreadsheet would run


INVISIBLE = [
    "\xa0",
    "\u200b",
    "\u2060",
    "\ufeff",
    "\x0b",
    "\x0c",
    "\u2009",
    "\u202f",
    "\u3000",
    "\x85",
    "\u2028",
    "\u2003",
    "\u180e",
    "\xad",
    "\u200e",
]
"""Spaces and signs without width that a program may trim before it looks at a cell."""
FORMULAS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "＝1+1",
    "-5-10",
    "﹦1+1",
    "﹢1+1",
    "﹫SUM(1)",
    "﹣1+1",
    "−1+cmd",
]
FORMULAS += [*(f"{sign}=1+1" for sign in INVISIBLE), " \u200b\ufeff@SUM(1)", "\u00a0-2+3", "\x0bno", "\x00=1"]
ORDINARY = [
    "\u00a0north",
    "\u00a05",
    "−5",
    "− 5",
    "\u2009-5",
    "－5",
    "＋3,5",
    "-5\u00a0000",
    "−10 to −5",
    "\u200bnorth",
    "-5",
    "+3.5",
    "-",
    "-5 to 10",
    "-10 to -5",
    "a=b",
    "master+",
    "'quoted'",
    "1-2",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_a_spreadsheet_would_run_is_referred(text: str, tmp_path: Path):
    (limit,), counted = formula_findings(tmp_path, text)
    assert counted == 1
    finding = limit.check("plain", JudgedNumber(counted))
    assert (finding.holds, finding.otherwise) == (False, "refer")
    assert "region" in finding.reason
    assert text not in finding.reason


@pytest.mark.parametrize("text", ORDINARY)
def test_numbers_bands_and_signs_within_a_text_are_no_formulas(text: str, tmp_path: Path):
    _, counted = formula_findings(tmp_path, text)
    assert counted == 0


def test_what_is_a_formula_is_so_in_the_database_and_outside():
    from sdc.data.spreadsheet_cells import escaped, escaped_value, is_formula, unescaped_value

    for text in [*FORMULAS, *ORDINARY]:
        (row,) = duckdb.execute(
            f"SELECT {escaped_value('t')}, {unescaped_value(escaped_value('t'))} FROM (SELECT ? AS t)", [text]
        ).fetchall()
        assert row == (escaped(text), text)
        assert is_formula(text) is (text in FORMULAS)


def test_negative_numbers_of_a_numeric_column_are_no_formulas(tmp_path: Path):
    from sdc.data.database import Database
    from sdc.gate import table_facts

    database = Database.in_memory()
    database.cursor().execute(
        "CREATE TABLE candidate AS SELECT 'a' AS region, -1 AS age, CAST('-1e-30' AS DOUBLE) AS income"
    )
    counted = table_facts(load_profile(write(tmp_path, people())), database.table("candidate"), (), rows=1)
    assert [counted[f"table.formulas.{name}"] for name in ("region", "age", "income")] == [0, 0, 0]


def formula_findings(tmp_path: Path, text: str, profile: str = PROFILE) -> tuple[list[Any], int | None]:
    from sdc.data.database import Database
    from sdc.gate import table_facts
    from sdc.gate.table_facts import table_limits

    held = load_profile(write(tmp_path, people(), profile))
    database = Database.in_memory()
    database.cursor().execute(
        "CREATE TABLE candidate AS SELECT CAST(? AS VARCHAR) AS region, 1 AS age, 1 AS income", [text]
    )
    limits = [limit for limit in table_limits(held, ()) if limit.column == "table.formulas.region"]
    return limits, table_facts(held, database.table("candidate"), (), rows=1).get("table.formulas.region")


@pytest.mark.parametrize("publish", ["{formulas: escape}", "{formats: [parquet]}"])
def test_escaped_cells_and_files_without_cells_need_nobody_to_decide(tmp_path: Path, publish: str):
    assert formula_findings(tmp_path, "=1+1", f"{PROFILE}publish: {publish}\n") == ([], None)


@pytest.mark.parametrize("escape", [True, False])
def test_an_escaped_file_gives_every_text_back_and_the_bundle_says_how(tmp_path: Path, escape: bool):
    import json

    from published_survey import PROFILE as SURVEY
    from published_survey import plan_of

    from sdc.publish import publish

    texts = [*FORMULAS, *ORDINARY, "'=1", "''=1", "'-5", "", "ordinary"]
    publishing = {**SURVEY["publish"], "formulas": "escape" if escape else "refer"}
    profile = Profile.model_validate(
        {**SURVEY, "variables": {"region": {"label": "=SUM(A1)"}}, "publish": publishing}
    )
    plan = plan_of(tmp_path, columns={"region": texts}, profile=profile, steps=())
    (tmp_path / "outbox").mkdir()
    bundle = publish(plan, tmp_path / "outbox").path
    with (bundle / "survey.csv").open(newline="", encoding="utf-8") as file:
        cells = sorted(row["region"] for row in csv.DictReader(file))
    changed = (
        {"'-5": "''-5", "'=1": "''=1", "''=1": "'''=1", **{text: f"'{text}" for text in FORMULAS}}
        if escape
        else {}
    )
    assert cells == sorted(changed.get(text, text) for text in texts)
    assert sorted(pd.read_parquet(bundle / "survey.parquet")["region"].astype(str)) == sorted(texts)
    entries = {
        entry["name"]: entry for entry in json.loads((bundle / "dictionary.json").read_text())["variables"]
    }
    assert ("apostrophe" in entries["region"]["escape"]) is escape
    assert ("apostrophe" in (bundle / "RELEASE_NOTE.md").read_text()) is escape
    fields = {
        field["name"]: field
        for field in json.loads((bundle / "datapackage.json").read_text())["resources"][0]["schema"]["fields"]
    }
    assert set(fields["region"]["constraints"]["enum"]) == set(cells)
    with (bundle / "dictionary.csv").open(newline="", encoding="utf-8") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'=SUM(A1)" in cells
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "@", "\t")]


# Numbers that are none


def models() -> list[Any]:
    """Every model the options of the catalogue are made of, and those of the profile."""
    from typing import get_args

    from pydantic import BaseModel

    from sdc.catalogue.registry import measures, methods

    found: dict[Any, None] = {}

    def walk(kind: Any) -> None:
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in found:
            found[kind] = None
            for field in kind.model_fields.values():
                walk(field.annotation)
        for inner in get_args(kind):
            walk(inner)

    walk(Profile)
    for entry in [*measures().values(), *methods().values()]:
        walk(entry.options)
        for hint in entry.hints.values():
            walk(hint)
    return list(found)


def test_no_option_and_no_limit_may_be_infinite_or_no_number():
    assert len(models()) > 90
    assert [model for model in models() if model.model_config.get("allow_inf_nan") is not False] == []


@pytest.mark.parametrize("number", [".inf", "-.inf", ".nan"])
@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "plain: []",
            "plain:\n    - {method: laplace_noise, with: {epsilon: NUMBER, income: [0, 1]}}",
            "epsilon must be a finite number",
        ),
        (
            "plain: []",
            "plain:\n    - {method: laplace_noise, with: {epsilon: 1, income: [0, NUMBER]}}",
            "the 2nd item of income must be a finite number",
        ),
        (
            "plain: []",
            "plain:\n    - {method: global_recode, with: {age: {width: NUMBER}}}",
            "width must be a finite number",
        ),
        ("at_least: 2,", "at_least: NUMBER,", "at_least must be a finite number"),
        ("age: {role", "age: {at_most: NUMBER, role", "at_most must be a finite number"),
    ],
)
def test_a_profile_with_a_number_that_is_none_is_refused_in_a_sentence(
    tmp_path: Path, number: str, before: str, after: str, said: str
):
    assert said in refusal(
        check, write(tmp_path, people(), PROFILE.replace(before, after.replace("NUMBER", number), 1))
    )


# Input that is too much


def test_categories_by_the_hundred_thousand_are_joined_in_one_pass():
    import time

    from sdc.report.figures.categories import Category, in_order, joined

    many = [Category(f"K{number}", 1, 1) for number in range(100_000)] + [
        Category("all others", 50, 50),
        Category("some", 40, 40),
    ]
    started = time.perf_counter()
    shown = joined(in_order(many, ()), 10)
    assert time.perf_counter() - started < 20
    assert [category.label for category in shown[:2]] == ["all others", "some"]
    assert sum(category.original for category in shown) == 100_090
