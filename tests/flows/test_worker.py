"""Does a worker, which knows the run from shared storage alone, see the pair that the run sees?"""

import dataclasses
import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tasks.parts
import tasks.worker
from sdc.catalogue.candidate import Candidate
from sdc.catalogue.measurement import Assessment, Measurement
from sdc.catalogue.protection import Budget, Step
from sdc.catalogue.registry import measures
from sdc.data.release_pair import EarlierRelease
from sdc.data.warehouse.records import records_table
from sdc.data.warehouse.shared import SharedFolder, claimed
from sdc.data.warehouse.shared_tables import SharedTables
from sdc.errors import SdcError, SharedUnusable
from sdc.gate.untouched import NAME
from sdc.ingest import ingest
from sdc.measures.assess import assess
from sdc.methods.syntheses import Syntheses
from sdc.profile import Criterion, StepPlan
from sdc.profile.load import load
from sdc.profile.plan import Limits
from sdc.publish.candidates import make
from sdc.run import digest
from sdc.run.home import Home, Run
from tasks.context import RunContext, open_context
from tasks.measure import measured
from tasks.portions import Portion, drop_portions, piece_name
from tasks.shared import UNTOUCHED, Shared, earlier_from, earlier_record
from tasks.worker import differences, forget, make_candidate, make_portion, measure, software
from tests.flows.small_release import small_people

CANDIDATES = """candidates:
  masked:
    - {method: global_recode, with: {age: {width: 20}, region: {groups: {rim: [north, south], "it's west": [west]}}}}
    - {method: local_suppression, with: {k: 3}}
    - {method: microaggregation, with: {variables: [income], k: 3}}
  synthetic:
    - {method: sequential, with: {model: cart, m: 3}}
risk:
  - {measure: k_anonymity, at_least: 2, because: rule 1, for: [masked]}
  - {measure: class_attribution, at_most: 0.9, with: {target: health}, because: rule 2, for: [synthetic]}
"""


COUNTED = (
    "k_anonymity",
    "unique_entries",
    "replicated_uniques",
    "attribute_disclosure",
    "table_fit",
    "jensen_shannon",
)
INDICATORS = Criterion(
    measure="indicator_change", name="income_by_region", options={"variables": ["income"], "by": ["region"]}
)


def people() -> pd.DataFrame:
    frame = small_people()
    rng = np.random.default_rng(1)
    frame["home"] = [f"H{number // 3:03d}" for number in range(len(frame))]
    frame["born"] = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20000, len(frame)), unit="D")
    frame["weight"] = rng.uniform(1, 9, len(frame)).round(3)
    frame.loc[::17, "region"] = None
    frame.loc[::23, "income"] = np.nan
    return frame


@pytest.fixture
def context(release_files: Callable[..., Path], tmp_path: Path) -> Iterator[RunContext]:
    profile = release_files(
        (
            "source: {path: people.csv,",
            "missing_keys: wildcard\nsource: {path: people.csv, holdout_share: 0.2, population: {path: people.csv},",
        ),
        (
            "  health: sensitive\n",
            "  health: {role: sensitive, type: ordinal, order: [good, fair, bad]}\n  home: household\n  born: {type: date}\n  weight: weight\n",
        ),
        data=people(),
    )
    text = profile.read_text()
    profile.write_text(text[: text.index("candidates:")] + CANDIDATES + text[text.index("publish:") :])
    home = Home.at(tmp_path / "home")
    with Run.start(home, "small") as run:
        opened = open_context(home, run, load(profile))
        read = ingest(opened.profile, opened.base, opened.warehouse, opened.secret)
        opened.source = {"sha256": read.sha256}
        yield opened
        opened.close()


@pytest.fixture
def folder(context: RunContext, tmp_path: Path) -> Iterator[SharedFolder]:
    (tmp_path / "shared").mkdir()
    place = SharedFolder(str(tmp_path / "shared")).within("run")
    with claimed(context.home, place):
        yield place
    forget(place.url)


def made(context: RunContext, name: str) -> Candidate:
    return make(context.profile, context.base, context.warehouse, name, context.randomness)


