"""Does a draft say what a file, or a dictionary beside it, says of its variables?"""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest
import yaml

from sdc.check import check
from sdc.draft import draft
from sdc.draft.dictionaries import read_dictionary
from sdc.draft.informed import merged
from sdc.errors import BadData
from sdc.ingest.readers.opened import ColumnMetadata, Level
from sdc.profile.load import load_profile

CSV = "person,sex,health,income\n" + "".join(
    f"{n},{1 + n % 2},{(1, 2, 3, 9)[n % 4]},{1000 + n if n % 5 else -1}\n" for n in range(40)
)
SAID = ColumnMetadata(
    "Health now",
    {"1": "good", "2": "fair", "3": "bad", "9": "refused"},
    ("9",),
    Level.ORDINAL,
    ("1", "2", "3"),
)
DDI = """<?xml version="1.0"?>
<codeBook xmlns="ddi:codebook:2_5" version="2.5"><dataDscr>
  <var ID="V1" name="health" nature="ordinal"><labl>Health now</labl>
    <catgry><catValu>1</catValu><labl>good</labl></catgry>
    <catgry><catValu>2</catValu><labl>fair</labl></catgry>
    <catgry><catValu>3</catValu><labl>bad</labl></catgry>
    <catgry missing="Y"><catValu>9</catValu><labl>refused</labl></catgry></var>
  <var ID="V2" name="income" intrvl="contin"><labl>Income a month</labl>
    <invalrng><item VALUE="-1"/></invalrng></var>
</dataDscr></codeBook>"""
SCHEMA = {
    "resources": [
        {
            "name": "survey",
            "schema": {
                "fields": [
                    {
                        "name": "health",
                        "type": "integer",
                        "title": "Health now",
                        "categories": [
                            {"value": 1, "label": "good"},
                            {"value": 2, "label": "fair"},
                            {"value": 3, "label": "bad"},
                        ],
                        "categoriesOrdered": True,
                        "missingValues": [{"value": "9", "label": "refused"}],
                    },
                    {"name": "income", "type": "number", "title": "Income a month", "missingValues": ["-1"]},
                ]
            },
        }
    ]
}
TABLE = """name,label,type,values,order,missing
health,Health now,ordinal,1=good|2=fair|3=bad|9=refused,1|2|3,9
income,Income a month,numeric,,,-1
"""
SYNTAX = """* A comment. With a full stop.
VARIABLE LABELS health 'Health now' /income "Income a month".
VALUE LABELS health 1 'good' 2 'fair' 3 'bad' 9 'refused'.
MISSING VALUES health (9) income (-1).
VARIABLE LEVEL health (ORDINAL) /income (SCALE).
EXECUTE.
"""
WRITTEN = {"d.xml": DDI, "d.json": json.dumps(SCHEMA), "d.csv": TABLE, "d.sps": SYNTAX}


