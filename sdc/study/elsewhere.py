"""Takes a table that was protected elsewhere into a study, to be measured beside the original."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sdc.catalogue.external import EXTERNAL
from sdc.errors import BadData, BadStudy, Fault
from sdc.run import digest, durable
from sdc.study.frames import as_arrow, is_path, speaking_of, write_parquet

FRAME = "the table made elsewhere"


@dataclass
class FilesMadeElsewhere:
    """Copies of the files that are candidates as they stand: each file as it was when it was given.

    With a key of the warehouse a copy is forgotten as soon as it is in the database.
    """

    directory: Path
    _given: dict[Path, Path | None] = field(default_factory=dict)
    """By copy the file it was made from; None for a frame."""
    _bytes: dict[Path, bytes] = field(default_factory=dict)

    def keep(self, table: Any, name: str) -> Path:
        """The table as a file in the private directory, under the digest of its content."""
        if is_path(table):
            given = Path(table).absolute()
            try:
                content = given.read_bytes()
            except OSError as error:
                raise BadData([Fault(str(table), f"it cannot be read: {durable.reason(error)}")]) from None
            copy = self._place(digest.of_bytes(content), given.name)
            durable.write(copy, content)
            self._given[copy] = given
            return copy
        rows, _ = as_arrow(table)
        at_first = self.directory / "elsewhere.parquet"
        write_parquet(rows, at_first)
        copy = self._place(digest.of_file(at_first), f"{name}.parquet")
        self._given[at_first.rename(copy)] = None
        return copy

    def _place(self, sha256: str, name: str) -> Path:
        folder = self.directory / f"elsewhere-{sha256[:16]}"
        folder.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
        return folder / name

    @contextmanager
    def speaking_of(self, copy: Path) -> Iterator[None]:
        """Faults of the copy are those of what was given."""
        given = self._given[copy]
        with speaking_of(FRAME if given is None else str(given), copy.parent):
            yield

    def forget(self, copy: Path) -> None:
        """Keep the copy in memory only."""
        self._bytes[copy] = copy.read_bytes()
        copy.unlink()
        copy.parent.rmdir()

    def named(self, copy: Path, beside: Path | None) -> tuple[Path, bytes | None]:
        """A file that a profile can name: the one that was given, or one to be written beside the records.

        The latter comes with its content.
        """
        given = self._given.get(copy)
        if given is not None:
            return given, None
        if beside is None:
            problem = "the candidate came as a frame, and a profile reads it from a file"
            raise BadStudy([Fault("to_profile", problem, 'say where to write: data="records.parquet"')])
        target = beside.with_name(f"{beside.stem}_{copy.stem}.parquet")
        return target, self._bytes[copy] if copy in self._bytes else copy.read_bytes()


def planned_step(path: Path, protection: str, *, aligned: bool) -> dict[str, Any]:
    """The only step of a candidate that is a file."""
    return {
        "method": EXTERNAL.name,
        "with": {"path": str(path), "protection": protection, "aligned": aligned},
    }
