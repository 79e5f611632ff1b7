"""Compares columns of original and candidate: as tables, as numbers, as features of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import NotAssessed
from sdc.data import sql
from sdc.data.classes import Classed
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.sharing import shared
from sdc.measures.bands import in_bands, placed
from sdc.measures.classing import Classing
from sdc.statistics.regression.design import Feature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sdc.arrays import Array


BOTH = (Side.ORIGINAL, Side.CANDIDATE)


def comparable(
    pair: ReleasePair, variables: Sequence[str] | None = None, *, by_value: bool = True
) -> tuple[str, ...] | NotAssessed:
    """The analysed variables both tables have, or those named; the reason where there is nothing to compare.

    `by_value`: values of the original must be found among the candidate's, by containment where it is
    coarser.
    """
    empty = [side.value for side in BOTH if not pair.table(side).rows]
    if empty:
        return NotAssessed(f"no records in the {' and the '.join(empty)}")
    if variables:
        lacking = [name for name in variables if any(name not in pair.table(side).columns for side in BOTH)]
        if lacking:
            return NotAssessed(f"not in both tables: {', '.join(lacking)}")
        return (pair.incomparable(variables) if by_value else None) or tuple(variables)
    both = tuple(
        name for name in pair.roles.analysed if all(name in pair.table(side).columns for side in BOTH)
    )
    return (
        (pair.incomparable(both) if by_value else None)
        or both
        or NotAssessed("original and candidate share no analysed variable")
    )


def is_number(pair: ReleasePair, column: str) -> bool:
    """Whether a variable is declared numeric and both tables hold numbers; a recoded one is no number."""
    return (
        column in pair.roles
        and pair.roles[column].numeric
        and all(pair.table(side).is_numeric(column) for side in BOTH)
    )


def comparable_numbers(
    pair: ReleasePair,
    variables: Sequence[str] | None = None,
    *,
    lost_count: bool = True,
    bands: bool = False,
) -> tuple[str, ...] | NotAssessed:
    """The numeric variables that both tables hold as numbers, with a value in each; or why there are none.

    A variable that lost all its values counts: leaving it out would show the candidate as more useful than it
    is. With `bands`, one that the candidate has in bands counts beside others, unless variables are named:
    see `placed`.
    """
    import numpy as np

    compared = comparable(pair, variables)
    if isinstance(compared, NotAssessed):
        return compared
    if variables and (texts := [name for name in compared if not is_number(pair, name)]):
        return NotAssessed(f"not numeric in both tables: {', '.join(texts)}")
    coarse = [name for name in compared if in_bands(pair, name)] if bands else []
    numeric = [name for name in compared if name in coarse or is_number(pair, name)]
    held = {name: [not np.isnan(placed(pair, name, side)).all() for side in BOTH] for name in numeric}
    if lost_count and (lost := [name for name, (before, after) in held.items() if before and not after]):
        return NotAssessed(f"no value is left in the candidate of {', '.join(lost)}")
    filled = tuple(name for name, tables in held.items() if all(tables))
    return (filled if set(filled) - set(coarse) else ()) or NotAssessed(
        "no numeric variable has values in both tables"
    )


def seldom_together(pair: ReleasePair, one: str, other: str, least: int) -> bool:
    """Whether fewer original records than this have both numbers, in a table that has more records."""
    import numpy as np

    both = ~(np.isnan(pair.numbers(one, Side.ORIGINAL)) | np.isnan(pair.numbers(other, Side.ORIGINAL)))
    return int(both.sum()) < least <= pair.original.rows


def observed(pair: ReleasePair, column: str, side: Side) -> Array:
    """The numbers of a column without the missing ones, in row order."""
    import numpy as np

    numbers = pair.numbers(column, side)
    known: Array = numbers[~np.isnan(numbers)]
    return known


@shared
def ordered(pair: ReleasePair, column: str, side: Side) -> Array:
    """The numbers of a column without the missing ones, in order; not to be written to."""
    import numpy as np

    numbers: Array = np.sort(observed(pair, column, side))
    numbers.setflags(write=False)
    return numbers


def value_counts(pair: ReleasePair, column: str, side: Side) -> Array:
    """How often each value occurs in one table, as that table has it; missing ones are left out."""
    import numpy as np

    if pair.table(side).is_numeric(column):
        return np.unique(observed(pair, column, side), return_counts=True)[1]
    values = pair.combinations([column], side)
    counts: Array = values.count[values.codes[:, 0] >= 0]
    return counts


def classed(pair: ReleasePair, column: str, classing: Classing | int) -> str | Classed:
    """A column as a margin of a table: numbers in classes, everything else by its values.

    Numbers are put into so many groups of equal frequency unless edges are given. Where ties leave fewer than
    three groups, the groups have equal length instead.
    """
    asked = Classing(classing) if isinstance(classing, int) else classing
    if column in asked.edges:
        return pair.classed(column, edges=asked.edges[column])
    if asked.groups is None or not is_number(pair, column):
        return column
    if asked.binning == "equal_frequency":
        by_frequency = pair.classed(column, bins=asked.groups)
        if len(by_frequency.edges) + 1 >= min(asked.groups, 3):
            return by_frequency
    return pair.classed(column, bins=asked.groups, equal_frequency=False)


def edges_amiss(pair: ReleasePair, columns: Sequence[str], edges: Iterable[str]) -> NotAssessed | None:
    """Why the given edges would cut nothing: their variable is not compared, or holds no numbers."""
    for name in edges:
        if name not in columns:
            return NotAssessed(f"edges are given of {name}, which is not compared")
        if not is_number(pair, name):
            return NotAssessed(f"edges are given of {name}, which does not hold numbers in both tables")
    return None


@dataclass(frozen=True)
class CodedPair:
    """A column as classes comparable between the tables, record by record.

    Codes are below `size`, -1 where missing, in as few bytes as hold them.
    """

    original: Array
    candidate: Array
    size: int


def coded(pair: ReleasePair, column: str, classing: Classing | int) -> CodedPair:
    """A column by its classes."""
    import numpy as np

    margin = classed(pair, column, classing)
    original, candidate = (pair.places(margin, side) for side in BOTH)
    size = int(max(original.max(), candidate.max())) + 1
    # One more than a code must fit too.
    few = np.min_scalar_type(-(size + 2))
    return CodedPair(original.astype(few), candidate.astype(few), size)


def aligned_numbers(
    pair: ReleasePair, variables: Sequence[str] | None = None
) -> tuple[str, ...] | NotAssessed:
    """The comparable numeric variables of tables aligned record by record."""
    if pair.original.rows != pair.candidate.rows:
        return NotAssessed(
            f"the original has {pair.original.rows} records and the candidate {pair.candidate.rows}: they are"
            " not aligned"
        )
    return comparable_numbers(pair, variables)


def paired(pair: ReleasePair, column: str) -> tuple[Array, Array]:
    """The values of the records that have one in both tables, the original's and the candidate's."""
    import numpy as np

    x, y = (pair.numbers(column, side) for side in BOTH)
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def changed_records(pair: ReleasePair, columns: Sequence[str]) -> dict[str, int]:
    """For aligned tables: in how many records each column's value differs; two missing values do not."""
    tests = [f"count(*) FILTER ({_differs(pair, column)})" for column in columns]
    query = (
        f"SELECT {', '.join(tests)} FROM {sql.name(pair.original.name)} AS o POSITIONAL JOIN"
        f" {sql.name(pair.candidate.name)} AS c"
    )
    return dict(zip(columns, map(int, pair.original.fetch(query)[0]), strict=True))


