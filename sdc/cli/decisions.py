"""The commands about runs there have been: decisions, keys, replay, pages and the ledger."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from sdc.audit.people import account
from sdc.cli.passphrase import passphrase, with_passphrase


def _days(_context: click.Context, _option: click.Parameter, days: int) -> int:
    from sdc.audit.approval import MOST_DAYS

    if not 1 <= days <= MOST_DAYS:
        raise click.BadParameter(f"an approval holds for 1 to {MOST_DAYS} days, not {days}")
    return days


@click.command()
@click.argument("run")
@click.option("--as", "role", required=True, help="The role in which you decide.")
@click.option("--by", required=True, help="Your name, as your key has it.")
@click.option("--reason", required=True, help="Why; it stays on record.")
@click.option(
    "--candidate",
    help="Approve this candidate in place of the chosen one; the gate must not have withheld it.",
)
@click.option(
    "--days", default=30, show_default=True, callback=_days, help="For how many days the approval holds."
)
@with_passphrase
def approve(
    run: str, role: str, by: str, reason: str, candidate: str | None, days: int, passphrase_file: Path | None
) -> None:
    """Approve a referred run; once every role has, it is published."""
    from flows.orchestration.orchestrator import orchestrator
    from sdc.run.home import Home

    home, secret = Home.find(), passphrase(by, passphrase_file)
    with orchestrator(home.prefect) as ready:
        from flows.publish_approved import approve_and_publish

        ready()
        click.echo(
            approve_and_publish(
                home, run, role=role, by=by, reason=reason, passphrase=secret, days=days, candidate=candidate
            )
        )


@click.command()
@click.argument("run")
@click.option("--as", "role", required=True, help="The role in which you decide.")
@click.option("--by", required=True, help="Your name, as your key has it.")
@click.option("--reason", required=True, help="Why; it stays on record.")
@with_passphrase
def reject(run: str, role: str, by: str, reason: str, passphrase_file: Path | None) -> None:
    """Reject a referred run: it is never published."""
    from flows.orchestration.orchestrator import settle
    from sdc.run.home import Home

    home, secret = Home.find(), passphrase(by, passphrase_file)
    settle(home.prefect)
    from flows.publish_approved import reject as reject_run

    click.echo(reject_run(home, run, role=role, by=by, reason=reason, passphrase=secret))


@click.command()
@click.argument("run")
def fasttrack(run: str) -> None:
    """Publish a referred run that is materially the one people approved.

    Else say what they must look at (exit 4).
    """
    from flows.orchestration.orchestrator import orchestrator
    from sdc.run.home import Home

    home = Home.find()
    with orchestrator(home.prefect) as ready:
        from flows.fasttrack import fasttrack as fasttrack_run

        ready()
        done = fasttrack_run(home, run)
    click.echo(done.memo.as_markdown())
    click.echo(
        f"published: {done.bundle}" if done.bundle else "nothing was published; the run waits for review"
    )
    sys.exit(done.exit_code)


class Keys(click.Group):
    """Commands about keys; `sdc keys NAME` is short for `sdc keys make NAME`."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        as_it_is = arguments in ([], ["--list"]) or arguments[0] in {
            *self.commands,
            *context.help_option_names,
        }
        return super().parse_args(context, arguments if as_it_is else ["make", *arguments])


@click.group(cls=Keys, invoke_without_command=True)
@click.option(
    "--list",
    is_flag=True,
    expose_value=False,
    help="Say who has a key, and for which roles; so does the command alone.",
)
@click.pass_context
def keys(context: click.Context) -> None:
    """The keys people sign decisions with.

    Who has one, a new one (sdc keys NAME --role ROLE), one that is withdrawn.
    """
    from sdc.audit.ledger import Ledger
    from sdc.audit.people import key_files, people
    from sdc.audit.withdrawal import withdrawals
    from sdc.run.home import Home

    if context.invoked_subcommand is not None:
        return
    home = Home.find()
    entries = Ledger(home.ledger).entries()
    withdrawn, known = withdrawals(entries), people(entries)
    listed = {**key_files(home.keys), **known}
    for name in sorted(listed):
        said = (
            f" ({withdrawn[name]})"
            if name in withdrawn
            else ""
            if name in known
            else f" (not on record: sdc keys adopt {name})"
        )
        click.echo(f"{name}: {', '.join(listed[name].roles)}{said}")
    if not listed:
        click.echo("no keys yet")


