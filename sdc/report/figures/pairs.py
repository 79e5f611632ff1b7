"""Chooses the variables whose pairs are examined and shown, and says so in words."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from sdc.report import wording
from sdc.report.drawing import Mark, text
from sdc.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_LOOKED_AT = 60
FONT = 11
WIDE, NARROW = frozenset("mwMW@%&"), frozenset("ijlft.,:;'|!()[] -")


def looked_at(names: Sequence[str], records: int, affordable: int, least: int) -> tuple[str, ...]:
    """The first variables, as many as have at most `affordable` records in all their pairs together.

    There are at least `least` of them.
    """
    count = least
    while count < MOST_LOOKED_AT and count * (count + 1) // 2 * records <= affordable:
        count += 1
    return tuple(names[:count])


def most_changed(names: Sequence[str], change: Mapping[tuple[str, str], float], most: int) -> list[str]:
    """The variables of the pairs that changed most, until there are `most`; in the order given."""
    if len(names) <= most:
        return list(names)
    chosen: set[str] = set()
    for pair in sorted(change, key=lambda each: (-round(change[each], 9), each)):
        if len(chosen.union(pair)) <= most:
            chosen.update(pair)
    return [name for name in names if name in chosen]


def selection(shown: int, looked: int, known: int, nouns: str) -> str:
    """How many variables a figure shows, of how many, and why those."""
    if shown == known:
        return f"{'Both' if known == 2 else f'All {known}'} {nouns} are shown."
    those = f"Shown are {shown} of {known} {nouns}"
    if looked == known:
        return f"{those}: those of the pairs that changed most, of all {known * (known - 1) // 2:,} pairs."
    first = f"the first {looked} of the profile, for a file this large and wide"
    return (
        f"{those}: {first}."
        if shown == looked
        else f"{those}: those of the pairs that changed most among {first}."
    )


def left_out(names: Sequence[str]) -> str:
    """Variables no figure of pairs can show."""
    told = wording.listed(names) if len(names) <= 3 else counted(len(names), "variable")
    return (
        f" Left out, because {'its' if len(names) == 1 else 'their'} values cannot be compared: {told}."
        if names
        else ""
    )


def breadth(words: str) -> float:
    """No fewer pixels than the words take as a label in any font of the page."""
    ems = (
        0.42 if sign in NARROW else 1.0 if _is_wide(sign) else 0.8 if sign.isupper() else 0.66
        for sign in words
    )
    return FONT * sum(ems)


def _is_wide(sign: str) -> bool:
    return sign in WIDE or unicodedata.east_asian_width(sign) in "WF"


def row_names(names: Sequence[str], top: float, cell: float) -> tuple[float, list[Mark]]:
    """Each variable with its number before its row, and where the rows begin.

    The number stands apart, because it is no value of the variable.
    """
    beside = 8 + breadth(str(len(names))) + 6
    left = 4 + max(breadth(name) for name in names) + beside
    marks: list[Mark] = []
    for number, name in enumerate(names):
        y = top + number * cell + cell / 2 + 4
        marks += [text(left - beside, y, name, "end"), text(left - 8, y, str(number + 1), "tick end")]
    return left, marks
