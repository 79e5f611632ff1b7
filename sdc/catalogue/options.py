"""What is said of an option beside its type.

The name of a variable, a number of records, a list from a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from sdc.data.roles import VariableType


@dataclass(frozen=True)
class ColumnName:
    """Marks an option whose text must be a variable of the profile, of one of the types if there are any.

    `unless` another option has this value. Beside the type of `**name: Type` it is said of the variables
    named there.
    """

    types: tuple[VariableType, ...] = ()
    unless: tuple[str, str] | None = None


class OfRecords:
    """Marks an option that asks for so many records: more than there are can never be had."""


class FromFile:
    """Marks an option whose list may stand in a file of its own, YAML or CSV; a text is then its path."""


OF_NUMBERS = ColumnName((VariableType.NUMERIC,))
Column = Annotated[str, ColumnName()]
NumberColumn = Annotated[str, OF_NUMBERS]
OrderedColumn = Annotated[str, ColumnName((VariableType.NUMERIC, VariableType.DATE, VariableType.ORDINAL))]
