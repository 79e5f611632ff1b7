"""Measures on a Dask cluster.

The same to the last bit, names only through the scheduler, nothing left behind.
"""

import logging
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from object_store import STORE_SETTINGS, let_in, running_store

from flows.orchestration.cluster import _require_dask
from flows.orchestration.machines import ask_all
from flows.orchestration.run_release import run_release
from sdc.audit.ledger import Ledger
from sdc.audit.replay import replay
from sdc.data.warehouse import Warehouse
from sdc.errors import SdcError, SharedUnusable
from sdc.profile.load import load_profile
from sdc.run.directory import RunDirectory
from sdc.run.home import Home
from tasks.portions import drop_portions
from tasks.shared import Shared
from tasks.worker import forget_beside_tasks
from tests.conftest import DEMO
from tests.flows.test_confidentiality import CANARIES, people_with_canary, texts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("server"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed.*"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning:distributed.*"),
]

KEY, BUCKET = "a key of the agency", "agency"
MORE = """
  - {measure: individual_risk}
  - {measure: record_linkage}
  - {measure: special_uniques}
  - {measure: release_difference}
"""
DISCLOSURE = "  - {measure: class_attribution, at_most: 0.95, with: {target: health}, because: rule 1}"
INDICATORS = "  - {measure: indicator_change, with: {variables: [income], by: [region]}}\n"


