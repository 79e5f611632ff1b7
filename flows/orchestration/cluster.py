"""Finds the machines of a run: threads here, or the Dask cluster that SDC_DASK names, where it is fit.

A cluster that cannot work for a run is refused in a sentence before the run begins.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from concurrent.futures import Future
from typing import Any

from flows.orchestration import machines
from flows.orchestration.machines import Cluster, Threads, ask_all, close_quietly, say
from flows.orchestration.orchestrator import SAFE
from sdc.data.warehouse import KEY_VARIABLE
from sdc.data.warehouse.shared import SharedFolder, claimed, remove_abandoned, shared_root
from sdc.errors import SdcError, StepFailed, redacted
from sdc.run.home import Home
from tasks import parts
from tasks.context import RunContext
from tasks.machines import Machines
from tasks.shared import Shared
from tasks.worker import differences, examined, forget_beside_tasks, software

ADDRESS_VARIABLE = "SDC_DASK"
SHARED_VARIABLE = "SDC_SHARED"


class NoCluster(SdcError):
    """The cluster a setting names cannot work for this run."""

    def __init__(self, address: str, problem: str) -> None:
        self.address, self.problem = address, problem
        super().__init__(f"the Dask cluster {address} ({ADDRESS_VARIABLE}) cannot be used: {problem}")


def machines_for(context: RunContext) -> Machines:
    """The machines of a run, before its flow begins; they are let go when its context is closed."""
    address = os.environ.get(ADDRESS_VARIABLE)
    return _cluster(context, address) if address else Threads(context.name)


def _cluster(context: RunContext, address: str) -> Cluster:
    """A cluster that can work for this run, with a folder of the run's own on its shared storage."""
    _require_dask(address)
    root = _root()
    client = _client(address)
    context.closing.callback(close_quietly, client)
    folder = root.within(f"sdc-{context.run.id}")
    home = Home.find()
    for problem in remove_abandoned(home):
        say(problem)
    context.closing.enter_context(claimed(home, folder, say))
    context.closing.callback(ask_all, client, forget_beside_tasks, folder.url)
    with redacted("sharing the run"):
        shared = Shared(context, folder, software())
    _require_fit_workers(client, address, folder)
    return Cluster(address, client, context, shared)


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
    # What Dask says about lost connections is said in a sentence here; some loggers have their own level.
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == distributed.__name__:
            logging.getLogger(name).setLevel(logging.CRITICAL)


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
    client = _connected(address)
    if not client.scheduler_info()["workers"]:
        say(
            f"the Dask cluster {address} has no worker yet; one is waited for, up to"
            f" {parts.WORKERLESS_SECONDS:.0f} s"
        )
    try:
        client.wait_for_workers(1, timeout=parts.WORKERLESS_SECONDS)
    except TimeoutError:
        close_quietly(client)
        raise NoCluster(
            address, f"it has no worker, and none came within {parts.WORKERLESS_SECONDS:.0f} s"
        ) from None
    return client


def _connected(address: str) -> Any:
    """A way to the scheduler, waited for here.

    Dask's own time limit does not hold where something answers that is no scheduler.
    """
    from distributed import Client

    answer: Future[Any] = Future()

    def connect() -> None:
        try:
            answer.set_result(
                Client(address, timeout=machines.CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
            )
        except Exception as error:  # noqa: BLE001 - it is raised where the answer is waited for
            answer.set_exception(error)

    threading.Thread(target=connect, name="connecting to Dask", daemon=True).start()
    try:
        with redacted("connecting"):
            return answer.result(machines.CONNECT_SECONDS + machines.FAREWELL_SECONDS)
    except StepFailed as failed:
        if answer.done():
            raise NoCluster(address, f"no scheduler answers there ({failed.kind})") from None
        problem = (
            "what answers there is no scheduler; unless it was told otherwise, a scheduler of Dask has port"
            " 8786, and 8787 is that of its page"
        )
        raise NoCluster(address, problem) from None


def _require_fit_workers(client: Any, address: str, folder: SharedFolder) -> None:
    """Every worker has what this machine has, sees the folder and reaches the server.

    All that do not are named.
    """
    here = software()
    unlike = {
        worker: differences(here, there)
        if isinstance(there, dict)
        else ["sdc-release cannot be imported there, or is another one"]
        for worker, there in _heard(client, address, software).items()
    }
    if problems := [f"worker {worker}: {', '.join(found)}" for worker, found in unlike.items() if found]:
        raise NoCluster(
            address, f"results must not depend on the machine, and versions differ: {'; '.join(problems)}"
        )
    said = _heard(client, address, examined, folder.url, os.environ["PREFECT_API_URL"], SAFE)
    if problems := [
        f"worker {worker}: {problem if isinstance(problem, str) else type(problem).__name__}"
        for worker, problem in said.items()
        if problem is not None
    ]:
        raise NoCluster(address, "; ".join(problems))


def _heard(client: Any, address: str, what: Any, *given: Any) -> dict[str, Any]:
    try:
        return parts.heard_from_all(client, what, *given)
    except SdcError as error:
        raise NoCluster(address, str(error)) from None
    except OSError:
        raise NoCluster(address, machines.UNANSWERED) from None
