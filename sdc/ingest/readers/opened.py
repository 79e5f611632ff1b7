"""What every reader offers: something to select from, its columns, and what the file says of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc.profile.plan import Source


class Level(StrEnum):
    """How the values of a variable compare, as statistical packages call it."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    SCALE = "scale"


@dataclass(frozen=True)
class ColumnMetadata:
    """What a file itself says of a column; a draft writes it into the profile.

    `label` says what the variable is, `values` what its codes mean, `missing_codes` which of them stand for
    no value; several kinds of missing have several codes. `order` are codes from low to high, `unit` is what
    its numbers count. Formats of statistical packages have these, CSV has none.
    """

    label: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    missing_codes: tuple[str, ...] = ()
    level: Level | None = None
    order: tuple[str, ...] = ()
    unit: str = ""


NOTHING_SAID = ColumnMetadata()


@dataclass(frozen=True)
class OddCells:
    """Cells of another type than most of their column: where the first is, and their distinct texts.

    The texts are never shown: they tell whether every odd cell is a code for missing.
    """

    place: str
    texts: frozenset[str] = field(repr=False)


@dataclass(frozen=True)
class SourceColumn:
    """A column as the source holds it: how it is written in SQL, its type, and what the file says of it."""

    expression: str
    type: str
    metadata: ColumnMetadata = NOTHING_SAID
    odd: OddCells | None = None
    source: Source | None = None
    """The second file it comes from, if it does: how that writes decimals and what is missing."""


@dataclass(frozen=True)
class OpenedSource:
    """A source that can be read: `relation` is what stands after FROM.

    It may be a table function of DuckDB, or a name that `sdc.ingest.readers.chunks` has given to records that
    come in chunks; then it can be read once. `nulls` are the codes the reader itself has taken for missing.
    Names and texts come in one Unicode normal form (NFC), so that what reads the same is the same. A source
    that is no file has the digest of its records: `sha256`, and `bytes`, how long their texts are.
    """

    relation: str
    columns: Mapping[str, SourceColumn]
    nulls: frozenset[str] = frozenset()
    row: str = ""
    """The number of a record in its file, in SQL, where not all records of the file are there."""
    read: int | None = None
    """The records of the file, where not all of them are there."""
    sha256: str | None = None
    bytes: int = 0
    households_sha256: str | None = None
    """The digest of the households joined with it, where they come from a database."""
    parts: Mapping[Path, str] = field(default_factory=dict)
    """The files of a folder in order, each with what stands after FROM to read it alone."""

    def __post_init__(self) -> None:
        names = {name: unicodedata.normalize("NFC", name) for name in self.columns}
        distinct = len(set(names.values())) == len(names)
        normal = {
            names[name] if distinct else name: _in_normal_form(held) for name, held in self.columns.items()
        }
        object.__setattr__(self, "columns", normal)


def _in_normal_form(held: SourceColumn) -> SourceColumn:
    if held.type != "VARCHAR" or held.expression.startswith("nfc_normalize("):
        return held
    return replace(held, expression=f"nfc_normalize({held.expression})")
