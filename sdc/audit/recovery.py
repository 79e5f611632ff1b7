"""Closes runs that died or failed in the ledger, by what they left behind.

    close_stale(home)                       # at the start of every run, before its own first entry
    close_failed(home, run, {"error": …})   # in place of appending `failed` oneself

A run that announced what it would publish has published it if, and only if, that very bundle lies in the
outbox. What is known of a run that did not come to its end is sealed as its record, as far as it came. A
record that was sealed is never overwritten, and a run that has gone further than the ledger says is no crash:
entries are missing, and nothing is closed.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.audit import vouched
from sdc.audit.ledger import Entry, Event, Ledger, RunRow, Writer, folded
from sdc.errors import HomeUnusable, LedgerBroken, SdcError
from sdc.publish import manifest
from sdc.publish.outbox import INCOMING
from sdc.run import digest
from sdc.run.home import Home, Run, is_alive, known_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.audit.candidate_record import CandidateRecord
    from sdc.audit.record import RunRecord
    from sdc.profile import Profile
    from sdc.run.directory import RunDirectory


def stale_runs(home: Home) -> tuple[str, ...]:
    """Runs that neither live nor have ended."""
    return tuple(row.run for row in _stale(home, Ledger(home.ledger).entries()))


def close_stale(home: Home) -> tuple[Entry, ...]:
    """An ending for every stale run, and what it left half-done in its outbox removed.

    A run whose announced bundle cannot be looked for, because its outbox is out of reach, stays stale until
    it can.
    """
    with Ledger(home.ledger).writing() as writer:
        entries = writer.entries()
        stale = list(_stale(home, entries))
        for row in stale:
            _require_no_further(home, row, len(entries) + 1)
        closed = [_close_stale(home, writer, row) for row in stale]
    return tuple(entry for entry in closed if entry is not None)


def close_failed(home: Home, run: Run, body: Mapping[str, Any], event: Event = Event.FAILED) -> Entry | None:
    """The ending of a live run that met an error or was stopped, unless it has its ending already."""
    with Ledger(home.ledger).writing() as writer:
        row = next(
            (row for row in folded(writer.entries()) if row.run == run.id), _unrecorded(run.id, run.profile)
        )
        return None if row.ended else _close(writer, row, run, event, body)


def _stale(home: Home, entries: tuple[Entry, ...]) -> Iterator[RunRow]:
    rows = {row.run: row for row in folded(entries)}
    for run in known_runs(home):
        rows.setdefault(run, _unrecorded(run, run.split("-")[1] if "-" in run else ""))
    return (row for row in rows.values() if not row.ended and not is_alive(home, row.run))


def _require_no_further(home: Home, row: RunRow, missing: int) -> None:
    """LedgerBroken where a run is published by record or bundle, and the ledger has no announcement."""
    if "manifest" in row.facts:
        return
    directory, outbox = home.directory(row.run), Path(row.facts.get("outbox", ""))
    if directory.record.exists() and vouched.sealed_outcome(directory) == Event.PUBLISHED.value:
        raise LedgerBroken(
            missing,
            f"missing: run {row.run} has the sealed record of a publication, and no entry tells of one",
        )
    out = (
        [place.name for place, held in manifest.bundles(outbox) if held.get("run") == row.run]
        if "outbox" in row.facts and outbox.is_dir()
        else []
    )
    if out:
        raise LedgerBroken(
            missing, f"missing: bundle {out[0]} of run {row.run} is out, and no entry tells of it"
        )


def _unrecorded(run: str, profile: str) -> RunRow:
    return RunRow(run, profile, "running", "", "", Event.STARTED, {})


def _close_stale(home: Home, writer: Writer, row: RunRow) -> Entry | None:
    body = {"after": row.last_event.value}
    try:
        run = Run.resume(home, row.run, row.profile)
    except HomeUnusable:
        return _close(writer, row, None, Event.CRASHED, body)
    with run:
        return _close(writer, row, run, Event.CRASHED, body)


def _close(
    writer: Writer, row: RunRow, run: Run | None, event: Event, body: Mapping[str, Any]
) -> Entry | None:
    outbox = Path(row.facts["outbox"]) if "outbox" in row.facts else None
    announced = {name: row.facts[name] for name in ("outbox", "bundle", "manifest") if name in row.facts}
    if outbox is None:
        return writer.append(row.run, row.profile, event, {**_sealed(run, row, event, body), **body})
    if "manifest" in announced and not outbox.is_dir():
        return None
    # An approved or fasttracked run whose bundle is not out waits for people again; nothing of it is lost.
    event = Event.REFERRED if "signature" in row.facts or "fasttrack" in row.facts else event
    left = _removed(outbox / f"{INCOMING}{row.run}")
    if (
        "manifest" in announced
        and _digest_of(outbox / announced["bundle"] / manifest.MANIFEST) == announced["manifest"]
    ):
        event, body = Event.PUBLISHED, {**announced, "recovered": True}
    return writer.append(row.run, row.profile, event, {**_sealed(run, row, event, body), **body, **left})


def _digest_of(path: Path) -> str | None:
    return digest.of_file(path) if path.is_file() else None


def _removed(leftover: Path) -> dict[str, Any]:
    """What became of a temporary folder."""
    if not leftover.is_dir():
        return {}
    shutil.rmtree(leftover, ignore_errors=True)
    return {"leftover": leftover.name, "leftover_removed": not leftover.exists()}


def _sealed(run: Run | None, row: RunRow, event: Event, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record of a run as far as it came, and what may be said of it in public.

    Nothing where it has one, or kept too little for one.

    A record sealed before the run died stays what it is, whatever it says, and the ledger has its hash.
    """
    from sdc.audit.record import write_record

    if run is None or "record" in row.facts:
        return {}
    if run.directory.record.is_file():
        return {"record": digest.of_file(run.directory.record)}
    if not run.directory.profile.is_file():
        return {}
    error = str(body.get("error") or (f"the process died after {body['after']}" if "after" in body else ""))
    try:
        facts = write_record(run, _as_far_as_it_came(run.directory, event.value, error)).public_facts
    except (SdcError, OSError):
        # A full disk or a damaged directory must not keep the ending out of the ledger.
        return {}
    return {name: facts[name] for name in facts if name != "error"}


