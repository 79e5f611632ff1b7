"""The command `sdc`. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from sdc import __version__

PROFILE = click.argument("profile", type=click.Path(path_type=Path))


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="sdc")
def cli() -> None:
    """Statistical disclosure control as a release pipeline.

    Exit codes: 0 done or published, 2 bad profile or data, 3 withheld or does not hold, 4 referred, 1 failure.
    """


@cli.command()
@PROFILE
@click.option("--quiet", is_flag=True, help="No progress, only the outcome.")
def release(profile: Path, quiet: bool) -> None:
    """Run a release: publish a verified bundle, or say exactly why not."""
    from flows.run_release import run_release
    from flows.summary import print_outcome

    outcome = run_release(profile, quiet=quiet)
    print_outcome(outcome)
    sys.exit(outcome.exit_code)


@cli.command()
@click.option("--quiet", is_flag=True, help="No progress, only the outcome.")
def demo(quiet: bool) -> None:
    """Run the demonstration release on fictitious households."""
    from flows.run_release import run_release
    from flows.summary import print_outcome

    outcome = run_release(Path(__file__).parent.parent / "profiles" / "demo" / "published.yaml", quiet=quiet)
    print_outcome(outcome)
    sys.exit(outcome.exit_code)


@cli.command()
@PROFILE
@click.option("--json", "as_json", is_flag=True, help="Table and risk-utility map as JSON.")
@click.option("--quiet", is_flag=True, help="No progress, only the outcome.")
def compare(profile: Path, as_json: bool, quiet: bool) -> None:
    """All candidates side by side; nothing is published or kept."""
    from flows.orchestrator import orchestrator
    from flows.progress import progress
    from sdc.profile.load import load_profile
    from sdc.run import Home

    load_profile(profile)
    with progress(quiet=quiet) as told, orchestrator(Home.find().prefect) as ready:
        from flows.compare import compare_candidates
        from flows.summary import print_comparison

        compared = compare_candidates(profile.absolute(), ready, told)
    if as_json:
        click.echo(json.dumps(compared.as_json(), indent=2))
    else:
        print_comparison(compared)


@cli.command()
@PROFILE
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), default=10, show_default=True, help="Begin nothing new after so long.")
@click.option("--tries", type=click.IntRange(min=1), help="Try at most so many candidates: the same on any machine.")
@click.option("--json", "as_json", is_flag=True, help="Everything that was tried, as JSON.")
@click.option("--quiet", is_flag=True, help="No progress, only the outcome.")
def plan(profile: Path, minutes: float, tries: int | None, as_json: bool, quiet: bool) -> None:
    """Search the profile's space for candidates that pass and recommend one; nothing is published or kept."""
    from flows.orchestrator import orchestrator
    from flows.progress import progress
    from sdc.profile.load import load_space
    from sdc.run import Home

    load_space(profile)
    with progress(quiet=quiet) as told, orchestrator(Home.find().prefect) as ready:
        from flows.plan import plan_release
        from flows.summary import print_plan

        planned = plan_release(profile.absolute(), ready, told, minutes=minutes, tries=tries)
    if as_json:
        click.echo(json.dumps(planned.as_json(), indent=2))
    else:
        print_plan(planned)
    sys.exit(0 if planned.recommended else 3)


@cli.command()
@PROFILE
def check(profile: Path) -> None:
    """All faults of a profile and its data, at once."""
    from sdc.check import check as check_profile

    for note in check_profile(profile):
        click.echo(f"note: {note}")
    click.echo(f"{profile}: no faults")


@cli.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Write the profile here instead of printing it.")
@click.option("--table", help="A table of a DuckDB file.")
@click.option("--query", help="A query of a DuckDB file, one SELECT.")
def draft(data: Path, out: Path | None, table: str | None, query: str | None) -> None:
    """A first profile from a data file, with the reason for every guess."""
    from sdc.draft import draft as draft_profile

    text = draft_profile(data, table=table, query=query, kept_in=out.absolute().parent if out else None)
    if out is None:
        click.echo(text, nl=False)
        return
    if out.exists():
        raise click.BadParameter(f"{out} exists; name another file, or remove it", param_hint="--out")
    out.write_text(text, encoding="utf-8")
    click.echo(f"wrote {out}; read every guess, then run: sdc check {out}")


