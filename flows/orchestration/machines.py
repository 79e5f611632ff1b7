"""Reads parts, makes and measures candidates: on threads of this machine, or on workers of a Dask cluster.

candidate = context.machines.protect(name)            # made where there is room
taken = context.machines.begin(candidate, criteria)   # all are under way
for assessment in taken: ...                          # each, as soon as it is there
context.machines.let_go(candidate)
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from prefect import Task
from prefect.futures import PrefectFuture, as_completed
from prefect.task_runners import ThreadPoolTaskRunner

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.measurement import Assessment
from sdc.errors import SdcError, redacted
from sdc.gate.untouched import NAME
from sdc.ingest.source_parts import PartReading
from sdc.methods.protect import fall_into_pieces
from sdc.profile import Criterion
from tasks import parts
from tasks.context import RunContext, run_context
from tasks.measure import measure_elsewhere_task, measure_task, measured
from tasks.portions import drop_portions
from tasks.protect import keep_made, protect_elsewhere, protect_here, protect_portion
from tasks.read_parts import ReadByWorkers
from tasks.shared import UNTOUCHED, Shared
from tasks.worker import forget_beside_tasks

MEASURES = ((2**22, 4), (2**24, 2))
"""Of files up to so many records this machine takes so many measures at a time; of longer ones, one."""
SIDE_BY_SIDE, MOST_AT_ONCE = 2, 4
"""How many candidates this machine holds in memory at a time, and judges where workers make them."""
MANY_RECORDS = 2**22
"""Of longer files this machine holds one candidate at a time."""
CONNECT_SECONDS = 20.0
LOOK_SECONDS = 2.0
FAREWELL_SECONDS = 5.0
UNANSWERED = "the scheduler does not answer any more"


class ClusterFailed(SdcError):
    """The cluster went away, or a worker could not work, while a run was under way."""

    def __init__(self, address: str, problem: str) -> None:
        self.address, self.problem = address, problem
        super().__init__(f"the Dask cluster {address} failed: {problem}; nothing was published")


class Threads:
    """Candidates and measures on this machine."""

    def __init__(self, run: str) -> None:
        self._run = run

    @property
    def _rows(self) -> int:
        return int(run_context(self._run).source["rows"])

    @property
    def runner(self) -> Any:
        at_a_time = next((measures for rows, measures in MEASURES if self._rows <= rows), 1)
        return ThreadPoolTaskRunner(max_workers=at_a_time)

    @property
    def at_once(self) -> int:
        return 1 if self._rows > MANY_RECORDS else SIDE_BY_SIDE

    @property
    def elsewhere(self) -> None:
        """The source is read here."""

    def protect(self, name: str) -> Candidate:
        return protect_here(self._run, name)

    def begin(self, candidate: Candidate, planned: Sequence[Criterion]) -> Iterator[Assessment]:
        futures: list[PrefectFuture[Any]] = [
            measure_task(criterion.measure).submit(self._run, candidate, criterion) for criterion in planned
        ]
        return (future.result() for future in as_completed(futures))

    def of_original(self, criterion: Criterion) -> Assessment:
        context = run_context(self._run)
        return measured(context, context.untouched, criterion, NAME)

    def let_go(self, candidate: Candidate) -> None:
        """Nothing was sent anywhere."""


class Cluster:
    """Candidates and measures on the workers of a Dask cluster. They get names from its scheduler.

    Tables and measurements lie on shared storage.
    """

    def __init__(self, address: str, client: Any, context: RunContext, shared: Shared) -> None:
        from prefect_dask.task_runners import DaskTaskRunner

        self._address, self._client, self._context, self._shared = address, client, context, shared
        self._sent: set[str] = set()
        self.runner: Any = DaskTaskRunner(address=address, client_kwargs={"timeout": CONNECT_SECONDS})

    @property
    def at_once(self) -> int:
        """A candidate for each worker; no more than this machine can judge."""
        return max(SIDE_BY_SIDE, min(self._workers, MOST_AT_ONCE))

    @property
    def _workers(self) -> int:
        try:
            return len(self._client.nthreads())
        except (OSError, ValueError):
            raise ClusterFailed(self._address, UNANSWERED) from None

    @property
    def elsewhere(self) -> PartReading:
        """Workers read the parts that they see."""
        return ReadByWorkers(self._shared.tables, self._have_read, say)

    def _have_read(self, what: Any, names: Sequence[str], numbers: Sequence[int]) -> None:
        try:
            parts.have_done(self._client, what, names, numbers, "the source")
        except SdcError as error:
            raise ClusterFailed(self._address, str(error)) from None
        except (OSError, CancelledError):
            raise ClusterFailed(self._address, UNANSWERED) from None

    def protect(self, name: str) -> Candidate:
        """On a worker, where it can know all it needs; a file made elsewhere is read here."""
        if not self._shared.can_be_made_elsewhere(name):
            return protect_here(self._context.name, name)
        self._context.progress.begin(f"protect {name}")
        with redacted(f"sharing what candidate {name} is made from"):
            self._shared.share_plan(name)
        portions = self._make_portions(name)
        made = self._submitted(protect_elsewhere, self._shared.url, name, portions)
        for future in self._completed([made]):
            self._require_done(future, f"protect {name}")
        with redacted(f"storing candidate {name}"):
            drop_portions(self._shared.tables, name, portions)
            return keep_made(self._context, self._shared.collect_candidate(name))

    def _make_portions(self, name: str) -> int:
        """Strata and syntheses of a candidate are made by all workers; in how many portions."""
        workers = self._workers
        if workers < 2 or not fall_into_pieces(self._context.profile.candidates[name]):
            return 0
        places = range(1, workers + 1)
        made = [self._submitted(protect_portion, self._shared.url, name, place, workers) for place in places]
        for future in self._completed(made):
            self._require_done(future, f"a portion of {name}")
        return workers

    def begin(self, candidate: Candidate, planned: Sequence[Criterion]) -> Iterator[Assessment]:
        if candidate.name not in self._sent:
            with redacted(f"sharing candidate {candidate.name}"):
                self._shared.share(candidate)
            self._sent.add(candidate.name)
        futures = {
            self._submitted(
                measure_elsewhere_task(criterion.measure), self._shared.url, candidate.name, criterion.alias
            ): criterion
            for criterion in planned
        }
        return self._collected(candidate, futures)

    def of_original(self, criterion: Criterion) -> Assessment:
        """By a worker, which lets go of its columns when it is done."""
        with redacted("sharing the original"):
            self._shared.share_untouched()
        asked = measure_elsewhere_task(criterion.measure), self._shared.url, UNTOUCHED, criterion.alias
        for future in self._completed([self._submitted(*asked)]):
            self._require_done(future, f"{criterion.alias} of the original")
        ask_all(self._client, forget_beside_tasks, self._shared.url, UNTOUCHED)
        return self._shared.collect_untouched(criterion)

    def let_go(self, candidate: Candidate) -> None:
        """A candidate that is measured stays neither on shared storage nor on a worker."""
        self._sent.discard(candidate.name)
        with suppress(SdcError):
            self._shared.withdraw(candidate)
        ask_all(self._client, forget_beside_tasks, self._shared.url, candidate.name)

    def _collected(
        self, candidate: Candidate, futures: Mapping[PrefectFuture[Any], Criterion]
    ) -> Iterator[Assessment]:
        for future in self._completed(list(futures)):
            criterion = futures[future]
            self._require_done(future, criterion.alias)
            with redacted(f"storing {criterion.alias}"):
                yield self._shared.collect(candidate, criterion)

    def _submitted(self, task: Task[Any, None], *names: str | int) -> PrefectFuture[Any]:
        try:
            return task.submit(*names)
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
                if workerless and time.monotonic() - workerless > parts.WORKERLESS_SECONDS:
                    raise ClusterFailed(
                        self._address, f"it has had no worker for {parts.WORKERLESS_SECONDS:.0f} s"
                    ) from None

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.nthreads())
        except (OSError, ValueError):
            return False

    def _require_done(self, future: PrefectFuture[Any], what: str) -> None:
        from distributed.scheduler import KilledWorker

        with redacted(f"{what} on a worker"):
            try:
                future.result()
            except SdcError as error:
                raise ClusterFailed(self._address, str(error)) from None
            except KilledWorker:
                problem = (
                    f"every worker that took {what} died, for lack of memory perhaps; give workers"
                    " more, or set limits: memory"
                )
                raise ClusterFailed(self._address, problem) from None
            except (CancelledError, OSError):
                raise ClusterFailed(self._address, UNANSWERED) from None


def say(problem: str) -> None:
    """A line for the people who run the release; it has names and numbers only."""
    sys.stderr.write(f"sdc: {problem}\n")


def ask_all(client: Any, what: Any, *arguments: str) -> None:
    """Ask every worker for something, without waiting for one that does not listen.

    It forgets by itself when the folder is gone.
    """
    asking = threading.Thread(target=_ask_quietly, args=(client, what, arguments), daemon=True)
    asking.start()
    asking.join(FAREWELL_SECONDS)


def _ask_quietly(client: Any, what: Any, arguments: tuple[str, ...]) -> None:
    with suppress(Exception):
        if client.status == "running":
            client.run(what, *arguments, on_error="ignore")


def close_quietly(client: Any) -> None:
    with suppress(Exception):
        client.close(timeout=FAREWELL_SECONDS)