@keys.command("make")
@click.argument("name", required=False)
@click.option("--role", "roles", multiple=True, help="A role the key is for; may be given several times.")
@click.option("--list", "listed", is_flag=True, hidden=True)
@with_passphrase
def keys_make(name: str | None, roles: tuple[str, ...], listed: bool, passphrase_file: Path | None) -> None:
    """Make a person's key pair, locked by a passphrase; the ledger has its public half."""
    from sdc.audit.approval import make_key
    from sdc.run.home import Home

    if listed or not name or not roles:
        raise click.UsageError("say a name and at least one --role, or --list alone")
    home = Home.find()
    person = make_key(home, name, roles, passphrase=passphrase(name, passphrase_file, new=True), by=account())
    click.echo(
        f"made a key for {person.name} ({', '.join(person.roles)}), entry {person.entry} of the ledger"
    )
    click.echo(f"the private half is {home.keys / f'{name}.key'}, locked by the passphrase")


@keys.command("adopt")
@click.argument("name")
@with_passphrase
def keys_adopt(name: str, passphrase_file: Path | None) -> None:
    """Put a key made by an earlier version on record, and lock it with a passphrase."""
    from sdc.audit.approval import adopt_key
    from sdc.run.home import Home

    person = adopt_key(
        Home.find(), name, passphrase=passphrase(name, passphrase_file, new=True), by=account()
    )
    click.echo(
        f"the key of {person.name} ({', '.join(person.roles)}) is on record as entry {person.entry} of the"
        " ledger"
    )


@keys.command("withdraw")
@click.argument("name")
@click.option("--reason", required=True, help="Why; it stays on record.")
def keys_withdraw(name: str, reason: str) -> None:
    """A person's key signs no decision any more; those it signed stay."""
    from sdc.audit.approval import withdraw
    from sdc.run.home import Home

    home = Home.find()
    withdrawal = withdraw(home, name, by=account(), reason=reason)
    click.echo(
        f"the key of {name} signs no decision from entry {withdrawal.entry} of the ledger on; those before"
        " can still be checked"
    )
    click.echo(f"the private half, {home.keys / f'{name}.key'}, can be destroyed")


@click.command()
@click.argument("run")
@click.option(
    "--threads", type=click.IntRange(min=1), help="On how many threads; the bytes do not depend on it."
)
@click.option(
    "--source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Where the source is now, if it is not where it was.",
)
def replay(run: str, threads: int | None, source: Path | None) -> None:
    """Make the candidates of a run again and compare their bytes."""
    from sdc.audit.replay import replay as replay_run
    from sdc.run.home import Home

    replayed = replay_run(Home.find(), run, threads=threads, source=source)
    for change in replayed.changes:
        click.echo(f"changed: {change}")
    for name, (recorded, again) in replayed.candidates.items():
        click.echo(f"{name}: {'the same bytes' if recorded == again else 'other bytes'}, SHA-256 {again}")
    sys.exit(0 if replayed.equal else 3)


@click.command()
@click.argument("run")
@click.option("--open", "opens", is_flag=True, help="Open it in a browser.")
def report(run: str, opens: bool) -> None:
    """Where the internal report of a run is; RUN is its id or the end of it."""
    from sdc.audit.record import show
    from sdc.run.directory import REPORT
    from sdc.run.home import Home
    from sdc.web.run_files import ReportState, report_of

    home = Home.find()
    view = show(home, run)
    state, _ = report_of(home, view)
    if state is not ReportState.SEALED:
        raise click.UsageError(f"run {view.row.run}: {state.value}")
    place = home.runs / view.row.run / REPORT
    click.echo(str(place))
    if opens:
        click.launch(place.as_uri())


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    default=8321,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port; 0 takes a free one.",
)
@click.option(
    "--beyond-this-machine",
    "beyond",
    is_flag=True,
    help="Allow an address other machines can reach. Nothing on the way is encrypted.",
)
@click.option("--quiet", is_flag=True, help="No line for each request.")
def serve(host: str, port: int, beyond: bool, quiet: bool) -> None:
    """The review pages: runs, reports, decisions and comparisons in a browser, until stopped."""
    from sdc.run.home import Home
    from sdc.web.serve import serve_pages

    serve_pages(Home.find(), host, port, beyond=beyond, quiet=quiet)


@click.group()
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
