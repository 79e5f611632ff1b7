"""Keeps the text of an open profile on the disk: beside it after each edit, in its place once it is saved."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from sdc.errors import HomeUnusable, SdcError
from sdc.run import digest, durable


class DiskState(Enum):
    """What became of the file since it was opened."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    NEW = "new"
    """There was none, and there is none."""


class ChangedOnDisk(SdcError):
    """The file is not the one that was opened."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} was changed on the disk since it was opened; take what is there now, or write over it"
        )


@dataclass(eq=False)
class KeptText:
    """The file of a profile, and the one beside it that has what was not saved yet.

    Where nothing can be written beside the profile, `scratch` is a folder for it. `silent` keeps nothing.
    """

    path: Path
    scratch: Path | None = None
    silent: bool = False
    _known: str | None = None

    @property
    def beside(self) -> Path:
        return self.path.with_name(f".{self.path.name}.unsaved")

    @property
    def _elsewhere(self) -> Path | None:
        if self.scratch is None:
            return None
        return self.scratch / f"{digest.of_bytes(str(self.path).encode())[:16]}.unsaved"

    def read(self) -> bytes | None:
        """The bytes of the profile as they are now, and remembered as known; None where there is no file."""
        held = _bytes(self.path)
        self._known = None if held is None else digest.of_bytes(held)
        return held

    def state(self) -> DiskState:
        held = _bytes(self.path)
        if held is None:
            return DiskState.NEW if self._known is None else DiskState.GONE
        return DiskState.SAME if digest.of_bytes(held) == self._known else DiskState.CHANGED

    def save(self, text: str, *, over: bool = False) -> None:
        """Write the profile, whole or not at all, with the rights it had.

        ChangedOnDisk where it is another by now, unless it is to be written over.
        """
        if not over and self.state() is DiskState.CHANGED:
            raise ChangedOnDisk(self.path.name)
        data = text.encode()
        try:
            mode = self.path.stat().st_mode & 0o777 if self.path.exists() else 0o644
            durable.replace(self.path, data, mode)
            # The command makes files private by default; a profile keeps the rights it had.
            self.path.chmod(mode)
        except OSError as error:
            raise HomeUnusable(self.path, durable.reason(error)) from None
        self._known = digest.of_bytes(data)
        self.forget()

    def keep(self, text: str) -> None:
        """The text on the disk, though it is not saved."""
        if self.silent:
            return
        held = json.dumps({"text": text}, ensure_ascii=False).encode()
        try:
            durable.replace(self.beside, held)
        except OSError as error:
            if self._elsewhere is None:
                raise HomeUnusable(self.path.parent, durable.reason(error)) from None
            self._elsewhere.parent.mkdir(mode=durable.PRIVATE_DIRECTORY, parents=True, exist_ok=True)
            durable.replace(self._elsewhere, held)

    def unsaved(self) -> str | None:
        """What an earlier server kept and did not save."""
        for place in filter(None, (self.beside, self._elsewhere)):
            try:
                text = json.loads(place.read_bytes())["text"]
            except (OSError, ValueError, KeyError, TypeError):
                continue
            if isinstance(text, str):
                return text
        return None

    def forget(self) -> None:
        if self.silent:
            return
        for place in filter(None, (self.beside, self._elsewhere)):
            place.unlink(missing_ok=True)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise HomeUnusable(path, durable.reason(error)) from None
