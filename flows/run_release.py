"""A release from the command line: a run in the ledger, a server to talk to, the flow, and how it ended."""

from __future__ import annotations

import getpass
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from flows.orchestrator import orchestrator
from flows.origin import keep_origin
from flows.progress import Silent, progress
from sdc import digest
from sdc.errors import SdcError, StepFailed, redacted
from sdc.ledger import Event, Ledger
from sdc.notification import Notice, notify
from sdc.profile import Profile
from sdc.profile.load import load_profile
from sdc.publish import check_outbox
from sdc.recovery import close_failed, close_stale
from sdc.run import Home, Run

if TYPE_CHECKING:
    from tasks.workspace import Outcome


def run_release(profile_path: Path, *, quiet: bool = False) -> Outcome:
    """Run the release flow on a profile, on the server there is or one of our own. Faults of the profile come before anything is started."""
    load_profile(profile_path)
    with progress(quiet=quiet) as told, orchestrator(Home.find().prefect) as ready:
        told.stage("start", 1)
        return release_run(profile_path, ready, told)


def release_run(profile_path: Path, ready: Callable[[], object], told: Silent, version: str | None = None) -> Outcome:
    """One run, in the ledger from its first moment; who asked to be told hears how it ended."""
    profile_path = profile_path.absolute()
    profile = load_profile(profile_path)
    home = Home.find()
    close_stale(home)
    version = profile.publish.version or version
    check_outbox((profile_path.parent / profile.publish.outbox).resolve(), f"{profile.name}-{version or 'run'}")
    with _recorded_run(home, profile, profile_path) as run:
        outcome = _orchestrated(home, run, profile_path, ready, told, version)
        missed = tuple(finding.criterion for finding in outcome.findings if not finding.holds)
        _notified(profile, Notice(run.id, profile.name, outcome.verdict.value, outcome.sentence, missed))
        return outcome


def _notified(profile: Profile, notice: Notice) -> None:
    for problem in notify(profile.notify, notice):
        sys.stderr.write(f"sdc: {problem}\n")


@contextmanager
def _recorded_run(home: Home, profile: Profile, profile_path: Path) -> Iterator[Run]:
    """A run that is in the ledger from its first moment and ends there whatever happens."""
    with Run.start(home, profile.name) as run:
        keep_origin(run.directory, profile_path)
        started = {
            "outbox": str((profile_path.parent / profile.publish.outbox).resolve()),
            "profile_sha256": digest.of_file(profile_path),
            "producer": getpass.getuser(),
        }
        Ledger(home.ledger).append(run.id, profile.name, Event.STARTED, started)
        try:
            with redacted("the run"):
                yield run
        except SdcError as error:
            close_failed(home, run, {"error": str(error)})
            _notified(profile, Notice(run.id, profile.name, "failed", str(error)))
            raise
        except BaseException as error:
            close_failed(home, run, {"error": type(error).__name__})
            raise


def _orchestrated(home: Home, run: Run, profile_path: Path, ready: Callable[[], object], told: Silent, version: str | None) -> Outcome:
    from flows.candidate import tell
    from flows.release import release
    from sdc.release_criteria import warm
    from tasks.workspace import open_workspace

    # Great Expectations takes seconds to import; it is needed last.
    threading.Thread(target=warm, daemon=True).start()
    space = open_workspace(home, run, profile_path, version)
    try:
        ready()
        told.done("orchestrator ready")
        directory = str(run.directory)
        tell(directory, told)
        state = release(directory, return_state=True)
        if state.is_completed() and space.outcome is not None:
            return space.outcome
        error = state.result(raise_on_failure=False)
        raise error if isinstance(error, SdcError) else StepFailed("the flow", type(error).__name__)
    finally:
        space.close()
