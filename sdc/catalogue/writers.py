"""Every writer of a file format by its own name, and what its files cannot hold."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from sdc.catalogue.named_units import NamedUnits

Writing = TypeVar("Writing", bound=Callable[..., None])
ReadBack = Callable[[Any, Path], "str | Iterator[Any]"]


@dataclass(frozen=True)
class FormatLimits:
    """What files of a format cannot hold.

    `name(variable)` is the rule that a variable's name breaks, or empty. `label` and `words` are the most
    characters of a variable's label and of the words for a code; what is longer is cut. `text` is the most
    bytes of a text.
    """

    name: Callable[[str], str] = lambda _name: ""
    records: int | None = None
    columns: int | None = None
    text: int | None = None
    label: int | None = None
    words: int | None = None


@dataclass(frozen=True)
class FormatWriter:
    """How the data files of one format are written, and read back.

    `write(table, place)` writes a `sdc.publish.leaving_table.LeavingTable`. `read_back(table, place)` gives
    what the file holds: something to select from, or Arrow tables one after another. None: the writer has
    compared the file itself.
    """

    name: str
    suffix: str
    media_type: str
    words: str
    write: Callable[..., None]
    read_back: ReadBack | None
    order: int
    limits: FormatLimits
    packages: tuple[str, ...]

    @property
    def file(self) -> str:
        return inspect.getsourcefile(self.write) or self.write.__module__

    @property
    def missing_packages(self) -> tuple[str, ...]:
        return tuple(name for name in self.packages if find_spec(name) is None)


_writers: NamedUnits[FormatWriter] = NamedUnits("writer", "sdc.publish.writers")


def writer(
    *,
    name: str,
    suffix: str,
    media_type: str,
    words: str,
    read_back: ReadBack | None,
    order: int = 100,
    limits: FormatLimits | None = None,
    packages: tuple[str, ...] = (),
) -> Callable[[Writing], Writing]:
    """Register `(table, place) -> None` as the writer of a format; the function is handed back unchanged.

    `name` is what `publish.formats` of a profile says, `words` what the release note says of the file.
    `packages` are modules that must be installed for it.
    """

    def register(write: Writing) -> Writing:
        held = limits or FormatLimits()
        _writers.add(FormatWriter(name, suffix, media_type, words, write, read_back, order, held, packages))
        return write

    return register


def writers() -> dict[str, FormatWriter]:
    """All writers by name, in the order they are listed."""
    return dict(sorted(_writers.all().items(), key=lambda item: (item[1].order, item[0])))


def find_writer(name: str) -> FormatWriter:
    return _writers.find(name)
