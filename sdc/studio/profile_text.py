"""The open profile: its text with comments, every edit as a revision, undo and redo, nothing lost.

    opened = ProfileText.open(Path("profile.yaml"))
    opened.set(("risk", 0, "at_least"), 5, expected=opened.revision)

Each edit is on the disk beside the profile before its call returns; `save` writes the profile itself.
"""

from __future__ import annotations

import threading
from copy import deepcopy
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.errors import BadProfile, SdcError
from sdc.profile.document import Document, read_document
from sdc.profile.syntax import written_text
from sdc.studio import edited_text
from sdc.studio.kept_text import DiskState, KeptText
from sdc.studio.placed_nodes import CannotEdit
from sdc.study.document import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc.errors import Fault
    from sdc.profile.document import Place

MOST_REVISIONS = 500


class StaleEdit(SdcError):
    """The page was drawn before somebody else edited the profile."""

    def __init__(self) -> None:
        super().__init__(
            "the profile was edited elsewhere since this page was drawn, perhaps in another tab; nothing was"
            " changed by this: look at the page as it is now and do it again"
        )


@dataclass(frozen=True)
class Revision:
    """The text as it was at one time, and in words what led to it."""

    text: str
    said: str = ""

    @cached_property
    def read(self) -> Document | BadProfile:
        """The document, or why it cannot be read as YAML."""
        try:
            return read_document(Path("profile"), self.text.encode())
        except BadProfile as bad:
            return bad