@cli.command()
@PROFILE
@click.option("--candidate", "candidate_file", type=click.Path(path_type=Path), required=True, help="A protected file (CSV or Parquet).")
@click.option("--measure", "measures", multiple=True, help="Take only this measure; may be given several times.")
@click.option("--aligned/--not-aligned", default=None, help="Is row i of the file row i of the source? Default: when their values agree in place.")
@click.option("--json", "as_json", is_flag=True, help="Measurements as JSON.")
def assess(profile: Path, candidate_file: Path, measures: tuple[str, ...], aligned: bool | None, as_json: bool) -> None:
    """Measure a candidate made elsewhere: in R, SAS or by hand."""
    from flows.assess import assess_file
    from flows.summary import print_assessments

    assessments = assess_file(profile, candidate_file, measures, aligned=aligned)
    if as_json:
        click.echo(json.dumps([assessment.as_json() for assessment in assessments], indent=2))
    else:
        print_assessments(assessments)


@cli.command()
@PROFILE
@click.option("--candidate", required=True, help="Name of the candidate in the profile.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Where to write it (.csv or .parquet).")
@click.option("--quiet", is_flag=True, help="No progress, only the outcome.")
def protect(profile: Path, candidate: str, out: Path, quiet: bool) -> None:
    """Apply the steps of one candidate and write the table. Nothing is judged or published."""
    from flows.progress import progress
    from flows.protect import protect_file
    from flows.summary import print_steps

    with progress(quiet=quiet) as told:
        steps = protect_file(profile, candidate, out, told)
    print_steps(steps, out)


@cli.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="The whole catalogue as JSON.")
@click.option("--validity", is_flag=True, help="Which measure may be believed after which method.")
@click.option("--markdown", is_flag=True, help="The catalogue as a page.")
def catalogue(name: str | None, as_json: bool, validity: bool, markdown: bool) -> None:
    """All measures and methods: options, needs, validity, references."""
    from flows.summary import print_catalogue, print_entry, print_markdown, print_validity

    if markdown:
        print_markdown()
    elif validity:
        print_validity(as_json=as_json)
    elif name:
        print_entry(name, as_json=as_json)
    else:
        print_catalogue(as_json=as_json)


@cli.command()
@click.argument("run")
@click.option("--as", "role", required=True, help="The role in which you decide.")
@click.option("--by", required=True, help="Your name, as your key has it.")
@click.option("--reason", required=True, help="Why; it stays on record.")
@click.option("--days", default=30, show_default=True, help="For how many days the approval holds.")
def approve(run: str, role: str, by: str, reason: str, days: int) -> None:
    """Approve a referred run; once every role has, it is published."""
    from flows.orchestrator import orchestrator
    from sdc.run import Home

    home = Home.find()
    with orchestrator(home.prefect) as ready:
        from flows.approve import approve_and_publish

        ready()
        click.echo(approve_and_publish(home, run, role=role, by=by, reason=reason, days=days))


@cli.command()
@click.argument("run")
@click.option("--as", "role", required=True, help="The role in which you decide.")
@click.option("--by", required=True, help="Your name, as your key has it.")
@click.option("--reason", required=True, help="Why; it stays on record.")
def reject(run: str, role: str, by: str, reason: str) -> None:
    """Reject a referred run: it is never published."""
    from flows.orchestrator import settle
    from sdc.run import Home

    home = Home.find()
    settle(home.prefect)
    from flows.approve import reject as reject_run

    click.echo(reject_run(home, run, role=role, by=by, reason=reason))


@cli.command()
@click.argument("run")
def fasttrack(run: str) -> None:
    """Publish a referred run that is materially the one people approved; else say what they must look at (exit 4)."""
    from flows.orchestrator import orchestrator
    from sdc.run import Home

    home = Home.find()
    with orchestrator(home.prefect) as ready:
        from flows.fasttrack import fasttrack as fasttrack_run

        ready()
        done = fasttrack_run(home, run)
    click.echo(done.memo.as_markdown())
    click.echo(f"published: {done.bundle}" if done.bundle else "nothing was published; the run waits for review")
    sys.exit(done.exit_code)


@cli.command()
@click.argument("name", required=False)
@click.option("--role", "roles", multiple=True, help="A role the key is for; may be given several times.")
@click.option("--list", "listed", is_flag=True, help="Only say who has a key, and for which roles.")
def keys(name: str | None, roles: tuple[str, ...], listed: bool) -> None:
    """Make a person's key pair for signing decisions, or list the people who have one."""
    from sdc.approval import make_key, people
    from sdc.run import Home

    home = Home.find()
    if listed and not name and not roles:
        click.echo("\n".join(f"{person.name}: {', '.join(person.roles)}" for person in people(home.keys)) or "no keys yet")
        return
    if listed or not name or not roles:
        raise click.UsageError("say a name and at least one --role, or --list alone")
    person = make_key(home.keys, name, roles)
    click.echo(f"made a key for {person.name} ({', '.join(person.roles)}); the private half is {home.keys / f'{name}.key'}")


