"""The tables of a bundle: one, or persons and households apart where the source was two linked files.

Of several syntheses each has its own, or all are stacked in one with a column that numbers them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.writers import find_writer
from sdc.data import sql
from sdc.profile.publish_plan import SYNTHESIS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sdc.data.table import Table
    from sdc.profile import Profile

PERSONS, HOUSEHOLDS = "persons", "households"
OF_WHAT = {PERSONS: "one record a person", HOUSEHOLDS: "one record a household"}


@dataclass(frozen=True)
class BundlePart:
    """A table that leaves as one file in every format.

    `stem` begins the names of its files. `name` is empty where it is the whole judged table; else it has the
    persons or the households of it, and both have the column `key`. `source` is the whole table in SQL;
    `told` says which synthesis it is, where several leave.
    """

    stem: str
    name: str
    columns: tuple[str, ...]
    rows: int
    key: str = ""
    source: str = ""
    told: str = ""

    def data_file(self, file_format: str) -> str:
        return data_file(self.stem, self.name, file_format)

    @property
    def in_words(self) -> str:
        return "; ".join(filter(None, (self.told, OF_WHAT.get(self.name, ""))))

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns by which persons and households are linked."""
        stacked = (SYNTHESIS,) if self.columns[:1] == (SYNTHESIS,) else ()
        return (*stacked, self.key) if self.key else ()

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
        first = f"{sql.name(SYNTHESIS)}, " if len(self.keys) > 1 else ""
        order = f"{first}TRY_CAST({number} AS BIGINT), {number}"
        return f"(SELECT {columns} FROM {relation} GROUP BY {columns} ORDER BY {order})"


def parts_of(profile: Profile, table: Table, stem: str, told: str = "") -> tuple[BundlePart, ...]:
    """One part, or two where the profile links persons with households."""
    key, source = linking_key(profile), sql.name(table.name)
    if key is None or key not in table.columns:
        return (BundlePart(stem, "", table.columns, table.rows, source=source, told=told),)
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
            source,
            told,
        ),
        BundlePart(
            stem,
            HOUSEHOLDS,
            columns(name for name in table.columns if name in of_households),
            homes,
            key,
            source,
            told,
        ),
    )


def stacked(copies: Sequence[tuple[BundlePart, ...]], stem: str, source: str) -> tuple[BundlePart, ...]:
    """The parts of several syntheses as one each: their records one below the other, numbered."""
    return tuple(
        BundlePart(
            stem,
            parts[0].name,
            (SYNTHESIS, *parts[0].columns),
            sum(part.rows for part in parts),
            parts[0].key,
            source,
            f"{len(parts)} syntheses, one below the other",
        )
        for parts in zip(*copies, strict=True)
    )


def synthesis_of(file_name: str) -> int:
    """Which of several syntheses a data file has, by its name; 0 where it does not say."""
    found = re.search(rf"\.{SYNTHESIS}_(\d+)\.", file_name)
    return int(found[1]) if found else 0


def part_of(file_name: str) -> str:
    """Which part a data file has, by its name; empty where it has the whole table."""
    name = file_name.rsplit(".", 2)[-2]
    return name if name in OF_WHAT and file_name.count(".") > 1 else ""


def linking_key(profile: Profile) -> str | None:
    """The number of the household, where the source is two linked files."""
    return profile.roles.household if profile.source.households is not None else None


def stem_of(profile: Profile, *, synthetic: bool, number: int = 0) -> str:
    """What the names of data files begin with: it says synthetic, and which of several syntheses, if so."""
    stem = f"{profile.name}.synthetic" if synthetic else profile.name
    return f"{stem}.{SYNTHESIS}_{number}" if number else stem


def data_file(stem: str, part: str, file_format: str) -> str:
    return f"{stem}{f'.{part}' if part else ''}{find_writer(file_format).suffix}"


def data_files(profile: Profile, *, synthetic: bool, copies: int) -> tuple[str, ...]:
    """The names of all data files of a candidate of so many syntheses, before any of them is written."""
    apart = len(profile.publish.leaving(range(copies))) > 1 and profile.publish.syntheses != "stacked"
    numbers = range(1, copies + 1) if apart else (0,)
    parts = ("",) if linking_key(profile) is None else (PERSONS, HOUSEHOLDS)
    return tuple(
        data_file(stem_of(profile, synthetic=synthetic, number=number), part, each)
        for number in numbers
        for part in parts
        for each in profile.publish.formats
    )
