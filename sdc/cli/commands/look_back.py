"""The commands about runs there have been: their reports, the ledger, and the same bytes again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from sdc.cli.command_groups import CommandGroup

LOOK_BACK = CommandGroup("Look back", order=4)


@LOOK_BACK.command()
@click.argument("run")
@click.option(
    "--threads", type=click.IntRange(min=1), help="On how many threads; the bytes do not depend on it."
)
@click.option(
    "--source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Where the source is now, if it is not where it was.",
)
@click.option(
    "--households",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The same for the file of households, where two files are linked.",
)
def replay(run: str, threads: int | None, source: Path | None, households: Path | None) -> None:
    """Make the candidates of a run again and compare their bytes."""
    from sdc.audit.replay import replay as replay_run
    from sdc.run.home import Home

    replayed = replay_run(Home.find(), run, threads=threads, source=source, households=households)
    for change in replayed.changes:
        click.echo(f"changed: {change}")
    for name, (recorded, again) in replayed.candidates.items():
        click.echo(f"{name}: {'the same bytes' if recorded == again else 'other bytes'}, SHA-256 {again}")
    sys.exit(0 if replayed.equal else 3)


@LOOK_BACK.command()
@click.argument("run")
@click.option("--open", "opens", is_flag=True, help="Open it in a browser.")
def report(run: str, opens: bool) -> None:
    """Where the internal report of a run is; RUN is its id or the end of it."""
    from sdc.audit.record import show
    from sdc.run.home import Home
    from sdc.web.run_files import ReportState, report_of

    home = Home.find()
    view = show(home, run)
    state, _ = report_of(home, view)
    if state is not ReportState.SEALED:
        raise click.UsageError(f"run {view.row.run}: {state.value}")
    place = home.directory(view.row.run).report
    click.echo(str(place))
    if opens:
        click.launch(place.as_uri())


@LOOK_BACK.group()
def audit() -> None:
    """The ledger of all runs."""


@audit.command("list")
@click.option("--since", help="Only runs started on or after this date (YYYY-MM-DD).")
@click.option("--profile", help="Only runs of this profile.")
@click.option("--state", help="Only runs in this state.")
@click.option("--json", "as_json", is_flag=True)
def audit_list(**options: Any) -> None:
    """All runs, newest last."""
    from sdc.cli.audit import list_runs

    list_runs(**options)


@audit.command("show")
@click.argument("run")
@click.option("--json", "as_json", is_flag=True)
def audit_show(run: str, as_json: bool) -> None:
    """One run: what was done, measured, decided and published."""
    from sdc.cli.audit import show_run

    show_run(run, as_json=as_json)


@audit.command("verify")
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="SEQ:HASH",
    help="An entry somebody else wrote down; may be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="What holds, or every fault, as JSON.")
def audit_verify(anchors: tuple[str, ...], as_json: bool) -> None:
    """Do ledger, signatures, runs and bundles agree? Names all that does not."""
    from sdc.cli.audit import verify_ledger

    verify_ledger(anchors, as_json=as_json)


@audit.command("export")
@click.argument("run")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write it; default RUN.zip here.")
def audit_export(run: str, out: Path | None) -> None:
    """One zip of a run for an auditor; sha256sum -c SHA256SUMS checks it."""
    from sdc.audit.export import export
    from sdc.audit.record import show
    from sdc.run.home import Home

    home = Home.find()
    place = out or Path(f"{show(home, run).row.run}.zip")
    click.echo(f"wrote {export(home, run, place)}; it holds the sealed record: treat it as confidential")
