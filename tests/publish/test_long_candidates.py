"""A table too long for memory is protected a part of its records at a time, with the same bytes."""

from __future__ import annotations

import resource
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.needs import never
from sdc.catalogue.registry import methods
from sdc.data import long_column, long_table
from sdc.data.database import Database
from sdc.data.long_column import OriginalColumn
from sdc.data.long_table import LongTable
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.data.table import Table
from sdc.data.warehouse import Warehouse, candidates, leaving
from sdc.data.warehouse.candidates import store_candidate
from sdc.errors import CannotProtect, SdcError, WarehouseUnusable
from sdc.ingest import ingest
from sdc.profile.load import load_profile
from sdc.publish.candidates import make
from sdc.run.randomness import Randomness
from sdc.run.secret import NO_SECRET

RECORDS, PART = 300, 37
EDUCATION = ["none", "primary", "secondary"]
VARIABLES: dict[str, Any] = {
    "household_id": {"role": "household"},
    "region": "quasi_identifier",
    "sex": "quasi_identifier",
    "age": {"role": "quasi_identifier", "type": "numeric"},
    "education": {"role": "quasi_identifier", "type": "ordinal", "order": EDUCATION},
    "born": {"role": "other", "type": "date"},
    "income": {"role": "sensitive", "type": "numeric"},
    "wealth": {"role": "sensitive", "type": "numeric", "decimals": 1},
    "health": "sensitive",
    "code": {"role": "other"},
    "member": {"role": "other"},
    "weight": {"role": "weight"},
}

RECODE = {
    "method": "global_recode",
    "with": {"age": {"width": 10}, "education": {"groups": {"low": EDUCATION[:2]}}},
}
SUPPRESS = {"method": "local_suppression", "with": {"k": 3}}
AVERAGE = {"method": "microaggregation", "with": {"variables": ["income", "wealth"], "k": 3}}
SWAP = {"method": "rank_swap", "with": {"variables": ["income"]}}
MOVE = {"method": "pram", "with": {"variables": ["region", "health"]}}
DRAW = {"method": "subsample", "with": {"share": 0.4, "by": ["region"]}}
NOISE = {"method": "gaussian_noise", "with": {"epsilon": 2.0, "delta": 1e-5, "income": [0, 100_000]}}
TAILS = {
    "method": "top_bottom_code",
    "with": {"income": {"top_share": 0.1, "bottom_share": 0.05, "replace": "mean"}},
}
SHAKE = {"method": "additive_noise", "with": {"kind": "independent", "mean": {"income": 5.0}}}
MULTIPLY = {
    "method": "additive_noise",
    "with": {"kind": "multiplicative", "law": "uniform", "variables": ["wealth", "income"]},
}
ROUND = {
    "method": "rounding",
    "with": {"income": {"to": 100, "how": "random"}, "age": {"to": 5, "how": "down"}},
}
CHAINS = {
    "nothing": [],
    "recode and suppress": [RECODE, SUPPRESS],
    "suppress two groups of keys": [
        {
            "method": "local_suppression",
            "with": {"groups": [["region", "age"], ["sex", "education"]], "whole": False},
        }
    ],
    "suppress within classes": [
        RECODE,
        {
            "method": "local_suppression",
            "with": {"keys": ["region", "age"], "by": ["sex"], "importance": ["age"]},
        },
    ],
    "suppress with wildcards": [
        RECODE,
        {"method": "local_suppression", "with": {"k": 2, "missing": "wildcard"}},
    ],
    "suppress under a cap": [
        RECODE,
        {"method": "local_suppression", "with": {"k": 2, "cap": {"region": 0.05}}},
    ],
    "post-randomise": [RECODE, MOVE],
    "post-randomise within classes": [
        RECODE,
        {"method": "pram", "with": {"variables": ["health"], "keep": 0.9, "by": ["sex", "education"]}},
        {"method": "pram", "with": {"variables": ["region"], "by": ["born", "region"]}},
    ],
    "post-randomise a sample within classes": [
        DRAW,
        {"method": "pram", "with": {"variables": ["health"], "keep": 0.9, "by": ["region", "sex"]}},
    ],
    "post-randomise household numbers": [{"method": "pram", "with": {"variables": ["household_id"]}}],
    "draw a sample": [DRAW],
    "sample of what was recoded, then suppressed": [RECODE, DRAW, SUPPRESS],
    "two samples": [DRAW, DRAW, ROUND],
    "average, which needs a frame": [RECODE, SUPPRESS, AVERAGE],
    "swap numbers of a sample": [DRAW, SWAP, ROUND],
    "noise, tails and rounding": [NOISE, TAILS, ROUND],
    "tails by limits": [
        {
            "method": "top_bottom_code",
            "with": {"income": {"top": 40_000, "replace": "mean"}, "age": {"bottom": 18}},
        }
    ],
    "independent noise": [SHAKE, ROUND],
    "noise by factors": [DRAW, MULTIPLY],
    "correlated noise, which needs the columns": [{"method": "additive_noise"}],
    "laplace": [{"method": "laplace_noise", "with": {"epsilon": 1.0, "age": [0, 110], "income": [0, 1e5]}}],
}


