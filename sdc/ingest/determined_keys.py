"""Notes on variables that tell a key which a candidate hides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.data import own_values, sql
from sdc.ingest.lone_values import changed_by
from sdc.profile.wording import listed
from sdc.statistics.counts.coverage import TINY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.data.table import Table
    from sdc.profile.plan import Profile

NEARLY = 0.95
"""A key is determined where another record of the same level has the same value so often."""
COUNT = "the number of records of a household"
ONE_VALUE = 0.9
"""A value that so many records have is no secret."""


def determined_keys(original: Table, profile: Profile) -> Iterator[str]:
    """A note for each key that a candidate changes while a variable it leaves as it is determines the key.

    Of two records with the same value of that variable, one tells the other's key: the share of records,
    beyond the first of each level, that have the key most frequent in their level. Levels of single records
    tell nothing. That a household tells what is declared to be the same within it is known, and looked at by
    the gate.
    """
    if original.rows <= TINY:
        return
    for name, steps in profile.candidates.items():
        changed = frozenset[str]().union(*(changed_by(step, profile.roles) for step in steps))
        for key in (key for key in profile.roles.quasi_identifiers if key in changed):
            known = {key, profile.roles.household} if profile.roles[key].household_level else {key}
            kept = [column for column in original.columns if column not in changed | known]
            shares = [(column, told_share(original, column, key)) for column in kept]
            told = [(repr(column), share) for column, share in shares if share >= NEARLY]
            if (share := _counted_share(original, profile.roles.household, key)) >= NEARLY:
                told.append((COUNT, share))
            if told:
                exact = "determine" if all(share == 1 for _, share in told) else "nearly determine"
                by = listed([column for column, _ in told], "and")
                told_by = f"{by} {exact if len(told) > 1 else exact.replace('determine', 'determines')} it"
                yield (
                    f"candidate {name!r} changes the key {key!r}, and {told_by}: judge reconstruction, or"
                    " coarsen, drop or perturb them together"
                )


def told_share(table: Table, column: str, key: str) -> float:
    """How often the value of a column tells that of a key, beyond the first record of each value.

    0 where it tells of too few records, or where nearly all have the same value of the key.
    """
    return _share(table, table.text(column), key, sql.name(table.name))


def _counted_share(table: Table, household: str | None, key: str) -> float:
    """The same for the number of records that have the household number of a record, where it leaves."""
    if household is None or household not in table.columns:
        return 0.0
    home = sql.name(household)
    sizes = (
        f"(SELECT *, count(*) OVER (PARTITION BY {home}) AS {sql.name(COUNT)} FROM {sql.name(table.name)})"
    )
    return _share(table, f"CASE WHEN {home} IS NULL THEN 1 ELSE {sql.name(COUNT)} END", key, sizes)


def _share(table: Table, by: str, key: str, relation: str) -> float:
    ((right, records),) = table.fetch(own_values.told(by, table.text(key), relation))
    counted = (
        f'SELECT count("v") AS "c" FROM (SELECT {table.text(key)} AS "v" FROM {sql.name(table.name)}) GROUP'
        ' BY "v"'
    )
    ((most,),) = table.fetch(f'SELECT coalesce(max("c"), 0) FROM ({counted})')
    if 2 * records < table.rows or most > ONE_VALUE * table.rows:
        return 0.0
    return float(right / records)
