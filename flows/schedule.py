"""Releases on a schedule: a Prefect deployment of the same flow, served by one process."""

from __future__ import annotations

from pathlib import Path

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Completed

from flows.progress import Silent
from flows.run_release import release_run
from sdc.profile import Profile
from sdc.profile.load import load_profile


@flow(name="scheduled_release", validate_parameters=False, persist_result=False)
def scheduled_release(profile: str) -> State[None]:
    """One release as the schedule fires it. Its bundle is named by the time it was due, so that a slot is published once."""
    outcome = release_run(Path(profile), lambda: None, Silent(), version=slot())
    return Completed(name=outcome.verdict.value.title(), message=outcome.sentence)


def slot() -> str | None:
    due = flow_run.scheduled_start_time
    return f"{due:%Y%m%dT%H%M%SZ}" if due else None


def serve_schedule(path: Path, cron: str) -> None:
    """Serve the profile's deployment until stopped; one run at a time."""
    profile: Profile = load_profile(path)
    scheduled_release.serve(
        name=profile.name,
        cron=cron,
        parameters={"profile": str(path.absolute())},
        limit=1,
        tags=["sdc-release"],
        description=profile.title or profile.name,
        print_starting_message=False,
    )
