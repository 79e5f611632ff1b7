"""Are parts that workers read put together as if this machine had read them all, and what may a worker read?"""

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tasks.read_parts
from sdc.data.warehouse.shared import SharedFolder, claimed
from sdc.errors import BadData
from sdc.ingest import Ingested, ingest
from sdc.profile.load import load
from sdc.run.home import Home, Run
from tasks.context import RunContext, open_context
from tasks.read_parts import ReadByWorkers, _read, _read_part
from tasks.shared import Shared
from tasks.worker import forget, opened_run, software
from tests.flows.parted_source import PARTS, parted_profile, people_table, tables_read

KEY = "a key of the agency"
CANDIDATES = """candidates:
  masked:
    - {method: global_recode, with: {age: {width: 20}}}
risk:
  - {measure: k_anonymity, at_least: 3, because: rule 1}
publish: {formats: [csv], outbox: outbox}
"""


@contextmanager
def opened(profile: Path, home: Path) -> Iterator[RunContext]:
    """A run of the profile; runs of one home have one secret."""
    at = Home.at(home)
    with Run.start(at, "small") as run, open_context(at, run, load(profile)) as context:
        yield context


class WorkersHere:
    """A cluster whose parts are all read in this process, through shared storage; it keeps what was said."""

    def __init__(self, context: RunContext, place: Path) -> None:
        self.context, self.place, self.said, self.asked = context, place, list[str](), list[int]()
        self.folder = SharedFolder(str(place)).within("run")

    @contextmanager
    def reading(self) -> Iterator[ReadByWorkers]:
        with claimed(self.context.home, self.folder):
            shared = Shared(self.context, self.folder, software())
            yield ReadByWorkers(shared.tables, self._ask, self.said.append)
            left = {path.name for path in Path(self.folder.path).iterdir()}
            assert left == {"run.parquet"}, "what was fetched does not stay on shared storage"
            forget(self.folder.url)

    def _ask(self, _what: Any, names: Sequence[str], parts: Sequence[int]) -> None:
        self.asked += parts
        _read(*names, parts, self.place)


def read_here(profile: Path, home: Path) -> tuple[Ingested, dict[str, Any]]:
    with opened(profile, home) as context:
        read = ingest(context.profile, context.base, context.warehouse, context.secret)
        return read, tables_read(context.warehouse)


def read_there(profile: Path, home: Path, place: Path) -> tuple[Ingested, dict[str, Any], WorkersHere]:
    place.mkdir(exist_ok=True)
    with opened(profile, home) as context:
        workers = WorkersHere(context, place)
        with workers.reading() as elsewhere:
            read = ingest(context.profile, context.base, context.warehouse, context.secret, elsewhere)
        return read, tables_read(context.warehouse), workers