def survey(*, numbered: bool) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    home = rng.integers(0, RECORDS // 3, RECORDS)
    table = pd.DataFrame(
        {
            "household_id": home if numbered else [f"h{number:04}" for number in home],
            "region": rng.choice(["North", "South", "West"], RECORDS),
            "sex": rng.choice(["f", "m"], RECORDS),
            "age": rng.integers(0, 100, RECORDS).astype(float),
            "education": rng.choice(EDUCATION, RECORDS),
            "born": (
                pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, RECORDS), "D")
            ).strftime("%Y-%m-%d"),
            "income": np.round(rng.gamma(2.0, 10_000, RECORDS), 2),
            "wealth": np.round(rng.normal(0, 1e5, RECORDS), 3),
            "health": rng.choice(["good", "fair", "bad"], RECORDS),
            "code": rng.integers(0, 12, RECORDS),
            "member": rng.choice(["true", "false"], RECORDS),
            "weight": np.round(rng.uniform(1, 9, RECORDS), 4),
        }
    )
    for name in ("sex", "age", "education", "born", "income", "health", "code"):
        table[name] = table[name].astype(object).mask(rng.random(RECORDS) < 0.08)
    return table


class Made:
    """What making a candidate left behind."""

    def __init__(self, found: Candidate, house: Warehouse) -> None:
        self.found = found
        self.file = Path(found.path).read_bytes()
        self.table = house.database.table(found.tables[0]).arrow(f"FROM {found.tables[0]}")
        self.steps = [step.as_record() for step in found.steps]
        self.tables = {
            name
            for (name,) in house.database.cursor()
            .execute("SELECT table_name FROM duckdb_tables()")
            .fetchall()
        }
        self.beside = {each.name for each in Path(found.path).parent.iterdir()}


