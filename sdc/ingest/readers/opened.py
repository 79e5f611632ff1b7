"""What every reader offers: something to select from, its columns, and what the file says of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class ColumnMetadata:
    """What a file itself says of a column; a draft writes it into the profile.

    `label` says what the variable is, `values` what its codes mean, `missing_codes` which of them stand for
    no value. Formats of statistical packages have these, CSV has none.
    """

    label: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    missing_codes: tuple[str, ...] = ()


NOTHING_SAID = ColumnMetadata()


@dataclass(frozen=True)
class SourceColumn:
    """A column as the source holds it: how it is written in SQL, its type, and what the file says of it."""

    expression: str
    type: str
    metadata: ColumnMetadata = NOTHING_SAID


@dataclass(frozen=True)
class OpenedSource:
    """A source that can be read: `relation` is what stands after FROM.

    It may be a table function of DuckDB, or a name that `sdc.ingest.readers.chunks` has given to records that
    come in chunks; then it can be read once. `nulls` are the codes the reader itself has taken for missing.
    Names and texts come in one Unicode normal form (NFC), so that what reads the same is the same.
    """

    relation: str
    columns: Mapping[str, SourceColumn]
    nulls: frozenset[str] = frozenset()
    row: str = ""
    """The number of a record in its file, in SQL, where not all records of the file are there."""
    read: int | None = None
    """The records of the file, where not all of them are there."""

    def __post_init__(self) -> None:
        names = {name: unicodedata.normalize("NFC", name) for name in self.columns}
        distinct = len(set(names.values())) == len(names)
        normal = {
            names[name] if distinct else name: _in_normal_form(held) for name, held in self.columns.items()
        }
        object.__setattr__(self, "columns", normal)


def _in_normal_form(held: SourceColumn) -> SourceColumn:
    return replace(held, expression=f"nfc_normalize({held.expression})") if held.type == "VARCHAR" else held
