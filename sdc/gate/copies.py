"""Counts what a candidate hands on that belongs to one person: whole records, or values nobody else has."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from sdc.catalogue.protection import Protection
from sdc.data import own_values, sql
from sdc.spelling import counted, noun
from sdc.statistics.counts.coverage import (
    expected_among_lone,
    expected_given_away,
    expected_seen,
    given_away,
    mostly_own,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.arrays import Array
    from sdc.catalogue.protection import Step
    from sdc.data.roles import Roles
    from sdc.data.table import Table


HANDED_ON = 0.1
"""Beyond chance, values of the original may make up so much of a column."""
GIVEN_AWAY = 0.5
"""Beyond chance, so many numbers of a column may lie close to one of the original.

Where money is rounded, those far from all others do.
"""
UNCHANGED = 0.001
"""Of a table said to be perturbed at least so many records must differ from all original ones."""
MOST_GROUPS, MOST_LEFT_OUT = 8, 2


@dataclass(frozen=True)
class ComparisonFact:
    """A count made by comparing the candidate with the original, None where it cannot be made.

    `words` names columns, never values.
    """

    number: int | None
    words: str = ""


@dataclass(frozen=True)
class Copies:
    """Candidate records that equal an original one on all released variables, and the number by chance."""

    equal: int
    expected: float
    records: int

    @property
    def beyond(self) -> int:
        return max(0, round(self.equal - self.expected))

    @property
    def share(self) -> float:
        """The share of the records that should be new but are not."""
        fresh = self.records - self.expected
        return (self.equal - self.expected) / fresh if fresh >= 1 else 0.0

    @property
    def are_most(self) -> bool:
        """Whether the records are the original's: more than half of those that should be new are not.

        The share is larger where chance makes many equal.

        A good model of a few categories meets many of the original's combinations; one that draws the records
        themselves meets all.
        """
        return self.share > (1 + self.expected / self.records) / 2 if self.records else False


@dataclass(frozen=True)
class ComparedRecords:
    """The records of both tables, with their variables in at most 8 groups."""

    original: Table
    candidate: Table
    groups: Sequence[Sequence[str]]

    @classmethod
    def of(cls, original: Table, candidate: Table, roles: Roles) -> ComparedRecords:
        compared = _compared(original, candidate, roles)
        groups = [compared[place::MOST_GROUPS] for place in range(min(MOST_GROUPS, len(compared)))]
        return cls(original, candidate, groups)

    def copied(self) -> Copies:
        """Records that equal an original record on every released variable, in any case and spacing.

        Expected are as many as among further persons of the same population: 1 - f1 / n of the records, where
        f1 of the n original records are like no other (Good 1953). Household numbers are left out, for they
        are drawn anew, and so are weights, which the survey makes. A missing value is a value.
        """
        everything = [[name for group in self.groups for name in group]]
        originals, records = (
            f"(SELECT {_hashes(table, everything)} FROM {sql.name(table.name)})"
            for table in (self.original, self.candidate)
        )
        known = f'SELECT "h0", count(*) AS "c" FROM {originals} GROUP BY "h0"'
        ((alone, equal),) = self.original.fetch(
            f'WITH "known" AS MATERIALIZED ({known}) SELECT (SELECT count(*) FROM "known" WHERE "c" = 1),'
            f' (SELECT count(*) FROM {records} WHERE "h0" IN (SELECT "h0" FROM "known"))'
        )
        rows = self.candidate.rows
        return Copies(int(equal), rows * expected_seen(int(alone), self.original.rows), rows)

    def nearly_copied(self) -> Copies:
        """The same with one or two groups of variables left out, those that leave the most equal records.

        A record of which a few values were altered is the original's still.
        """
        held = _hashed(self.original, self.groups), _hashed(self.candidate, self.groups)
        groups = range(len(self.groups))
        left_out = [
            out
            for size in range(min(MOST_LEFT_OUT, (len(groups) - 1) // 2) + 1)
            for out in combinations(groups, size)
        ]
        return max((_equal(*held, out) for out in left_out), key=lambda copies: copies.share)


def _equal(original: Array, candidate: Array, left_out: Sequence[int]) -> Copies:
    import numpy as np

    originals, records = (
        held.sum(axis=0) - held[list(left_out)].sum(axis=0) for held in (original, candidate)
    )
    known, counts = np.unique(originals, return_counts=True)
    equal = int(np.isin(records, known).sum())
    return Copies(equal, records.size * expected_seen(int((counts == 1).sum()), originals.size), records.size)


def _compared(original: Table, candidate: Table, roles: Roles) -> list[str]:
    return [
        name
        for name in candidate.columns
        if name in original.columns and name not in (roles.household, roles.weight)
    ]


def _hashes(table: Table, groups: Sequence[Sequence[str]]) -> str:
    """A hash of each group of columns, as SQL."""
    texts = [
        [f"coalesce({sql.folded(table.text(column), table.types[column])}, chr(0))" for column in group]
        for group in groups
    ]
    return ", ".join(
        f'hash({", ".join([str(place), *group])}) AS "h{place}"' for place, group in enumerate(texts)
    )


def _hashed(table: Table, groups: Sequence[Sequence[str]]) -> Array:
    """A hash of each group of columns in every record; those of several groups can be added."""
    import numpy as np

    if not groups:
        return np.zeros((1, table.rows), dtype=np.uint64)
    rows = table.arrow(f"SELECT {_hashes(table, groups)} FROM {sql.name(table.name)}")
    return np.stack([column.to_numpy() for column in rows.columns])


def contradicted_protection(
    records: ComparedRecords, copies: Copies, steps: Sequence[Step]
) -> ComparisonFact:
    """A table called synthetic that copies original records, or a perturbed one that changes hardly any."""
    said = {step.protection for step in steps}
    if Protection.SYNTHETIC in said:
        found = copies if copies.are_most else records.nearly_copied()
        if found.are_most:
            on_most = "" if found is copies else " on most variables"
            return ComparisonFact(
                1,
                f"{counted(found.equal, 'record')} of {found.records:,}{on_most}, where {found.expected:,.0f}"
                " would be by chance",
            )
    if (
        Protection.PERTURBATIVE in said
        and copies.beyond
        and copies.records - copies.equal < max(1, UNCHANGED * copies.records)
    ):
        return ComparisonFact(
            1, "all of them" if copies.equal == copies.records else f"{copies.equal:,} of {copies.records:,}"
        )
    return ComparisonFact(0)


def lone_values(original: Table, candidate: Table, roles: Roles) -> ComparisonFact:
    """Columns in which nearly every original record has a value of its own, and that hand such values on.

    Values count that one original person alone has, or one household where there are households, in any case
    and spacing, beyond the share that further persons would have: 2 f2 / n, where f2 values belong to two of
    the n (Good 1953). Numbers count too where most lie so close to such a value that they reveal it. Common
    answers are skipped. Household numbers are drawn anew, and weights are made by the survey.
    """
    found = {
        name: told
        for name in _compared(original, candidate, roles)
        if (told := _handed_on(original, candidate, name, roles))
    }
    return ComparisonFact(len(found), "; ".join(f"{name!r}: {told}" for name, told in found.items()))


def _handed_on(original: Table, candidate: Table, name: str, roles: Roles) -> str:
    are_numbers = original.is_numeric(name) and candidate.is_numeric(name)
    home = sql.name(roles.household) if roles.household in original.columns else ""
    own = _Own.counted(original, name, home, are_numbers=are_numbers)
    if not mostly_own(own.alone, own.pairs, own.holders):
        return ""
    lone, shown = _handed_on_as_it_is(own, candidate, name)
    if lone - expected_among_lone(own.pairs, own.holders) * shown > HANDED_ON * shown:
        return f"{lone:,} of {shown:,} {noun(shown, 'value')}"
    near = _given_away(own, candidate, name) if are_numbers else 0
    if near - expected_given_away(own.alone, own.pairs, own.holders) * shown > GIVEN_AWAY * shown:
        return f"{near:,} of {shown:,} {noun(shown, 'value')}, changed so little that they give it away"
    return ""


@dataclass(frozen=True)
class _Own:
    """The values of an original column by their holders, and how they are written in SQL."""

    table: Table
    value: str
    home: str
    are_numbers: bool
    alone: int
    pairs: int
    holders: int

    @classmethod
    def counted(cls, table: Table, name: str, home: str, *, are_numbers: bool) -> _Own:
        value = (
            f"CAST({sql.name(name)} AS DOUBLE)"
            if are_numbers
            else sql.folded(table.text(name), table.types[name])
        )
        (counts,) = table.fetch(own_values.counts(value, sql.name(table.name), home))
        return cls(table, value, home, are_numbers, *counts)

    @property
    def of_one(self) -> str:
        return own_values.of_one(self.value, sql.name(self.table.name), self.home)

    @property
    def common(self) -> str:
        return own_values.common(self.value, sql.name(self.table.name))


def _handed_on_as_it_is(own: _Own, candidate: Table, name: str) -> tuple[int, int]:
    """How many values of the candidate one original holder has, and how many are no common answers."""
    value = (
        f"CAST({sql.name(name)} AS DOUBLE)"
        if own.are_numbers
        else sql.folded(candidate.text(name), candidate.types[name])
    )
    counts = f'count(*) FILTER ("v" IN ({own.of_one})), count("v") FILTER ("v" NOT IN ({own.common}))'
    ((lone, shown),) = candidate.fetch(
        f'SELECT {counts} FROM (SELECT {value} AS "v" FROM {sql.name(candidate.name)})'
    )
    return int(lone), int(shown)


def _given_away(own: _Own, candidate: Table, name: str) -> int:
    """How many numbers of the candidate reveal one that one original holder has."""
    import numpy as np

    known = np.unique(
        own.table.arrow(f'SELECT DISTINCT {own.value} AS "x" FROM {sql.name(own.table.name)}')
        .column("x")
        .drop_null()
        .to_numpy()
    )
    of_one, common = (
        np.unique(own.table.arrow(query).column(0).to_numpy()) for query in (own.of_one, own.common)
    )
    numbers = candidate.numbers(name)
    places = given_away(numbers[~np.isnan(numbers) & ~np.isin(numbers, common)], known)
    return int(np.isin(known[places[places >= 0]], of_one).sum())