@pytest.fixture(autouse=True)
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables lie in several parts, as those of millions of records do."""
    monkeypatch.setattr("sdc.data.warehouse.shared_tables.PART_ROWS", 1500)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="module")
def cluster(scratch: Path) -> Iterator[Any]:
    with small_cluster(2, scratch) as made:
        yield made


@contextmanager
def small_cluster(workers: int, scratch: Path, connect: str = "60s") -> Iterator[Any]:
    """A scheduler in this process, and workers in processes of their own, on a machine that may be busy."""
    import dask
    from distributed import LocalCluster

    settings = {
        "distributed.comm.compression": False,
        "distributed.comm.timeouts.connect": connect,
        # Else a worker that takes longer to come back is given up, and tests would wait for it for ever.
        "distributed.deploy.lost-worker-timeout": "1h",
    }
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            local_directory=str(scratch),
        ) as made,
    ):
        yield made


@contextmanager
def told(cluster: Any) -> Iterator[Any]:
    from distributed import Client

    with Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "shared"
    place.mkdir()
    monkeypatch.setenv("SDC_SHARED", str(place))
    return place


@pytest.fixture
def on_cluster(cluster: Any, shared: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SDC_DASK", cluster.scheduler_address)
    return cluster


def left(shared: Path, home: Path) -> list[Path]:
    records = home / "shared"
    return [
        *(path for path in shared.rglob("*") if path.is_file()),
        *(records.iterdir() if records.is_dir() else []),
    ]


def bundles(profile: Path) -> list[str]:
    return sorted(path.name for path in (profile.parent / "outbox").iterdir())


def demonstration(place: Path) -> Path:
    """The demonstration release with measures that say something about single records, and one more synthesis to look at."""
    place.mkdir()
    (place / "outbox").mkdir()
    for name in ("households.csv", "population.csv"):
        shutil.copy(DEMO / name, place / name)
    text = (DEMO / "published.yaml").read_text()
    before, after = text.split("\nutility:\n")
    profile = place / "profile.yaml"
    profile.write_text(f"{before.rstrip()}{MORE}\nutility:\n{INDICATORS}{after}")
    return profile


def everything_measured(home: Path, run: str, profile: Path) -> dict[str, Any]:
    """All a run knows of its measurements but the seconds they took, records and their types included, bit for bit."""
    with Warehouse.open(home / "runs" / run, limits=load_profile(profile).limits) as warehouse:
        held: dict[str, Any] = {}
        for assessed in warehouse.assessments():
            records = warehouse.records(assessed.alias, assessed.candidate)
            said = {key: value for key, value in assessed.as_json().items() if key != "seconds"}
            rows = records.arrow(f'SELECT * FROM "{records.name}"') if records else None
            held[assessed.alias] = (repr(said), records.types if records else None, rows)
        return held


def test_every_measurement_of_the_demonstration_is_that_of_threads_to_the_last_bit(
    cluster: Any, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured, made, judged = {}, {}, {}
    monkeypatch.setenv("SDC_SECRET", "ab" * 32)
    for machine in ("threads", "cluster"):
        home = tmp_path / f"home_{machine}"
        monkeypatch.setenv("SDC_HOME", str(home))
        if machine == "cluster":
            monkeypatch.setenv("SDC_DASK", cluster.scheduler_address)
            # The original is measured for the gate by a worker too.
            monkeypatch.delattr("flows.orchestration.machines.measured")
        profile = demonstration(tmp_path / machine)
        outcome = run_release(profile, quiet=True)
        assert outcome.exit_code == 0, outcome.sentence
        measured[machine] = everything_measured(home, outcome.run_id, profile)
        candidates = home / "runs" / outcome.run_id / "candidates"
        made[machine] = {path.name: path.read_bytes() for path in candidates.iterdir()}
        judged[machine] = RunDirectory(home / "runs" / outcome.run_id).judged("recoded").read_bytes()
        assert left(shared, home) == []
    assert replay(Home.at(home), outcome.run_id, threads=1).equal
    assert made["threads"] == made["cluster"]
    assert judged["threads"] == judged["cluster"]
    here, there = measured.values()
    assert here.keys() == there.keys()
    assert len(here) >= 13
    assert [alias for alias in here if here[alias][:2] != there[alias][:2]] == []
    by_record = {alias for alias, (_, types, _) in here.items() if types}
    assert {"individual_risk", "record_linkage", "special_uniques"} <= by_record
    for alias in by_record:
        assert here[alias][2].equals(there[alias][2]), alias


@contextmanager
def overheard(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """Every byte the scheduler, here in this process, sends and receives."""
    from distributed.comm import tcp

    frames: list[bytes] = []
    read, write = tcp.from_frames, tcp.to_frames

    def to_frames(*arguments: Any, **options: Any) -> Any:
        async def made() -> Any:
            given = await write(*arguments, **options)
            frames.extend(map(bytes, given))
            return given

        return made()

    def from_frames(given: Any, *arguments: Any, **options: Any) -> Any:
        frames.extend(map(bytes, given if isinstance(given, list) else [given]))
        return read(given, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(tcp, "to_frames", to_frames)
        patched.setattr(tcp, "from_frames", from_frames)
        yield frames


@contextmanager
def handed_over(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[list[dict[str, Any]], list[Any]]]:
    """What tasks on the cluster are given, and what they return."""
    from prefect_dask.client import PrefectDaskClient

    from flows.orchestration.machines import Cluster

    given: list[dict[str, Any]] = []
    returned: list[Any] = []
    submit, require_done = PrefectDaskClient.submit, Cluster._require_done

    def submitted(client: Any, task: Any, **options: Any) -> Any:
        given.append(options["parameters"])
        return submit(client, task, **options)

    def done(cluster: Any, future: Any, criterion: Any) -> None:
        require_done(cluster, future, criterion)
        returned.append(future.result())

    with monkeypatch.context() as patched:
        patched.setattr(PrefectDaskClient, "submit", submitted)
        patched.setattr(Cluster, "_require_done", done)
        yield given, returned


def only_names(given: dict[str, Any]) -> bool:
    """Names, and which of how many portions."""
    numbers = {name: value for name, value in given.items() if isinstance(value, int)}
    names = [value for name, value in given.items() if name not in numbers]
    return numbers.keys() <= {"number", "of", "portions"} and all(
        isinstance(name, str) and len(name) < 300 for name in names
    )


def test_no_value_of_the_data_nor_the_seed_passes_the_scheduler(
    on_cluster: Any,
    shared: Path,
    release_files: Callable[..., Path],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    profile = release_files(
        ("seed: 11", "seed: 5511223344"),
        (
            "  - {measure: k_anonymity",
            "  - {measure: individual_risk}\n  - {measure: l_diversity, with: {sensitive: [health]}}\n  - {measure: k_anonymity",
        ),
        (
            "  - {measure: records_changed}",
            "  - {measure: records_changed}\n  - {measure: indicator_change, with: {variables: [income], by: [region]}}",
        ),
        data=people_with_canary(),
    )
    with (
        keys_shared(monkeypatch) as keys,
        overheard(monkeypatch) as frames,
        handed_over(monkeypatch) as (given, returned),
    ):
        outcome = run_release(profile, quiet=True)
    assert outcome.exit_code == 0, outcome.sentence
    assert keys
    assert not any(key.encode() in frame for key in keys for frame in frames)
    assert {each.get("alias", "protect") for each in given} == {
        "protect",
        "individual_risk",
        "l_diversity",
        "k_anonymity",
        "indicator_change",
        "ks_distance",
        "records_changed",
    }
    assert all(only_names(each) for each in given)
    assert returned == [None] * len(given)
    heard = b"".join(frames)
    assert b"k_anonymity" in heard
    assert b"PAR1" not in heard
    assert [
        name
        for name, value in {**CANARIES, "seed": 5511223344}.items()
        if any(text in heard for text in texts(value))
    ] == []
    assert max(map(len, frames)) < 200_000
    assert left(shared, home) == []


def leave_behind(store: Any, home: Path) -> str:
    """What a run that was killed leaves: its folder, and the record of it."""
    abandoned = f"{BUCKET}/runs/sdc-killed"
    store.pipe_file(f"{abandoned}/original.parquet", b"")
    records = Home.at(home).path / "shared"
    records.mkdir()
    (records / "0123").write_text(f"s3://{abandoned}")
    return abandoned


def have_key() -> None:
    os.environ["SDC_WAREHOUSE_KEY"] = KEY


def lose_key() -> None:
    del os.environ["SDC_WAREHOUSE_KEY"]


@contextmanager
def key_everywhere(client: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDC_WAREHOUSE_KEY", KEY)
    client.run(have_key)
    try:
        yield
    finally:
        client.run(lose_key)


def tables_in(store: Any) -> dict[str, bytes]:
    store.invalidate_cache()
    return {Path(name).name: store.cat_file(name) for name in store.find(BUCKET) if name.endswith(".parquet")}


def readable(files: dict[str, bytes]) -> list[str]:
    """The files in which a canary stands as it is."""
    return [
        name
        for name, content in files.items()
        if any(text in content for value in CANARIES.values() for text in texts(value))
    ]


def know_the_store(settings: dict[str, str]) -> None:
    import s3fs

    os.environ.update(settings)
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def store(on_cluster: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An S3-compatible store that this process and the workers reach, with a bucket."""
    import s3fs

    with running_store() as address:
        let_in(monkeypatch, address)
        with told(on_cluster) as client:
            client.run(know_the_store, {name: os.environ[name] for name in STORE_SETTINGS})
        s3fs.S3FileSystem.clear_instance_cache()
        files = s3fs.S3FileSystem()
        files.makedirs(BUCKET, exist_ok=True)
        yield files


