from __future__ import annotations

import random
import re
from pathlib import Path

import duckdb
import pytest

from sdc.check import check
from sdc.draft import draft
from sdc.draft.sniff import guess_encoding, guess_separator
from sdc.draft.words import parts, speaks_of
from sdc.errors import BadData, BadProfile
from sdc.profile.load import load_profile
from sdc.profile.plan import Profile
from sdc.roles import Role, VariableType

DEMO = Path(__file__).parent.parent / "profiles" / "demo"


def profile_of(path: Path, **options) -> Profile:
    """The draft of a file, kept beside it, read back and checked against the file."""
    kept = path.with_suffix(".yaml")
    kept.write_text(draft(path, kept_in=path.parent, **options), encoding="utf-8")
    profile = load_profile(kept)
    (kept.parent / "outbox").mkdir(exist_ok=True)
    check(kept)
    return profile


def comments(text: str) -> str:
    return "\n".join(line.split("#", 1)[1] for line in text.splitlines() if "#" in line)


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """Sixty fictitious persons in 25 households, with the columns and oddities such files have."""
    chance = random.Random(1)  # noqa: S311
    lines = ["pid,surname,hid,db040,rb090,age,edu,isco code,hsize,eqIncome,py010n,rooms,weight,birth,note"]
    for person in range(60):
        home = person * 25 // 60
        income = ["-8", "NA", f"{chance.uniform(0, 9000):.2f}"][min(person % 9, 2)]
        lines.append(
            f"{1000 + person * 3},Surname{chance.randrange(40)} of Place,{home},R{home % 4},{chance.choice('mf')},{chance.randrange(1, 95)},"
            f"{chance.choice(['low', 'mid', 'high'])},0{chance.randrange(1, 9)},{1 + home % 4},{home * 100.5},{income},{chance.randrange(1, 6)},{1.5 + home % 3},"
            f"19{chance.randrange(30, 99)}-0{chance.randrange(1, 9)}-11,secret{chance.randrange(60)}"
        )
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_draft_of_the_demonstration_data_is_a_profile_without_a_fault(tmp_path):
    text = draft(DEMO / "households.csv", kept_in=tmp_path)
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    profile = load_profile(tmp_path / "p.yaml")
    line = text.splitlines().index(next(line for line in text.splitlines() if "k_anonymity" in line)) + 1
    (tmp_path / "outbox").mkdir()
    (note,) = check(tmp_path / "p.yaml")
    assert note.startswith(f"p.yaml:{line}: because of k_anonymity is still the draft's")
    assert profile.approval.required == "always"
    roles = profile.roles
    assert roles.direct_identifiers == ("person_id", "name")
    assert roles.household == "household_id"
    assert roles.weight == "weight"
    assert {"region", "age", "sex"} <= {*roles.quasi_identifiers}
    assert {"income", "wealth", "health"} <= {*roles.sensitive}
    assert profile.source.record_key == ("person_id",)
    assert (tmp_path / profile.source.path).resolve() == (DEMO / "households.csv").resolve()
    assert profile.variables["region"].per == "household"
    assert profile.variables["age"].per == "record"


def test_roles_and_types_are_guessed_from_names_and_counts(survey):
    profile = profile_of(survey)
    roles = {name: plan.role for name, plan in profile.variables.items()}
    assert roles["pid"] is Role.DIRECT_IDENTIFIER
    assert roles["surname"] is Role.DIRECT_IDENTIFIER
    assert roles["hid"] is Role.HOUSEHOLD
    assert roles["weight"] is Role.WEIGHT
    assert {name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER} == {"db040", "rb090", "age", "edu", "hsize", "birth"}
    assert {name for name, role in roles.items() if role is Role.SENSITIVE} == {"eqIncome", "py010n"}
    kinds = {name: plan.type for name, plan in profile.variables.items()}
    assert {name for name, kind in kinds.items() if kind is VariableType.NUMERIC} == {"age", "hsize", "eqIncome", "py010n", "weight"}
    assert kinds["birth"] is VariableType.DATE
    assert kinds["isco code"] is VariableType.CATEGORICAL


def test_the_record_key_is_the_column_that_differs_in_every_record(survey):
    assert profile_of(survey).source.record_key == ("pid",)


def test_missing_codes_are_those_of_surveys_only(survey):
    variables = profile_of(survey).variables
    assert {*variables["py010n"].missing_codes} == {"-8", "NA"}
    assert all(not plan.missing_codes for name, plan in variables.items() if name != "py010n")


def test_what_is_the_same_within_every_household_is_said_so(survey):
    profile = profile_of(survey)
    assert {name for name, plan in profile.variables.items() if plan.per == "household"} == {"db040", "hsize"}
    assert re.search(r"eqIncome: .*the same within every household", draft(survey))


def test_a_weight_beside_heights_is_a_body_weight(tmp_path):
    path = tmp_path / "bodies.csv"
    path.write_text("height,weight,sex\n" + "".join(f"{150 + n},{50 + n}.5,{n % 2}\n" for n in range(30)))
    profile = profile_of(path)
    assert profile.roles.weight is None
    assert profile.variables["weight"].type is VariableType.NUMERIC


