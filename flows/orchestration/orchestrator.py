"""Runs Prefect silently, without results on disk, on a server of its own unless one is given."""

from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from sdc.errors import HomeUnusable, SdcError
from sdc.run import durable

START_SECONDS = 180
DRAIN_SECONDS = 10.0
LOCK_SECONDS = START_SECONDS
LOOK_SECONDS = 0.2
ROOM = 2**20
"""Bytes a home must have left for a server to start."""
ATTEMPTS = 5
"""How often a server that was named is asked before it counts as away."""

SAFE = {
    "DO_NOT_TRACK": "1",
    "GX_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    "PREFECT_TASKS_DISABLE_CACHING": "true",
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
    # A failed flow writes its exception to result storage even with persistence off: this place cannot be
    # written.
    "PREFECT_RESULTS_LOCAL_STORAGE_PATH": "/dev/null/results",
}
QUIET = {
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "30",
}


class NoOrchestrator(SdcError):
    """The embedded Prefect server did not come up."""

    def __init__(self, seconds: float, *, ended: bool) -> None:
        happened = (
            f"ended by itself after {seconds:.0f} s" if ended else f"did not answer within {seconds:.0f} s"
        )
        super().__init__(
            f"the embedded Prefect server {happened}; see server.log in the folder prefect of the home"
            " directory"
        )


def settle(prefect_home: Path) -> None:
    """Set what Prefect and Great Expectations read at import. Must come before either is imported."""
    os.environ.update(SAFE)
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    prefect_home.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ["PREFECT_HOME"] = str(prefect_home)


class NoLoopback(SdcError):
    """Nothing can be reached on this machine, not even the machine itself."""

    def __init__(self) -> None:
        super().__init__(
            "the embedded Prefect server needs the loopback interface, and it is down; bring it up (ip link"
            " set lo up), nothing else is needed"
        )


class ServerAway(SdcError):
    """The server that was named does not answer."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"no Prefect server answers at {url}; start it, or unset PREFECT_API_URL to run on one of our own"
            + ("" if url.rstrip("/").endswith("/api") else " (the address of a Prefect server ends in /api)")
        )


class HomeBusy(SdcError):
    """Another command starts its server on this home and does not come to an end of it."""

    def __init__(self, lock: Path, seconds: float) -> None:
        super().__init__(
            f"another sdc command on this home has been starting its Prefect server for {seconds:.0f} s; end"
            f" it (fuser {lock} names its process) and try again, or let PREFECT_API_URL name a server that"
            " stays"
        )


class EmbeddedServer:
    """A Prefect server on a free loopback port, in a process that ends with this one."""

    def __init__(self, prefect_home: Path) -> None:
        self._home = prefect_home
        self._stack = ExitStack()
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    def start(self) -> None:
        """Start without waiting: importing and reading go on meanwhile."""
        # Two fresh servers must not create one database at the same time.
        lock = self._stack.enter_context((self._home / "server.lock").open("w"))
        try:
            _lock(lock, self._home / "server.lock")
        except HomeBusy:
            self._stack.close()
            raise
        log = self._stack.enter_context((self._home / "server.log").open("ab"))
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "flows.orchestration.server", str(self.port)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        self._lock = lock

    def wait(self, seconds: float = START_SECONDS) -> str:
        """The server's address, once it answers."""
        assert self._process is not None
        began = time.monotonic()
        while time.monotonic() < began + seconds and self._process.poll() is None:
            if _answers(f"{self.url}/health"):
                fcntl.flock(self._lock, fcntl.LOCK_UN)
                return self.url
            time.sleep(0.05)
        ended = self._process.poll() is not None
        self._process.kill()
        self.stop()
        _require_room(self._home)
        raise NoOrchestrator(time.monotonic() - began, ended=ended)

    def let_go(self) -> None:
        """The server writes down the last records and ends by itself; nobody needs to wait for it."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        self._stack.close()

    def stop(self) -> None:
        """End the server and see it gone."""
        self.let_go()
        if self._process is not None:
            self._process.wait()
            self._process = None


@contextmanager
def orchestrator(prefect_home: Path) -> Iterator[Callable[[], object]]:
    """The server a flow talks to.

    The one PREFECT_API_URL names, else one of our own, starting in the background.

    Import what uses Prefect inside; call what this gives before running a flow: it waits until the server
    answers.
    """
    settle(prefect_home)
    if os.environ.get("PREFECT_API_URL"):
        yield standing
        _drained()
        return
    server = EmbeddedServer(prefect_home)
    server.start()
    os.environ["PREFECT_API_URL"] = server.url
    try:
        with ExitStack() as told:
            yield lambda: _told_to_prefect(server.wait(), told)
    finally:
        _drained()
        server.let_go()
        del os.environ["PREFECT_API_URL"]


def _told_to_prefect(url: str, told: ExitStack) -> str:
    """Prefect reads its settings once, when it is imported; it is told of this server while that is here.

    There is no heartbeat: the server ends with the run, and a flow waits up to a second for its heartbeat to
    end.
    """
    from prefect.settings import PREFECT_API_URL, PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

    told.enter_context(temporary_settings({PREFECT_API_URL: url, PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}))
    return url


def standing() -> str:
    """The address of the server PREFECT_API_URL names, if it answers."""
    url = os.environ["PREFECT_API_URL"].rstrip("/")
    for _ in range(ATTEMPTS):
        if _answers(f"{url}/health"):
            return url
        time.sleep(1)
    raise ServerAway(url)


def _lock(held: IO[str], place: Path, seconds: float = LOCK_SECONDS) -> None:
    """Hold the lock; whoever must wait for it is told so, and not kept for ever."""
    until, waiting = time.monotonic() + seconds, False
    while True:
        try:
            return fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise HomeBusy(place, seconds) from None
        if not waiting:
            sys.stderr.write("sdc: waiting for another sdc command on this home\n")
            waiting = True
        time.sleep(LOOK_SECONDS)


def _require_room(place: Path) -> None:
    """HomeUnusable where nothing can be written: no server starts there."""
    probe = place / "room"
    try:
        durable.write(probe, bytes(ROOM))
    except OSError as error:
        raise HomeUnusable(place.parent, durable.reason(error)) from None
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def _drained() -> None:
    """Records of the last tasks reach the server before it may stop.

    A server that is gone is not waited for.
    """
    if "prefect.events.worker" in sys.modules:
        from prefect.events.worker import EventsWorker

        EventsWorker.drain_all(timeout=DRAIN_SECONDS)


def _free_port() -> int:
    """A port nothing listens on; a machine without loopback is found out here, not by waiting."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        probe.listen()
        try:
            socket.create_connection(probe.getsockname(), timeout=5).close()
        except OSError:
            raise NoLoopback from None
        return int(probe.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except urllib.error.HTTPError as refused:
        return refused.code in {401, 403}
    except (urllib.error.URLError, OSError):
        return False
