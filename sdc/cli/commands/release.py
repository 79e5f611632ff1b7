"""The commands that release: now, on a schedule, or as a demonstration."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from sdc.cli.command_groups import CommandGroup

RELEASE = CommandGroup("Release", order=2)
PROFILE = click.argument("profile", type=click.Path(path_type=Path))


@RELEASE.command()
@PROFILE
@click.option("--json", "as_json", is_flag=True, help="The outcome and every finding as JSON.")
@click.option("--quiet", is_flag=True, help="No progress, only the outcome.")
def release(profile: Path, as_json: bool, quiet: bool) -> None:
    """Run a release: publish a verified bundle, or say exactly why not."""
    from flows.orchestration.run_release import run_release
    from sdc.cli.summary import print_outcome

    outcome = run_release(profile, quiet=quiet)
    if as_json:
        click.echo(json.dumps(outcome.as_json(), indent=2))
    else:
        print_outcome(outcome)
    sys.exit(outcome.exit_code)


@RELEASE.command()
@PROFILE
@click.option("--cron", required=True, help='When, e.g. "0 6 * * 1" for Mondays at six (UTC).')
@click.option(
    "--retries",
    default=1,
    show_default=True,
    type=click.IntRange(min=0),
    help="How often a run that failed is tried again.",
)
@click.option(
    "--retry-seconds",
    default=60,
    show_default=True,
    type=click.IntRange(min=0),
    help="How long to wait before.",
)
def schedule(profile: Path, cron: str, retries: int, retry_seconds: int) -> None:
    """Serve a profile on a schedule, as a Prefect deployment, until stopped.

    Needs a Prefect server (PREFECT_API_URL).
    """
    from flows.orchestration.orchestrator import settle
    from sdc.profile.load import load_profile
    from sdc.run.home import Home

    load_profile(profile)
    if not os.environ.get("PREFECT_API_URL"):
        raise click.UsageError(
            "PREFECT_API_URL is not set, and a schedule needs a server that stays; start one: prefect server"
            " start"
        )
    settle(Home.find().prefect)
    os.environ |= {"SDC_RETRIES": str(retries), "SDC_RETRY_SECONDS": str(retry_seconds)}
    from flows.schedule import serve_schedule

    serve_schedule(profile, cron)


@RELEASE.command()
@click.option("--quiet", is_flag=True, help="No progress, only the outcome.")
def demo(quiet: bool) -> None:
    """Run the demonstration release on fictitious households.

    An installed package puts its profiles and data into the folder sdc-demo.
    """
    from flows.orchestration.run_release import run_release
    from sdc.cli.demonstration import demonstration
    from sdc.cli.summary import print_outcome

    outcome = run_release(demonstration(Path("sdc-demo")), quiet=quiet)
    print_outcome(outcome)
    sys.exit(outcome.exit_code)
