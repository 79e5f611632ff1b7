"""Reads the file of households beside that of persons, for a draft, and finds the key that links them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader_of
from sdc.draft.facts import ColumnFacts, TableFacts, seems_headless, table_facts
from sdc.draft.household_size import CROWD, members, sizes_of_households
from sdc.draft.informed import outside
from sdc.draft.opening import described_source, opened
from sdc.errors import BadData, Fault
from sdc.ingest.readers.header import headless

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc.data.table import Table
    from sdc.draft.guesses import Guess
    from sdc.ingest.readers.opened import ColumnMetadata
    from sdc.profile.plan import Source


@dataclass(frozen=True)
class HouseholdFile:
    """A file of households beside that of persons. `twice` are columns that both have, besides the key."""

    source: Source
    path: Path
    key: str
    facts: TableFacts
    told: Mapping[str, ColumnMetadata]
    unknown: Mapping[str, int]
    twice: frozenset[str]
    sizes: frozenset[str] = frozenset()
    """Columns with the number of persons of the household."""

    @property
    def own(self) -> tuple[ColumnFacts, ...]:
        """Its columns that are in no other file."""
        return tuple(column for column in self.facts.columns if column.name not in {self.key, *self.twice})

    @property
    def names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.own)

    def beside(self, persons: TableFacts) -> TableFacts:
        """The facts of both files: each column by the records of its own."""
        return replace(persons, columns=(*persons.columns, *self.own), by_name={})

    def marked(self, guess: Guess) -> Guess:
        """A guess that says where its column is; the profile need not say that it is per household."""
        if guess.name == self.key:
            return replace(guess, reason=f"links persons with {self.path.name}")
        if guess.name not in self.names:
            return guess
        return replace(guess, reason=f"{guess.reason}, of households", per_household=True)


def read_households(
    path: Path,
    table: str | None,
    persons: TableFacts,
    records: Table,
    key: str | None,
    dictionary: Mapping[str, ColumnMetadata],
) -> HouseholdFile:
    """The file of households; BadData where no column links it with the `records` of persons."""
    source = described_source(path, table)
    is_text = not reader_of(path, source.format).typed
    with opened(source, dictionary) as (data, told):
        facts = table_facts(data, comma_may_be_decimal=is_text and source.separator != ",")
        if is_text and seems_headless(facts):
            raise BadData([headless(path)])
        unknown = outside(data, told)
        both = [column.name for column in facts.columns if column.name in persons.by_name]
        found = key or _found(path, facts, both)
        _refuse_key(path, facts, both, found)
        numbers = [column.name for column in facts.columns if column.is_number and column.name != found]
        sizes = sizes_of_households(data, found, numbers, members(records, found), CROWD)
    return HouseholdFile(source, path, found, facts, told, unknown, frozenset(both) - {found}, sizes)


def _refuse_key(path: Path, facts: TableFacts, both: list[str], found: str) -> None:
    if found not in both:
        raise BadData([Fault("--key", f"not both files have a column {found!r}", "name one that both have")])
    if not facts.by_name[found].unique:
        problem = "it is missing, or the same in several households"
        raise BadData([Fault(f"{path}, column {found!r}", problem, "name another by --key")])


def _found(path: Path, facts: TableFacts, both: list[str]) -> str:
    """The one column of both files that tells households apart."""
    unique = [name for name in both if facts.by_name[name].unique]
    if len(unique) == 1:
        return unique[0]
    problem = (
        f"{len(unique)} columns of both files tell households apart"
        if unique
        else "no column of both files has another value in every household"
    )
    raise BadData([Fault(str(path), problem, "say by --key which one links them")])
