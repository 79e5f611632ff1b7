"""Loads a profile from its file: whole, or every fault in it at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sdc.errors import BadProfile, Fault
from sdc.profile.candidates import (
    candidate_faults,
    map_faults,
    preference_faults,
    promise_faults,
    validity_faults,
)
from sdc.profile.criteria import criterion_faults
from sdc.profile.expressions import expression_faults
from sdc.profile.figures_plan import figures_faults
from sdc.profile.left_out import left_out_notes
from sdc.profile.linked import linked_faults
from sdc.profile.list_files import ProfileFiles, with_lists
from sdc.profile.needs import need_faults
from sdc.profile.publishing import publishing_faults
from sdc.profile.reading import FAMILIES, Note, Reading, read_profile
from sdc.profile.sampled import sampled_notes
from sdc.profile.several import several_notes
from sdc.profile.source import source_faults
from sdc.profile.source_sweep import sweep_faults, swept_sources
from sdc.profile.sweep import SweepGrid, WrittenOut, written_out
from sdc.profile.variables import variable_faults

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.profile.plan import Criterion, Profile

Concern = Callable[[Reading], Iterable[Fault]]
CONCERNS: tuple[Concern, ...] = (
    variable_faults,
    source_faults,
    linked_faults,
    expression_faults,
    candidate_faults,
    need_faults,
    sampled_notes,
    several_notes,
    criterion_faults,
    promise_faults,
    validity_faults,
    left_out_notes,
    preference_faults,
    map_faults,
    figures_faults,
    publishing_faults,
)


@dataclass(frozen=True)
class LoadedProfile:
    """A profile as a run takes it: the bytes it was read from and what they say, each read once."""

    files: ProfileFiles
    profile: Profile

    @property
    def path(self) -> Path:
        return self.files.path

    @property
    def base(self) -> Path:
        """Where the relative paths of the profile begin."""
        return self.path.parent

    @cached_property
    def outbox(self) -> Path:
        return (self.base / self.profile.publish.outbox).resolve()

    def as_version(self, version: str | None) -> LoadedProfile:
        """The same with this version, where the profile has none of its own."""
        publish = self.profile.publish
        if version is None or publish.version is not None:
            return self
        versioned = publish.model_copy(update={"version": version})
        return replace(self, profile=self.profile.model_copy(update={"publish": versioned}))


@dataclass(frozen=True)
class SearchSpace:
    """A profile whose candidates are all that may be searched, and the grid each entry of the file means."""

    loaded: LoadedProfile
    grids: Mapping[str, SweepGrid]

    @property
    def profile(self) -> Profile:
        return self.loaded.profile


def load_profile(path: Path, files: ProfileFiles | None = None, *, for_study: bool = False) -> Profile:
    """The profile; BadProfile with all its faults, in the order of the file.

    `files` are its bytes where they were read already. `for_study`: nothing is released by it, so it need not
    promise anything about risk.
    """
    return examine(path, files=files, for_study=for_study)[0]


def load(path: Path, *more: Concern, for_study: bool = False) -> LoadedProfile:
    """The profile of a run with the bytes it was read from; faults as of `load_profile`, and of `more`."""
    files = ProfileFiles.read(path.absolute())
    return LoadedProfile(files, examine(path, *more, files=files, for_study=for_study)[0])


def load_sources(path: Path) -> dict[str, LoadedProfile]:
    """The profile with each of its sources, by what sets them apart; for a study."""
    every = swept_sources(ProfileFiles.read(path.absolute()))
    return {
        each.name: LoadedProfile(each.files, examine(path, files=each.files, for_study=True)[0])
        for each in every
    }


def load_space(path: Path, files: ProfileFiles | None = None) -> SearchSpace:
    """The profile with the candidates of `space` beside its own; faults as of a profile.

    `files` are its bytes where they were read already.
    """
    files = files or ProfileFiles.read(path.absolute())
    profile, written, _ = _examined(path, files=files)
    searched = {
        name: grid
        for name, grid in written.grids.items()
        if not written.searched or written.searched.issuperset(grid.places)
    }
    names = [name for grid in searched.values() for name in grid.places]
    return SearchSpace(LoadedProfile(files, _settled(_only(profile, names), path)), searched)


def examine(
    path: Path, *more: Concern, files: ProfileFiles | None = None, for_study: bool = False
) -> tuple[Profile, list[Note]]:
    """The profile, and notes about it that stop nothing.

    `more` is checked beside what every profile must hold.
    """
    concerns = [concern for concern in CONCERNS if not for_study or concern is not promise_faults]
    profile, written, notes = _examined(path, (*concerns, *more), files)
    own = [name for name in profile.candidates if name not in written.searched]
    if not own:
        problem = "there is a space to search, and no candidate"
        raise BadProfile(
            [
                written.document.fault(
                    ("candidates",), problem, "run `sdc plan` and write what it recommends under candidates:"
                )
            ]
        )
    return _settled(_only(profile, own), path), notes


def _examined(
    path: Path, concerns: Sequence[Concern] = CONCERNS, files: ProfileFiles | None = None
) -> tuple[Profile, WrittenOut, list[Note]]:
    document, unread = with_lists(files or ProfileFiles.read(path))
    if several := sweep_faults(document):
        raise BadProfile(several)
    written = written_out(document)
    reading, misfits = read_profile(written.document)
    remarks = [remark for concern in concerns for remark in concern(reading)]
    faults = [
        *document.faults,
        *unread,
        *written.faults,
        *misfits,
        *(remark for remark in remarks if not isinstance(remark, Note)),
    ]
    if faults:
        raise BadProfile(_in_order(faults))
    return reading.profile, written, [note for note in remarks if isinstance(note, Note)]


def _only(profile: Profile, names: Sequence[str]) -> Profile:
    """The profile with these candidates, and the criteria that cover one of them."""
    if list(profile.candidates) == list(names):
        return profile
    criteria = {
        family: tuple(map(_narrowed(names), _covering(getattr(profile, family), names)))
        for family in FAMILIES
    }
    return profile.model_copy(
        update={"candidates": {name: profile.candidates[name] for name in names}, **criteria}
    )


def _covering(criteria: Sequence[Criterion], names: Sequence[str]) -> list[Criterion]:
    return [criterion for criterion in criteria if any(criterion.covers(name) for name in names)]


def _narrowed(names: Sequence[str]) -> Callable[[Criterion], Criterion]:
    def narrowed(criterion: Criterion) -> Criterion:
        return criterion.model_copy(
            update={"candidates": tuple(name for name in criterion.candidates if name in names)}
        )

    return narrowed


def _settled(profile: Profile, path: Path) -> Profile:
    """The profile with its place to spill as a path that begins at the profile, like all paths."""
    if profile.limits.spill is None:
        return profile
    return profile.model_copy(
        update={
            "limits": profile.limits.model_copy(
                update={"spill": (path.parent / profile.limits.spill).resolve()}
            )
        }
    )


def _in_order(faults: list[Fault]) -> list[Fault]:
    def line(fault: Fault) -> int:
        """A fault of a whole file stands on no line."""
        written = fault.place.rpartition(":")[2]
        return int(written) if written.isdigit() else 0

    return sorted(dict.fromkeys(faults), key=line)
