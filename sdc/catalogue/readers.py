"""Every reader of a file format by its own name, and the endings of the files it reads."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sdc.catalogue.named_units import NamedUnits

Opening = TypeVar("Opening", bound=Callable[..., AbstractContextManager[Any]])
Guess = Callable[[Path], Mapping[str, str]]

PACKED = (".gz", ".zst", ".zip")
"""Endings of files that have another file inside."""
WITHOUT_ENDING = "csv"
"""A file whose ending no reader knows is read as this."""
SCHEME = re.compile(r"([a-z]+):")


@dataclass(frozen=True)
class Reader:
    """How files of one format are read.

    `opened(source, path, cursor, scratch)` is a context of `sdc.ingest.readers.opened.OpenedSource`:
    something to select from, its columns, and what the file tells of them. It raises BadData with every fault
    of the file.
    """

    name: str
    suffixes: tuple[str, ...]
    opened: Callable[..., AbstractContextManager[Any]]
    order: int
    typed: bool
    has_tables: bool
    guess: Guess | None
    schemes: tuple[str, ...] = ()
    begins: tuple[bytes, ...] = ()
    folders: bool = False

    @property
    def file(self) -> str:
        return inspect.getsourcefile(inspect.unwrap(self.opened)) or self.opened.__module__


_readers: NamedUnits[Reader] = NamedUnits("reader", "sdc.ingest.readers")


def reader(
    *,
    name: str,
    suffixes: tuple[str, ...],
    order: int = 100,
    typed: bool = True,
    has_tables: bool = False,
    guess: Guess | None = None,
    schemes: tuple[str, ...] = (),
    begins: tuple[bytes, ...] = (),
    folders: bool = False,
) -> Callable[[Opening], Opening]:
    """Register `(source, path, cursor, scratch) -> context of OpenedSource` as the reader of a format.

    The function is handed back unchanged.

    `name` is what `source.format` of a profile says, `suffixes` are the endings of its files in small
    letters. `order` is its place where formats are listed. `typed`: columns come with types, so that a draft
    need not guess how numbers are written. `has_tables`: `source.table` and `source.query` choose what is
    read. `guess` tells keys of `source` for a file that nobody has described. `schemes` are the words before
    the colon of a database's address. `begins` are the bytes its files begin with: a file that begins
    otherwise is refused before it is read. `folders`: it reads a folder of parts too.
    """

    def register(opened: Opening) -> Opening:
        for other in _readers.values():
            if other.name != name and (shared := {*suffixes} & {*other.suffixes}):
                message = f"two readers read files that end in {min(shared)}: {other.name} and {name}"
                raise ValueError(message)
        _readers.add(
            Reader(name, suffixes, opened, order, typed, has_tables, guess, schemes, begins, folders)
        )
        return opened

    return register


_openings: list[Callable[..., AbstractContextManager[Any]]] = []


def opening(opened: Opening) -> Opening:
    """Register the one function that opens a source of any format, packed or not."""
    _openings[:] = [opened]
    return opened


def open_any(source: Any, path: Path, cursor: Any, scratch: Path) -> AbstractContextManager[Any]:
    """The source as `sdc.ingest.readers` opens it, for rooms below it."""
    _readers.all()
    return _openings[0](source, path, cursor, scratch)


def readers() -> dict[str, Reader]:
    """All readers by name, in the order they are listed."""
    return dict(sorted(_readers.all().items(), key=lambda item: (item[1].order, item[0])))


def find_reader(name: str) -> Reader:
    return _readers.find(name)


def scheme_of(path: Path) -> str | None:
    """The scheme of a database's address (`postgres:statistics`); None for a file."""
    found = SCHEME.match(str(path))
    return found.group(1) if found and found.group(1) in known_schemes() else None


def known_schemes() -> frozenset[str]:
    return frozenset(scheme for each in readers().values() for scheme in each.schemes)


def reader_of(path: Path, form: str | None = None, *, of_tables: bool = False) -> Reader:
    """The reader of a format, else of this scheme, else of files with this ending, else that of CSV.

    `of_tables`: a table or a query is asked for, so only a reader that knows them will do.
    """
    if form is not None:
        return find_reader(form)
    for each in readers().values():
        if scheme_of(path) in each.schemes or (each.folders and path.is_dir()):
            return each
    fit = [each for each in readers().values() if each.has_tables or not of_tables]
    by_ending = [each for each in fit if path.suffix.lower() in each.suffixes]
    usual = fit[0] if of_tables else find_reader(WITHOUT_ENDING)
    return by_ending[0] if by_ending else usual