def test_an_object_store_holds_tables_encrypted_and_the_workers_have_the_key(
    on_cluster: Any,
    store: Any,
    release_files: Callable[..., Path],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[str, bytes] = {}

    def keep_copies(*_arguments: object, **_options: object) -> None:
        seen.update(tables_in(store))

    monkeypatch.setenv("SDC_SHARED", f"s3://{BUCKET}/runs")
    monkeypatch.setattr("tasks.shared.Shared.withdraw", keep_copies)
    profile = release_files(data=people_with_canary())
    abandoned = leave_behind(store, home)
    with told(on_cluster) as client, key_everywhere(client, monkeypatch):
        assert run_release(profile, quiet=True).exit_code == 0
    store.invalidate_cache()
    assert not store.exists(abandoned)
    assert {
        "original.0.parquet",
        "plan_masked.parquet",
        "made_masked.parquet",
        "candidate_masked.0.parquet",
        "measurement_ks_distance.masked.parquet",
    } <= seen.keys()
    assert readable(seen) == []
    assert store.find(BUCKET) == []
    assert not list((home / "shared").iterdir())


def test_pieces_of_a_synthesis_lie_encrypted_in_an_object_store_and_make_the_same_bytes(
    cluster: Any,
    store: Any,
    release_files: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[str, bytes] = {}

    def keep_copies(*given: Any) -> None:
        seen.update(tables_in(store))
        drop_portions(*given)

    monkeypatch.setattr("flows.orchestration.machines.drop_portions", keep_copies)
    monkeypatch.setenv("SDC_SECRET", "ab" * 32)
    monkeypatch.setenv("SDC_SHARED", f"s3://{BUCKET}/runs")
    profile = in_pieces(release_files(data=people_with_canary()))
    made = {}
    with told(cluster) as client, key_everywhere(client, monkeypatch):
        for machine in ("threads", "cluster"):
            monkeypatch.setenv("SDC_HOME", str(tmp_path / machine))
            monkeypatch.delenv("SDC_DASK", raising=False)
            if machine == "cluster":
                monkeypatch.setenv("SDC_DASK", cluster.scheduler_address)
            outcome = run_release(profile, quiet=True)
            candidates = tmp_path / machine / "runs" / outcome.run_id / "candidates"
            made[machine] = {path.name: path.read_bytes() for path in candidates.glob("*.parquet")}
    assert {name for name in seen if name.startswith("piece_")} == {
        *(f"piece_{number}_of_masked.parquet" for number in range(9)),
        *(f"piece_{number}_of_replaced.parquet" for number in range(2)),
    }
    assert readable(seen) == []
    assert len(made["threads"]) == 5
    assert made["threads"] == made["cluster"]
    store.invalidate_cache()
    assert store.find(BUCKET) == []


def test_a_worker_without_the_key_of_this_machine_is_named(
    on_cluster: Any, shared: Path, release_files: Callable[..., Path], home: Path
) -> None:
    with told(on_cluster) as client:
        worker = next(iter(client.scheduler_info()["workers"]))
        client.run(have_key, workers=[worker])
        try:
            with pytest.raises(
                SdcError, match=f"worker {worker}: .*SDC_WAREHOUSE_KEY must be the same everywhere"
            ):
                run_release(release_files(), quiet=True)
        finally:
            client.run(lose_key, workers=[worker])
    assert left(shared, home) == []


def pretend_another_version() -> None:
    import tasks.worker

    tasks.worker.versions = lambda: {**tasks.worker._true_versions(), "numpy": "1.0"}  # type: ignore[attr-defined]


def remember_versions() -> None:
    import tasks.worker

    tasks.worker._true_versions = tasks.worker.versions  # type: ignore[attr-defined]


def tell_the_truth() -> None:
    import tasks.worker

    tasks.worker.versions = tasks.worker._true_versions  # type: ignore[attr-defined]


def test_a_worker_with_another_version_is_refused_by_name_before_any_work(
    on_cluster: Any, shared: Path, release_files: Callable[..., Path], home: Path
) -> None:
    profile = release_files()
    with told(on_cluster) as client:
        worker = next(iter(client.scheduler_info()["workers"]))
        client.run(remember_versions, workers=[worker])
        client.run(pretend_another_version, workers=[worker])
        try:
            with pytest.raises(SdcError, match=f"versions differ: worker {worker}: numpy is 1.0 there and "):
                run_release(profile, quiet=True)
        finally:
            client.run(tell_the_truth, workers=[worker])
    assert bundles(profile) == []
    assert left(shared, home) == []
    assert [row.state for row in Ledger(Home.at(home).ledger).runs()] == ["failed"]


@contextmanager
def every_worker(client: Any, told: Callable[[], None]) -> Iterator[None]:
    """Those there are, and those that come in the place of others, are told something."""
    from distributed import WorkerPlugin

    class Told(WorkerPlugin):
        def setup(self, worker: Any) -> None:  # noqa: ARG002
            told()

    client.register_plugin(Told(), name="told")
    try:
        yield
    finally:
        client.unregister_worker_plugin("told")


def die_once(marker: str) -> None:
    """The first worker that makes a candidate is killed by it, and so is the first that measures."""
    import tasks.worker

    def deadly(true: Any, mark: Path) -> Any:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return true(*arguments, **options)

        return wrapped

    tasks.worker.make_from = deadly(tasks.worker.make_from, Path(f"{marker}-making"))
    tasks.worker.assess = deadly(tasks.worker.assess, Path(f"{marker}-measuring"))


def test_what_a_killed_worker_was_making_or_measuring_is_done_by_another(
    on_cluster: Any,
    shared: Path,
    scratch: Path,
    release_files: Callable[..., Path],
    home: Path,
    tmp_path: Path,
) -> None:
    profile = release_files()
    deadly = partial(die_once, str(tmp_path / "died"))
    with told(on_cluster) as client, every_worker(client, deadly):
        assert run_release(profile, quiet=True).exit_code == 0
        client.wait_for_workers(2)
    assert {path.name for path in tmp_path.glob("died-*")} == {"died-making", "died-measuring"}
    assert len(bundles(profile)) == 1
    assert left(shared, home) == []
    until = time.monotonic() + 120
    while (kept := list(scratch.rglob("sdc-*"))) and time.monotonic() < until:
        time.sleep(0.2)
    assert kept == []


SYNTHESES = """    - {method: sequential, with: {model: cart, m: 3, proper: true, strata: [sex]}}
  replaced:
    - {method: partial_synthesis, with: {variables: [income, health], m: 2, proper: true}}
"""


def die_at_second_pieces(marker: str) -> None:
    """Killed are the first worker with a piece made and another to make, and the first that puts them together."""
    import tasks.portions

    making, fetched = tasks.portions.MakingPortion.__call__, tasks.portions.FromPortions._fetched
    at_hand: list[int] = []

    def die_once(mark: Path) -> None:
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    def deadly_making(portion: Any, count: int, make: Any) -> Any:
        def wrapped(number: int) -> Any:
            if portion.made:
                die_once(Path(f"{marker}-making"))
            return make(number)

        return making(portion, count, wrapped)

    def deadly_fetching(candidate: Any, number: int) -> Any:
        if at_hand:
            die_once(Path(f"{marker}-fetching"))
        at_hand.append(number)
        return fetched(candidate, number)

    tasks.portions.MakingPortion.__call__ = deadly_making  # type: ignore[method-assign]
    tasks.portions.FromPortions._fetched = deadly_fetching  # type: ignore[method-assign]


def in_pieces(profile: Path) -> Path:
    """Two candidates at once: nine pieces, as one record has a sex of its own, and two."""
    text = profile.read_text()
    steps, rest = text[text.index("    - {method: global_recode") :].split("risk:\n")
    profile.write_text(text.replace(steps, SYNTHESES).replace(rest.splitlines()[0], DISCLOSURE))
    return profile


@contextmanager
def keys_shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The keys of random numbers that lie on shared storage."""
    keys: list[str] = []
    say = Shared._say

    def said(shared: Shared, name: str, content: dict[str, Any]) -> None:
        keys.extend([content["randomness"]] if "randomness" in content else [])
        say(shared, name, content)

    with monkeypatch.context() as patched:
        patched.setattr(Shared, "_say", said)
        yield keys


def test_strata_and_syntheses_are_made_by_all_workers_and_one_that_is_killed_costs_a_retry(
    cluster: Any,
    shared: Path,
    release_files: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same bytes, again and again, and no value on the way; all released is one person's at times."""
    monkeypatch.setenv("SDC_SECRET", "ab" * 32)
    profile = in_pieces(release_files(data=people_with_canary()))
    made = {}
    for machine in ("threads", "deadly cluster", "cluster"):
        monkeypatch.setenv("SDC_HOME", str(tmp_path / machine))
        deadly = partial(die_at_second_pieces, str(tmp_path / "died"))
        with (
            told(cluster) as client,
            handed_over(monkeypatch) as (given, returned),
            overheard(monkeypatch) as frames,
            keys_shared(monkeypatch) as keys,
            every_worker(client, deadly) if machine == "deadly cluster" else nullcontext(),
        ):
            if machine != "threads":
                monkeypatch.setenv("SDC_DASK", cluster.scheduler_address)
            outcome = run_release(profile, quiet=True)
            client.wait_for_workers(2)
            heard = b"".join(frames) + repr(client.get_worker_logs()).encode()
        assert outcome.exit_code == 3, outcome.sentence
        candidates = tmp_path / machine / "runs" / outcome.run_id / "candidates"
        made[machine] = {path.name: path.read_bytes() for path in candidates.glob("*.parquet")}
        assert left(shared, tmp_path / machine) == []
        assert b"PAR1" not in heard
        hidden = [*keys, *(text for value in CANARIES.values() for text in texts(value))]
        assert not any((each.encode() if isinstance(each, str) else each) in heard for each in hidden)
        assert (bool(keys), b"masked" in heard) == (machine != "threads", machine != "threads")
    assert {path.name for path in tmp_path.glob("died-*")} == {"died-making", "died-fetching"}
    assert sorted((each["candidate"], each["number"], each["of"]) for each in given if "number" in each) == [
        (name, number, 2) for name in ("masked", "replaced") for number in (1, 2)
    ]
    assert all(map(only_names, given))
    assert returned == [None] * len(given)
    assert made["threads"].keys() == {
        *("masked.parquet", "masked_2.parquet", "masked_3.parquet"),
        *("replaced.parquet", "replaced_2.parquet"),
    }
    assert made["threads"] == made["deadly cluster"] == made["cluster"]


def hang(marker: str) -> None:
    import tasks.worker

    def assess(*_arguments: Any, **_options: Any) -> Any:
        Path(marker).touch()
        while Path(marker).exists():
            time.sleep(0.1)
        sys.exit()

    tasks.worker.assess = assess


@pytest.mark.parametrize("gone", ["the scheduler", "the workers"])
def test_a_lost_cluster_fails_the_run_and_nothing_is_published(
    gone: str,
    shared: Path,
    release_files: Callable[..., Path],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tasks.parts.WORKERLESS_SECONDS", 1.0)
    monkeypatch.setattr("flows.orchestration.machines.LOOK_SECONDS", 0.5)
    profile = release_files()
    marker = tmp_path / "measuring"
    with small_cluster(1, tmp_path, connect="10s") as made:
        monkeypatch.setenv("SDC_DASK", made.scheduler_address)
        with told(made) as client:
            client.run(hang, str(marker))

        def lose() -> None:
            while not marker.exists():
                time.sleep(0.1)
            if gone == "the workers":
                made.scale(0)
            else:
                made.sync(made.scheduler.close)

        losing = threading.Thread(target=lose)
        losing.start()
        with pytest.raises(
            SdcError, match="no worker for" if gone == "the workers" else "does not answer any more"
        ) as failed:
            run_release(profile, quiet=True)
        losing.join()
        marker.unlink()
    assert "nothing was published" in str(failed.value)
    assert bundles(profile) == []
    assert left(shared, home) == []
    assert [row.state for row in Ledger(Home.at(home).ledger).runs()] == ["failed"]


def be_busy(marker: str) -> None:
    """As while a long table is fetched."""
    import tasks.worker

    def work() -> None:
        with tasks.worker._guard:
            Path(marker).touch()
            while Path(marker).exists():
                time.sleep(0.05)

    threading.Thread(target=work, daemon=True).start()
    while not Path(marker).exists():
        time.sleep(0.05)


def test_a_worker_that_is_to_forget_something_while_it_works_can_still_be_reached(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.orchestration.machines.FAREWELL_SECONDS", 0.5)
    with told(cluster) as client, ThreadPoolExecutor() as pool:
        worker = next(iter(client.scheduler_info()["workers"]))
        client.run(be_busy, str(tmp_path / "busy"), workers=[worker])
        try:
            ask_all(client, forget_beside_tasks, str(tmp_path / "over"))
            asked = pool.submit(client.run, os.getpid, workers=[worker])
            assert asked.result(timeout=120).keys() == {worker}
        finally:
            (tmp_path / "busy").unlink()


def break_with_words() -> None:
    import tasks.worker

    def _open(*_arguments: Any) -> Any:
        raise ValueError(*map(str, CANARIES.values()))

    tasks.worker._true_open = tasks.worker.opened_run  # type: ignore[attr-defined]
    tasks.worker.opened_run = _open


def mend() -> None:
    import tasks.worker

    tasks.worker.opened_run = tasks.worker._true_open  # type: ignore[attr-defined]


def test_an_error_on_a_worker_comes_back_without_its_words(
    on_cluster: Any,
    shared: Path,
    release_files: Callable[..., Path],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("flows.orchestration.cluster._require_fit_workers", lambda *_: None)
    with told(on_cluster) as client, overheard(monkeypatch) as frames:
        client.run(break_with_words)
        frames.clear()
        try:
            with pytest.raises(SdcError, match="on a worker failed: ValueError at _open"):
                run_release(release_files(), quiet=True)
        finally:
            client.run(mend)
    heard = b"".join(frames)
    assert [name for name, value in CANARIES.items() if any(text in heard for text in texts(value))] == []


@contextmanager
def page() -> Iterator[str]:
    """A server that answers whatever it is told as one of pages does, as Dask's own has."""
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server,
        ThreadPoolExecutor() as pool,
    ):
        pool.submit(server.serve_forever, 0.1)
        try:
            yield f"tcp://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def test_dask_says_nothing_by_itself_about_connections_that_are_lost() -> None:
    import distributed.client

    distributed.client.logger.setLevel("ERROR")
    _require_dask("tcp://127.0.0.1:9")
    assert not distributed.client.logger.isEnabledFor(logging.ERROR)


def test_a_setting_that_cannot_work_is_said_at_the_start(
    release_files: Callable[..., Path],
    home: Path,
    shared: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr("flows.orchestration.machines.CONNECT_SECONDS", 1.0)
    profile = release_files()

    def refused(match: str, kind: type[SdcError] = SdcError, **settings: str) -> None:
        with monkeypatch.context() as patched:
            patched.setenv("SDC_DASK", "tcp://127.0.0.1:9")
            for name, value in settings.items():
                patched.setenv(name, value)
            with pytest.raises(kind, match=match):
                run_release(profile, quiet=True)

    refused("no address of a scheduler; write tcp://host:8786", SDC_DASK="scheduler")
    refused("no scheduler answers there")
    with page() as address:
        refused("what answers there is no scheduler; .* 8786, and 8787 is that of its page", SDC_DASK=address)
    refused("SDC_SHARED is not set", SDC_SHARED="")
    refused("there is no such directory", SharedUnusable, SDC_SHARED=str(tmp_path / "nowhere"))
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "prefect_dask", None)
        refused(r"prefect_dask is not installed here: pip install 'sdc-release\[dask\]'")
    assert bundles(profile) == []


def test_only_the_measures_that_look_back_have_earlier_releases_sent() -> None:
    import inspect

    from sdc.catalogue.registry import measures

    asking = {
        name
        for name, entry in measures().items()
        if "pair.earlier" in inspect.getsource(inspect.getmodule(entry.function))
    }  # type: ignore[arg-type]
    assert asking == {name for name, entry in measures().items() if entry.looks_back}
