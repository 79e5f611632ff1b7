"""A source in parts, read by the workers of a Dask cluster: the same release, and no value through the scheduler."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from flows.orchestration.cluster import machines_for
from flows.orchestration.run_release import run_release
from sdc.data.warehouse import Warehouse
from sdc.data.warehouse.shared_tables import SharedTables
from sdc.errors import BadData, SdcError
from sdc.ingest import ingest
from sdc.profile.load import load, load_profile
from sdc.run.home import Home, Run
from tasks.context import open_context
from tests.flows.parted_source import PARTS, parted_profile, people_table, tables_read
from tests.flows.test_confidentiality import CANARIES, texts
from tests.flows.test_dask import left, overheard, small_cluster, told

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::UserWarning:distributed.*"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning:distributed.*"),
]

CODE = "-7315846"


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with small_cluster(2, tmp_path_factory.mktemp("workers")) as made:
        yield made


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str) -> Path:
    """Where the storage is that all machines share; every run has the same secret."""
    (tmp_path / "shared").mkdir()
    monkeypatch.setenv("SDC_SHARED", str(tmp_path / "shared"))
    monkeypatch.setenv("SDC_SECRET", "ab" * 32)
    monkeypatch.setenv("SDC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PREFECT_API_URL", server)
    return tmp_path / "shared"


def read(profile: Path) -> tuple[Any, dict[str, Any]]:
    """What a run reads, on the machines that the environment names."""
    home = Home.find()
    with Run.start(home, "small") as run, open_context(home, run, load(profile)) as context:
        context.machines = machines_for(context)
        ingested = ingest(
            context.profile, context.base, context.warehouse, context.secret, context.machines.elsewhere
        )
        return ingested, tables_read(context.warehouse)


@contextmanager
def arriving(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The parts that workers have read, as they come to this machine."""
    arrived: list[str] = []
    append = SharedTables.append_rows

    def appended(tables: SharedTables, name: str, *given: Any) -> None:
        arrived.append(name)
        append(tables, name, *given)

    with monkeypatch.context() as patched:
        patched.setattr(SharedTables, "append_rows", appended)
        yield arrived


