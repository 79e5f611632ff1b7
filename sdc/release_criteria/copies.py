"""Does the candidate hand on what belongs to one person of the original: whole records, or values nobody else has?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc import sql
from sdc.protection import Protection
from sdc.spelling import counted, noun
from sdc.statistics.coverage import expected_among_lone, expected_seen, mostly_own

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.protection import Step
    from sdc.roles import Roles
    from sdc.table import Table

HANDED_ON = 0.1
"""Beyond chance, values of the original may make up so much of a column."""


@dataclass(frozen=True)
class Fact:
    """A count made by comparing the candidate with the original, None where it cannot be made; `words` names columns, never values."""

    number: int | None
    words: str = ""


@dataclass(frozen=True)
class Copies:
    """Records of a candidate that equal an original record on every released variable, and how many would by chance."""

    equal: int
    expected: float
    records: int

    @property
    def beyond(self) -> int:
        return max(0, round(self.equal - self.expected))

    @property
    def share(self) -> float:
        """Of the records that should be new, how many are not."""
        fresh = self.records - self.expected
        return (self.equal - self.expected) / fresh if fresh >= 1 else 0.0

    @property
    def are_most(self) -> bool:
        """Are the records the original's? Half of those that should be new, and more where chance makes many equal.

        A good model of a few categories meets many of the original's combinations; one that draws the records themselves meets all.
        """
        return self.share > (1 + self.expected / self.records) / 2 if self.records else False


def copied_records(original: Table, candidate: Table, roles: Roles) -> Copies:
    """Records that equal an original record on every released variable.

    Expected are as many as among further persons of the same population: 1 - f1 / n of the records, where f1 of the n original
    records are like no other (Good 1953). Household numbers are left out: they are drawn anew. A missing value is a value.
    """
    compared = [name for name in candidate.columns if name in original.columns and name != roles.household]
    records, originals = _hashed(candidate, compared), _hashed(original, compared)
    ((alone, known),) = original.fetch(f'SELECT count(*) FILTER ("c" = 1), sum("c") FROM (SELECT "h", count(*) AS "c" FROM {originals} GROUP BY "h")')
    ((equal,),) = candidate.fetch(f'SELECT count(*) FROM {records} WHERE "h" IN (SELECT "h" FROM {originals})')
    return Copies(equal, candidate.rows * expected_seen(alone, known), candidate.rows)


def _hashed(table: Table, columns: Sequence[str]) -> str:
    texts = ", ".join(f"coalesce({table.text(column)}, chr(0))" for column in columns) or "0"
    return f'(SELECT hash({texts}) AS "h" FROM {sql.name(table.name)})'


def contradicted_protection(copies: Copies, steps: Sequence[Step]) -> Fact:
    """A table said to be synthetic whose records are the original's, or one said to be perturbed in which nothing is."""
    said = {step.protection for step in steps}
    if Protection.SYNTHETIC in said and copies.are_most:
        return Fact(1, f"{counted(copies.equal, 'record')} of {copies.records:,}, where {copies.expected:,.0f} would be by chance")
    if Protection.PERTURBATIVE in said and copies.equal == copies.records and copies.beyond:
        return Fact(1, "all of them")
    return Fact(0)


def lone_values(original: Table, candidate: Table, roles: Roles) -> Fact:
    """Columns in which nearly every original record has a value of its own, and that hand such values on, whoever has them now.

    Counted are values that exactly one original record has, in any case and spacing, beyond the share that further persons
    would have: 2 f2 / n, where f2 values belong to two of the n original records (Good 1953). Household numbers are drawn anew,
    and weights are made by the survey.
    """
    compared = [name for name in candidate.columns if name in original.columns and name not in (roles.household, roles.weight)]
    found = {name: told for name in compared if (told := _handed_on(original, candidate, name))}
    return Fact(len(found), "; ".join(f"{name!r}: {told}" for name, told in found.items()))


def _handed_on(original: Table, candidate: Table, name: str) -> str:
    text = sql.folded(original.text(name), original.types[name])
    ((alone, pairs, present),) = original.fetch(sql.lone_counts(text, sql.name(original.name)))
    if not mostly_own(alone, pairs, present):
        return ""
    of_one = f'SELECT {text} AS "v" FROM {sql.name(original.name)} GROUP BY "v" HAVING count(*) = 1'
    held = f'(SELECT {sql.folded(candidate.text(name), candidate.types[name])} AS "v" FROM {sql.name(candidate.name)})'
    ((lone, shown),) = candidate.fetch(f'SELECT count(*) FILTER ("v" IN ({of_one})), count("v") FROM {held}')
    handed_on = lone - expected_among_lone(pairs, present) * shown > HANDED_ON * shown
    return f"{lone:,} of {shown:,} {noun(shown, 'value')}" if handed_on else ""
