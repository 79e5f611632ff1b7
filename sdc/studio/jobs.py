"""Runs work in the background: how far it is, how it ended, and a way to stop it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sdc.errors import SdcError, redacted
from sdc.run.plain_words import told
from sdc.studio.interruption import Interrupted, Interruption

WORKERS = 8
"""So many that long jobs do not keep the numbers of a click waiting."""


class Cancelled(SdcError):
    """Somebody stopped this work."""

    def __init__(self) -> None:
        super().__init__("this was cancelled")


class JobState(StrEnum):
    """Where a job is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(eq=False)
class Job:
    """One piece of work: `progress` and `cancelled` are handed to its function."""

    name: str
    subject: str = ""
    """What the work is about: a job of the same name about something else is another."""
    ends_itself: bool = False
    """It looks whether it is cancelled, and is not ended from outside: it has something to put in order."""
    state: JobState = JobState.WAITING
    share: float = 0.0
    said: str = ""
    result: Any = None
    error: str = ""
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    done: threading.Event = field(default_factory=threading.Event)
    interruption: Interruption = field(default_factory=Interruption, repr=False)
    _stop: threading.Event = field(default_factory=threading.Event)

    def progress(self, share: float, said: str = "") -> None:
        """Say how far the work is, from 0 to 1; Cancelled where it is to end."""
        self.share, self.said = min(max(share, 0.0), 1.0), said or self.said
        if self.cancelled():
            raise Cancelled

    def cancelled(self) -> bool:
        return self._stop.is_set()

    def cancel(self) -> None:
        """End the work where it is: a call into compiled code ends first."""
        self._stop.set()
        if not self.ends_itself:
            self.interruption.end()

    @property
    def is_under_way(self) -> bool:
        return self.state in (JobState.WAITING, JobState.RUNNING)

    @property
    def seconds(self) -> float:
        return (self.ended or time.monotonic()) - self.started

    @property
    def percent(self) -> int:
        return round(100 * self.share)


Work = Callable[[Callable[..., None], Callable[[], bool]], Any]


class Jobs:
    """The work of one workbench, on a few threads: the last job of each name is remembered."""

    def __init__(self, workers: int = WORKERS) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="studio")
        self._jobs: dict[str, Job] = {}
        self._guard = threading.Lock()

    def start(self, name: str, work: Work, subject: str = "", *, ends_itself: bool = False) -> Job:
        """Begin work under a name; an earlier job of this name that is under way is cancelled."""
        job = Job(name, subject, ends_itself)
        with self._guard:
            if (earlier := self._jobs.get(name)) is not None:
                earlier.cancel()
            self._jobs[name] = job
        self._threads.submit(_work, job, work)
        return job

    def find(self, name: str) -> Job | None:
        with self._guard:
            return self._jobs.get(name)

    def wanted(self, name: str, subject: str, work: Work) -> Job:
        """The job of this name about this subject, begun if there is none."""
        held = self.find(name)
        if held is not None and held.subject == subject and held.state is not JobState.CANCELLED:
            return held
        return self.start(name, work, subject)

    def under_way(self) -> list[Job]:
        with self._guard:
            return [job for job in self._jobs.values() if job.is_under_way]

    def close(self) -> None:
        """Stop everything and wait until it has ended."""
        for job in self.under_way():
            job.cancel()
        self._threads.shutdown(wait=True, cancel_futures=True)


def _work(job: Job, work: Work) -> None:
    job.state = JobState.RUNNING
    try:
        with job.interruption:
            job.progress(0.0)
            with redacted(job.name):
                result = work(job.progress, job.cancelled)
        job.result, job.state, job.share = result, JobState.DONE, 1.0
    except (Cancelled, Interrupted):
        job.state, job.error = JobState.CANCELLED, "this was cancelled"
    except SdcError as error:
        job.state = JobState.CANCELLED if job.cancelled() else JobState.FAILED
        job.error = told(error)
    finally:
        job.ended = time.monotonic()
        job.done.set()
