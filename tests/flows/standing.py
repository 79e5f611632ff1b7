"""A Prefect server that stays, as `prefect server start` makes it, and schedules served on it."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil

END = ("COMPLETED", "FAILED", "CANCELLED", "CRASHED")
PATIENCE = 420.0


def until(found: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """What is found as soon as it is there."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if held := found():
            return held
        time.sleep(0.2)
    raise AssertionError(f"waited {seconds:.0f} s for {what}")


class StandingServer:
    """`prefect server start` with SQLite on a free port.

    May be killed and started again on the same database.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/api"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PREFECT_HOME": str(self.place),
            "PREFECT_API_URL": self.url,
            "PREFECT_RUNNER_POLL_FREQUENCY": "1",
        }

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "prefect",
            "server",
            "start",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--no-ui",
        ]
        with (self.place / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=self.environment)
        until(self.answers, "the server to answer")

    def answers(self) -> bool:
        answer = self.said("GET", "health")
        return answer is not None and answer.status_code == 200

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def said(self, method: str, path: str, about: dict[str, Any] | None = None) -> httpx.Response | None:
        """An answer of the server, unless it is too busy for one: SQLite locked (503), or no word in time."""
        try:
            answer = httpx.request(method, f"{self.url}/{path}", json=about, timeout=30)
        except httpx.TransportError:
            return None
        return None if answer.status_code == 503 else answer

    def ask(self, path: str, **about: Any) -> Any:
        return until(lambda: self.said("POST", path, about), "an answer").raise_for_status().json()

    def run(self, identity: str) -> dict[str, Any]:
        held: dict[str, Any] = (
            until(lambda: self.said("GET", f"flow_runs/{identity}"), "the flow run").raise_for_status().json()
        )
        return held

    def ended(self, identity: str) -> dict[str, Any]:
        """A flow run, once it has ended."""
        return until(
            lambda: (run := self.run(identity))["state_type"] in END and run,
            f"the end of flow run {identity}",
        )


class Served:
    """`sdc schedule` as a process of its own."""

    def __init__(self, server: StandingServer, profile: Path, home: Path, *options: str) -> None:
        self.server, self.profile, self.home = server, profile, home
        self._options = options
        self.log = home.parent / f"{profile.stem}.schedule.log"
        self.start()

    def start(self) -> None:
        environment = {**self.server.environment, "SDC_HOME": str(self.home)}
        command = [sys.executable, "-m", "sdc", "schedule", str(self.profile), *self._options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)

    def deployment(self, name: str) -> dict[str, Any]:
        def found() -> Any:
            answer = self.server.said("GET", f"deployments/name/scheduled_release/{name}")
            return answer is not None and answer.status_code == 200 and answer.json()

        return until(found, f"the deployment {name}")

    def trigger(self, name: str) -> str:
        """A run of the deployment, due now; its id."""
        once = {"state": {"type": "SCHEDULED"}, "idempotency_key": secrets.token_hex(8)}
        return str(
            self.server.ask(f"deployments/{self.deployment(name)['id']}/create_flow_run", **once)["id"]
        )

    def running(self) -> list[psutil.Process]:
        """The processes of its runs."""
        return [
            child for child in psutil.Process(self.process.pid).children(recursive=True) if child.is_running()
        ]

    def stop(self) -> None:
        """As a service manager would."""
        if self.process.poll() is None:
            for process in self.running():
                process.terminate()
            self.process.terminate()
            self.process.wait(timeout=60)

    def kill(self) -> None:
        """Nothing of it is left to say anything."""
        self.process.kill()
        for process in self.running():
            process.kill()
        self.process.wait()
