from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest

from sdc.check import check
from sdc.data.roles import Role, VariableType
from sdc.draft import draft
from sdc.draft.name_words import parts, speaks_of
from sdc.errors import BadData, BadProfile
from sdc.ingest.readers.csv_dialect import guess_encoding, guess_separator
from sdc.profile.load import load_profile
from sdc.profile.plan import Profile

DEMO = Path(__file__).parents[2] / "profiles" / "demo"


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


@pytest.mark.slow
def test_the_draft_of_the_demonstration_data_is_a_profile_without_a_fault(tmp_path):
    text = draft(DEMO / "households.csv", kept_in=tmp_path)
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    profile = load_profile(tmp_path / "p.yaml")
    line = text.splitlines().index(next(line for line in text.splitlines() if "k_anonymity" in line)) + 1
    (tmp_path / "outbox").mkdir()
    note, told = check(tmp_path / "p.yaml")
    assert told.startswith(
        "households.csv: candidate 'recoded' changes the key 'region', and 'weight' determines it"
    )
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
    assert {name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER} == {
        "db040",
        "rb090",
        "age",
        "edu",
        "isco code",
        "hsize",
        "birth",
    }
    assert {name for name, role in roles.items() if role is Role.SENSITIVE} == {"eqIncome", "py010n"}
    kinds = {name: plan.type for name, plan in profile.variables.items()}
    assert {name for name, kind in kinds.items() if kind is VariableType.NUMERIC} == {
        "age",
        "hsize",
        "eqIncome",
        "py010n",
        "weight",
    }
    assert kinds["birth"] is VariableType.DATE
    assert kinds["isco code"] is VariableType.CATEGORICAL


def test_codes_are_offered_words(survey):
    assert "\n  # Codes: isco code, rooms.\n" in draft(survey)


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


@pytest.mark.parametrize(
    ("encoding", "separator"),
    [("utf-8", ","), ("utf-8-sig", ";"), ("latin-1", "\t"), ("utf-16", "|"), ("windows-1252", ";")],
)
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
    path.write_text(
        header
        + "\n"
        + "".join(",".join(str((n + k) % 3) for k in range(len(names))) + "\n" for n in range(30)),
        encoding="utf-8",
    )
    assert list(profile_of(path).variables) == names


@pytest.mark.slow
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
    cells = {
        cell
        for line in survey.read_text().splitlines()[1:]
        for cell in line.split(",")
        if not cell.lstrip("-").isdigit()
    }
    assert not [cell for cell in cells - {"NA", "m", "f", "low", "mid", "high"} if cell in text]
    assert not re.search(r"\b(low|mid|high|m|f|R\d)\b", comments(text))


def test_a_draft_has_no_seed_that_could_be_guessed(survey):
    assert profile_of(survey).seed is None


@pytest.mark.parametrize(
    ("content", "problem"), [(None, "no such file"), ("", "the file is empty"), ("a,b\n", "no records")]
)
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


def people(tmp_path: Path, rows: int = 200, **columns: Callable[[int], object]) -> Path:
    """A file of persons with a sex, and these columns."""
    path = tmp_path / "people.csv"
    made = {"sex": lambda n: "mf"[n % 2], **columns}
    lines = [";".join(made), *(";".join(str(value(n)) for value in made.values()) for n in range(rows))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def day(n: int) -> date:
    return date(1931, 1, 1) + timedelta(days=n * 113)


def reason(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"  {name}: ")).split("#", 1)[1]


SPELLINGS = {
    "DD.MM.YYYY": "%d.%m.%Y",
    "DD/MM/YYYY": "%d/%m/%Y",
    "MM/DD/YYYY": "%m/%d/%Y",
    "DD-MM-YYYY": "%d-%m-%Y",
    "YYYY/MM/DD": "%Y/%m/%d",
}
SPELLINGS |= {"YYYYMMDD": "%Y%m%d", "DD.MM.YY": "%d.%m.%y"}


