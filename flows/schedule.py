"""Releases on a schedule: a Prefect deployment of the same flow, served by one process."""

from __future__ import annotations

import os
from pathlib import Path

from prefect import flow, get_client
from prefect.client.schemas.objects import FlowRunPolicy, State
from prefect.runtime import flow_run
from prefect.states import Completed

from flows.orchestrator import SAFE
from flows.progress import Silent
from flows.run_release import SlotDone, name_the_dead, release_run
from flows.stopping import TookTooLong, leave_soon
from sdc.errors import CannotPublish, HomeUnusable, LedgerUnusable, SdcError, StepFailed, WarehouseUnusable
from sdc.profile.load import load_profile
from sdc.run import Home

RETRIES = "SDC_RETRIES"
RETRY_SECONDS = "SDC_RETRY_SECONDS"
PASSING = (CannotPublish, HomeUnusable, LedgerUnusable, StepFailed, WarehouseUnusable)
"""Errors that may go away by themselves: a full disk, a drive that is not there. A fault in the profile or the data does not."""


class UnsafeSettings(SdcError):
    """Prefect would keep or send what it must not."""

    exit_code = 2

    def __init__(self, names: list[str]) -> None:
        super().__init__(f"a release does not run where these are not set as in docs/prefect.yaml: {', '.join(names)}")


def _name() -> str:
    return f"{Path(flow_run.parameters['profile']).stem} {slot() or ''}".strip()


@flow(
    name="scheduled_release",
    flow_run_name=_name,
    retries=int(os.environ.get(RETRIES, "1")),
    retry_delay_seconds=int(os.environ.get(RETRY_SECONDS, "60")),
    validate_parameters=False,
    persist_result=False,
)
def scheduled_release(profile: str) -> State[None]:
    """One release as the schedule fires it. Its bundle is named by the time it was due, so that a slot is published once."""
    unsafe = [name for name, value in SAFE.items() if os.environ.get(name) != value]
    if unsafe:
        raise UnsafeSettings(unsafe)
    try:
        outcome = release_run(Path(profile), lambda: None, Silent(), slot())
    except SlotDone as done:
        return Completed(name="AlreadyDone", message=str(done))
    except SdcError as error:
        if not isinstance(error, PASSING):
            _try_no_more()
        if isinstance(error, TookTooLong):
            leave_soon()
        raise
    except BaseException:
        leave_soon()
        raise
    return Completed(name=outcome.verdict.value.title(), message=outcome.sentence)


def slot() -> str | None:
    due = flow_run.scheduled_start_time
    return f"{due:%Y%m%dT%H%M%SZ}" if due else None


def _try_no_more() -> None:
    with get_client(sync_client=True) as client:
        client.update_flow_run(flow_run.id, empirical_policy=FlowRunPolicy(retries=0, retry_delay=0))


def serve_schedule(path: Path, cron: str) -> None:
    """Serve the profile's deployment until stopped; one run at a time."""
    profile = load_profile(path)
    home = Home.find()
    # Runs are processes of their own, started where the server's client pleases.
    os.environ["SDC_HOME"] = str(home.path)
    name_the_dead(home)
    scheduled_release.serve(
        name=profile.name,
        cron=cron,
        parameters={"profile": str(path.absolute())},
        limit=1,
        tags=["sdc-release"],
        description=profile.title or profile.name,
        print_starting_message=False,
    )
