"""Counts the decimals that the numbers of a table were written with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.table import WHOLE_TYPES

if TYPE_CHECKING:
    from sdc.data.table import Table

MOST_DECIMALS = 6
"""A number with more decimals than this was computed, not written: it keeps all its digits."""
LARGEST_EXACT = 2**53
"""Up to here every whole number is a float64."""


def decimals_of(table: Table, columns: Sequence[str]) -> dict[str, int]:
    """The decimals of numeric columns: of each the most that any of its values has.

    A column whose numbers have more than six decimals is left out, and so is one that is not numeric.
    """
    asked = [column for column in columns if table.is_numeric(column)]
    found = {column: 0 for column in asked if table.types[column] in WHOLE_TYPES}
    open_ones = [column for column in asked if column not in found]
    if not open_ones:
        return found
    tests = ", ".join(
        f"coalesce(bool_and({value} = round({value}, {places})), true)"
        for column in open_ones
        for value in [f"CAST({sql.name(column)} AS DOUBLE)"]
        for places in range(MOST_DECIMALS + 1)
    )
    (answers,) = table.fetch(f"SELECT {tests} FROM {sql.name(table.name)}")
    each = MOST_DECIMALS + 1
    for place, column in enumerate(open_ones):
        holds = answers[place * each : (place + 1) * each]
        if True in holds:
            found[column] = holds.index(True)
    return found
