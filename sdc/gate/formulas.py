"""Refers candidates with cells that a spreadsheet would run, unless the profile has them escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.spreadsheet_cells import formula_condition, is_formula

if TYPE_CHECKING:
    from sdc.data.table import Table
    from sdc.profile import Profile

TEXT_TYPES = ("VARCHAR", "ENUM")


def formulas_left(profile: Profile, name: str) -> bool:
    """Whether cells of this column, or its name, could leave in a CSV file as formulas."""
    return "csv" in profile.publish.formats and (profile.publish.formulas == "refer" or is_formula(name))


def formula_cells(table: Table, name: str, *, escapes: bool) -> str | int:
    """A condition in SQL that holds for records with a formula in this column.

    It is a count where no record needs to be examined.
    """
    if is_formula(name):
        return table.rows
    if escapes or not table.types[name].startswith(TEXT_TYPES):
        return 0
    return f"{sql.name(name)} IS NOT NULL AND {formula_condition(f'CAST({sql.name(name)} AS VARCHAR)')}"