@pytest.mark.parametrize("name", WRITTEN)
def test_every_dictionary_says_the_same(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(WRITTEN[name])
    found = read_dictionary(tmp_path / name)
    assert found["health"] == SAID
    assert (found["income"].label, found["income"].missing_codes) == ("Income a month", ("-1",))
    assert found["income"].level is Level.SCALE


@pytest.mark.parametrize("name", WRITTEN)
def test_a_draft_with_a_dictionary_has_no_faults(tmp_path: Path, name: str) -> None:
    (tmp_path / "survey.csv").write_text(CSV)
    (tmp_path / "outbox").mkdir()
    (tmp_path / name).write_text(WRITTEN[name])
    text = draft(tmp_path / "survey.csv", dictionary=tmp_path / name, kept_in=tmp_path)
    (tmp_path / "survey.yaml").write_text(text)
    load_profile(tmp_path / "survey.yaml")
    health, income = (yaml.safe_load(text)["variables"][each] for each in ("health", "income"))
    assert health == {
        "role": "sensitive",
        "label": "Health now",
        "type": "ordinal",
        "order": ["1", "2", "3"],
        "values": {"1": "good", "2": "fair", "3": "bad"},
        "missing_codes": ["9"],
    }
    assert income == {
        "role": "sensitive",
        "label": "Income a month",
        "type": "numeric",
        "missing_codes": ["-1"],
    }
    assert "missing: 9 refused" in text


def test_ranges_of_missing_values_in_syntax_take_labelled_codes(tmp_path: Path) -> None:
    (tmp_path / "d.sps").write_text(
        "VALUE LABELS a b -2 'no' -1 'don''t know' 1 'yes'.\nMISSING VALUES a (LO THRU -1, 99) /b ('X').\n"
    )
    found = read_dictionary(tmp_path / "d.sps")
    assert found["a"].missing_codes == ("-2", "-1", "99")
    assert found["b"].missing_codes == ("X",)
    assert found["b"].values["-1"] == "don't know"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "d.xml",
            '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><codeBook><var name="a"/></codeBook>',
        ),
        ("d.xml", '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><c><var name="a">&b;</var></c>'),
        ("d.xml", "<codeBook>"),
        ("d.json", "[]"),
        pytest.param("d.json", "[" * 200_000, id="nested"),
        ("d.json", '{"fields": 1}'),
        ("d.csv", "variable,label\na,b\n"),
        ("d.sps", "FREQUENCIES a."),
        ("d.txt", "anything"),
    ],
)
def test_what_is_no_dictionary_is_a_fault(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadData, match=r"d\.\w+: .*; give a DDI codebook"):
        read_dictionary(tmp_path / name)


def spss(path: Path) -> Path:
    frame = pd.DataFrame(
        {
            "person": [float(n) for n in range(40)],
            "sex": [1.0 + n % 2 for n in range(40)],
            "health": [(1.0, 2.0, 3.0, 9.0)[n % 4] for n in range(40)],
            "income": [1000.0 + n if n % 5 else -1.0 for n in range(40)],
        }
    )
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels={"health": "Health now", "income": "Income a month"},
        variable_value_labels={
            "health": {1: "good", 2: "fair", 3: "bad", 9: "refused"},
            "sex": {1: "male", 2: "female", 3: "other"},
        },
        missing_ranges={"health": [9], "income": [{"lo": -99, "hi": -1}]},
        variable_measure={"health": "ordinal", "sex": "nominal", "income": "scale", "person": "scale"},
    )
    return path


def test_a_draft_of_spss_says_what_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "outbox").mkdir()
    text = draft(spss(tmp_path / "survey.sav"), kept_in=tmp_path)
    (tmp_path / "survey.yaml").write_text(text)
    profile = load_profile(tmp_path / "survey.yaml")
    assert profile.variables["health"].order == ("1", "2", "3")
    assert profile.variables["health"].missing_codes == ("9",)
    assert profile.variables["health"].label == "Health now"
    # A label for a value that does not occur stays: it is what the code means.
    assert profile.variables["sex"].values == {"1": "male", "2": "female", "3": "other"}
    check(tmp_path / "survey.yaml")


def test_an_ordinal_variable_with_values_without_a_label_needs_its_order(tmp_path: Path) -> None:
    pyreadstat.write_sav(
        pd.DataFrame({"grade": [float(n % 4) for n in range(40)], "x": [1.5 * n for n in range(40)]}),
        str(tmp_path / "a.sav"),
        variable_value_labels={"grade": {0: "low", 1: "high"}},
        variable_measure={"grade": "ordinal"},
    )
    text = draft(tmp_path / "a.sav", kept_in=tmp_path)
    assert "ordinal in the file, but 2 values without a label: give its order" in text
    assert yaml.safe_load(text)["variables"]["grade"].get("type") is None


