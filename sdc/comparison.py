"""What can original and candidate be compared on, and how does it come out as tables, numbers and features?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc import sql
from sdc.classes import Cells, Classed
from sdc.measurement import NotAssessed
from sdc.release_pair import ReleasePair, Side
from sdc.statistics.design import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    Array = np.ndarray[Any, Any]

BOTH = (Side.ORIGINAL, Side.CANDIDATE)


def comparable(pair: ReleasePair, variables: Sequence[str] | None = None) -> tuple[str, ...] | NotAssessed:
    """The analysed variables both tables have, or those named; the reason where there is nothing to compare."""
    empty = [side.value for side in BOTH if not pair.table(side).rows]
    if empty:
        return NotAssessed(f"no records in the {' and the '.join(empty)}")
    if variables:
        lacking = [name for name in variables if any(name not in pair.table(side).columns for side in BOTH)]
        return NotAssessed(f"not in both tables: {', '.join(lacking)}") if lacking else tuple(variables)
    shared = tuple(name for name in pair.roles.analysed if all(name in pair.table(side).columns for side in BOTH))
    return shared or NotAssessed("original and candidate share no analysed variable")


def is_number(pair: ReleasePair, column: str) -> bool:
    """Is a variable declared numeric and held as numbers by both tables? A recoded one is not."""
    return column in pair.roles and pair.roles[column].numeric and all(pair.table(side).is_numeric(column) for side in BOTH)


def comparable_numbers(pair: ReleasePair, variables: Sequence[str] | None = None) -> tuple[str, ...] | NotAssessed:
    """The numeric variables both tables hold as numbers with a value in each; the reason where there are none."""
    shared = comparable(pair, variables)
    if isinstance(shared, NotAssessed):
        return shared
    if variables and (texts := [name for name in shared if not is_number(pair, name)]):
        return NotAssessed(f"not numeric in both tables: {', '.join(texts)}")
    numeric = [name for name in shared if is_number(pair, name)]
    filled = tuple(name for name in numeric if all(observed(pair, name, side).size for side in BOTH))
    return filled or NotAssessed("no numeric variable has values in both tables")


def observed(pair: ReleasePair, column: str, side: Side) -> Array:
    """The numbers of a column without the missing ones, in row order."""
    import numpy as np

    numbers = pair.numbers(column, side)
    return numbers[~np.isnan(numbers)]


def classed(pair: ReleasePair, column: str, groups: int) -> str | Classed:
    """A column as a margin of a table: numbers in groups of equal frequency, the rest by its values.

    Where ties leave fewer than three groups, the groups have equal length instead.
    """
    if not is_number(pair, column):
        return column
    by_frequency = pair.classed(column, bins=groups)
    if len(by_frequency.edges) + 1 >= min(groups, 3):
        return by_frequency
    return pair.classed(column, bins=groups, equal_frequency=False)


def compared_tables(pair: ReleasePair, variables: Sequence[str] | None, groups: int) -> dict[str, Cells] | NotAssessed:
    """The joint table of the variables named or, where none is, the table of each analysed variable by itself."""
    shared = comparable(pair, variables)
    if isinstance(shared, NotAssessed):
        return shared
    if variables:
        return {"+".join(shared): pair.cells([classed(pair, column, groups) for column in shared])}
    return {column: pair.cells([classed(pair, column, groups)]) for column in shared}


def changed_records(pair: ReleasePair, columns: Sequence[str]) -> dict[str, int]:
    """For aligned tables: in how many records each column's value differs; two missing values do not."""
    tests = [f"count(*) FILTER ({_differs(pair, column)})" for column in columns]
    query = f"SELECT {', '.join(tests)} FROM {sql.name(pair.original.name)} AS o POSITIONAL JOIN {sql.name(pair.candidate.name)} AS c"
    return dict(zip(columns, map(int, pair.original.fetch(query)[0]), strict=True))


def _differs(pair: ReleasePair, column: str) -> str:
    held = sql.name(column)
    as_type = "DOUBLE" if all(pair.table(side).is_numeric(column) for side in BOTH) else "VARCHAR"
    if all(pair.table(side).types[column].startswith(("DATE", "TIMESTAMP")) for side in BOTH):
        as_type = "TIMESTAMP"
    return f"CAST(o.{held} AS {as_type}) IS DISTINCT FROM CAST(c.{held} AS {as_type})"


def features(pair: ReleasePair, columns: Sequence[str]) -> list[Feature]:
    """Columns of both tables under each other, the original's records first: numbers, or codes of categories."""
    import numpy as np

    made = []
    for column in columns:
        if is_number(pair, column):
            made.append(Feature(column, np.concatenate([pair.numbers(column, side) for side in BOTH])))
        else:
            codes = np.concatenate([pair.codes(column, side) for side in BOTH])
            made.append(Feature(column, codes, len(pair.levels(column))))
    return made


def candidate_records(pair: ReleasePair) -> Array:
    """Which of the records under each other are the candidate's."""
    import numpy as np

    return np.arange(pair.original.rows + pair.candidate.rows) >= pair.original.rows