@pytest.mark.parametrize("name", ["birth", "Geburtsdatum", "entered"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_days_are_known_in_their_usual_spellings_and_are_keys(tmp_path, spelling, name):
    path = people(tmp_path, **{name: lambda n: day(n).strftime(SPELLINGS[spelling])})
    plan = profile_of(path).variables[name]
    assert plan.role is Role.QUASI_IDENTIFIER
    assert plan.type is VariableType.CATEGORICAL
    assert f"days written {spelling}" in reason(draft(path), name)


def test_days_written_as_a_profile_reads_them_are_recoded_to_years(tmp_path):
    plain = profile_of(people(tmp_path, birth=lambda n: day(n).isoformat()))
    assert plain.variables["birth"].type is VariableType.DATE
    assert plain.candidates["recoded"][0].options["birth"] == {"period": "year"}
    digits = profile_of(people(tmp_path, birth=lambda n: day(n).strftime("%Y%m%d")))
    assert digits.candidates["recoded"][0].options["birth"] == {"digits": 4}


@pytest.mark.parametrize("value", [lambda n: f"{1100 + n}0101", lambda n: 19310101 + n * 11])
def test_numbers_of_eight_digits_are_days_only_where_all_could_be(tmp_path, value):
    text = draft(people(tmp_path, amount=value))
    assert "days written" not in text
    assert profile_of(tmp_path / "people.csv").variables["amount"].type is VariableType.NUMERIC


def test_a_key_with_too_many_values_is_still_a_key_and_grouping_is_advised(tmp_path):
    path = people(
        tmp_path,
        2000,
        municipality=lambda n: f"M{n % 301}",
        occupation=lambda n: 1000 + n % 450,
        region=lambda n: f"R{n % 4}",
    )
    profile, text = profile_of(path), draft(path)
    assert profile.roles.quasi_identifiers == ("sex", "municipality", "occupation", "region")
    assert profile.variables["occupation"].type is VariableType.CATEGORICAL
    for name in ("municipality", "occupation"):
        assert "too many values for a key as it is: group it" in reason(text, name)
        assert re.search(
            rf"^ +# - {{method: global_recode, with: {{{name}: {{digits: 2}}}}}}", text, re.MULTILINE
        )
    assert "too many" not in reason(text, "region")


def test_days_that_cannot_be_grouped_as_they_are_written_come_with_advice(tmp_path):
    text = draft(people(tmp_path, birth=lambda n: day(n).strftime("%d.%m.%Y")))
    assert "too many values for a key as it is: group it" in reason(text, "birth")
    assert (
        "    # birth: write its days YYYY-MM-DD in the file, declare type: date, and recode it with {period: year}"
        in text
    )


def test_a_key_with_many_values_is_not_the_one_left_out_where_there_are_many_keys(tmp_path):
    few = {
        name: lambda n: n % 3
        for name in ("age_group", "gender", "nationality", "marital", "language", "country", "city", "region")
    }
    profile = profile_of(people(tmp_path, 2000, **few, occupation=lambda n: f"job {n % 400}"))
    assert len(profile.roles.quasi_identifiers) == 7
    assert "occupation" in profile.roles.quasi_identifiers


@pytest.mark.parametrize("name", ["occupation", "remark"])
def test_text_of_which_most_records_have_their_own_stays_behind(tmp_path, name):
    profile = profile_of(people(tmp_path, **{name: lambda n: f"text {n if n < 110 else n % 5 + 200}"}))
    assert profile.variables[name].role is Role.DIRECT_IDENTIFIER
    shared = profile_of(people(tmp_path, **{name: lambda n: f"text {n if n < 95 else n % 20 + 200}"}))
    assert shared.variables[name].role is not Role.DIRECT_IDENTIFIER


def test_names_are_compared_without_accents(tmp_path):
    assert speaks_of("région", "region-")
    assert speaks_of("Département", "departement-")
    assert speaks_of("Âge", "age")
    assert speaks_of("Straße", "strasse-")
    profile = profile_of(people(tmp_path, région=lambda n: f"R{n % 150}", âge=lambda n: n % 80))
    assert profile.roles.quasi_identifiers == ("sex", "région", "âge")


def test_names_are_taken_apart_at_capitals_points_and_strokes():
    assert parts("ageGroup") == parts("AGE.GROUP") == parts("age_group") == ["age", "group"]
    assert speaks_of("ori_hid", "hid")
    assert speaks_of("TOTREVENUE", "revenue-")
    assert not speaks_of("sausage", "age-")
    assert not speaks_of("idle", "id")


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("lat", "direct_identifier"),
        ("lon", "direct_identifier"),
        ("x_coord", "direct_identifier"),
        ("yield", "sensitive"),
    ],
)
def test_a_number_that_most_records_have_to_themselves_stays_behind_or_is_changed(tmp_path, name, role):
    """97 in 100 records have their own.

    A coordinate stays behind, an amount is drafted with a step that changes it.
    """
    chance = random.Random(3)  # noqa: S311
    rows = [
        f"{chance.choice('mf')},{chance.randrange(20, 60)},{46 + (number if number > 2 else 0) * 0.0317:.4f}"
        for number in range(100)
    ]
    (tmp_path / "survey.csv").write_text(f"sex,age,{name}\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "p.yaml").write_text(draft(tmp_path / "survey.csv", kept_in=tmp_path), encoding="utf-8")
    profile = load_profile(tmp_path / "p.yaml")
    assert profile.variables[name].role.value == role
    changed = [
        step.options.get("variables")
        for step in profile.candidates["recoded"]
        if step.method == "microaggregation"
    ]
    assert changed == ([["yield"]] if role == "sensitive" else [])
