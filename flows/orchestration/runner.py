"""Where are measures taken? On threads of this machine, or on the Dask cluster that SDC_DASK names.

prepare(space)                               # at the start of a run: a cluster that cannot work for it is
refused in a sentence machines(run).measured(candidate, criteria)  # every measurement, as soon as it is there
"""

from __future__ import annotations

import logging
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Protocol

from prefect.futures import PrefectFuture, as_completed
from prefect.task_runners import ThreadPoolTaskRunner

from flows.orchestration.orchestrator import SAFE
from sdc.catalogue.measurement import Assessment
from sdc.data.warehouse import KEY_VARIABLE
from sdc.data.warehouse.shared import SharedFolder, claimed, remove_abandoned, shared_root
from sdc.errors import SdcError, StepFailed, redacted
from sdc.profile import Criterion
from sdc.run.home import Home
from tasks.measure import measure_elsewhere_task, measure_task
from tasks.outcome import Candidate
from tasks.shared import Shared
from tasks.worker import differences, examined, forget, software
from tasks.workspace import Workspace

ADDRESS_VARIABLE = "SDC_DASK"
SHARED_VARIABLE = "SDC_SHARED"
WORKERS = 4
CONNECT_SECONDS = 20.0
WORKERLESS_SECONDS = 60.0
"""How long a run waits for workers when there are none."""
LOOK_SECONDS = 2.0
FAREWELL_SECONDS = 5.0


class NoCluster(SdcError):
    """The cluster a setting names cannot work for this run."""

    def __init__(self, address: str, problem: str) -> None:
        self.address, self.problem = address, problem
        super().__init__(f"the Dask cluster {address} ({ADDRESS_VARIABLE}) cannot be used: {problem}")


class ClusterFailed(SdcError):
    """The cluster went away, or a worker could not work, while a run was under way."""

    def __init__(self, address: str, problem: str) -> None:
        self.address, self.problem = address, problem
        super().__init__(f"the Dask cluster {address} failed: {problem}; nothing was published")


class Machines(Protocol):
    """Who takes the measures of a run."""

    @property
    def runner(self) -> Any: ...

    def measured(self, candidate: Candidate, planned: Sequence[Criterion]) -> Iterator[Assessment]: ...


class Threads:
    """Measures on this machine."""

    def __init__(self, run: str) -> None:
        self._run = run
        self.runner: Any = ThreadPoolTaskRunner(max_workers=WORKERS)

    def measured(self, candidate: Candidate, planned: Sequence[Criterion]) -> Iterator[Assessment]:
        futures: list[PrefectFuture[Any]] = [
            measure_task(criterion.measure).submit(self._run, candidate, criterion) for criterion in planned
        ]
        for future in as_completed(futures):
            yield future.result()


class Cluster:
    """Measures on the workers of a Dask cluster. They get names from its scheduler.

    Tables and measurements lie on shared storage.
    """

    def __init__(self, address: str, client: Any, shared: Shared) -> None:
        from prefect_dask.task_runners import DaskTaskRunner

        self._address, self._client, self._shared = address, client, shared
        self.runner: Any = DaskTaskRunner(address=address, client_kwargs={"timeout": CONNECT_SECONDS})

    def measured(self, candidate: Candidate, planned: Sequence[Criterion]) -> Iterator[Assessment]:
        with redacted(f"sharing candidate {candidate.name}"):
            self._shared.share(candidate)
        try:
            futures = {self._submitted(candidate, criterion): criterion for criterion in planned}
            for future in self._completed(list(futures)):
                criterion = futures[future]
                self._require_done(future, criterion)
                with redacted(f"storing {criterion.alias}"):
                    yield self._shared.collect(candidate, criterion)
        finally:
            self._let_go(candidate)

    def _submitted(self, candidate: Candidate, criterion: Criterion) -> PrefectFuture[Any]:
        try:
            return measure_elsewhere_task(criterion.measure).submit(
                self._shared.url, candidate.name, criterion.alias
            )
        except OSError:
            raise ClusterFailed(self._address, "the scheduler does not answer") from None

    def _completed(self, futures: Sequence[PrefectFuture[Any]]) -> Iterator[PrefectFuture[Any]]:
        """Each as it ends. Tasks of a worker that died are given to another.

        Without any worker they would wait for ever.
        """
        done: queue.SimpleQueue[PrefectFuture[Any]] = queue.SimpleQueue()
        for future in futures:
            future.add_done_callback(done.put)
        workerless = None
        pending = len(futures)
        while pending:
            try:
                yield done.get(timeout=LOOK_SECONDS)
                pending -= 1
            except queue.Empty:
                workerless = None if self._has_workers() else workerless or time.monotonic()
                if workerless and time.monotonic() - workerless > WORKERLESS_SECONDS:
                    raise ClusterFailed(
                        self._address, f"it has had no worker for {WORKERLESS_SECONDS:.0f} s"
                    ) from None

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.nthreads())
        except (OSError, ValueError):
            return False

    def _require_done(self, future: PrefectFuture[Any], criterion: Criterion) -> None:
        from concurrent.futures import CancelledError

        from distributed.scheduler import KilledWorker

        with redacted(f"{criterion.alias} on a worker"):
            try:
                future.result()
            except SdcError as error:
                raise ClusterFailed(self._address, str(error)) from None
            except KilledWorker:
                problem = (
                    f"every worker that took {criterion.alias} died, for lack of memory perhaps; give workers"
                    " more, or set limits: memory"
                )
                raise ClusterFailed(self._address, problem) from None
            except (CancelledError, OSError):
                raise ClusterFailed(self._address, "the scheduler does not answer any more") from None

    def _let_go(self, candidate: Candidate) -> None:
        with suppress(SdcError):
            self._shared.withdraw(candidate)
        _said_to_all(self._client, forget, self._shared.url, candidate.name)


