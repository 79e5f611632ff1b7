"""A profile from its file: whole, or every fault in it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.errors import BadProfile, Fault
from sdc.profile.candidates import candidate_faults, preference_faults, promise_faults, validity_faults
from sdc.profile.criteria import criterion_faults
from sdc.profile.document import read_document
from sdc.profile.publishing import publishing_faults
from sdc.profile.reading import Note, read_profile
from sdc.profile.source import source_faults
from sdc.profile.variables import variable_faults

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.profile.plan import Profile

CONCERNS = (variable_faults, source_faults, candidate_faults, criterion_faults, promise_faults, validity_faults, preference_faults, publishing_faults)


def load_profile(path: Path) -> Profile:
    """The profile; BadProfile with all its faults, in the order of the file."""
    return examine(path)[0]


def examine(path: Path) -> tuple[Profile, list[Note]]:
    """The profile and what is to be known about it though it stops nothing."""
    document = read_document(path)
    reading, misfits = read_profile(document)
    remarks = [remark for concern in CONCERNS for remark in concern(reading)]
    faults = [*document.faults, *misfits, *(remark for remark in remarks if not isinstance(remark, Note))]
    if faults:
        raise BadProfile(_in_order(faults))
    return _settled(reading.profile, path), [note for note in remarks if isinstance(note, Note)]


def _settled(profile: Profile, path: Path) -> Profile:
    """Where to spill is a place on this machine, and like all paths it begins at the profile."""
    if profile.limits.spill is None:
        return profile
    return profile.model_copy(update={"limits": profile.limits.model_copy(update={"spill": (path.parent / profile.limits.spill).resolve()})})


def _in_order(faults: list[Fault]) -> list[Fault]:
    return sorted(dict.fromkeys(faults), key=lambda fault: int(fault.place.rpartition(":")[2]))