def made(place: Path, steps: list[dict[str, Any]], *, numbered: bool = True) -> Made:
    place.mkdir(exist_ok=True)
    survey(numbered=numbered).to_csv(place / "people.csv", index=False)
    told = {
        "name": "people",
        "source": {"path": "people.csv"},
        "variables": VARIABLES,
        "candidates": {"c": steps},
        "access": "safeguarded",
        "risk": [{"measure": "class_attribution", "with": {"target": "health"}, "at_most": 0.9}],
    }
    (place / "profile.yaml").write_text(yaml.safe_dump(told, sort_keys=False))
    plan = load_profile(place / "profile.yaml")
    with Warehouse.create(place / "run", readable=[place / "people.csv"]) as house:
        ingest(plan, place, house, NO_SECRET)
        return Made(make(plan, place, house, "c", Randomness.from_seed(5)), house)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files have small groups of rows, whichever way they are made."""
    monkeypatch.setattr(leaving, "ROWS_AT_ONCE", PART)


def as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_table, "LONG", 0)
    monkeypatch.setattr(long_column, "PART", PART)


def never_loaded(*given: object) -> object:
    message = "the original was loaded"
    raise AssertionError(message)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    "numbered", [True, False], ids=["whole household numbers", "household numbers as texts"]
)
@pytest.mark.parametrize("chain", list(CHAINS))
def test_a_candidate_made_in_parts_has_the_same_bytes_and_the_same_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chain: str, numbered: bool
) -> None:
    whole = made(tmp_path / "whole", CHAINS[chain], numbered=numbered)
    as_long(monkeypatch)
    monkeypatch.setattr(Table, "frame", never_loaded)
    parted = made(tmp_path / "parted", CHAINS[chain], numbered=numbered)
    assert parted.file == whole.file
    assert parted.table.equals(whole.table)
    assert parted.steps == whole.steps
    assert (parted.found.sealed, parted.found.persons) == (whole.found.sealed, whole.found.persons)


@pytest.mark.parametrize("name", [name for name, entry in methods().items() if entry.in_parts is not never])
def test_a_method_that_takes_parts_is_among_the_chains(name: str) -> None:
    assert name in {step["method"] for steps in CHAINS.values() for step in steps}


@pytest.mark.parametrize(
    ("step", "held"),
    [
        ({"method": "pram", "with": {"variables": ["health"], "by": ["sex"]}}, [("sex",)]),
        (SHAKE, [("age",), ("income",), ("wealth",)]),
        (MULTIPLY, [("wealth",), ("income",)]),
    ],
    ids=["post-randomisation within classes holds its classes", "noise", "factors"],
)
def test_one_column_of_all_records_is_held_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: dict[str, Any], held: list[tuple[str, ...]]
) -> None:
    as_long(monkeypatch)
    seen: list[tuple[str, ...]] = []
    whole = long_table.LongTable.frame

    def noted(table: long_table.LongTable, names: list[str]) -> pd.DataFrame:
        seen.append(tuple(names))
        return whole(table, names)

    monkeypatch.setattr(long_table.LongTable, "frame", noted)
    made(tmp_path, [step])
    assert seen == held


@pytest.mark.usefixtures("short")
def test_nothing_but_the_candidate_is_left_of_its_making(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = made(tmp_path / "whole", CHAINS["recode and suppress"])
    as_long(monkeypatch)
    parted = made(tmp_path / "parted", CHAINS["recode and suppress"])
    assert parted.tables == whole.tables
    assert parted.beside == whole.beside


@pytest.mark.usefixtures("short")
def test_a_method_that_needs_all_columns_gets_a_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [RECODE, {"method": "bootstrap"}]
    whole = made(tmp_path / "whole", steps)
    as_long(monkeypatch)
    assert made(tmp_path / "parted", steps).file == whole.file


def test_faults_are_those_of_a_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    impossible = [{"method": "local_suppression", "with": {"keys": ["age"], "by": ["code"], "k": 200}}]
    said = []
    for place in ("whole", "parted"):
        with pytest.raises(CannotProtect) as problem:
            made(tmp_path / place, impossible)
        said.append(str(problem.value))
        as_long(monkeypatch)
    assert said[0] == said[1]
    assert "13 of 13 classes of code have fewer records" in said[0]


def test_a_full_disk_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_long(monkeypatch)
    full = "x AS SELECT error('No space left on device, and a cell of the data') --"
    monkeypatch.setattr(long_table.Scratch, "new", lambda _: "making")
    monkeypatch.setattr(long_table.sql, "name", lambda name: full if name == "making" else f'"{name}"')
    with pytest.raises(WarehouseUnusable, match="the disk is full") as problem:
        made(tmp_path / "parted", [RECODE])
    assert "cell" not in str(problem.value)


def test_a_table_left_by_an_earlier_making_is_not_added_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = made(tmp_path / "whole", CHAINS["recode and suppress"])
    as_long(monkeypatch)
    read = ingest

    def with_leftovers(plan: Any, place: Path, house: Warehouse, secret: Any) -> None:
        read(plan, place, house, secret)
        for number in range(12):
            house.database.write(f"making_c_{number}", pa.table({"x": [1.0] * RECORDS}))

    monkeypatch.setattr("test_long_candidates.ingest", with_leftovers)
    assert made(tmp_path / "parted", CHAINS["recode and suppress"]).file == whole.file


def test_what_cannot_be_removed_hides_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_long(monkeypatch)
    of_tables = Database.cursor

    class Stuck:
        """A cursor that drops no table."""

        def __init__(self, database: Database) -> None:
            self.cursor = of_tables(database)

        def execute(self, query: str, *given: Any) -> Any:
            return self.cursor.execute(
                "SELECT error('a cell')" if query.startswith('DROP TABLE IF EXISTS "making') else query,
                *given,
            )

        def __getattr__(self, name: str) -> Any:
            return getattr(self.cursor, name)

    def stuck(database: Database) -> Stuck:
        return Stuck(database)

    monkeypatch.setattr(Database, "cursor", stuck)
    with pytest.raises(CannotProtect, match="k was not reached"):
        made(tmp_path / "parted", [RECODE, {"method": "local_suppression", "with": {"k": 2, "cap": 0.001}}])


def test_columns_that_wait_are_for_their_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_long(monkeypatch)
    seen: dict[str, int] = {}
    write = candidates._write

    def looked_at(path: Path, *given: Any) -> None:
        for each in (path.parent / f"{path.name}.columns").rglob("*"):
            seen[each.name] = each.stat().st_mode & 0o777
        write(path, *given)

    monkeypatch.setattr(candidates, "_write", looked_at)
    place = tmp_path / "parted"
    (place / "run" / "candidates" / "c.parquet.columns").mkdir(parents=True)
    (place / "run" / "candidates" / "c.parquet.columns" / "0").write_text("left by a killed process")
    parted = made(place, [RECODE])
    assert set(seen.values()) == {0o600}
    assert len(seen) >= len(VARIABLES)
    assert parted.beside == {"c.parquet"}


def test_no_more_than_one_column_is_held_while_the_records_are_put_into_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_long(monkeypatch)
    held: list[weakref.ref[Any]] = []
    read = leaving._of_long

    def noted(*given: Any) -> Any:
        assert not [each for each in held if each() is not None]
        picked = read(*given)
        held.append(weakref.ref(picked))
        return picked

    monkeypatch.setattr(leaving, "_of_long", noted)
    made(tmp_path, [])
    assert len(held) == len(VARIABLES)


def test_the_texts_of_a_column_are_let_go_of_when_it_is_in_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_long(monkeypatch)
    database = Database.in_memory()
    held: list[weakref.ref[pa.Array]] = []
    every = pa.table({name: [f"{name} {number}" for number in range(RECORDS)] for name in ("a", "b", "c")})
    original = database.write("original", every)
    find = OriginalColumn._all_labels

    def noted(column: OriginalColumn) -> pa.Array:
        assert not [texts for texts in held if texts() is not None]
        found = find(column)
        held.append(weakref.ref(found))
        return found

    monkeypatch.setattr(OriginalColumn, "_all_labels", noted)
    roles = Roles.of(Variable(name, Role.OTHER) for name in every.column_names)
    with LongTable.of(original, original.columns, roles, "c") as table:
        store_candidate(database, tmp_path / "c", "c", table, roles, np.arange(RECORDS))
    assert len(held) == 3, "found once for each column"


def test_a_table_may_have_more_columns_than_files_can_be_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_long(monkeypatch)
    database = Database.in_memory()
    wide = {f"answer_{number}": [1.5, None, 3.0] for number in range(200)}
    original = database.write("original", pa.table(wide))
    roles = Roles.of(Variable(name, Role.OTHER, VariableType.NUMERIC) for name in wide)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with LongTable.of(original, original.columns, roles, "c") as table, (tmp_path / "next").open("w") as file:
        resource.setrlimit(resource.RLIMIT_NOFILE, (file.fileno() + 100, hard))
        try:
            stored = store_candidate(database, tmp_path / "c", "c", table, roles, np.array([2, 0, 1]))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert stored.table.arrow("FROM candidate_c").equals(pa.table(wide))


def test_a_step_that_fails_leaves_no_table_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_long(monkeypatch)
    place, kept = tmp_path / "parted", []

    class Kept(Warehouse):
        def close(self) -> None:
            kept.extend(self.database.cursor().execute("SELECT table_name FROM duckdb_tables()").fetchall())
            super().close()

    monkeypatch.setattr("test_long_candidates.Warehouse", Kept)
    with pytest.raises(SdcError):
        made(place, [RECODE, {"method": "local_suppression", "with": {"k": 2, "cap": 0.001}}])
    assert ("original",) in kept
    assert not [name for (name,) in kept if name.startswith("making")]