def look_back(context: RunContext, steps: tuple[Step, ...]) -> None:
    """An earlier release, as the ledger would have it."""
    rows = context.warehouse.database.table("original").arrow('SELECT "age", "region", "sex" FROM "original"')
    table = context.warehouse.database.write("earlier_1", rows)
    places = context.warehouse.database.write("earlier_1_places", pa.table({"place": range(rows.num_rows)}))
    context._earlier = [
        EarlierRelease(
            table, "small-1", places, steps=steps[:1], budget=Budget(0.1, 1e-9), covered=frozenset({"age"})
        )
    ]


def everything(context: RunContext) -> None:
    """Let the profile ask for every measure there is, and for one with options."""
    asked = [*(Criterion(measure=name) for name in sorted(measures())), INDICATORS]
    context.profile = context.profile.model_copy(update={"risk": tuple(asked), "utility": ()})


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables travel in parts, and this process answers for all of them."""

    def have_done(
        _client: object, _what: object, names: Sequence[str], parts: Sequence[int], _of: str
    ) -> None:
        url, asked, table = names
        tasks.parts._answer(url, asked, table, parts, tmp_path)

    monkeypatch.setattr("sdc.data.warehouse.shared_tables.PART_ROWS", 70)
    monkeypatch.setattr("distributed.get_client", lambda: None)
    monkeypatch.setattr(tasks.parts, "have_done", have_done)


@pytest.mark.slow
@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("name", ["masked", "synthetic"])
def test_every_measure_comes_back_as_it_would_be_made_here(
    context: RunContext, folder: SharedFolder, tmp_path: Path, name: str
) -> None:
    """Counted part by part or brought whole, to the last bit."""
    everything(context)
    candidate = made(context, name)
    look_back(context, candidate.steps)
    shared = Shared(context, folder, software())
    shared.share(candidate)
    assessed = []
    for criterion in context.profile.measurements(name):
        here = assess(
            criterion.measure,
            context.pair(candidate),
            criterion.options,
            alias=criterion.alias,
            candidate=name,
            randomness=context.measuring,
        )
        measure(folder.url, name, criterion.alias, tmp_path)
        there = shared.collect(candidate, criterion)
        assert repr(dataclasses.replace(there, seconds=0)) == repr(
            dataclasses.replace(here.without_records(), seconds=0)
        )
        assert records_of(context, there) == by_record_of(here), criterion.alias
        assessed += [here] if isinstance(here.outcome, Measurement) else []
    assert len(assessed) > 25
    assert "release_difference" in {each.alias for each in assessed} or name == "synthetic"
    assert any(by_record_of(each) for each in assessed)
    shared.withdraw(candidate)
    assert not list(Path(folder.path).glob("candidate_*.parquet"))
    assert not list(Path(folder.path).glob("question_*"))


@pytest.mark.usefixtures("parts")
def test_the_original_comes_back_measured_as_it_would_be_here_and_stays_where_it_is(
    context: RunContext, folder: SharedFolder, tmp_path: Path
) -> None:
    """The gate asks how far its limits stop the original; what single records risk is not asked."""
    asked = ["k_anonymity", "individual_risk", "correct_attribution", "record_linkage", "singling_out"]
    criteria = tuple(Criterion(measure=name) for name in asked)
    context.profile = context.profile.model_copy(update={"risk": criteria, "utility": ()})
    shared = Shared(context, folder, software())
    shared.share_untouched()
    for criterion in criteria:
        here = measured(context, context.untouched, criterion, NAME)
        assert isinstance(here.outcome, Measurement), criterion.alias
        measure(folder.url, UNTOUCHED, criterion.alias, tmp_path)
        there = shared.collect_untouched(criterion)
        assert repr(dataclasses.replace(there, seconds=0)) == repr(
            dataclasses.replace(here.without_records(), seconds=0)
        )
    assert not list(Path(folder.path).glob(f"{records_table('individual_risk', UNTOUCHED)}*"))
    held = tasks.worker.opened_run(folder.url, tmp_path)
    before = set(held.fetched)
    forget(folder.url, UNTOUCHED)
    assert held.pairs == {}
    assert {"original", "original_part_0"} <= before == held.fetched


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("name", ["masked", "synthetic"])
def test_who_counts_needs_no_table_whole(
    context: RunContext, folder: SharedFolder, tmp_path: Path, name: str
) -> None:
    candidate, counting = made(context, name), [Criterion(measure=measure) for measure in COUNTED]
    context.profile = context.profile.model_copy(update={"risk": tuple(counting), "utility": ()})
    shared = Shared(context, folder, software())
    shared.share(candidate)
    for criterion in counting:
        measure(folder.url, name, criterion.alias, tmp_path)
        assert isinstance(shared.collect(candidate, criterion).outcome, Measurement), criterion.alias
    held = tasks.worker.opened_run(folder.url, tmp_path)
    rows = [context.warehouse.database.table(each).rows for each in ("original", f"candidate_{name}")]
    assert {each for each in held.fetched if each.startswith("original")} == {
        f"original_part_{part}" for part in range(math.ceil(rows[0] / 70))
    }
    assert {each for each in held.fetched if each.startswith("candidate")} >= {
        f"candidate_{name}_part_{part}" for part in range(math.ceil(rows[1] / 70))
    }
    assert f"candidate_{name}" not in held.fetched
    held.drop(name)
    assert not [each for each in held.fetched if each.startswith("candidate_")], "no part of it stays"


@pytest.mark.parametrize("name", ["masked", "synthetic"])
def test_a_candidate_made_elsewhere_is_the_one_that_would_be_made_here(
    context: RunContext, folder: SharedFolder, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bytes, its tables, its steps, what is sealed, and whose records they are; files go in pieces."""
    monkeypatch.setattr("sdc.data.warehouse.shared_tables.PIECE", 1000)
    here, stored = made(context, name), context.directory.stored
    assert here.syntheses == (1 if name == "masked" else 3)
    before = [
        (stored(copy).read_bytes(), rows_of(context, table))
        for copy, table in zip(here.copies, here.tables, strict=True)
    ]
    context.warehouse.forget_candidate(here, ())
    shared = Shared(context, folder, software())
    assert shared.can_be_made_elsewhere(name)
    shared.share_plan(name)
    make_candidate(folder.url, name, tmp_path)
    there = shared.collect_candidate(name)
    after = [
        (stored(copy).read_bytes(), rows_of(context, table))
        for copy, table in zip(there.copies, there.tables, strict=True)
    ]
    assert after == before
    assert json.dumps(there.as_record(), sort_keys=True) == json.dumps(
        digest.plain(here.as_record()), sort_keys=True
    )
    assert list(there.sealed) == digest.plain(here.sealed)
    assert all(stored(copy).stat().st_mode & 0o777 == 0o600 for copy in there.copies)
    assert not list(Path(folder.path).glob("leaving_*")), "what was fetched does not stay on shared storage"


