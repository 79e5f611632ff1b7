"""Runs a release from the command line or a schedule, in the ledger from its first moment to its end."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from flows.orchestration.orchestrator import orchestrator
from flows.orchestration.stopping import stoppable
from sdc.audit.delivering import deliver_release
from sdc.audit.ledger import Event, Ledger
from sdc.audit.people import account
from sdc.audit.recovery import close_failed, close_stale
from sdc.check import startable
from sdc.data.warehouse.shared import remove_abandoned
from sdc.errors import Faulty, HomeUnusable, LedgerUnusable, SdcError, StepFailed, headline, redacted
from sdc.gate.decision import Verdict
from sdc.profile import Profile
from sdc.profile.load import LoadedProfile, load_profile
from sdc.publish import check_outbox
from sdc.publish.delivery import addressed, check_place
from sdc.run.home import Home, Run, alone_at
from sdc.run.notification import Notice, notify
from sdc.run.plain_words import without_places
from sdc.run.progress_display import Progress, progress
from sdc.run.scratch import sweep_starts

if TYPE_CHECKING:
    from tasks.context import RunContext
    from tasks.outcome import Outcome

DONE = ("published", "withdrawn", "referred", "rejected", "returned", "withheld")
"""Endings after which a slot of a schedule is not run again."""


class SlotDone(SdcError):
    """Another run had this slot of the schedule."""

    def __init__(self, slot: str, by: str) -> None:
        super().__init__(f"the slot {slot} was done already: {by}; a slot is published once")


def run_release(profile_path: Path, *, quiet: bool = False) -> Outcome:
    """Run the release flow on a profile, on the server there is or one of our own.

    Faults of the profile come before anything is started.
    """
    loaded = startable(profile_path)
    with stoppable(), progress(quiet=quiet) as shown, orchestrator(Home.find().prefect) as ready:
        shown.stage("start")
        return release_run(loaded, ready, shown)


def release_run(
    loaded: LoadedProfile, ready: Callable[[], object], shown: Progress, slot: str | None = None
) -> Outcome:
    """One run, in the ledger from its first moment; who asked to be told hears how it ended.

    `slot` is the version where the profile has none.

    The profile is not read again: what is checked, run, kept and hashed are the same bytes.
    """
    from tasks.context import open_context

    home, loaded = Home.find(), loaded.as_version(slot)
    name_the_dead(home)
    waiting = "another run works for this outbox; waiting until it ends"
    with alone_at(home, loaded.outbox, lambda: _say(waiting)):
        _check_start(home, loaded, slot)
        with _recorded_run(home, loaded, slot) as (run, kept):
            with open_context(home, run, loaded, shown) as context:
                context.files |= kept
                outcome = _orchestrated(context, ready)
            missed = tuple(
                finding.criterion
                for finding in outcome.findings
                if not finding.holds and finding.otherwise != "note"
            )
            said = Notice(run.id, run.profile, outcome.verdict.value, outcome.sentence, missed)
            _notified(loaded.profile, said)
        if loaded.profile.publish.to and outcome.verdict is Verdict.PUBLISHED:
            deliver_release(home, run.id)
        return outcome


def name_the_dead(home: Home) -> None:
    """Runs that died are closed, named, and told to whom their profile says."""
    for entry in close_stale(home):
        ending = "its bundle was out" if entry.event is Event.PUBLISHED else "nothing was published"
        sentence = (
            f"run {entry.run} died; found at the next start and recorded as {entry.event.value}: {ending}"
        )
        _say(sentence)
        place = home.directory(entry.run).profile
        if place.is_file():
            _notified(load_profile(place), Notice(entry.run, entry.profile, entry.event.value, sentence))
    sweep_starts(home)
    for problem in remove_abandoned(home):
        _say(problem)


def _check_start(home: Home, loaded: LoadedProfile, slot: str | None) -> None:
    """What can be known before any work: the slot is open, the outbox can take the bundle."""
    profile, outbox, version = loaded.profile, loaded.outbox, loaded.profile.publish.version
    bundle = f"{profile.name}-{version or 'run'}"
    if slot is not None and version == slot:
        for row in Ledger(home.ledger).runs(profile=profile.name):
            if row.facts.get("slot") == slot and row.facts.get("outbox") == str(outbox) and row.state in DONE:
                raise SlotDone(slot, f"run {row.run} is {row.state}")
        if os.path.lexists(outbox / bundle):
            raise SlotDone(slot, f"{bundle} is in the outbox")
    try:
        check_outbox(outbox, bundle)
        for address in profile.publish.to:
            check_place(addressed(address, loaded.base))
    except SdcError as error:
        _notified(profile, Notice("", profile.name, "failed", in_short(error)))
        raise


def _say(sentence: str) -> None:
    sys.stderr.write(f"sdc: {sentence}\n")


def _notified(profile: Profile, notice: Notice) -> None:
    for problem in notify(profile.notify, notice):
        _say(problem)


@contextmanager
def _recorded_run(
    home: Home, loaded: LoadedProfile, slot: str | None
) -> Iterator[tuple[Run, dict[str, str]]]:
    """A run that is in the ledger from its first moment and ends there whatever happens.

    With it the SHA-256 of what it keeps of its profile, by name.
    """
    profile = loaded.profile
    with Run.start(home, profile.name) as run:
        kept = loaded.files.keep(run.directory, slot)
        started = {
            "outbox": str(loaded.outbox),
            "profile_sha256": loaded.files.sha256,
            "producer": account(),
            **({"slot": slot} if slot else {}),
        }
        Ledger(home.ledger).make_key(account())
        Ledger(home.ledger).append(run.id, profile.name, Event.STARTED, started)
        try:
            with redacted("the run"):
                yield run, kept
        except SdcError as error:
            found = _ended(home, run, Event.FAILED, str(error))
            _notified(profile, Notice(run.id, profile.name, "failed", f"{in_short(error)}{found}"))
            raise
        except BaseException as error:
            stopped = f"stopped by {type(error).__name__}"
            found = _ended(home, run, Event.CANCELLED, stopped)
            _notified(profile, Notice(run.id, profile.name, "cancelled", f"{stopped}{found}"))
            raise


def _ended(home: Home, run: Run, event: Event, error: str) -> str:
    """The ending in the ledger.

    Where that cannot be written, the next run finds this one without an ending and writes it.

    What is to be added to the error where the run has another ending: its bundle may be out.
    """
    try:
        close_failed(home, run, {"error": error}, event)
        state = next(row.state for row in Ledger(home.ledger).runs() if row.run == run.id)
    except (LedgerUnusable, HomeUnusable) as problem:
        _say(f"the ending of run {run.id} is not yet in the ledger: {problem}")
        return ""
    if state == event.value:
        return ""
    _say(f"run {run.id} is {state} all the same")
    return f"; the run is {state} all the same"


def in_short(error: SdcError) -> str:
    """An error as a notice tells it.

    Of faults in a profile or its data only where they are, and no places on the disk.
    """
    if isinstance(error, Faulty):
        return without_places(
            f"faults in the {error.what}: {'; '.join(dict.fromkeys(fault.place for fault in error.faults))}"
        )
    return without_places(headline(str(error)))


def _orchestrated(context: RunContext, ready: Callable[[], object]) -> Outcome:
    import httpx

    from flows.orchestration.cluster import machines_for
    from flows.release import release
    from sdc.gate import warm

    # Great Expectations takes seconds to import; it is needed last.
    threading.Thread(target=warm, daemon=True).start()
    ready()
    context.progress.done("orchestrator ready")
    context.machines = machines_for(context)
    named = release.with_options(flow_run_name=context.run.id)
    try:
        state = named(context.name, return_state=True)
        error = None if state.is_completed() else state.result(raise_on_failure=False)
    except httpx.HTTPError as lost:
        error = lost
    if context.outcome is None:
        raise _as_failure(error)
    if error is not None:
        _say(f"the orchestrator does not show how run {context.run.id} ended; the ledger does")
    return context.outcome


def _as_failure(error: object) -> SdcError:
    import httpx

    if isinstance(error, SdcError):
        return error
    lost = isinstance(error, httpx.HTTPError)
    return StepFailed(
        "the flow", f"the Prefect server was lost ({type(error).__name__})" if lost else type(error).__name__
    )
