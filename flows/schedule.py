"""Serves releases on a schedule: a Prefect deployment of the same flow, in one process."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from prefect import flow, get_client
from prefect.client.schemas.objects import FlowRunPolicy, State
from prefect.client.schemas.schedules import CronSchedule
from prefect.runner import Runner
from prefect.runtime import flow_run
from prefect.states import Completed
from pydantic import ValidationError

from flows.orchestration.orchestrator import SAFE, standing
from flows.orchestration.run_release import SlotDone, in_short, name_the_dead, release_run
from flows.orchestration.stopping import TookTooLong, leave_soon
from sdc.errors import (
    CannotApprove,
    CannotPublish,
    HomeUnusable,
    LedgerUnusable,
    SdcError,
    StepFailed,
    WarehouseUnusable,
)
from sdc.gate.decision import Verdict
from sdc.profile.load import load, load_profile
from sdc.run import durable
from sdc.run.home import Home
from sdc.run.progress_display import Silent

RETRIES = "SDC_RETRIES"
RETRY_SECONDS = "SDC_RETRY_SECONDS"
PASSING = (CannotPublish, HomeUnusable, LedgerUnusable, StepFailed, WarehouseUnusable)
"""Errors that may go away by themselves: a full disk, a drive that is not there.

A fault in the profile or the data does not.
"""


class UnsafeSettings(SdcError):
    """Prefect would keep or send what it must not."""

    exit_code = 2

    def __init__(self, names: list[str]) -> None:
        super().__init__(
            f"a release does not run where these are not set as in docs/prefect.yaml: {', '.join(names)}"
        )


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
    """One release as the schedule fires it.

    Its bundle is named by the time it was due, so that a slot is published once.
    """
    unsafe = [name for name, value in SAFE.items() if os.environ.get(name) != value]
    if unsafe:
        raise UnsafeSettings(unsafe)
    durable.keep_private()
    try:
        outcome = release_run(load(Path(profile)), lambda: None, Silent(), slot())
    except SlotDone as done:
        return _ended("AlreadyDone", str(done))
    except SdcError as error:
        _say("failed", in_short(error))
        if not isinstance(error, PASSING):
            _try_no_more()
        if isinstance(error, TookTooLong):
            leave_soon()
        raise
    except BaseException as error:
        _say("stopped", type(error).__name__)
        leave_soon()
        raise
    if outcome.verdict is Verdict.REFERRED and (left := _fasttracked(outcome.run_id)):
        return left
    return _ended(outcome.verdict.value.title(), outcome.sentence)


def _fasttracked(run: str) -> State[None] | None:
    """How a referred run ended whose profile lets a schedule try fasttrack; none where it does not.

    One that stays waits for people.
    """
    from flows.fasttrack import scheduled_fasttrack

    try:
        tried = scheduled_fasttrack(Home.find(), run)
    except CannotApprove as refused:
        return _ended("Referred", f"fasttrack was refused: {in_short(refused)}")
    if tried is None:
        return None
    if tried.bundle:
        return _ended(
            "Published",
            f"run {run} is materially run {tried.memo.like}, which people approved; published as"
            f" {Path(tried.bundle).name}",
        )
    return _ended("Referred", f"run {run} waits for people: {'; '.join(tried.memo.reasons)}")


def _ended(name: str, sentence: str) -> State[None]:
    _say(name.lower(), sentence)
    return Completed(name=name, message=sentence)


def _say(state: str, sentence: str) -> None:
    """One line in the scheduler's output, which has that of its runs."""
    click.echo(f"{slot() or flow_run.name}: {state}: {sentence}")


def slot() -> str | None:
    due = flow_run.scheduled_start_time
    return f"{due:%Y%m%dT%H%M%SZ}" if due else None


def _try_no_more() -> None:
    with get_client(sync_client=True) as client:
        client.update_flow_run(flow_run.id, empirical_policy=FlowRunPolicy(retries=0, retry_delay=0))


class ScheduleRunner(Runner):
    """Stops on SIGTERM as on Ctrl-C: its schedule paused, the run under way brought to its end.

    Prefect's own handler leaves the schedule on.
    """

    async def start(self, *arguments: Any, **options: Any) -> None:
        self._serving = asyncio.current_task()
        await super().start(*arguments, **options)

    def handle_sigterm(self, *_signal: object, **_more: object) -> None:
        if self._serving is not None:
            self._serving.get_loop().call_soon_threadsafe(self._serving.cancel)


def next_due(cron: str, after: datetime) -> datetime:
    """When a schedule fires next (UTC); what is no schedule is refused."""
    from prefect._vendor.croniter.croniter import croniter

    try:
        CronSchedule(cron=cron)
    except ValidationError:
        problem = f'"{cron}" is no schedule; five fields: minute, hour, day, month, weekday, e.g. "0 6 * * 1"'
        raise click.BadParameter(problem, param_hint="--cron") from None
    due: datetime = croniter(cron, after).get_next(datetime)  # type: ignore[no-untyped-call]
    return due


def serve_schedule(path: Path, cron: str) -> None:
    """Serve the profile's deployment until stopped; one run at a time."""
    due = next_due(cron, datetime.now(UTC))
    profile = load_profile(path)
    home = Home.find()
    # Runs are processes of their own, started where the server's client pleases.
    os.environ["SDC_HOME"] = str(home.path)
    name_the_dead(home)
    standing()
    runner = ScheduleRunner(name=profile.name, limit=1)
    runner.add_flow(
        scheduled_release,
        name=profile.name,
        cron=cron,
        parameters={"profile": str(path.absolute())},
        tags=["sdc-release"],
        description=profile.title or profile.name,
    )
    click.echo(
        f'{profile.name} is served at "{cron}" (UTC), next due {due:%Y-%m-%d %H:%M:%S}; stop with Ctrl-C'
    )
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(runner.start())