def test_words_that_read_alike_are_told_apart(tmp_path: Path) -> None:
    pyreadstat.write_sav(
        pd.DataFrame({"job": [float(n % 3) for n in range(30)], "x": [1.5 * n for n in range(30)]}),
        str(tmp_path / "a.sav"),
        variable_value_labels={"job": {0: "other", 1: "other", 2: "0"}},
    )
    told = yaml.safe_load(draft(tmp_path / "a.sav", kept_in=tmp_path))["variables"]["job"]["values"]
    assert told == {"0": "other", "1": "other (1)", "2": "0 (2)"}


def test_a_dictionary_goes_before_the_file() -> None:
    file = {"Health": ColumnMetadata("old", {"1": "a"}, ("8",)), "x": ColumnMetadata("kept")}
    found = merged(file, {"health": ColumnMetadata("new", {"2": "b"}, ("9",))})
    assert found["Health"] == ColumnMetadata("new", {"1": "a", "2": "b"}, ("8", "9"))
    assert found["x"].label == "kept"


def sources(folder: Path) -> dict[str, tuple[Path, dict[str, Any]]]:
    """One file of every format of files, with what a draft must be told."""
    import gzip
    import sqlite3

    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet as pq

    frame = pd.DataFrame({"sex": ["m", "f"] * 20, "amount": [10.5 * n for n in range(40)]})
    frame.to_csv(folder / "a.csv", index=False)
    (folder / "a.csv.gz").write_bytes(
        gzip.compress((folder / "a.csv").read_text().replace(",", ";").encode())
    )
    frame.to_json(folder / "a.jsonl", orient="records", lines=True)
    frame.to_excel(folder / "a.xlsx", index=False, sheet_name="S")
    pyarrow.feather.write_feather(pa.Table.from_pandas(frame), folder / "a.feather")
    (folder / "parts").mkdir()
    pq.write_table(pa.Table.from_pandas(frame), folder / "parts" / "0.parquet")
    pyreadstat.write_sav(frame, str(folder / "a.sav"))
    pyreadstat.write_por(frame.rename(columns=str.upper), str(folder / "a.por"))
    pyreadstat.write_dta(frame, str(folder / "a.dta"))
    pyreadstat.write_xport(frame, str(folder / "a.xpt"))
    with sqlite3.connect(folder / "a.sqlite") as held:
        frame.to_sql("people", held, index=False)
    lines = (f"{sex}{amount:8.1f}" for sex, amount in frame.itertuples(index=False))
    (folder / "a.fwf").write_text("\n".join(lines) + "\n")
    (folder / "layout.csv").write_text("name,start,width\nsex,1,1\namount,2,8\n")
    told: dict[str, dict[str, Any]] = {"a.fwf": {"layout": folder / "layout.csv"}, "a.xlsx": {"sheet": "S"}}
    names = [
        "a.csv",
        "a.csv.gz",
        "a.jsonl",
        "a.xlsx",
        "a.feather",
        "parts",
        "a.sav",
        "a.por",
        "a.dta",
        "a.xpt",
        "a.sqlite",
        "a.fwf",
    ]
    return {name: (folder / name, told.get(name, {})) for name in names}


@pytest.mark.slow
def test_every_format_is_drafted_and_its_draft_is_sound(tmp_path: Path) -> None:
    (tmp_path / "outbox").mkdir()
    for name, (path, told) in sources(tmp_path).items():
        text = draft(path, kept_in=tmp_path, **told)
        (tmp_path / "p.yaml").write_text(text)
        profile = load_profile(tmp_path / "p.yaml")
        assert {each.lower() for each in profile.variables} == {"sex", "amount"}, name
        amount = next(plan for each, plan in profile.variables.items() if each.lower() == "amount")
        assert amount.type == "numeric", name
        check(tmp_path / "p.yaml")


def test_a_password_in_an_address_is_refused_by_a_draft() -> None:
    with pytest.raises(BadData) as bad:
        draft(Path("postgres://me:SECRET@host/db"), table="t")
    assert "this holds a password" in str(bad.value)
    assert "SECRET" not in str(bad.value)