_machines: dict[str, Machines] = {}


def machines(run: str) -> Machines:
    """The machines of a run that was prepared."""
    return _machines[run]


def prepare(space: Workspace) -> None:
    """Find the machines of a run once; they are let go when its workspace is closed."""
    run = str(space.run.directory)
    if run in _machines:
        return
    address = os.environ.get(ADDRESS_VARIABLE)
    found: Machines = _cluster(space, address) if address else Threads(run)
    _machines[run] = found
    space.closing.callback(_machines.pop, run, None)


def _cluster(space: Workspace, address: str) -> Cluster:
    """A cluster that was asked and can work for this run, and a folder of the run's own on its shared storage."""
    _require_dask(address)
    root = _root()
    client = _client(address)
    space.closing.callback(_closed, client)
    folder = root.within(f"sdc-{space.run.id}")
    home = Home.find()
    for problem in remove_abandoned(home):
        _say(problem)
    space.closing.enter_context(claimed(home, folder, _say))
    space.closing.callback(_said_to_all, client, forget, folder.url)
    with redacted("sharing the run"):
        shared = Shared(space, folder, software())
    _require_fit_workers(client, address, folder)
    return Cluster(address, client, shared)


def _say(problem: str) -> None:
    sys.stderr.write(f"sdc: {problem}\n")


def _require_dask(address: str) -> None:
    if not re.fullmatch(r"(tcp|tls)://.+:\d+", address):
        raise NoCluster(
            address, "this is no address of a scheduler; write tcp://host:8786, or tls://host:8786"
        )
    try:
        import distributed
        import fsspec  # type: ignore[import-untyped]  # noqa: F401
        import prefect_dask  # noqa: F401
    except ImportError as error:
        raise NoCluster(
            address, f"{error.name} is not installed here: pip install 'sdc-release[dask]'"
        ) from None
    # What Dask says about lost connections is said in a sentence here.
    logging.getLogger(distributed.__name__).setLevel(logging.CRITICAL)


def _root() -> SharedFolder:
    url = os.environ.get(SHARED_VARIABLE)
    if not url:
        problem = (
            f"{SHARED_VARIABLE} is not set; it names the storage that this machine and all workers see, a"
            " path or an fsspec URL"
        )
        raise NoCluster(os.environ[ADDRESS_VARIABLE], problem)
    return shared_root(url, os.environ.get(KEY_VARIABLE))


def _client(address: str) -> Any:
    from distributed import Client

    try:
        with redacted("connecting"):
            client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except StepFailed as failed:
        raise NoCluster(address, f"no scheduler answers there ({failed.kind})") from None
    try:
        client.wait_for_workers(1, timeout=WORKERLESS_SECONDS)
    except TimeoutError:
        _closed(client)
        raise NoCluster(
            address, f"it has no worker, and none came within {WORKERLESS_SECONDS:.0f} s"
        ) from None
    return client


def _require_fit_workers(client: Any, address: str, folder: SharedFolder) -> None:
    """Every worker has what this machine has, sees the folder and reaches the server.

    All that do not are named.
    """
    here = software()
    problems = []
    for worker, there in client.run(software, on_error="return").items():
        unlike = (
            differences(here, there)
            if isinstance(there, dict)
            else ["sdc-release cannot be imported there, or is another one"]
        )
        problems += [f"worker {worker}: {', '.join(unlike)}"] if unlike else []
    if problems:
        raise NoCluster(
            address, f"results must not hang on the machine, and versions differ: {'; '.join(problems)}"
        )
    for worker, problem in client.run(
        examined, folder.url, os.environ["PREFECT_API_URL"], SAFE, on_error="return"
    ).items():
        if problem is not None:
            problems.append(
                f"worker {worker}: {problem if isinstance(problem, str) else type(problem).__name__}"
            )
    if problems:
        raise NoCluster(address, "; ".join(problems))


def _said_to_all(client: Any, what: Any, *arguments: str) -> None:
    """Tell every worker, without waiting for one that does not listen.

    It forgets by itself when the folder is gone.
    """
    telling = threading.Thread(target=_told_quietly, args=(client, what, arguments), daemon=True)
    telling.start()
    telling.join(FAREWELL_SECONDS)


def _told_quietly(client: Any, what: Any, arguments: tuple[str, ...]) -> None:
    with suppress(Exception):
        if client.status == "running":
            client.run(what, *arguments, on_error="ignore")


def _closed(client: Any) -> None:
    with suppress(Exception):
        client.close(timeout=FAREWELL_SECONDS)
