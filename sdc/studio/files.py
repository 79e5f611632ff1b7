"""Lists and finds files below the folders that were named at the start, and nowhere else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sdc.catalogue.readers import PACKED, readers
from sdc.errors import SdcError

MOST_FILES = 500
DEEPEST = 6
PROFILES = (".yaml", ".yml")


class OutsideFolders(SdcError):
    """A file that lies below none of the folders."""

    def __init__(self) -> None:
        super().__init__(
            "this file lies below none of the folders the workbench was started with, or is not there; start"
            " it with --folder for another one"
        )


@dataclass(frozen=True)
class ListedFile:
    """A file that may be chosen: its place below a folder, and how large it is."""

    folder: int
    name: str
    bytes: int

    @property
    def size(self) -> str:
        for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
            if self.bytes >= factor:
                return f"{self.bytes / factor:.3g} {unit}"
        return f"{self.bytes} bytes"


@dataclass(frozen=True)
class Folders:
    """The roots below which files may be read; links that lead elsewhere are not followed."""

    roots: tuple[Path, ...]

    @classmethod
    def of(cls, *paths: Path) -> Folders:
        return cls(tuple(dict.fromkeys(path.resolve() for path in paths)))

    def __contains__(self, path: Path) -> bool:
        held = path.resolve()
        return any(held.is_relative_to(root) for root in self.roots)

    def require(self, path: Path) -> Path:
        """The file itself, where it lies below a folder."""
        if path not in self or not path.exists():
            raise OutsideFolders
        return path.resolve()

    def chosen(self, folder: int, name: str) -> Path:
        """A file that was listed."""
        if not 0 <= folder < len(self.roots):
            raise OutsideFolders
        return self.require(self.roots[folder] / name)

    def data(self) -> list[ListedFile]:
        """Files that `sdc draft` could read, by their endings."""
        return [each for each in self._files() if _is_data(Path(each.name))]

    def ending(self, *suffixes: str) -> list[ListedFile]:
        """Files whose names end so."""
        return [each for each in self._files() if Path(each.name).suffix.lower() in suffixes]

    def profiles(self) -> list[ListedFile]:
        return self.ending(*PROFILES)

    def _files(self) -> list[ListedFile]:
        found: list[ListedFile] = []
        for number, root in enumerate(self.roots):
            for folder, inner, names in os.walk(root):
                depth = len(Path(folder).relative_to(root).parts)
                inner[:] = sorted(each for each in inner if not each.startswith(".") and depth < DEEPEST)
                for name in sorted(names):
                    path = Path(folder) / name
                    if not name.startswith(".") and path in self and path.is_file():
                        found.append(
                            ListedFile(number, path.relative_to(root).as_posix(), path.stat().st_size)
                        )
                if len(found) > MOST_FILES:
                    return found[:MOST_FILES]
        return found


def _is_data(path: Path) -> bool:
    known = {suffix for each in readers().values() for suffix in each.suffixes}
    inner = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return inner.suffix.lower() in known or path.suffix.lower() == ".zip"


def stamp(path: Path) -> list[int] | None:
    """How large a file is and when it was changed last; None where there is none."""
    try:
        held = path.stat()
    except OSError:
        return None
    return [held.st_size, held.st_mtime_ns]