def _as_far_as_it_came(directory: RunDirectory, outcome: str, error: str) -> RunRecord:
    from sdc.audit.record import RunRecord
    from sdc.profile.load import load_profile

    profile = load_profile(directory.profile)
    return RunRecord(
        profile,
        digest.of_file(directory.profile),
        outcome,
        source=_read(directory.source),
        candidates=_candidates(directory, profile),
        timings=_read(directory.timings),
        error=error,
    )


def _read(place: Path) -> dict[str, Any]:
    """A small file of the run, unless it was never finished."""
    try:
        held: dict[str, Any] = json.loads(place.read_text())
    except (OSError, ValueError):
        return {}
    return held


def _candidates(directory: RunDirectory, profile: Profile) -> list[CandidateRecord]:
    """What was made, measured and judged.

    Files that were stored whole, and what the run's database has of them.
    """
    from sdc.audit.candidate_record import CandidateRecord
    from sdc.catalogue.candidate import table_name
    from sdc.catalogue.protection import Step
    from sdc.data.warehouse import KEY_VARIABLE, Warehouse
    from sdc.gate.decision import Decision

    try:
        with Warehouse.open(
            directory.path, limits=profile.limits, key=os.environ.get(KEY_VARIABLE)
        ) as warehouse:
            assessments, findings = warehouse.assessments(), warehouse.findings()
            made = [name for name in profile.candidates if warehouse.database.has(table_name(name))]
            rows = {name: warehouse.database.table(table_name(name)).rows for name in made}
    except SdcError:
        return []
    judged = {name: tuple(finding for finding in findings if finding.candidate == name) for name in made}
    done = {name: _read(directory.steps(name)) for name in made}
    return [
        CandidateRecord(
            name,
            _digest_of(directory.stored(name)) or "",
            rows[name],
            [Step.from_record(step) for step in done[name].get("steps", ())],
            done[name].get("sealed", ()),
            assessments=[assessed for assessed in assessments if assessed.candidate == name],
            decision=Decision(name, judged[name]) if judged[name] else None,
            persons=_digest_of(directory.persons(name)) or "",
        )
        for name in made
    ]