@cli.command()
@click.argument("run")
@click.option("--threads", type=click.IntRange(min=1), help="On how many threads; the bytes do not depend on it.")
def replay(run: str, threads: int | None) -> None:
    """Make the candidates of a run again and compare their bytes."""
    from flows.replay import replay as replay_run
    from sdc.run import Home

    replayed = replay_run(Home.find(), run, threads=threads)
    for change in replayed.changes:
        click.echo(f"changed: {change}")
    for name, (recorded, again) in replayed.candidates.items():
        click.echo(f"{name}: {'the same bytes' if recorded == again else 'other bytes'}, SHA-256 {again}")
    sys.exit(0 if replayed.equal else 3)


@cli.command()
@PROFILE
@click.option("--cron", required=True, help='When, e.g. "0 6 * * 1" for Mondays at six (UTC).')
@click.option("--retries", default=1, show_default=True, type=click.IntRange(min=0), help="How often a run that failed is tried again.")
@click.option("--retry-seconds", default=60, show_default=True, type=click.IntRange(min=0), help="How long to wait before.")
def schedule(profile: Path, cron: str, retries: int, retry_seconds: int) -> None:
    """Serve a profile on a schedule, as a Prefect deployment, until stopped. Needs a Prefect server (PREFECT_API_URL)."""
    import os

    from flows.orchestrator import settle
    from sdc.profile.load import load_profile
    from sdc.run import Home

    load_profile(profile)
    if not os.environ.get("PREFECT_API_URL"):
        raise click.UsageError("PREFECT_API_URL is not set, and a schedule needs a server that stays; start one: prefect server start")
    settle(Home.find().prefect)
    os.environ |= {"SDC_RETRIES": str(retries), "SDC_RETRY_SECONDS": str(retry_seconds)}
    from flows.schedule import serve_schedule

    serve_schedule(profile, cron)


@cli.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8321, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 takes a free one.")
@click.option("--beyond-this-machine", "beyond", is_flag=True, help="Allow an address other machines can reach. Nothing on the way is encrypted.")
@click.option("--quiet", is_flag=True, help="No line for each request.")
def serve(host: str, port: int, beyond: bool, quiet: bool) -> None:
    """The review pages: runs, reports, decisions and comparisons in a browser, until stopped."""
    from flows.pages.serve import serve_pages
    from sdc.run import Home

    serve_pages(Home.find(), host, port, beyond=beyond, quiet=quiet)


@cli.group()
def audit() -> None:
    """The ledger of all runs."""


@audit.command("list")
@click.option("--since", help="Only runs started on or after this date (YYYY-MM-DD).")
@click.option("--profile", help="Only runs of this profile.")
@click.option("--state", help="Only runs in this state.")
@click.option("--json", "as_json", is_flag=True)
def audit_list(**options: Any) -> None:
    """All runs, newest last."""
    from flows.audit import list_runs

    list_runs(**options)


@audit.command("show")
@click.argument("run")
@click.option("--json", "as_json", is_flag=True)
def audit_show(run: str, as_json: bool) -> None:
    """One run: what was done, measured, decided and published."""
    from flows.audit import show_run

    show_run(run, as_json=as_json)


@audit.command("verify")
def audit_verify() -> None:
    """Does the ledger's chain hold? Names the first entry that does not."""
    from flows.audit import verify_ledger

    verify_ledger()


@audit.command("export")
@click.argument("run")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write it; default RUN.zip here.")
def audit_export(run: str, out: Path | None) -> None:
    """One zip of a run for an auditor; sha256sum -c SHA256SUMS checks it."""
    from sdc.audit import show
    from sdc.audit_export import export
    from sdc.run import Home

    home = Home.find()
    place = out or Path(f"{show(home, run).row.run}.zip")
    click.echo(f"wrote {export(home, run, place)}; it holds the sealed record: treat it as confidential")


def main() -> None:
    """The command's border: errors on purpose are one sentence, others say only their kind and place."""
    from flows.stopping import leave_soon
    from sdc.errors import SdcError, redacted

    try:
        with redacted("sdc", passing=(click.ClickException, click.exceptions.Abort)):
            cli(standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("stopped", err=True)
        leave_soon()
        sys.exit(1)
    except click.ClickException as wrong:
        wrong.show()
        sys.exit(2)
    except SdcError as error:
        click.echo(f"sdc: {error}", err=True)
        leave_soon(error.exit_code)
        sys.exit(error.exit_code)
