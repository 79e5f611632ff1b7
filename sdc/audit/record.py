"""Seals the record of a run, and says what the ledger tells of it in public.

    sealed = write_record(run, RunRecord(profile, profile_sha256, ...))      # run.directory.record, mode 0600
    ledger.append(run.id, run.profile, Event.WITHHELD, sealed.public_facts)  # its SHA-256 and public facts
    verify(home); show(home, "3f9a2c")

The record is canonical JSON: the same facts give the same bytes.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.audit.candidate_record import CandidateRecord
from sdc.audit.ledger import Entry, Ledger, RunRow, folded
from sdc.audit.people import Person, Withdrawal, decided_after, people, withdrawals
from sdc.audit.software import DISTRIBUTION, code_digest, versions
from sdc.audit.verification import AuditVerification, verify
from sdc.catalogue.protection import composed, covered
from sdc.catalogue.registry import find_measure
from sdc.errors import HomeUnusable, UnknownName
from sdc.run import digest, durable
from sdc.spelling import nearest

if TYPE_CHECKING:
    from sdc.profile import Profile
    from sdc.run.home import Home, Run

VERSION = 1


@dataclass(frozen=True)
class RunRecord:
    """All that is to be kept of a run, as far as it came.

    `source` has the SHA-256 and count of rows of what was read (original, population); `outputs` the SHA-256
    of each file by name; `timings` seconds by stage; `error` the redacted words of what stopped the run;
    `files` the SHA-256 of the files of the run that publishing needs, by name.
    """

    profile: Profile
    profile_sha256: str
    outcome: str
    source: Mapping[str, Any] = field(default_factory=dict)
    candidates: Sequence[CandidateRecord] = ()
    chosen: str | None = None
    choice: str = ""
    """Why the gate chose it, in a sentence."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    error: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    trials: Sequence[Mapping[str, Any]] = ()
    """Changes that were tried on a candidate that does not meet its criteria, and what was found."""


@dataclass(frozen=True)
class Sealed:
    """A record as written, and what may be said of it in public."""

    path: Path
    sha256: str
    public_facts: Mapping[str, Any]


@dataclass(frozen=True)
class RunView:
    """One run for a reader.

    Its entries, its sealed record where that is still kept, and whether it is the one the ledger knows.
    """

    row: RunRow
    entries: tuple[Entry, ...]
    record: Mapping[str, Any] | None
    record_holds: bool | None
    withdrawn: Mapping[str, Withdrawal] = field(default_factory=dict)
    people: Mapping[str, Person] = field(default_factory=dict)

    @property
    def void(self) -> frozenset[str]:
        """Signatures on this run made with a key that had been withdrawn."""
        return frozenset(
            str(entry.body.get("signature")) for entry in decided_after(self.entries, self.withdrawn)
        )


def write_record(run: Run, held: RunRecord) -> Sealed:
    """The sealed record, on disk when this returns, readable by its owner only.

    One that is there already is never overwritten.
    """
    data = digest.canonical(_as_json(run.id, held)) + b"\n"
    place = run.directory.record
    try:
        if place.exists() and place.read_bytes() != data:
            raise HomeUnusable(
                run.directory.path,
                "there is a sealed record of this run already, and it is never overwritten",
            )
        durable.replace(place, data)
    except OSError as error:
        raise HomeUnusable(run.directory.path, durable.reason(error)) from None
    sha256 = digest.of_bytes(data)
    return Sealed(place, sha256, {"record": sha256, **_public_facts(held)})


def show(home: Home, run: str) -> RunView:
    """One run, by its id or the end of it."""
    entries = Ledger(home.ledger).entries()
    rows = {row.run: row for row in folded(entries)}
    found = [known for known in rows if known == run] or [
        known for known in rows if run and known.endswith(run)
    ]
    if len(found) != 1:
        raise UnknownName("run", run, nearest(run, list(rows)))
    row = rows[found[0]]
    place = home.directory(row.run).record
    data = place.read_bytes() if place.exists() else None
    holds = (
        None if data is None or "record" not in row.facts else digest.of_bytes(data) == row.facts["record"]
    )
    of_run = tuple(entry for entry in entries if entry.run == row.run)
    return RunView(
        row,
        of_run,
        json.loads(data) if data and holds is not False else None,
        holds,
        withdrawals(entries),
        people(entries),
    )


def _as_json(run: str, held: RunRecord) -> dict[str, Any]:
    measures = sorted(
        {assessment.measure for candidate in held.candidates for assessment in candidate.assessments}
    )
    return {
        "version": VERSION,
        "run": run,
        "outcome": held.outcome,
        "error": held.error,
        "seed": held.profile.seed,
        "profile": {"name": held.profile.name, "sha256": held.profile_sha256, "plan": held.profile},
        "source": held.source,
        "software": {
            "code": code_digest(),
            "packages": versions(),
            "python": platform.python_version(),
            "platform": platform.platform(),
        },
        "candidates": [candidate.as_record() for candidate in held.candidates],
        "chosen": held.chosen,
        "choice": held.choice,
        "definitions": {
            name: {"definition": find_measure(name).definition, "reference": find_measure(name).reference}
            for name in measures
        },
        "outputs": held.outputs,
        "files": held.files,
        "timings": held.timings,
        "trials": held.trials,
    }


def _public_facts(held: RunRecord) -> dict[str, Any]:
    """Hashes, names and verdicts: no seed, no value, no count of the original."""
    candidates = {candidate.name: candidate for candidate in held.candidates}
    failed = {
        name: sorted(finding.criterion for finding in candidate.decision.missed())
        for name, candidate in candidates.items()
        if candidate.decision
    }
    return {
        "family": held.profile.family,
        "profile_sha256": held.profile_sha256,
        "code": code_digest(),
        "version": versions()[DISTRIBUTION],
        "source": held.source.get("sha256", ""),
        "candidates": {
            name: {
                "sha256": candidate.sha256,
                "does_not_hold": failed.get(name, []),
                **_budget(candidate),
                **_several(candidate, held.profile.publish.syntheses),
            }
            for name, candidate in candidates.items()
        },
        **({"chosen": held.chosen} if held.chosen else {}),
        **({"outputs": dict(held.outputs)} if held.outputs else {}),
        **({"error": held.error} if held.error else {}),
    }


def _several(candidate: CandidateRecord, layout: str) -> dict[str, Any]:
    """The further syntheses of a candidate, and how they leave: each, stacked, or the first alone."""
    return {"further": [*candidate.further], "syntheses": layout} if candidate.further else {}


def _budget(candidate: CandidateRecord) -> dict[str, Any]:
    """The privacy a candidate spends, where every step proves it.

    Added up over releases as long as there is a ledger.
    """
    budget = composed(candidate.steps)
    return (
        {}
        if budget is None
        else {
            "budget": {
                "epsilon": budget.epsilon,
                "delta": budget.delta,
                "covers": sorted(covered(candidate.steps)),
            }
        }
    )


__all__ = [
    "AuditVerification",
    "CandidateRecord",
    "RunRecord",
    "RunView",
    "Sealed",
    "show",
    "verify",
    "write_record",
]