def test_a_release_of_parts_is_the_same_on_workers_to_the_last_bit(
    workers: Any,
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    held, files, arrived = {}, {}, {}
    profile = parted_profile(tmp_path / "small")
    for machine in ("threads", "cluster"):
        home = tmp_path / f"home_{machine}"
        monkeypatch.setenv("SDC_HOME", str(home))
        if machine == "cluster":
            monkeypatch.setenv("SDC_DASK", workers.scheduler_address)
        with arriving(monkeypatch) as names:
            outcome = run_release(profile, quiet=True)
        run, arrived[machine] = home / "runs" / outcome.run_id, names
        with Warehouse.open(run, limits=load_profile(profile).limits) as warehouse:
            held[machine] = tables_read(warehouse)
            candidates = {path.name: path.read_bytes() for path in (run / "candidates").iterdir()}
        files[machine] = outcome.exit_code, (run / "source.json").read_bytes(), candidates
        assert left(place, home) == []
    assert held["cluster"] == held["threads"]
    assert files["cluster"] == files["threads"]
    assert files["threads"][2]
    assert (len(arrived["threads"]), len(arrived["cluster"])) == (0, 2 * len(PARTS))
    assert "read on this machine" not in capfd.readouterr().err


def test_an_unreadable_value_fails_the_release_with_the_same_faults_and_without_it(
    workers: Any, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people_table()
    children = table["children"].to_pylist()
    children[100] = children[200] = "CANARY"
    column = table.schema.get_field_index("children")
    profile = parted_profile(
        tmp_path / "small", table.set_column(column, "children", pa.array(children, pa.string()))
    )
    said = []
    for address in (None, workers.scheduler_address):
        if address:
            monkeypatch.setenv("SDC_DASK", address)
        with pytest.raises(BadData) as bad, arriving(monkeypatch) as arrived:
            run_release(profile, quiet=True)
        said.append(str(bad.value))
    assert "values that are not numbers in 2 records" in said[0]
    assert said[1] == said[0]
    assert len(arrived) == 2 * len(PARTS)
    assert left(place, tmp_path / "home") == []


def die_at_a_part(marker: str) -> None:
    """The first worker that reads a second part is killed by it: the parts it had read are read again."""
    import tasks.read_parts

    read_part, mark, begun = tasks.read_parts._read_part, Path(marker), list[int]()

    def deadly(*arguments: Any) -> Any:
        begun.append(1)
        if len(begun) > 1 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return read_part(*arguments)

    tasks.read_parts._read_part = deadly


def test_the_parts_of_a_killed_worker_are_read_by_another(
    workers: Any,
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    profile = parted_profile(tmp_path / "small")
    here = read(profile)
    monkeypatch.setenv("SDC_DASK", workers.scheduler_address)
    with told(workers) as client:
        client.run(die_at_a_part, str(tmp_path / "died"))
        with arriving(monkeypatch) as arrived:
            there = read(profile)
        client.wait_for_workers(2)
    assert (tmp_path / "died").exists()
    assert there == here
    assert len(arrived) == 2 * len(PARTS)
    assert "read on this machine" not in capfd.readouterr().err
    assert left(place, tmp_path / "home") == []


def die_at_every_part() -> None:
    import tasks.read_parts

    tasks.read_parts._read_part = lambda *_arguments: os.kill(os.getpid(), signal.SIGKILL)


def test_parts_that_kill_the_only_worker_fail_the_run_with_a_sentence(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One try: the cluster may start a worker anew at once, and that one does not die.
    monkeypatch.setattr("tasks.parts.TRIES", 1)
    with small_cluster(1, tmp_path) as made:
        monkeypatch.setenv("SDC_DASK", made.scheduler_address)
        with told(made) as client:
            client.run(die_at_every_part)
        with pytest.raises(
            SdcError, match=r"every worker that took parts of the source died: 5 of 5 are left"
        ):
            read(parted_profile(tmp_path / "small"))
    assert left(place, tmp_path / "home") == []


def hang(marker: str) -> None:
    import tasks.read_parts

    def hanging(*_arguments: Any) -> Any:
        Path(marker).touch()
        while Path(marker).exists():
            time.sleep(0.1)
        sys.exit()

    tasks.read_parts._read_part = hanging


def test_a_scheduler_that_goes_away_while_parts_are_read_fails_the_run_with_a_sentence(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "reading"
    with small_cluster(1, tmp_path, connect="10s") as made:
        monkeypatch.setenv("SDC_DASK", made.scheduler_address)
        with told(made) as client:
            client.run(hang, str(marker))

        def lose() -> None:
            while not marker.exists():
                time.sleep(0.1)
            made.sync(made.scheduler.close)

        losing = threading.Thread(target=lose)
        losing.start()
        with pytest.raises(SdcError, match="the scheduler does not answer any more; nothing was published"):
            read(parted_profile(tmp_path / "small"))
        losing.join()
        marker.unlink()
    assert left(place, tmp_path / "home") == []


def see_no_source() -> None:
    """A machine that has not mounted the folder of the source."""
    import tasks.read_parts

    tasks.read_parts._true_read_part = tasks.read_parts._read_part  # type: ignore[attr-defined]
    tasks.read_parts._read_part = (
        lambda run, path, query, name: tasks.read_parts._true_read_part(  # type: ignore[attr-defined]
            run, Path("/nowhere", *path.parts[1:]), query, name
        )
    )


def see_the_source() -> None:
    import tasks.read_parts

    tasks.read_parts._read_part = tasks.read_parts._true_read_part  # type: ignore[attr-defined]


def test_the_parts_that_one_worker_does_not_see_are_read_here_and_the_rest_there(
    workers: Any,
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    profile = parted_profile(tmp_path / "small")
    here = read(profile)
    monkeypatch.setenv("SDC_DASK", workers.scheduler_address)
    with told(workers) as client:
        blind = min(client.scheduler_info()["workers"])
        client.run(see_no_source, workers=[blind])
        try:
            with arriving(monkeypatch) as arrived:
                there = read(profile)
        finally:
            client.run(see_the_source, workers=[blind])
    assert there == here
    assert len(arrived) == 2 * 2, "parts 1 and 3, of the source and of its population"
    said = capfd.readouterr().err
    assert said.count("sdc: 3 parts of the source read on this machine and not by a worker: ") == 2
    assert "part-10.parquet and 2 more: there is no such file (on " in said


def test_no_value_and_no_code_for_missing_passes_the_scheduler_or_is_said(
    workers: Any,
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    table = people_table()
    for name in ("name", "sex", "income", "health"):
        values = table[name].to_pylist()
        values[70] = CANARIES[name]
        column = table.schema.get_field_index(name)
        table = table.set_column(column, name, pa.array(values, table.schema.field(name).type))
    assert np.isfinite(CANARIES["income"])
    profile = parted_profile(tmp_path / "small", table)
    profile.write_text(
        profile.read_text().replace('missing_codes: ["-9"]', f'missing_codes: ["-9", "{CODE}"]')
    )
    monkeypatch.setenv("SDC_DASK", workers.scheduler_address)
    with overheard(monkeypatch) as frames, arriving(monkeypatch) as arrived:
        read(profile)
    heard, said = b"".join(frames), "".join(capfd.readouterr()).encode()
    assert len(arrived) == 2 * len(PARTS)
    assert b"reading_" in heard, "the name of the question is heard"
    assert b"PAR1" not in heard
    values = [*(CANARIES[name] for name in ("name", "sex", "income", "health")), CODE, "ab" * 32]
    for words in (heard, said):
        assert [value for value in values if any(text in words for text in texts(value))] == []
    assert max(map(len, frames)) < 200_000
