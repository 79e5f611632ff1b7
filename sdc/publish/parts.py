"""The tables of a bundle: one, or persons and households apart where the source was two linked files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.writers import find_writer
from sdc.data import sql

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc.data.table import Table
    from sdc.profile import Profile

PERSONS, HOUSEHOLDS = "persons", "households"
OF_WHAT = {PERSONS: "one record a person", HOUSEHOLDS: "one record a household"}


@dataclass(frozen=True)
class BundlePart:
    """A table that leaves as one file in every format.

    `stem` begins the names of its files. `name` is empty where it is the whole judged table; else it has the
    persons or the households of it, and both have the column `key`.
    """

    stem: str
    name: str
    columns: tuple[str, ...]
    rows: int
    key: str = ""

    def data_file(self, file_format: str) -> str:
        return f"{self.stem}{f'.{self.name}' if self.name else ''}{find_writer(file_format).suffix}"

    @property
    def in_words(self) -> str:
        return OF_WHAT.get(self.name, "")

    def selected(self, relation: str) -> str:
        """The part in SQL, from the whole table.

        Households have the order of their new numbers, which are random: it says nothing of the source.
        """
        if not self.name:
            return relation
        columns = sql.names(self.columns)
        if self.name == PERSONS:
            return f"(SELECT {columns} FROM {relation})"
        number = sql.name(self.key)
        order = f"TRY_CAST({number} AS BIGINT), {number}"
        return f"(SELECT {columns} FROM {relation} GROUP BY {columns} ORDER BY {order})"


def parts_of(profile: Profile, table: Table, stem: str) -> tuple[BundlePart, ...]:
    """One part, or two where the profile links persons with households."""
    key = linking_key(profile)
    if key is None or key not in table.columns:
        return (BundlePart(stem, "", table.columns, table.rows),)
    of_households = {name for name in table.columns if profile.variables[name].per == "household"}
    homes = table.fetch(f"SELECT count(DISTINCT {sql.name(key)}) FROM {sql.name(table.name)}")[0][0]

    def columns(names: Iterable[str]) -> tuple[str, ...]:
        return (key, *(name for name in names if name != key))

    return (
        BundlePart(
            stem,
            PERSONS,
            columns(name for name in table.columns if name not in of_households),
            table.rows,
            key,
        ),
        BundlePart(
            stem, HOUSEHOLDS, columns(name for name in table.columns if name in of_households), homes, key
        ),
    )


def part_of(file_name: str) -> str:
    """Which part a data file has, by its name; empty where it has the whole table."""
    name = file_name.rsplit(".", 2)[-2]
    return name if name in OF_WHAT and file_name.count(".") > 1 else ""


def linking_key(profile: Profile) -> str | None:
    """The number of the household, where the source is two linked files."""
    return profile.roles.household if profile.source.households is not None else None