APART = {
    "syntheses": ([{"method": "sequential", "with": {"model": "cart", "m": 3, "proper": True}}], 3),
    "strata": ([{"method": "sequential", "with": {"strata": ["region"], "m": 2}}], 4),
    "strata without records": ([{"method": "sequential", "with": {"strata": ["region"], "rows": 2}}], 2),
    "one piece": ([{"method": "sequential", "with": {"m": 2}}], 0),
    "some values": (
        [{"method": "partial_synthesis", "with": {"variables": ["income"], "m": 2, "proper": True}}],
        2,
    ),
    "two steps": (
        [
            {"method": "sequential", "with": {"strata": ["region"]}},
            {"method": "partial_synthesis", "with": {"variables": ["income"], "m": 2, "proper": True}},
        ],
        4,
    ),
}
"""What is asked, and how many pieces others make of it. A missing region is a stratum too."""


def plan(context: RunContext, name: str, steps: Sequence[dict[str, object]]) -> None:
    """One candidate, whose steps are these."""
    plans = tuple(map(StepPlan.model_validate, steps))
    context.profile = context.profile.model_copy(update={"candidates": {name: plans}})


def pieces_in(folder: SharedFolder) -> set[str]:
    return {path.name for kind in ("piece", "portion") for path in Path(folder.path).glob(f"{kind}_*")}


