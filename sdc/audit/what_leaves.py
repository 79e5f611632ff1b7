"""Says which files with how many records leave in which bundle: before people decide, and after it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from sdc.audit.candidate_record import CandidateRecord, profile_of
from sdc.audit.subjects import leaving
from sdc.profile.wording import listed
from sdc.publish.bundle_plan import bundle_name
from sdc.publish.parts import data_files
from sdc.spelling import counted

if TYPE_CHECKING:
    from sdc.audit.record import RunView


@dataclass(frozen=True)
class LeavingFiles:
    """A candidate as it leaves: its records, the names of its data files, their bundle and its outbox.

    `syntheses` counts those that leave; each has so many records.
    """

    candidate: str
    rows: int | None
    syntheses: int
    files: tuple[str, ...]
    bundle: str
    outbox: str

    @property
    def records(self) -> str:
        if self.rows is None:
            return ""
        each = counted(self.rows, "record")
        return f"{self.syntheses} syntheses of {each}" if self.syntheses > 1 else each

    @property
    def where(self) -> str:
        """The files by name, with their bundle and outbox."""
        held = f"as {listed(self.files, 'and')} " if self.files else ""
        bundle = f"in the bundle {self.bundle}" if self.bundle else ""
        outbox = f"outbox “{self.outbox}”" if self.outbox else ""
        return f"{held}{', '.join(filter(None, (bundle, outbox)))}".strip()

    def __str__(self) -> str:
        return f"{', '.join(filter(None, (f'“{self.candidate}”', self.records)))} {self.where}".strip()


def would_leave(view: RunView, candidate: str) -> LeavingFiles:
    """What an approval of this candidate that is the last one sends out."""
    return _files_of(view, candidate)


def has_left(view: RunView) -> LeavingFiles:
    """What a decision has sent out; of the files those that the ledger has."""
    outputs = view.row.facts.get("outputs") or {}
    return _files_of(view, str(leaving(view)), str(view.row.facts.get("bundle", "")), outputs)


def _files_of(
    view: RunView, name: str, bundle: str = "", outputs: Collection[str] | None = None
) -> LeavingFiles:
    found = next((each for each in (view.record or {}).get("candidates", ()) if each["name"] == name), None)
    # The name of the outbox, without its place on the disk.
    outbox = PurePath(str(view.row.facts.get("outbox", ""))).name
    profile = profile_of(view.record or {})
    if found is None or profile is None:
        return LeavingFiles(name, None, 1, tuple(sorted(outputs or ())), bundle, outbox)
    held = CandidateRecord.from_record(found)
    copies = 1 + len(held.further)
    files = data_files(profile, synthetic=any(step.invents_records for step in held.steps), copies=copies)
    return LeavingFiles(
        name,
        held.rows,
        len(profile.publish.leaving(range(copies))),
        tuple(file for file in files if outputs is None or file in outputs),
        bundle or bundle_name(profile, view.row.run),
        outbox,
    )
