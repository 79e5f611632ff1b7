"""Workers each make some strata and syntheses of a candidate; one of them makes the candidate from all."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from sdc.data.warehouse.shared_tables import SharedTables
from sdc.errors import SdcError, SharedUnusable
from sdc.run.pieces import Piece, Work


class PortionMade(SdcError):
    """Ends the making of a candidate of which a portion alone was asked for."""


@dataclass(frozen=True)
class Portion:
    """One of so many portions, numbered from 1."""

    candidate: str
    number: int
    of: int

    def pieces(self, count: int) -> range:
        """Neighbours, for they may be of one stratum; a single piece is left to who makes the candidate."""
        first, end = (count * number // self.of for number in (self.number - 1, self.number))
        return range(first, end) if count > 1 else range(0)

    @property
    def text(self) -> str:
        """Under which name it is said which pieces are made."""
        return f"portion_{self.number}_of_{self.candidate}"


def all_portions(candidate: str, of: int) -> list[Portion]:
    return [Portion(candidate, number, of) for number in range(1, of + 1)]


def piece_name(candidate: str, number: int) -> str:
    return f"piece_{number}_of_{candidate}"


@dataclass
class MakingPortion:
    """Makes the pieces of a portion, puts them on shared storage, and stops there."""

    portion: Portion
    tables: SharedTables
    made: list[int] = field(default_factory=list)

    def __call__(self, count: int, work: Work) -> list[Piece]:
        import pyarrow as pa

        for number in self.portion.pieces(count):
            arrays = {str(place): array for place, array in enumerate(work(number))}
            self.tables.send_rows(piece_name(self.portion.candidate, number), pa.table(arrays))
            self.made.append(number)
        raise PortionMade

    def tell(self) -> None:
        self.tables.send_text(self.portion.text, json.dumps(self.made))


@dataclass
class FromPortions:
    """Takes the pieces that were made, which are all of one step's; makes all others here."""

    candidate: str
    portions: int
    tables: SharedTables

    def __call__(self, count: int, work: Work) -> list[Piece]:
        there = self._there()
        return [self._fetched(number) if number in there else work(number) for number in range(count)]

    def _there(self) -> set[int]:
        """The pieces that lie on shared storage; none for a second step, whose pieces nobody made."""
        made = pieces_made(self.tables, self.candidate, self.portions)
        self.portions = 0
        return set(made)

    def _fetched(self, number: int) -> Piece:
        """It stays there: another worker makes the candidate if this one dies."""
        import duckdb

        try:
            rows = self.tables.fetch_rows(piece_name(self.candidate, number))
        except duckdb.Error as error:
            # Within a step this would be said of the method, and the candidate withheld for it.
            problem = f"a piece of candidate {self.candidate} cannot be read ({type(error).__name__})"
            raise SharedUnusable(self.tables.folder.url, problem) from None
        return [column.to_numpy() for column in rows.columns]


def pieces_made(tables: SharedTables, candidate: str, portions: int) -> list[int]:
    texts = [portion.text for portion in all_portions(candidate, portions)]
    return [number for text in texts for number in json.loads(tables.fetch_text(text))]


def drop_portions(tables: SharedTables, candidate: str, portions: int) -> None:
    """When a candidate is made, or cannot be, the pieces of it do not stay on shared storage."""
    for number in pieces_made(tables, candidate, portions):
        tables.drop_rows(piece_name(candidate, number))
    for portion in all_portions(candidate, portions):
        tables.drop_rows(portion.text)
