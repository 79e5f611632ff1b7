"""What the commands of decisions and keys do, and say."""

from __future__ import annotations

from pathlib import Path

import click

from sdc.audit.people import account
from sdc.cli.passphrase import passphrase


def approve_run(
    run: str, role: str, by: str, reason: str, candidate: str | None, days: int, passphrase_file: Path | None
) -> None:
    from flows.orchestration.orchestrator import orchestrator, settle
    from sdc.run.home import Home

    home = Home.find()
    settle(home.prefect)
    from sdc.audit.deciding import approve, to_leave

    click.echo(f"the last approval publishes {to_leave(home, run, candidate)}")
    secret = passphrase(by, passphrase_file)
    said = {"role": role, "by": by, "reason": reason, "passphrase": secret}
    if waits := approve(home, run, **said, days=days, candidate=candidate):
        click.echo(waits)
        return
    with orchestrator(home.prefect) as ready:
        from flows.publish_approved import approve_and_publish

        ready()
        click.echo(approve_and_publish(home, run, **said, days=days, candidate=candidate))


def reject_run(run: str, role: str, by: str, reason: str, passphrase_file: Path | None) -> None:
    from flows.orchestration.orchestrator import settle
    from sdc.run.home import Home

    home, secret = Home.find(), passphrase(by, passphrase_file)
    settle(home.prefect)
    from sdc.audit.deciding import reject

    click.echo(reject(home, run, role=role, by=by, reason=reason, passphrase=secret))


def return_run(run: str, role: str, by: str, reason: str, passphrase_file: Path | None) -> None:
    from sdc.audit.deciding import send_back
    from sdc.run.home import Home

    home, secret = Home.find(), passphrase(by, passphrase_file)
    click.echo(send_back(home, run, role=role, by=by, reason=reason, passphrase=secret))


def comment_on_run(
    run: str, text: str, role: str, by: str, passphrase_file: Path | None, *, condition: bool
) -> None:
    from sdc.audit.remarks import COMMENT, CONDITION, remark
    from sdc.run.home import Home

    home, secret = Home.find(), passphrase(by, passphrase_file)
    kind = CONDITION if condition else COMMENT
    said = remark(home, run, kind, role=role, by=by, text=text, passphrase=secret)
    click.echo(f"the {said.decision} of {said.by} is in the ledger; the run is as it was")


def withdraw_release(
    release: str, role: str, by: str, reason: str, passphrase_file: Path | None, *, keep_data: bool
) -> None:
    from sdc.audit.withdrawal import withdraw
    from sdc.run.home import Home
    from sdc.spelling import counted

    home, secret = Home.find(), passphrase(by, passphrase_file)
    gone = withdraw(home, release, role=role, by=by, reason=reason, passphrase=secret, keep_data=keep_data)
    click.echo(f"withdrawn: {gone.bundle} of run {gone.run}; the ledger has it")
    for place, removed in gone.places.items():
        done = "the files stay" if keep_data else f"{counted(len(removed), 'file')} removed"
        click.echo(f"{place}: a tombstone is there, {done}")
    for place in gone.absent:
        click.echo(f"{place}: the bundle is not there any more")
    for where in gone.remains:
        click.echo(f"not gone for good: {where}")


def fasttrack_run(run: str) -> int:
    from flows.orchestration.orchestrator import orchestrator
    from sdc.run.home import Home

    home = Home.find()
    with orchestrator(home.prefect) as ready:
        from flows.fasttrack import fasttrack

        ready()
        done = fasttrack(home, run)
    click.echo(done.memo.as_markdown())
    click.echo(
        f"published: {done.bundle}" if done.bundle else "nothing was published; the run waits for review"
    )
    return done.exit_code


def list_keys() -> None:
    from sdc.audit.ledger import Ledger
    from sdc.audit.people import key_files, people, withdrawals
    from sdc.run.home import Home

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


def make_person_key(name: str, roles: tuple[str, ...], passphrase_file: Path | None) -> None:
    from sdc.audit.approval import make_key
    from sdc.run.home import Home

    home = Home.find()
    person = make_key(home, name, roles, passphrase=passphrase(name, passphrase_file, new=True), by=account())
    click.echo(
        f"made a key for {person.name} ({', '.join(person.roles)}), entry {person.entry} of the ledger"
    )
    click.echo(f"the private half is {home.keys / f'{name}.key'}, locked by the passphrase")


def adopt_person_key(name: str, passphrase_file: Path | None) -> None:
    from sdc.audit.approval import adopt_key
    from sdc.run.home import Home

    person = adopt_key(
        Home.find(), name, passphrase=passphrase(name, passphrase_file, new=True), by=account()
    )
    click.echo(
        f"the key of {person.name} ({', '.join(person.roles)}) is on record as entry {person.entry} of the"
        " ledger"
    )


def withdraw_person_key(name: str, reason: str) -> None:
    from sdc.audit.approval import withdraw
    from sdc.run.home import Home

    home = Home.find()
    withdrawal = withdraw(home, name, by=account(), reason=reason)
    click.echo(
        f"the key of {name} signs no decision from entry {withdrawal.entry} of the ledger on; those before"
        " can still be checked"
    )
    click.echo(f"the private half, {home.keys / f'{name}.key'}, can be destroyed")
