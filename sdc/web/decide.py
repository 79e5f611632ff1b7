"""Takes a decision from the form: calls the command line's own functions, one at a time.

The browser waits meanwhile.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from flows.orchestration.orchestrator import orchestrator, settle
from sdc.audit.approval import DAYS, MOST_DAYS, REJECT, RETURN
from sdc.audit.record import show
from sdc.audit.remarks import COMMENT, CONDITION
from sdc.audit.what_leaves import has_left
from sdc.errors import CannotApprove, SdcError, redacted
from sdc.run.home import Home
from sdc.run.plain_words import told, without_places

if TYPE_CHECKING:
    from sdc.web.access import Signer


@dataclass(frozen=True)
class DecisionForm:
    """The form as it was filled in."""

    decision: str = ""
    by: str = ""
    role: str = ""
    reason: str = ""
    days: int = DAYS
    candidate: str | None = None
    passphrase: str = field(default="", repr=False)

    @classmethod
    def of(cls, form: dict[str, str]) -> DecisionForm:
        """The form as a decision; raises CannotApprove where the days are no number an approval can hold.

        A button says `approve NAME`, `reject`, `return`, `comment` or `condition`.
        """
        days = form.get("days", "") or str(DAYS)
        if not (days.isascii() and days.isdigit() and len(days) < 6 and 1 <= int(days) <= MOST_DAYS):
            raise CannotApprove(f"an approval holds for 1 to {MOST_DAYS} days")
        decision, _, candidate = form.get("decision", "").partition(" ")
        return cls(
            decision=decision,
            candidate=candidate or None,
            by=form.get("by", "").strip(),
            role=form.get("role", ""),
            reason=form.get("reason", "").strip(),
            days=int(days),
            passphrase=form.get("passphrase", ""),
        )

    @property
    def without_secret(self) -> DecisionForm:
        return replace(self, passphrase="")


@dataclass(eq=False)
class DecisionJob:
    """One decision that is worked on, or its result; then it has no passphrase any more."""

    asked: DecisionForm
    signer: Signer
    started: float = field(default_factory=time.monotonic)
    done: threading.Event = field(default_factory=threading.Event)
    sentence: str = "The decision waits for its turn, then it is signed and checked."
    refused: bool = False
    signed: bool = False
    """Is the approval in the ledger, whatever comes of publishing?"""

    @property
    def seconds(self) -> int:
        return int(time.monotonic() - self.started)


class Decisions:
    """Decisions of this server, one at a time.

    If somebody sends the same form twice, the second joins the first; another decision waits its turn.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._jobs: dict[str, list[DecisionJob]] = {}
        self._guard = threading.Lock()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="decision")

    def take(self, run: str, asked: DecisionForm, signer: Signer) -> DecisionJob:
        """Begin a decision on a run, unless the very same is being worked on."""
        with self._guard:
            jobs = self._jobs.setdefault(run, [])
            same = next(
                (
                    job
                    for job in jobs
                    if job.asked == asked and job.signer is signer and not job.done.is_set()
                ),
                None,
            )
            if same is not None:
                return same
            jobs.append(DecisionJob(asked, signer))
            self._worker.submit(self._work, run, jobs[-1])
            return jobs[-1]

    def under_way(self, run: str, signer: Signer) -> DecisionJob | None:
        """The decision this person waits for; decisions of others are not shown here."""
        with self._guard:
            return next(
                (job for job in self._jobs.get(run, []) if job.signer is signer and not job.done.is_set()),
                None,
            )

    def ended(self, run: str, signer: Signer) -> list[DecisionJob]:
        """The results of this person's decisions since the last call, in their order.

        Each is shown once.
        """
        with self._guard:
            jobs = self._jobs.pop(run, [])
            told = [job for job in jobs if job.signer is signer and job.done.is_set()]
            if len(told) < len(jobs):
                self._jobs[run] = [job for job in jobs if job not in told]
            return told

    def close(self) -> None:
        """Finishes the decisions that are being worked on."""
        self._worker.shutdown(wait=True)

    def _work(self, run: str, job: DecisionJob) -> None:
        try:
            with redacted("the decision"):
                said = without_places(self._decide(run, job))
                job.sentence = f"{said[0].upper()}{said[1:]}."
        except SdcError as error:
            before = "The approval is in the ledger; publishing was not done" if job.signed else "Not done"
            job.sentence, job.refused = f"{before}: {told(error)}.", True
        finally:
            job.asked = job.asked.without_secret
            job.done.set()

    def _decide(self, run: str, job: DecisionJob) -> str:
        asked = job.asked
        job.signer.require(asked.by)
        settle(self._home.prefect)
        from flows.publish_approved import approve_and_publish
        from sdc.audit.deciding import approve, reject, send_back
        from sdc.audit.remarks import remark

        said = {"role": asked.role, "by": asked.by, "reason": asked.reason, "passphrase": asked.passphrase}
        if asked.decision in (COMMENT, CONDITION):
            text = {("text" if name == "reason" else name): held for name, held in said.items()}
            spoken = remark(self._home, run, asked.decision, **text)
            job.signer.name = asked.by
            return f"the {spoken.decision} of {spoken.by} is in the ledger; the run is as it was"
        if asked.decision in (REJECT, RETURN):
            ended = (reject if asked.decision == REJECT else send_back)(self._home, run, **said)
            job.signer.name = asked.by
            return ended
        # What the rules refuse is refused before anything is waited for; said again, it stays one decision.
        waits = approve(self._home, run, **said, days=asked.days, candidate=asked.candidate)
        job.signer.name, job.signed = asked.by, True
        if waits:
            return waits
        job.sentence = "The approval is in the ledger. The candidate is verified and published now."
        with orchestrator(self._home.prefect) as ready:
            ready()
            approve_and_publish(self._home, run, **said, days=asked.days, candidate=asked.candidate)
        return f"approved and published {has_left(show(self._home, run))}"
