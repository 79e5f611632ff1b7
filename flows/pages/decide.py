"""A decision taken through the form: the command line's own functions, one at a time, while the browser waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field

from flows.orchestrator import orchestrator
from sdc.approval import APPROVE, DAYS, REJECT
from sdc.errors import SdcError, redacted
from sdc.review.plain_words import told, without_places
from sdc.run import Home

MOST_DAYS = 3650


@dataclass(frozen=True)
class Asked:
    """The form as it was filled in."""

    decision: str = ""
    by: str = ""
    role: str = ""
    reason: str = ""
    days: int = DAYS

    @classmethod
    def of(cls, form: dict[str, str]) -> Asked:
        days = form.get("days", "")
        return cls(
            decision=form.get("decision", ""),
            by=form.get("by", "").strip(),
            role=form.get("role", ""),
            reason=form.get("reason", "").strip(),
            days=min(max(int(days), 1), MOST_DAYS) if days.isascii() and days.isdigit() and len(days) < 6 else DAYS,
        )


@dataclass
class Job:
    """One decision under way, or what came of it."""

    asked: Asked
    started: float = field(default_factory=time.monotonic)
    done: threading.Event = field(default_factory=threading.Event)
    sentence: str = "The decision is signed and checked."
    refused: bool = False

    @property
    def seconds(self) -> int:
        return int(time.monotonic() - self.started)


class Decisions:
    """Decisions of this server, one a run at a time: who sends the form twice joins the first."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._jobs: dict[str, Job] = {}
        self._guard = threading.Lock()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="decision")
        self._opened = ExitStack()
        self._ready: Callable[[], object] | None = None

    def take(self, run: str, asked: Asked) -> Job:
        """Begin a decision on a run, unless one is under way."""
        with self._guard:
            held = self._jobs.get(run)
            if held is not None and not held.done.is_set():
                return held
            job = self._jobs[run] = Job(asked)
            self._worker.submit(self._work, run, job)
            return job

    def under_way(self, run: str) -> Job | None:
        with self._guard:
            held = self._jobs.get(run)
            return held if held is not None and not held.done.is_set() else None

    def ended(self, run: str) -> Job | None:
        """What came of the last decision, told once."""
        with self._guard:
            held = self._jobs.get(run)
            return self._jobs.pop(run) if held is not None and held.done.is_set() else None

    def close(self) -> None:
        """A decision under way is seen through; then the orchestrator may go."""
        self._worker.shutdown(wait=True)
        self._opened.close()

    def _work(self, run: str, job: Job) -> None:
        try:
            with redacted("the decision"):
                said = without_places(self._decide(run, job))
                job.sentence = f"{said[0].upper()}{said[1:]}."
        except SdcError as error:
            job.sentence, job.refused = f"Not done: {told(error)}.", True
        finally:
            job.done.set()

    def _decide(self, run: str, job: Job) -> str:
        asked, ready = job.asked, self._orchestrator()
        from flows.approve import approve_and_publish, decide, reject

        said = {"role": asked.role, "by": asked.by, "reason": asked.reason}
        if asked.decision == REJECT:
            return reject(self._home, run, **said)
        # What the rules refuse is refused before anything is waited for; said again, it stays one decision.
        decide(self._home, run, APPROVE, **said, days=asked.days)
        job.sentence = "The approval is in the ledger. If no role is missing, the candidate is verified and published now."
        ready()
        return approve_and_publish(self._home, run, **said, days=asked.days)

    def _orchestrator(self) -> Callable[[], object]:
        """The orchestrator of this process, begun with the first decision: Prefect reads its address once, when it is imported."""
        if self._ready is None:
            self._ready = self._opened.enter_context(orchestrator(self._home.prefect))
        return self._ready