@pytest.fixture(params=[None, KEY], ids=["plain", "encrypted"])
def key(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        monkeypatch.setenv("SDC_WAREHOUSE_KEY", request.param)


@pytest.mark.usefixtures("key")
def test_what_workers_read_is_what_this_machine_reads_to_the_last_bit(tmp_path: Path) -> None:
    profile = parted_profile(tmp_path / "small")
    here, held = read_here(profile, tmp_path / "home")
    there, arrived, workers = read_there(profile, tmp_path / "home", tmp_path / "shared")
    assert there == here
    assert here.holdout_rows == 48
    assert arrived == held
    assert held["original"][0]["age"] == "BIGINT"
    assert held["original"][0]["income"] == "DOUBLE"
    assert {"'north'", "'south'", "'west'"} == set(held["original"][1]["region"])
    assert {"-0.0", "0.0", "None"} <= set(held["original"][1]["income"])
    assert workers.asked == [*range(len(PARTS))] * 2, "the source and its population"
    assert workers.said == []


def test_a_long_source_has_the_numbers_of_its_records_in_order(tmp_path: Path) -> None:
    """Parts longer than a row group of DuckDB: a holdout without a key is chosen by the number of a record."""
    folder = tmp_path / "people"
    folder.mkdir()
    for part in range(3):
        rows = pa.table({"age": range(part * 150_000, part * 150_000 + 150_000)})
        pq.write_table(rows, folder / f"{part}.parquet", row_group_size=40_000)
    profile = tmp_path / "profile.yaml"
    profile.write_text(
        "name: small\nseed: 1\nsource: {path: people, holdout_share: 0.1}\n"
        f"variables: {{age: {{role: quasi_identifier, type: numeric}}}}\n{CANDIDATES}"
    )
    (tmp_path / "shared").mkdir()
    held = []
    for number in range(2):
        with opened(profile, tmp_path / "home") as context:
            workers = WorkersHere(context, tmp_path / "shared")
            with workers.reading() as elsewhere:
                ingest(
                    context.profile,
                    context.base,
                    context.warehouse,
                    context.secret,
                    elsewhere if number else None,
                )
            held.append(context.warehouse.database.table("holdout").arrow("SELECT * FROM holdout"))
    assert held[0].equals(held[1])
    assert held[0].num_rows >= 45_000


def spoilt(column: str, value: object, row: int) -> pa.Table:
    table = people_table()
    values = table[column].to_pylist()
    values[row] = value
    place = table.schema.get_field_index(column)
    return table.set_column(place, column, pa.array(values, table.schema.field(column).type))


def faults(profile: Path, home: Path, place: Path | None = None) -> str:
    with pytest.raises(BadData) as bad:
        read_here(profile, home) if place is None else read_there(profile, home, place)
    return str(bad.value)


@pytest.mark.parametrize(
    ("column", "value", "row", "problem"),
    [
        ("children", "CANARY", 170, "values that are not numbers in 1 record"),
        ("income", float("nan"), 60, "numbers that are not finite in 1 record"),
        ("income", -5.0, 3, "values below at_least"),
        ("person", "P00001", 200, "a key shared with another record in 2 records"),
    ],
)
def test_a_value_that_is_not_as_declared_has_the_same_fault(
    tmp_path: Path, column: str, value: object, row: int, problem: str
) -> None:
    profile = parted_profile(tmp_path / "small", spoilt(column, value, row))
    said = faults(profile, tmp_path / "home")
    assert problem in said
    assert faults(profile, tmp_path / "home", tmp_path / "shared") == said


def test_a_part_that_breaks_off_has_the_same_fault(tmp_path: Path) -> None:
    profile = parted_profile(tmp_path / "small")
    part = tmp_path / "small" / "people" / "region=south" / "part-1.parquet"
    held = part.read_bytes()
    part.write_bytes(held[:4] + b"\0" * 2000 + held[2004:])
    said = faults(profile, tmp_path / "home")
    assert "the records cannot be read to their end" in said
    assert faults(profile, tmp_path / "home", tmp_path / "shared") == said


@pytest.mark.parametrize(
    "source", ["where: age > 30", "derived: {old: age > 60}", "columns: [person, age]"], ids=str.split
)
def test_what_needs_the_whole_table_is_read_here(tmp_path: Path, source: str) -> None:
    profile = parted_profile(tmp_path / "small")
    text = profile.read_text().replace("  record_key:", f"  {source}\n  record_key:")
    kept = (
        "variables: {person: direct_identifier, age: {role: quasi_identifier, type: numeric}"
        + (", old: {role: other, type: boolean}" if "derived" in source else "")
        + "}\n"
        + CANDIDATES
    )
    listed = "" if "columns" in source else "  columns: [person, age]\n"
    text = text[: text.index("  population")] + listed + kept
    profile.write_text(text)
    (tmp_path / "shared").mkdir()
    with opened(profile, tmp_path / "home") as context:
        workers = WorkersHere(context, tmp_path / "shared")
        with workers.reading() as elsewhere:
            ingest(context.profile, context.base, context.warehouse, context.secret, elsewhere)
    assert workers.asked == ([*range(len(PARTS))] if "columns" in source else [])


LINKED = """name: survey
source:
  households: {path: homes.csv}
  persons: {path: people, key: hid}
variables:
  hid: household
  age: {role: quasi_identifier, type: numeric}
  region: quasi_identifier
candidates: {plain: [{method: local_suppression, with: {k: 2}}]}
risk: [{measure: k_anonymity, at_least: 2, because: house rule}]
"""


def test_persons_that_are_linked_to_their_households_are_read_here(tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    for part, homes in enumerate(([7, 3], [7, 3])):
        rows = pa.table({"hid": homes, "age": [30 + part, 40 + part]})
        pq.write_table(rows, tmp_path / "people" / f"{part}.parquet")
    (tmp_path / "homes.csv").write_text("hid,region\n3,north\n7,south\n")
    (tmp_path / "profile.yaml").write_text(LINKED)
    (tmp_path / "shared").mkdir()
    with opened(tmp_path / "profile.yaml", tmp_path / "home") as context:
        workers = WorkersHere(context, tmp_path / "shared")
        with workers.reading() as elsewhere:
            ingest(context.profile, context.base, context.warehouse, context.secret, elsewhere)
        held = context.warehouse.database.cursor().execute("SELECT age, region FROM original").fetchall()
    assert held == [(30, "south"), (40, "north"), (31, "south"), (41, "north")]
    assert workers.asked == []


def test_a_folder_of_one_part_is_read_here(tmp_path: Path) -> None:
    profile = parted_profile(tmp_path / "small")
    shutil.rmtree(tmp_path / "small" / "people")
    (tmp_path / "small" / "people" / "region=north").mkdir(parents=True)
    pq.write_table(people_table(), tmp_path / "small" / "people" / "region=north" / "all.parquet")
    _, _, workers = read_there(profile, tmp_path / "home", tmp_path / "shared")
    assert workers.asked == []


def elsewhere_is(monkeypatch: pytest.MonkeyPatch, old: Path, new: Path) -> None:
    """A worker that has another folder in the place of the source."""
    read_part = tasks.read_parts._read_part

    def moved(run: Any, path: Path, query: str, name: str) -> dict[str, str]:
        return read_part(
            run, Path(str(path).replace(str(old), str(new))), query.replace(str(old), str(new)), name
        )

    monkeypatch.setattr(tasks.read_parts, "_read_part", moved)


def test_parts_that_a_worker_does_not_see_are_read_here_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = parted_profile(tmp_path / "small")
    folder = tmp_path / "small" / "people"
    here = read_here(profile, tmp_path / "home")
    elsewhere_is(monkeypatch, folder / "region=west", tmp_path / "nowhere")
    *there, workers = read_there(profile, tmp_path / "home", tmp_path / "shared")
    assert tuple(there) == here
    assert len(workers.said) == 2
    assert workers.said[0].startswith(
        "2 parts of the source read on this machine and not by a worker:"
        f" {folder / 'region=west' / 'part-0.parquet'} and 1 more: there is no such file (on "
    )


def test_a_worker_that_has_other_bytes_there_has_read_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = parted_profile(tmp_path / "small")
    folder, other = tmp_path / "small" / "people", tmp_path / "other" / "people"
    shutil.copytree(folder, other)
    part = other / "region=north" / "part-10.parquet"
    pq.write_table(spoilt("sex", "CANARY", 3).slice(0, 60), part)
    here = read_here(profile, tmp_path / "home")
    elsewhere_is(monkeypatch, folder, other)
    *there, workers = read_there(profile, tmp_path / "home", tmp_path / "shared")
    assert tuple(there) == here
    assert len(workers.said) == 2
    assert "1 part of the source read on this machine" in workers.said[0]
    assert "part-10.parquet: the file has other bytes there (on " in workers.said[0]
    assert "CANARY" not in str(workers.said)


def test_a_part_that_changes_while_a_worker_reads_it_is_not_taken_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = parted_profile(tmp_path / "small")
    folder, other = tmp_path / "small" / "people", tmp_path / "other" / "people"
    shutil.copytree(folder, other)
    changing = other / "region=south" / "part-1.parquet"
    here = read_here(profile, tmp_path / "home")
    elsewhere_is(monkeypatch, folder, other)
    of = tasks.read_parts.Fingerprint.of

    def then_written(path: Path, *looked_for: str) -> Any:
        seen = of(path, *looked_for)
        if path == changing:
            pq.write_table(spoilt("sex", "CANARY", 70).slice(61, 99), path)
        return seen

    monkeypatch.setattr(tasks.read_parts.Fingerprint, "of", staticmethod(then_written))
    *there, workers = read_there(profile, tmp_path / "home", tmp_path / "shared")
    assert tuple(there) == here
    assert "the file changed while it was read (on " in workers.said[0]


def test_a_worker_may_read_the_part_it_was_asked_for_and_no_other_file(tmp_path: Path) -> None:
    profile = parted_profile(tmp_path / "small")
    (tmp_path / "shared").mkdir()
    asked, other = sorted((tmp_path / "small" / "people").rglob("*.parquet"))[:2]
    with opened(profile, tmp_path / "home") as context:
        workers = WorkersHere(context, tmp_path / "shared")
        with workers.reading():
            run = opened_run(workers.folder.url, tmp_path)
            with run.reading(asked) as tables:
                tables.send_query("own", f"SELECT * FROM read_parquet('{asked}')")
                with pytest.raises(duckdb.PermissionException):
                    tables.send_query("own", f"SELECT * FROM read_parquet('{other}')")
            with pytest.raises(duckdb.PermissionException):
                run.tables.send_query("own", f"SELECT * FROM read_parquet('{asked}')")
            tables.drop_rows("own")
            said = _read_part(run, asked, f"SELECT CAST(sex AS INTEGER) FROM read_parquet('{asked}')", "own")
            assert said["problem"] == "it cannot be read (ConversionException)", "and in no words of the data"


def test_files_of_a_run_with_a_key_show_no_value_and_the_secret_is_not_among_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDC_WAREHOUSE_KEY", KEY)
    profile = parted_profile(tmp_path / "small", spoilt("own", "CANARYTOWN", 3))
    seen: dict[str, bytes] = {}
    texts: list[str] = []
    ask, send_text = WorkersHere._ask, tasks.read_parts.SharedTables.send_text

    def then_look(workers: WorkersHere, *arguments: Any) -> None:
        ask(workers, *arguments)
        seen.update({path.name: path.read_bytes() for path in Path(workers.folder.path).iterdir()})

    def sent(tables: Any, name: str, text: str) -> None:
        texts.append(text)
        send_text(tables, name, text)

    monkeypatch.setattr(WorkersHere, "_ask", then_look)
    monkeypatch.setattr(tasks.read_parts.SharedTables, "send_text", sent)
    read_there(profile, tmp_path / "home", tmp_path / "shared")
    rows = [name for name in seen if "_rows_" in name]
    assert len(rows) == 2 * len(PARTS)
    assert not [name for name, content in seen.items() if b"CANARYTOWN" in content or b"north" in content]
    assert any("chosen" in json.loads(text) for text in texts)
    with opened(profile, tmp_path / "home") as context:
        assert not any(context.secret.key.hex() in text for text in texts)