@dataclass(eq=False)
class ProfileText:
    """One profile that is open: the present revision, those before, and those that were undone."""

    kept: KeptText
    now: Revision
    before: list[Revision] = field(default_factory=list)
    after: list[Revision] = field(default_factory=list)
    revision: int = 1
    saved_text: str | None = None
    offered: str | None = None
    """What an earlier server had not saved when it ended; None where there is nothing, or it was answered."""
    _last: str = ""
    _guard: threading.RLock = field(default_factory=threading.RLock)

    @classmethod
    def open(cls, path: Path, scratch: Path | None = None, text: str | None = None) -> ProfileText:
        """The profile in a file; `text` where there is no file yet. BadProfile where it is no text at all."""
        kept = KeptText(path.absolute(), scratch)
        on_disk = kept.read()
        held = (text or "") if on_disk is None else written_text(path, on_disk)
        made = cls(kept, Revision(held), saved_text=None if on_disk is None else held, _last=held)
        unsaved = kept.unsaved()
        made.offered = unsaved if unsaved not in (None, held) else None
        return made

    @property
    def path(self) -> Path:
        return self.kept.path

    @property
    def text(self) -> str:
        return self.now.text

    @property
    def values(self) -> dict[str, Any] | None:
        """The values as the loader sees them; None where the text is not YAML."""
        read = self.now.read
        return read.values if isinstance(read, Document) else None

    @property
    def document(self) -> Document | None:
        """Values, and the line of each; None where the text is not YAML."""
        read = self.now.read
        return read if isinstance(read, Document) else None

    @property
    def misread(self) -> tuple[Fault, ...]:
        """Why the text is not even YAML."""
        read = self.now.read
        return read.faults if isinstance(read, BadProfile) else ()

    @property
    def is_saved(self) -> bool:
        return self.text == self.saved_text

    def at(self, place: Place) -> Any:
        """The value at a place; None where there is none."""
        held: Any = self.values
        for step in place:
            in_list = isinstance(held, list) and isinstance(step, int) and step < len(held)
            if not in_list and not (isinstance(held, dict) and step in held):
                return None
            held = held[step]
        return held

    def set(self, place: Place, value: Any, *, expected: int, said: str = "") -> Revision:
        """Write a value at a place; keys that are missing around it are added."""
        return self._edit(
            expected,
            said,
            lambda text: edited_text.with_value(text, place, value),
            lambda values: edited_text.valued(values, place, value),
        )

    def remove(self, place: Place, *, expected: int, said: str = "") -> Revision:
        def wanted(values: Any) -> Any:
            del _around(values, place)[place[-1]]
            return values

        return self._edit(expected, said, lambda text: edited_text.without(text, place), wanted)

    def insert(self, place: Place, position: int, value: Any, *, expected: int, said: str = "") -> Revision:
        """Write one more item into the list at a place, before the one at this position."""

        def wanted(values: Any) -> Any:
            if not self.at(place):
                return edited_text.valued(values, place, [value])
            _around(values, (*place, 0)).insert(position, plain(value))
            return values

        return self._edit(
            expected, said, lambda text: edited_text.with_item(text, place, position, value), wanted
        )

    def move(self, place: Place, from_: int, to: int, *, expected: int, said: str = "") -> Revision:
        """Bring an item of a list, or a key of a mapping, to another position."""

        def wanted(values: Any) -> Any:
            held = _around(values, (*place, 0))
            if isinstance(held, list):
                held.insert(to, held.pop(from_))
            return values

        return self._edit(expected, said, lambda text: edited_text.with_moved(text, place, from_, to), wanted)

    def rename(self, place: Place, name: str, *, expected: int, said: str = "") -> Revision:
        """Give a key another name."""
        around = self.at(place[:-1])
        if isinstance(around, dict) and name in around and name != place[-1]:
            raise CannotEdit(place, f"there is a {name!r} already")

        def wanted(values: Any) -> Any:
            held = _around(values, place)
            held[name] = held.pop(place[-1])
            return values

        return self._edit(expected, said, lambda text: edited_text.with_name(text, place, name), wanted)

    def replace_text(self, text: str, *, expected: int, said: str = "") -> Revision:
        """Another text altogether, whether or not it is YAML."""
        with self._guard:
            self.require(expected)
            return self._become(Revision(written_text(self.path, text.encode()), said))

    def edit(self, change: Callable[[ProfileText, int], None], *, expected: int, said: str = "") -> Revision:
        """Several edits as one: undone together, or all left out where one of them fails."""
        with self._guard:
            self.require(expected)
            draft = ProfileText(KeptText(self.path, None, silent=True), self.now)
            change(draft, draft.revision)
            return self._become(Revision(draft.text, said))

    def _edit(
        self, expected: int, said: str, change: Callable[[str], str], wanted: Callable[[Any], Any]
    ) -> Revision:
        with self._guard:
            self.require(expected)
            if self.values is None:
                raise CannotEdit((), "the text cannot be read")
            try:
                hoped = wanted(deepcopy(self.values))
            except (KeyError, IndexError, TypeError):
                raise CannotEdit((), "what was to be changed is not written there") from None
            found = Revision(change(self.text), said)
            if not isinstance(found.read, Document) or found.read.values != hoped:
                raise CannotEdit((), "it is written in a way that is read only in whole")
            return self._become(found)

    def require(self, expected: int) -> None:
        """StaleEdit where a page was drawn from another revision than this."""
        if expected != self.revision:
            raise StaleEdit

    def _become(self, revision: Revision) -> Revision:
        if revision.text == self.text:
            return self.now
        self.kept.keep(revision.text)
        self.before = [*self.before, self.now][-MOST_REVISIONS:]
        self.after = []
        self._turn(revision)
        return revision

    def _turn(self, revision: Revision) -> None:
        self._last, self.now = self.now.text, revision
        self.revision += 1
        if self.is_saved:
            self.kept.forget()

    def undo(self, *, expected: int | None = None) -> None:
        """Go back to the revision before."""
        with self._guard:
            self.require(self.revision if expected is None else expected)
            if self.before:
                self.kept.keep(self.before[-1].text)
                self.after.append(self.now)
                self._turn(self.before.pop())

    def redo(self, *, expected: int | None = None) -> None:
        """Take up again what was undone last."""
        with self._guard:
            self.require(self.revision if expected is None else expected)
            if self.after:
                self.kept.keep(self.after[-1].text)
                self.before.append(self.now)
                self._turn(self.after.pop())

    @property
    def changed_lines(self) -> frozenset[int]:
        """The lines that the last edit changed, counted from 1."""
        old, new = self._last.splitlines(), self.text.splitlines()
        found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        return frozenset(
            line + 1 for kind, _, _, begin, end in found if kind != "equal" for line in range(begin, end)
        )

    def on_disk(self) -> DiskState:
        """Whether the file is still the one that was opened or saved last."""
        return self.kept.state()

    def save(self, *, over: bool = False) -> None:
        """Write the profile; ChangedOnDisk where it is another by now, unless it is to be written over."""
        with self._guard:
            self.kept.save(self.text, over=over)
            self.saved_text = self.text

    def take_theirs(self, *, expected: int) -> None:
        """Take what is on the disk now; what was here can be had again by undo."""
        with self._guard:
            self.require(expected)
            held = written_text(self.path, self.kept.read() or b"")
            self.saved_text = held
            self._become(Revision(held, "took what was on the disk"))

    def take_offered(self, *, expected: int) -> None:
        """Go on where an earlier server ended."""
        with self._guard:
            self.require(expected)
            offered, self.offered = self.offered, None
            if offered is not None:
                self._become(Revision(offered, "took up what was not saved"))

    def decline_offered(self) -> None:
        self.offered = None
        self.kept.forget()


def _around(values: Any, place: Place) -> Any:
    for step in place[:-1]:
        values = values[step]
    return values
