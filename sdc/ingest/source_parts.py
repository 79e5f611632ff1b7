"""Has the parts of a folder read by other machines and puts them together, as if one had read them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.readers.opened import OpenedSource


@dataclass(frozen=True)
class SourcePart:
    """A file of a folder: what stands after FROM to read it, and the SHA-256 its bytes must have."""

    path: Path
    relation: str
    sha256: str


class PartReading(Protocol):
    """Has parts of a source read by other machines."""

    def __call__(
        self, cursor: duckdb.DuckDBPyConnection, table: str, chosen: str, parts: Sequence[SourcePart]
    ) -> Iterator[bool]:
        """Append `chosen` of each part to the table, in order.

        It is False where no other machine has read the very bytes: then the part is not appended, and is
        read here before the next one is asked for.
        """


def put_together(
    cursor: duckdb.DuckDBPyConnection,
    opened: OpenedSource,
    table: str,
    chosen: str,
    digests: Mapping[Path, str],
    elsewhere: PartReading,
) -> None:
    """Fill a new temporary table with the parts of a folder, in the order of their names."""
    cursor.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {chosen} FROM {opened.relation} LIMIT 0")
    parts = [SourcePart(path, relation, digests.get(path, "")) for path, relation in opened.parts.items()]
    for part, is_there in zip(parts, elsewhere(cursor, table, chosen, parts), strict=True):
        if not is_there:
            cursor.execute(f"INSERT INTO {table} SELECT {chosen} FROM {part.relation}")
