"""The commands by which people decide on a referred run, and the keys they sign with."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sdc.cli.command_groups import CommandGroup
from sdc.cli.passphrase import with_passphrase

DECIDE = CommandGroup("Decide", order=3)


ROLE = click.option("--as", "role", required=True, help="The role in which you sign.")
NAME = click.option("--by", required=True, help="Your name, as your key has it.")


def with_signer(command: Callable[..., Any]) -> Callable[..., Any]:
    """Who signs, and in which role."""
    return ROLE(NAME(command))


def _days(_context: click.Context, _option: click.Parameter, days: int) -> int:
    from sdc.audit.approval import MOST_DAYS

    if not 1 <= days <= MOST_DAYS:
        raise click.BadParameter(f"an approval holds for 1 to {MOST_DAYS} days, not {days}")
    return days


@DECIDE.command()
@click.argument("run")
@with_signer
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
    from sdc.cli.decisions import approve_run

    approve_run(run, role, by, reason, candidate, days, passphrase_file)


@DECIDE.command()
@click.argument("run")
@with_signer
@click.option("--reason", required=True, help="Why; it stays on record.")
@with_passphrase
def reject(run: str, role: str, by: str, reason: str, passphrase_file: Path | None) -> None:
    """Reject a referred run: it is never published."""
    from sdc.cli.decisions import reject_run

    reject_run(run, role, by, reason, passphrase_file)


@DECIDE.command(name="return")
@click.argument("run")
@with_signer
@click.option("--reason", required=True, help="What has to change; it stays on record.")
@with_passphrase
def return_(run: str, role: str, by: str, reason: str, passphrase_file: Path | None) -> None:
    """Return a referred run to its producer: nothing is published, and a new run answers it."""
    from sdc.cli.decisions import return_run

    return_run(run, role, by, reason, passphrase_file)


@DECIDE.command()
@click.argument("run")
@click.argument("text")
@with_signer
@click.option("--condition", is_flag=True, help="You would approve on this condition.")
@with_passphrase
def comment(run: str, text: str, role: str, by: str, condition: bool, passphrase_file: Path | None) -> None:
    """Say something of a run, signed and in the ledger, without deciding on it."""
    from sdc.cli.decisions import comment_on_run

    comment_on_run(run, text, role, by, passphrase_file, condition=condition)


@DECIDE.command()
@click.argument("run")
def fasttrack(run: str) -> None:
    """Publish a referred run that is materially the one people approved.

    Else say what they must look at (exit 4).
    """
    from sdc.cli.decisions import fasttrack_run

    sys.exit(fasttrack_run(run))


@DECIDE.command()
@click.argument("release")
@with_signer
@click.option("--reason", required=True, help="Why; it stays on record, and the public reads it.")
@click.option(
    "--keep-data", is_flag=True, help="Leave the files where they are, with the tombstone beside them."
)
@with_passphrase
def withdraw(
    release: str, role: str, by: str, reason: str, keep_data: bool, passphrase_file: Path | None
) -> None:
    """Withdraw a published release; RELEASE is its bundle, its run or the end of the run's id."""
    from sdc.cli.decisions import withdraw_release

    withdraw_release(release, role, by, reason, passphrase_file, keep_data=keep_data)


@DECIDE.command()
@click.argument("release")
def deliver(release: str) -> None:
    """Bring a published release to the places of publish.to again, if that was interrupted."""
    from sdc.audit.delivering import deliver_release
    from sdc.run.home import Home

    for place in deliver_release(Home.find(), release):
        click.echo(f"delivered: {place}")


class Keys(click.Group):
    """Commands about keys; `sdc keys NAME` is short for `sdc keys make NAME`."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        as_it_is = arguments in ([], ["--list"]) or arguments[0] in {
            *self.commands,
            *context.help_option_names,
        }
        return super().parse_args(context, arguments if as_it_is else ["make", *arguments])


@DECIDE.group(cls=Keys, invoke_without_command=True)
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
    if context.invoked_subcommand is None:
        from sdc.cli.decisions import list_keys

        list_keys()


@keys.command("make")
@click.argument("name", required=False)
@click.option("--role", "roles", multiple=True, help="A role the key is for; may be given several times.")
@click.option("--list", "listed", is_flag=True, hidden=True)
@with_passphrase
def keys_make(name: str | None, roles: tuple[str, ...], listed: bool, passphrase_file: Path | None) -> None:
    """Make a person's key pair, locked by a passphrase; the ledger has its public half."""
    if listed or not name or not roles:
        raise click.UsageError("say a name and at least one --role, or --list alone")
    from sdc.cli.decisions import make_person_key

    make_person_key(name, roles, passphrase_file)


@keys.command("adopt")
@click.argument("name")
@with_passphrase
def keys_adopt(name: str, passphrase_file: Path | None) -> None:
    """Put a key made by an earlier version on record, and lock it with a passphrase."""
    from sdc.cli.decisions import adopt_person_key

    adopt_person_key(name, passphrase_file)


@keys.command("withdraw")
@click.argument("name")
@click.option("--reason", required=True, help="Why; it stays on record.")
def keys_withdraw(name: str, reason: str) -> None:
    """A person's key signs no decision any more; those it signed stay."""
    from sdc.cli.decisions import withdraw_person_key

    withdraw_person_key(name, reason)


@DECIDE.command()
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