def pieces_of(name: str, pieces: Sequence[int], portions: int) -> set[str]:
    told = {f"{Portion(name, number, portions).text}.parquet" for number in range(1, portions + 1)}
    return told | {f"{piece_name(name, number)}.parquet" for number in pieces}


@pytest.mark.parametrize("kind", APART)
def test_a_candidate_made_from_portions_is_the_one_that_would_be_made_here(
    context: RunContext, folder: SharedFolder, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each portion is made by itself; who makes the candidate then fits and draws nothing more of it."""
    steps, pieces = APART[kind]
    recode = {"method": "global_recode", "with": {"age": {"width": 5}}}
    plan(context, "apart", [recode, *steps, {"method": "rounding", "with": {"income": {"to": 10}}}])
    here, stored = made(context, "apart"), context.directory.stored
    before = {copy: stored(copy).read_bytes() for copy in here.copies}
    context.warehouse.forget_candidate(here, ())
    shared = Shared(context, folder, software())
    shared.share_plan("apart")
    for number in (2, 1):
        make_portion(folder.url, Portion("apart", number, 2), tmp_path)
    assert pieces_in(folder) == pieces_of("apart", range(pieces), 2)
    if pieces and "strata" in kind:
        monkeypatch.setattr("sdc.methods.stratum_plan.StratumPlan.fit", None)
        monkeypatch.setattr("sdc.methods.stratum_plan.StratumPlan.draw", None)
    elif pieces and len(steps) == 1:
        monkeypatch.setattr("sdc.methods.sequence.Sequence.fit", None)
        monkeypatch.setattr("sdc.methods.sequence.Sequence.draw", None)
    # The first who makes it may be killed at any moment: another then makes it from the same portions.
    for _ in range(2):
        make_candidate(folder.url, "apart", tmp_path, portions=2)
    drop_portions(shared.tables, "apart", 2)
    assert not pieces_in(folder), "what the candidate is made from does not stay on shared storage"
    there = shared.collect_candidate("apart")
    assert {copy: stored(copy).read_bytes() for copy in there.copies} == before
    assert json.dumps(there.as_record(), sort_keys=True) == json.dumps(
        digest.plain(here.as_record()), sort_keys=True
    )


def rows_of(context: RunContext, table: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = (
        context.warehouse.database.table(table).arrow(f'SELECT * FROM "{table}"').to_pylist()
    )
    return rows


def test_a_candidate_that_cannot_be_made_elsewhere_says_why_as_here(
    context: RunContext, folder: SharedFolder, tmp_path: Path
) -> None:
    capped = StepPlan.model_validate({"method": "local_suppression", "with": {"k": 100, "cap": 0.0}})
    context.profile = context.profile.model_copy(update={"candidates": {"capped": (capped,)}})
    with pytest.raises(SdcError) as here:
        made(context, "capped")
    shared = Shared(context, folder, software())
    shared.share_plan("capped")
    make_candidate(folder.url, "capped", tmp_path)
    with pytest.raises(SdcError) as there:
        shared.collect_candidate("capped")
    assert str(there.value) == str(here.value)


def broken_from(stratum: int) -> Callable[..., object]:
    """A synthesis of which one stratum and all after it cannot be drawn, with words that nobody may read."""

    def drawn(syntheses: Any, place: int, fitted: object, rng: object) -> Iterator[object]:
        if place >= stratum:
            raise ValueError("CANARY")
        return arrays(syntheses, place, fitted, rng)

    arrays = Syntheses._arrays
    return drawn


@pytest.mark.parametrize("kind", ["before the pieces", "in a piece"])
def test_why_a_candidate_of_pieces_cannot_be_made_is_said_as_here_and_no_piece_stays(
    context: RunContext, folder: SharedFolder, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    capped = {"method": "local_suppression", "with": {"k": 100, "cap": 0.0}}
    apart = {"method": "sequential", "with": {"strata": ["region"]}}
    plan(context, "broken", [capped, apart] if kind == "before the pieces" else [apart])
    monkeypatch.setattr(Syntheses, "_arrays", broken_from(stratum=1))
    with pytest.raises(SdcError) as here:
        made(context, "broken")
    assert "CANARY" not in str(here.value)
    shared = Shared(context, folder, software())
    shared.share_plan("broken")
    for number in (1, 2):
        make_portion(folder.url, Portion("broken", number, 2), tmp_path)
    done = [0] if kind == "in a piece" else []
    assert pieces_in(folder) == pieces_of("broken", done, 2)
    make_candidate(folder.url, "broken", tmp_path, portions=2)
    drop_portions(shared.tables, "broken", 2)
    assert not pieces_in(folder)
    with pytest.raises(SdcError) as there:
        shared.collect_candidate("broken")
    assert str(there.value) == str(here.value)


def test_a_piece_that_cannot_be_read_fails_the_run_and_is_no_fault_of_the_candidate(
    context: RunContext, folder: SharedFolder, tmp_path: Path
) -> None:
    plan(context, "apart", [{"method": "sequential", "with": {"strata": ["region"]}}])
    Shared(context, folder, software()).share_plan("apart")
    make_portion(folder.url, Portion("apart", 1, 1), tmp_path)
    Path(folder.path, f"{piece_name('apart', 2)}.parquet").write_bytes(b"half a piece")
    with pytest.raises(SharedUnusable, match="a piece of candidate apart cannot be read"):
        make_candidate(folder.url, "apart", tmp_path, portions=1)


def test_two_measurements_whose_names_join_to_the_same_words_are_two(
    context: RunContext, folder: SharedFolder, tmp_path: Path
) -> None:
    """k_a of candidate b, and k of candidate a_b."""
    asked = [
        Criterion(measure="k_anonymity", name="k", candidates=("a_b",)),
        Criterion(measure="unique_entries", name="k_a", candidates=("b",)),
    ]
    steps = context.profile.candidates["masked"]
    context.profile = context.profile.model_copy(
        update={"candidates": {"a_b": steps, "b": steps}, "risk": tuple(asked), "utility": ()}
    )
    shared = Shared(context, folder, software())
    candidates = [made(context, name) for name in ("a_b", "b")]
    here = [
        assess(each.measure, context.pair(candidate), alias=each.alias, randomness=context.measuring).outcome
        for candidate, each in zip(candidates, asked, strict=True)
    ]
    for candidate, criterion in zip(candidates, asked, strict=True):
        shared.share(candidate)
        measure(folder.url, candidate.name, criterion.alias, tmp_path)
    there = [shared.collect(*each).outcome for each in zip(candidates, asked, strict=True)]
    assert list(map(repr, there)) == list(map(repr, here))


def test_a_scheduler_that_does_not_answer_a_worker_is_no_fault_of_the_measure(
    context: RunContext, folder: SharedFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A measure that breaks is withheld; this one would be taken on one machine."""

    def unanswered() -> None:
        raise TimeoutError("tcp://scheduler")

    monkeypatch.setattr("sdc.data.warehouse.shared_tables.PART_ROWS", 70)
    monkeypatch.setattr("distributed.get_client", unanswered)
    Shared(context, folder, software()).share(made(context, "masked"))
    with pytest.raises(SdcError, match="the scheduler does not answer"):
        measure(folder.url, "masked", "k_anonymity", tmp_path)


def test_a_candidate_that_was_altered_on_its_way_is_refused(
    context: RunContext, folder: SharedFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = Shared(context, folder, software())
    shared.share_plan("masked")
    make_candidate(folder.url, "masked", tmp_path)
    true = SharedTables.fetch_file

    def swapped(tables: SharedTables, name: str, pieces: int, file: Path) -> None:
        true(tables, name, pieces, file)
        pq.write_table(pq.read_table(file), file)

    monkeypatch.setattr(SharedTables, "fetch_file", swapped)
    with pytest.raises(SharedUnusable, match="candidate masked did not arrive as it was made"):
        shared.collect_candidate("masked")


def test_what_was_released_before_arrives_whole(context: RunContext) -> None:
    candidate = made(context, "masked")
    look_back(context, candidate.steps)
    pair = context.pair(candidate)
    told = json.loads(json.dumps(earlier_record(pair)))
    tables = {name: context.warehouse.database.table(name) for name in ("earlier_1", "earlier_1_places")}
    arrived = earlier_from(told, tables)
    assert [each.table.name for each in arrived] == [each.table.name for each in pair.earlier]
    assert [plainly(each) for each in arrived] == [plainly(each) for each in pair.earlier]
    assert any(each.covered for each in arrived)


def plainly(release: EarlierRelease) -> dict[str, object]:
    """All that is known of a release but its table, with tuples as the lists they become on the way."""
    told = {
        field.name: getattr(release, field.name)
        for field in dataclasses.fields(release)
        if field.name not in ("table", "places", "steps")
    }
    steps = [{**dataclasses.asdict(step), "touched": sorted(step.touched)} for step in release.steps]
    return {**told, "places": release.places and release.places.name, "steps": json.loads(json.dumps(steps))}


def records_of(context: RunContext, assessed: Assessment) -> dict[str, list[object]]:
    table = context.warehouse.records(assessed.alias, assessed.candidate)
    return (
        {}
        if table is None
        else {
            column: list(map(repr, values))
            for column, values in table.arrow(f'SELECT * FROM "{table.name}"').to_pydict().items()
        }
    )


def by_record_of(assessed: Assessment) -> dict[str, list[object]]:
    held = assessed.outcome.by_record if isinstance(assessed.outcome, Measurement) else None
    return {name: list(map(repr, values.tolist())) for name, values in (held or {}).items()}


def test_a_worker_that_joins_later_with_another_version_does_not_measure(
    context: RunContext, folder: SharedFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = made(context, "masked")
    Shared(context, folder, software()).share(candidate)
    monkeypatch.setattr(tasks.worker, "versions", lambda: {"numpy": "1.0"})
    with pytest.raises(
        SdcError, match=r"other versions, and its results could differ: .*numpy is 1\.0 there and "
    ):
        measure(folder.url, "masked", "k_anonymity", tmp_path)


def test_what_differs_is_named_and_what_is_missing_too() -> None:
    assert differences({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "4"}) == [
        "b is 4 there and 2 here",
        "c is missing there and 3 here",
    ]


def test_a_worker_keeps_its_tables_private_and_forgets_a_run_that_is_over(
    context: RunContext, folder: SharedFolder, tmp_path: Path
) -> None:
    Shared(context, folder, software()).share(made(context, "masked"))
    (tmp_path / "scratch").mkdir()
    measure(folder.url, "masked", "k_anonymity", tmp_path / "scratch")
    (place,) = (tmp_path / "scratch").iterdir()
    assert place.stat().st_mode & 0o777 == 0o700
    forget(folder.url, "masked")
    assert tasks.worker._opened[folder.url].pairs == {}
    measure(folder.url, "masked", "k_anonymity", tmp_path / "scratch")
    forget(folder.url)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_limits_of_the_profile_hold_on_a_worker_but_it_spills_where_it_works(
    context: RunContext, folder: SharedFolder, tmp_path: Path
) -> None:
    context.profile = context.profile.model_copy(
        update={"limits": Limits(threads=1, memory="500MiB", spill=tmp_path / "elsewhere")}
    )
    Shared(context, folder, software())
    warehouse = tasks.worker.opened_run(folder.url, tmp_path).warehouse
    asked = "SELECT current_setting('threads'), current_setting('memory_limit'), current_setting('temp_directory')"
    assert warehouse.database.cursor().execute(asked).fetchone() == (
        1,
        "500.0 MiB",
        str(warehouse.directory.spill),
    )
    assert not (tmp_path / "elsewhere").exists()


def test_a_run_whose_folder_is_gone_is_forgotten_when_the_next_comes(
    context: RunContext, tmp_path: Path
) -> None:
    folders = [SharedFolder(str(tmp_path / name)) for name in ("first", "second")]
    for folder in folders:
        folder.make()
        Shared(context, folder, software())
    tasks.worker.opened_run(folders[0].url, tmp_path)
    folders[0].remove()
    tasks.worker.opened_run(folders[1].url, tmp_path)
    assert list(tasks.worker._opened) == [folders[1].url]
    forget(folders[1].url)


def test_a_worker_that_does_not_see_the_storage_says_so(tmp_path: Path) -> None:
    with pytest.raises(SharedUnusable, match="not seen from"):
        measure(str(tmp_path / "nowhere"), "masked", "k_anonymity", tmp_path)