def test_a_file_without_any_recognisable_key_still_gives_a_profile_that_holds(tmp_path):
    amounts = tmp_path / "amounts.csv"
    amounts.write_text("ASSETS,SALES\n" + "".join(f"{n * 7.5},{n * n * 11.25}\n" for n in range(200)))
    assert len(profile_of(amounts).roles.quasi_identifiers) == 1
    numbered = tmp_path / "1.csv"
    numbered.write_text("1,2,3\n" + "".join(f"{n % 3},{n % 5},{n}\n" for n in range(30)))
    assert profile_of(numbered).name == "release_1"


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_tiny_files_give_profiles_too_and_only_their_size_is_in_the_way(tmp_path, rows):
    path = tmp_path / "tiny.csv"
    path.write_text("id,sex,income\n" + "".join(f"{n},{n % 2},{n * 1.5}\n" for n in range(rows)))
    if rows == 3:
        profile_of(path)
        return
    with pytest.raises(BadProfile) as raised:
        profile_of(path)
    assert all(fault.remedy == "ask for fewer" for fault in raised.value.faults)


@pytest.mark.parametrize(("encoding", "separator"), [("utf-8", ","), ("utf-8-sig", ";"), ("latin-1", "\t"), ("utf-16", "|"), ("windows-1252", ";")])
def test_separator_encoding_and_decimal_comma_are_found(tmp_path, encoding, separator):
    path = tmp_path / "größe.csv"
    decimal = "." if separator == "," else ","
    mark = "€" if encoding == "windows-1252" else "ö"
    rows = "".join(f"K{n % 3}{mark}ln{separator}{n}{decimal}5{separator}{n % 2}\n" for n in range(40))
    path.write_bytes(f"Straße ort{separator}income{separator}sex\n{rows}".encode(encoding))
    profile = profile_of(path)
    assert profile.source.encoding == encoding.removesuffix("-sig")
    assert profile.source.separator == separator
    assert profile.source.decimal == decimal
    assert profile.variables["income"].type is VariableType.NUMERIC
    assert list(profile.variables) == ["Straße ort", "income", "sex"]


def test_encodings_are_told_apart_by_every_byte(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n" + b"x,y\n" * 400_000 + "é,€\n".encode("windows-1252"))
    assert guess_encoding(path) == "windows-1252"
    path.write_bytes(b"a,b\n" + b"x,y\n" * 400_000 + "é,y\n".encode("latin-1"))
    assert guess_encoding(path) == "latin-1"
    path.write_bytes(b"a,b\n" + b"x" * ((1 << 20) - 5) + "é,€\n".encode())
    assert guess_encoding(path) == "utf-8"


def test_separators_inside_quotes_do_not_count(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a;b\n"x,y,z";1\n"u,v,w";2\n')
    assert guess_separator(path, "utf-8") == ";"


def test_names_that_yaml_or_sql_would_misread_come_back_as_they_are(tmp_path):
    names = ["no", "select", 'the "best"', "a: b", "#x", "007", "null", "ä ö", "it's", "- x", "{a}", "true"]
    path = tmp_path / "odd.csv"
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    path.write_text(header + "\n" + "".join(",".join(str((n + k) % 3) for k in range(len(names))) + "\n" for n in range(30)), encoding="utf-8")
    assert list(profile_of(path).variables) == names


def test_parquet_and_duckdb_are_read_as_well(tmp_path, survey):
    connection = duckdb.connect(str(tmp_path / "survey.duckdb"))
    connection.execute(f"CREATE TABLE persons AS SELECT * FROM read_csv('{survey}')")
    connection.execute(f"COPY persons TO '{tmp_path / 'other.parquet'}'")
    connection.close()
    from_table = profile_of(tmp_path / "survey.duckdb")
    assert from_table.source.format == "duckdb"
    assert profile_of(tmp_path / "survey.duckdb", query="SELECT age, rb090 FROM persons").source.query
    from_parquet = profile_of(tmp_path / "other.parquet")
    assert from_parquet.roles.quasi_identifiers == from_table.roles.quasi_identifiers


def test_a_database_with_several_tables_asks_which(tmp_path):
    connection = duckdb.connect(str(tmp_path / "many.duckdb"))
    connection.execute("CREATE TABLE a AS SELECT 1 AS x")
    connection.execute("CREATE TABLE b AS SELECT 1 AS x")
    connection.close()
    with pytest.raises(BadData, match=r"2 tables to choose from"):
        draft(tmp_path / "many.duckdb")


def test_no_value_of_the_data_is_in_the_draft(survey):
    text = draft(survey)
    cells = {cell for line in survey.read_text().splitlines()[1:] for cell in line.split(",") if not cell.lstrip("-").isdigit()}
    assert not [cell for cell in cells - {"NA", "m", "f", "low", "mid", "high"} if cell in text]
    assert not re.search(r"\b(low|mid|high|m|f|R\d)\b", comments(text))


def test_the_seed_is_drawn_by_lot(survey):
    assert profile_of(survey).seed != profile_of(survey).seed


@pytest.mark.parametrize(("content", "problem"), [(None, "no such file"), ("", "the file is empty"), ("a,b\n", "no records")])
def test_what_cannot_be_drafted_is_said(tmp_path, content, problem):
    path = tmp_path / "x.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BadData, match=problem):
        draft(path)
    with pytest.raises(BadData, match="this is a directory"):
        draft(tmp_path)


def test_a_file_that_no_profile_names_is_not_looked_for_beside_one(tmp_path):
    with pytest.raises(BadData) as raised:
        draft(tmp_path / "absent.csv")
    assert str(raised.value.faults[0]).endswith("absent.csv: there is no such file")


def test_names_are_taken_apart_at_capitals_points_and_strokes():
    assert parts("ageGroup") == parts("AGE.GROUP") == parts("age_group") == ["age", "group"]
    assert speaks_of("ori_hid", "hid")
    assert speaks_of("TOTREVENUE", "revenue-")
    assert not speaks_of("sausage", "age-")
    assert not speaks_of("idle", "id")
