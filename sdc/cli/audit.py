"""What the ledger says: lists, one run in full, and whether the chain holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import click
from rich.markup import escape

from sdc.audit.chain import SIGNED, Anchor
from sdc.audit.ledger import RUN_STATES, Ledger
from sdc.audit.record import show, verify
from sdc.audit.verification import AuditVerification
from sdc.cli.layout import console
from sdc.cli.layout import show as show_rows
from sdc.errors import NothingToVerify, SdcError, headline
from sdc.run.home import Home, named_home

DECIDED = ("by", "role", "decision", "reason", "when", "expires")


def _date(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise click.BadParameter("this is not a date; write it as 2026-01-31", param_hint="--since") from None


def _state(text: str | None) -> str | None:
    if text is not None and text not in RUN_STATES:
        raise click.BadParameter(
            f"no run is ever called that; known are {', '.join(RUN_STATES)}", param_hint="--state"
        )
    return text


def list_runs(*, since: str | None, profile: str | None, state: str | None, as_json: bool) -> None:
    rows = Ledger(Home.find().ledger).runs(_date(since), profile, _state(state))
    if as_json:
        click.echo(
            json.dumps(
                [
                    {"run": row.run, "profile": row.profile, "state": row.state, "started": row.started}
                    for row in rows
                ],
                indent=2,
            )
        )
        return
    listed = []
    for row in rows:
        started = f"{datetime.fromisoformat(row.started):%Y-%m-%d %H:%M:%S}"
        note = headline(str(row.facts.get("error", ""))) or str(row.facts.get("bundle") or "")
        listed.append((row.run, row.profile, row.state, started, escape(note)))
    show_rows(("run", "profile", "state", "started", "note"), listed, out=console())


def show_run(run: str, *, as_json: bool) -> None:
    view = show(Home.find(), run)
    facts: dict[str, Any] = {
        "run": view.row.run,
        "profile": view.row.profile,
        "state": view.row.state,
        "started": view.row.started,
        "entries": [
            {"sequence": entry.sequence, "time": entry.time, "event": entry.event.value, "hash": entry.hash}
            for entry in view.entries
        ],
        "decisions": [
            {name: entry.body.get(name) for name in DECIDED}
            for entry in view.entries
            if entry.event in SIGNED
        ],
        "facts": dict(view.row.facts),
        "record_holds": view.record_holds,
        "record": view.record,
    }
    click.echo(json.dumps(facts, indent=2, default=str) if as_json else _told(facts))


def _told(facts: Any, indent: str = "") -> str:
    """Nested facts as indented lines."""
    if isinstance(facts, Mapping):
        return "\n".join(_line(key, value, indent) for key, value in facts.items())
    return "\n".join(_line("-", value, indent) for value in facts)


def _line(key: str, value: Any, indent: str) -> str:
    if isinstance(value, (Mapping, list, tuple)) and value:
        return f"{indent}{key}\n{_told(value, indent + '  ')}"
    return f"{indent}{key}  {value if value not in ({}, [], (), None) else '—'}"


def verify_ledger(anchors: Sequence[str] = (), *, as_json: bool = False) -> None:
    """What holds, in words or as JSON; what does not is raised either way, and stands in the JSON before."""
    anchored = [Anchor.parse(said) for said in anchors]
    try:
        home = Home.existing()
        if home is None:
            raise NothingToVerify(named_home())
        held = verify(home, anchored)
    except SdcError as problem:
        if as_json:
            click.echo(json.dumps({"holds": False, "faults": str(problem).splitlines()}, indent=2))
        raise
    if as_json:
        click.echo(json.dumps({"holds": True, "faults": [], **asdict(held)}, indent=2))
    else:
        _say(held)


def _say(held: AuditVerification) -> None:
    from sdc.spelling import counted

    entries, records = counted(held.entries, "entry", "entries"), counted(held.records, "sealed record")
    click.echo(f"the ledger holds: {entries}, none altered, missing or out of order; {records} as recorded")
    files, signatures = counted(held.files, "file"), counted(held.signatures, "decision")
    click.echo(
        f"checked too: {files} the records vouch for, {signatures}, {counted(held.bundles, 'bundle')} in an"
        " outbox"
    )
    if held.anchors:
        click.echo(f"nothing was rewritten before {counted(held.anchors, 'anchor')}")
    if held.gone:
        click.echo(f"no longer kept: the records of {', '.join(held.gone)}")
    for note in held.notes:
        click.echo(f"note: {note}")
