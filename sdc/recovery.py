"""What did a run that died leave behind, and how did it really end?

    close_stale(home)                       # at the start of every run, before its own first entry
    close_failed(home, run, {"error": …})   # in place of appending `failed` oneself

A run that announced what it would publish has published it if, and only if, that very bundle lies in the outbox.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc import digest
from sdc.ledger import Entry, Event, Ledger, RunRow, Writer, folded
from sdc.publish.manifest import MANIFEST
from sdc.publish.outbox import INCOMING
from sdc.run import Home, Run, is_alive, known_runs

if TYPE_CHECKING:
    from collections.abc import Iterator


def stale_runs(home: Home) -> tuple[str, ...]:
    """Runs that neither live nor have ended."""
    return tuple(row.run for row in _stale(home, Ledger(home.ledger).entries()))


def close_stale(home: Home) -> tuple[Entry, ...]:
    """An ending for every stale run, and what it left half-done in its outbox removed.

    A run whose announced bundle cannot be looked for, because its outbox is out of reach, stays stale until it can.
    """
    with Ledger(home.ledger).writing() as writer:
        closed = [_close(writer, row, Event.CRASHED, {"after": row.last_event.value}) for row in _stale(home, writer.entries())]
    return tuple(entry for entry in closed if entry is not None)


def close_failed(home: Home, run: Run, body: Mapping[str, Any]) -> Entry | None:
    """The ending of a live run that met an error: `failed`, unless its bundle was out or its ending on record already."""
    with Ledger(home.ledger).writing() as writer:
        row = next((row for row in folded(writer.entries()) if row.run == run.id), _unrecorded(run.id, run.profile))
        return None if row.ended else _close(writer, row, Event.FAILED, body)


def _stale(home: Home, entries: tuple[Entry, ...]) -> Iterator[RunRow]:
    rows = {row.run: row for row in folded(entries)}
    for run in known_runs(home):
        rows.setdefault(run, _unrecorded(run, run.split("-")[1] if "-" in run else ""))
    return (row for row in rows.values() if not row.ended and not is_alive(home, row.run))


def _unrecorded(run: str, profile: str) -> RunRow:
    return RunRow(run, profile, "running", "", "", Event.STARTED, {})


def _close(writer: Writer, row: RunRow, event: Event, body: Mapping[str, Any]) -> Entry | None:
    outbox = Path(row.facts["outbox"]) if "outbox" in row.facts else None
    announced = {name: row.facts[name] for name in ("outbox", "bundle", "manifest") if name in row.facts}
    if outbox is None:
        return writer.append(row.run, row.profile, event, body)
    if "manifest" in announced and not outbox.is_dir():
        return None
    # An approved run whose bundle is not out waits for people again; nothing of it is lost.
    event = Event.REFERRED if "signature" in row.facts else event
    left = _removed(outbox / f"{INCOMING}{row.run}")
    if "manifest" in announced and _digest_of(outbox / announced["bundle"] / MANIFEST) == announced["manifest"]:
        return writer.append(row.run, row.profile, Event.PUBLISHED, {**announced, **left, "recovered": True})
    return writer.append(row.run, row.profile, event, {**body, **left})


def _digest_of(path: Path) -> str | None:
    return digest.of_file(path) if path.is_file() else None


def _removed(leftover: Path) -> dict[str, Any]:
    """What became of a temporary folder."""
    if not leftover.is_dir():
        return {}
    shutil.rmtree(leftover, ignore_errors=True)
    return {"leftover": leftover.name, "leftover_removed": not leftover.exists()}