def newly_missing(pair: ReleasePair, columns: Sequence[str]) -> dict[str, float]:
    """The number of values that are missing in the candidate only.

    Aligned tables are compared record by record; otherwise it is the rise in the number of missing values.
    """
    tables = [sql.name(pair.table(side).name) for side in BOTH]
    if pair.aligned:
        tests = [
            f"count(*) FILTER (o.{sql.name(column)} IS NOT NULL AND c.{sql.name(column)} IS NULL)"
            for column in columns
        ]
        added = pair.original.fetch(
            f"SELECT {', '.join(tests)} FROM {tables[0]} AS o POSITIONAL JOIN {tables[1]} AS c"
        )[0]
        return dict(zip(columns, map(float, added), strict=True))
    gaps = [f"count(*) - count({sql.name(column)})" for column in columns]
    before, after = (pair.original.fetch(f"SELECT {', '.join(gaps)} FROM {table}")[0] for table in tables)
    n, m = pair.original.rows, pair.candidate.rows
    return {
        column: max(last * n - first * m, 0) / n
        for column, first, last in zip(columns, before, after, strict=True)
    }


def _differs(pair: ReleasePair, column: str) -> str:
    held = sql.name(column)
    as_type = "DOUBLE" if all(pair.table(side).is_numeric(column) for side in BOTH) else "VARCHAR"
    if all(pair.table(side).types[column].startswith(("DATE", "TIMESTAMP")) for side in BOTH):
        as_type = "TIMESTAMP"
    return f"CAST(o.{held} AS {as_type}) IS DISTINCT FROM CAST(c.{held} AS {as_type})"


def features(pair: ReleasePair, columns: Sequence[str]) -> list[Feature]:
    """Columns of both tables under each other, the original's first: numbers, or codes of categories."""
    return list(each_feature(pair, columns))


def each_feature(pair: ReleasePair, columns: Sequence[str]) -> Iterator[Feature]:
    """The same, one after the other: for those who need no two of them at a time."""
    import numpy as np

    for column in columns:
        if is_number(pair, column):
            yield Feature(column, np.concatenate([pair.numbers(column, side) for side in BOTH]))
        else:
            codes = np.concatenate([pair.places(column, side) for side in BOTH])
            yield Feature(column, codes, int(codes.max()) + 1)


def candidate_records(pair: ReleasePair) -> Array:
    """Which of the records under each other are the candidate's."""
    import numpy as np

    return np.arange(pair.original.rows + pair.candidate.rows) >= pair.original.rows
