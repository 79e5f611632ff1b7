"""One open profile with its data: what is wrong with it, its records in a private place, work under way."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.readers import scheme_of
from sdc.check import data_notes, surroundings
from sdc.data.roles import LEFT_BEHIND, Role
from sdc.errors import BadData, BadProfile, SdcError
from sdc.profile.expressions import expression_faults
from sdc.profile.list_files import ProfileFiles, with_lists
from sdc.profile.load import examine
from sdc.profile.reading import Note, Reading, read_profile
from sdc.profile.source import source_faults
from sdc.profile.sweep import written_out
from sdc.profile.variables import variable_faults
from sdc.run import digest
from sdc.studio.files import stamp
from sdc.studio.found_file import FoundFile, found_file
from sdc.studio.jobs import Jobs
from sdc.studio.live_state import LiveState
from sdc.studio.remarks import Remark, Remarks, notes_of_data, of_data, of_profile
from sdc.study.frames import FrameKind
from sdc.study.workplace import Workplace

if TYPE_CHECKING:
    from sdc.errors import Fault
    from sdc.profile.plan import Profile, Source
    from sdc.run.home import Home
    from sdc.studio.files import Folders
    from sdc.studio.profile_text import ProfileText

AS_READ = (Role.HOUSEHOLD, Role.WEIGHT)
"""Roles that decide how records are read; all others may change without reading again."""
READING = {
    "format",
    "table",
    "query",
    "sheet",
    "range",
    "layout",
    "encoding",
    "separator",
    "quote",
    "decimal",
    "missing_codes",
}
"""Keys of the source that say how its file is read."""
UNREAD = ("label", "unit", "values")
"""Words about a variable: no record is read otherwise because of them."""


@dataclass(eq=False)
class Workbench:
    """The document, the folders, the home, and what was read and checked last."""

    profile_text: ProfileText
    folders: Folders
    home: Home
    touring: bool = False
    opening_problem: str = ""
    """Why no draft could be made of the data file that was opened."""
    jobs: Jobs = field(default_factory=Jobs)
    _place: tuple[str, str, Workplace] | None = None
    _failed: tuple[str, BadData] | None = None
    _checked: tuple[str, tuple[Remark, ...]] | None = None
    _examined: tuple[str, Profile | None, tuple[Remark, ...]] | None = None
    run_lines: list[str] = field(default_factory=list)
    """What the last run said while it ran."""
    _found: tuple[str, FoundFile] | None = None
    _understood: tuple[str, Reading, list[Fault]] | None = None
    _looked: int = 0
    _guard: threading.RLock = field(default_factory=threading.RLock)
    _finding: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.live = LiveState(self)

    @property
    def path(self) -> Path:
        return self.profile_text.path

    def files(self) -> ProfileFiles:
        """The text as a run would read it if it were saved now; BadProfile where it is no YAML."""
        return ProfileFiles.of_text(
            self.path, self.profile_text.text.encode(), lambda file: file in self.folders
        )

    def reading(self) -> Reading:
        """As much of the profile as can be understood; BadProfile where it is no YAML."""
        return self._read()[0]

    def _read(self) -> tuple[Reading, list[Fault]]:
        text, held = self.profile_text.text, self._understood
        if held is None or held[0] != text:
            found = read_profile(written_out(with_lists(self.files())[0]).document)
            held = self._understood = (text, *found)
        return held[1], held[2]

    def profile(self) -> Profile:
        """The profile, where nothing is wrong with it but what is around it; BadProfile with every fault."""
        return examine(self.path, files=self.files(), for_study=True)[0]

    def faults(self) -> Remarks:
        """Faults and notes as `sdc check` says them; those of the data once they were read and checked."""
        return Remarks((*self._of_text(), *self._of_data()))

    def _of_text(self) -> tuple[Remark, ...]:
        text = self.profile_text.text
        held = self._examined
        if held is None or held[0] != text:
            held = self._examined = (text, *self._examine())
        return held[2]

    def _examine(self) -> tuple[Profile | None, tuple[Remark, ...]]:
        document = self.profile_text.document
        try:
            profile, notes = examine(self.path, *surroundings(self.path), files=self.files())
        except BadProfile as bad:
            return None, tuple(of_profile(bad.faults, document))
        return profile, tuple(of_profile(notes, document, notes=True))

    def _of_data(self) -> tuple[Remark, ...]:
        """What is known of the data by now; nothing is read for it."""
        document = self.profile_text.document
        try:
            reading = self.reading()
        except BadProfile:
            return ()
        key = self._key(reading.profile)
        if self._failed is not None and self._failed[0] == key:
            return tuple(of_data(self._failed[1].faults, document))
        return self._checked[1] if self._checked is not None and self._checked[0] == self.subject() else ()

    def subject(self) -> str:
        """Tells the profile and its files as they are now from all others."""
        return digest.of_bytes(digest.canonical([self.profile_text.text, self._looked, self.stamps()]))

    def stamps(self) -> list[Any]:
        """The files of the profile, and when each was changed last: other bytes are read anew."""
        try:
            files = files_of(self.reading())
        except BadProfile:
            return []
        return [[str(path), stamp(self.path.parent / path)] for path in files]

    @property
    def is_checked(self) -> bool:
        """Was all that `sdc check` asks for asked of the profile as it is now?"""
        return self._checked is not None and self._checked[0] == self.subject()

    def check(self) -> Remarks:
        """Check profile and data as `sdc check` does; records that were read already are not read again."""
        with self._guard:
            found = self._of_text()
            if not self.is_checked and not any(not each.is_note for each in found):
                self._checked = (self.subject(), tuple(self._checked_data()))
        return self.faults()

    def _checked_data(self) -> list[Remark]:
        document = self.profile_text.document
        assert self._examined is not None
        profile = self._examined[1]
        assert profile is not None
        try:
            place = self.workplace(exact=True)
            notes = data_notes(profile, self.path, place.warehouse, place.ingested, self.files())
        except BadProfile as bad:
            return of_profile(bad.faults, document)
        except BadData as bad:
            return of_data(bad.faults, document)
        return notes_of_data(notes, document)

    def look_again(self) -> None:
        """Forget what was found about the surroundings of the profile: a folder may be there now."""
        self._examined = self._checked = self._understood = None
        self._looked += 1

    def found(self) -> FoundFile:
        """The source as it is read now, counted; BadProfile or BadData where it cannot be."""
        reading, misfits = self._read()
        if not reading.sound("source"):
            raise BadProfile(misfits)
        source = reading.profile.source
        path = source.path
        if scheme_of(path) is None:
            path = self.folders.require(self.path.parent / path)
        key = self._source_key(source, path)
        with self._finding:
            if self._found is None or self._found[0] != key:
                self._found = (key, found_file(source.model_copy(update={"path": path})))
            return self._found[1]

    def found_already(self) -> FoundFile | None:
        """The same, where nothing has to be read for it."""
        try:
            source = self.reading().profile.source
        except SdcError:
            return None
        held = self._found
        path = source.path if scheme_of(source.path) else (self.path.parent / source.path).resolve()
        key = self._source_key(source, path)
        return held[1] if held is not None and held[0] == key else None

    @staticmethod
    def _source_key(source: Source, path: Path) -> str:
        told = source.model_dump(mode="json", include=READING)
        return digest.of_bytes(digest.canonical([told, str(path), stamp(path)]))

    def workplace(self, *, exact: bool = False) -> Workplace:
        """The source in a private database, read as the profile says now; BadProfile or BadData otherwise.

        Other steps, criteria or words read nothing anew, nor do roles that say nothing about reading;
        `exact` reads anew after every change of a variable, so that notes are those of a run.
        """
        profile, key = self._readable()
        whole = self._whole(profile)
        with self._guard:
            if self._failed is not None and self._failed[0] == key and not exact:
                raise self._failed[1]
            if self._place is None or self._place[0] != key or (exact and self._place[1] != whole):
                self._forget()
                self._place = (key, whole, self._taken_in(profile, key))
            return self._place[2]

    def read_already(self) -> Workplace | None:
        """The same, where nothing has to be read for it."""
        key = self._readable()[1]
        if (failed := self._failed) is not None and failed[0] == key:
            raise failed[1]
        held = self._place
        return held[2] if held is not None and held[0] == key else None

    def _readable(self) -> tuple[Profile, str]:
        """The profile as far as records are read by it, and what tells them from others."""
        reading, misfits = self._read()
        if not (reading.sound("source") and reading.sound("variables")):
            raise BadProfile(misfits)
        told = [*variable_faults(reading), *source_faults(reading), *expression_faults(reading)]
        if faults := [each for each in told if not isinstance(each, Note)]:
            raise BadProfile(faults)
        for path in files_of(reading):
            if (self.path.parent / path).exists():
                self.folders.require(self.path.parent / path)
        return reading.profile, self._key(reading.profile)

    def _taken_in(self, profile: Profile, key: str) -> Workplace:
        place = Workplace.opened(FrameKind(), home=self.home.path, seed=profile.seed, base=self.path.parent)
        try:
            place.take_in(profile)
        except BadData as bad:
            place.close()
            self._failed = (key, bad)
            raise
        except BaseException:
            # Somebody may have cancelled: whatever ends the reading, no record is left behind.
            place.close()
            raise
        self._failed = None
        return place

    def _key(self, profile: Profile) -> str:
        """What decides which records there are and how they are read."""
        variables = {
            name: {
                **plan.model_dump(mode="json", exclude={"role", *UNREAD}),
                "stays": plan.role in LEFT_BEHIND,
                "role": plan.role.value if plan.role in AS_READ else "",
            }
            for name, plan in profile.variables.items()
        }
        told = [profile.source, profile.seed, profile.name, profile.limits, variables]
        return digest.of_bytes(digest.canonical([*told, self.stamps()]))

    def _whole(self, profile: Profile) -> str:
        return digest.of_bytes(digest.canonical([profile.variables, profile.missing_keys]))

    def _forget(self) -> None:
        if self._place is not None:
            self._place[2].close()
            self._place = None

    def close(self) -> None:
        """End all work and remove the records."""
        self.jobs.close()
        with self._guard:
            self._forget()


def files_of(reading: Reading) -> tuple[Path, ...]:
    """The files of records that a profile names, as far as it can be understood."""
    known = {name: reading.profile.candidates[name] for name in reading.understood}
    return reading.profile.model_copy(update={"candidates": known}).files
