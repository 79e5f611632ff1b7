"""Finds the columns a method works on, and refuses those of another kind than it needs.

A table is a frame, or a LongTable whose records are seen in parts; a frame is one part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sdc.data.long_table import AnyTable, Change, LongTable
from sdc.errors import BadOption, CannotProtect
from sdc.spelling import nearest

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array
    from sdc.data.roles import Roles


def kind(table: AnyTable, name: str) -> pd.Series:
    """The type and categories of a column; of a long table it has no records."""
    return table.kind(name) if isinstance(table, LongTable) else table[name]


def parts(table: AnyTable, names: Sequence[str]) -> Iterator[pd.DataFrame]:
    """The records in order, a part at a time, with the columns named."""
    if isinstance(table, LongTable):
        yield from table.parts(names)
    else:
        yield table[list(names)]


def changed(table: AnyTable, names: Sequence[str], change: Change, *, whole: bool = False) -> AnyTable:
    """The table with some columns changed, from values of the columns named, part by part in order.

    A change that needs the `whole` column sees all records at once.
    """
    if isinstance(table, LongTable):
        return table.changed(names, change, whole=whole)
    made = table.copy(deep=False)
    for name, values in change(table[list(names)]).items():
        made[name] = values
    return made


def loaded(table: AnyTable, names: Sequence[str]) -> pd.DataFrame:
    """Some columns of all records, in memory."""
    return table.frame(names) if isinstance(table, LongTable) else table[list(names)]


def chosen(table: AnyTable, records: Array) -> AnyTable:
    """The records whose places are given, in ascending order."""
    if isinstance(table, LongTable):
        return table.chosen(records)
    return table.iloc[records].reset_index(drop=True)


def spans(table: AnyTable) -> list[tuple[int, int]]:
    """The first record of each part of a table, and the one behind its last."""
    return table.spans() if isinstance(table, LongTable) else [(0, len(table))]


def in_parts_of(table: AnyTable, values: Array) -> Iterator[Array]:
    """Values for the records of a table, cut as its parts are."""
    return (values[first:last] for first, last in spans(table))


def gathered(table: AnyTable, name: str, choose: Callable[[Array], Array]) -> Array:
    """Those values of a column of numbers that are chosen from each part, in order."""
    import numpy as np

    return np.concatenate([np.empty(0), *(choose(part[name].to_numpy()) for part in parts(table, [name]))])


def distinct(table: AnyTable, name: str) -> Array:
    """The distinct values of a column in order, without missing ones; texts for categories."""
    import numpy as np

    if not isinstance(table, LongTable):
        return coded(table[name])[1]
    if not is_category(table.kind(name)):
        every: Array = np.unique(np.concatenate([coded(part[name])[1] for part in table.parts([name])]))
        return every
    categories = table.kind(name).cat.categories
    used = np.zeros(len(categories) + 1, dtype=bool)
    for part in table.parts([name]):
        used[part[name].cat.codes.to_numpy()] = True
    return np.array(categories.astype(str), dtype=object)[used[:-1]]


def places_among(kind: pd.Series, values: Array) -> Callable[[pd.Series], Array]:
    """Says for parts of a column where their values are among its distinct ones.

    Places are int32, -1 for a missing value. `kind` is the column, or its type without its records.
    """
    import numpy as np

    if is_category(kind):
        place = {text: number for number, text in enumerate(values)}
        categories = [place.get(str(category), -1) for category in kind.cat.categories]
        of_category = np.array([*categories, -1], dtype=np.int32)
        return lambda part: of_category[part.cat.codes.to_numpy()]

    def placed(part: pd.Series) -> Array:
        found: Array = np.searchsorted(values, part.to_numpy()).astype(np.int32)
        found[part.isna().to_numpy()] = -1
        return found

    return placed


def known(method: str, table: AnyTable, names: Iterable[str], option: str = "variables") -> list[str]:
    """The names, each a column of the table; the same one twice is a fault."""
    chosen = list(names)
    for name in chosen:
        if name not in table.columns:
            like = nearest(name, list(table.columns))
            raise BadOption(
                method,
                option,
                f"no variable is called {name!r}" + (f"; did you mean {like!r}?" if like else ""),
            )
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise BadOption(method, option, f"{twice} is named twice")
    return chosen


def is_number(column: pd.Series) -> bool:
    return bool(column.dtype.kind == "f")


def is_date(column: pd.Series) -> bool:
    return bool(column.dtype.kind == "M")


def is_category(column: pd.Series) -> bool:
    return not is_number(column) and not is_date(column)


def numbers(
    method: str,
    table: AnyTable,
    roles: Roles,
    variables: Sequence[str] | None,
    option: str = "variables",
) -> list[str]:
    """The numeric variables named, or all analysed ones that still hold numbers."""
    if variables is None:
        chosen = [name for name in roles.numeric if name in table.columns and is_number(kind(table, name))]
        if not chosen:
            raise CannotProtect(method, "the table has no numeric variable")
        return chosen
    chosen = known(method, table, variables, option)
    for name in chosen:
        if not is_number(kind(table, name)):
            raise BadOption(method, option, f"{name} does not hold numbers")
    return chosen


def categories(
    method: str, table: AnyTable, variables: Sequence[str], option: str = "variables"
) -> list[str]:
    """The variables named, each of which must hold categories."""
    chosen = known(method, table, variables, option)
    for name in chosen:
        if not is_category(kind(table, name)):
            raise BadOption(method, option, f"{name} does not hold categories; recode it first")
    return chosen


def keys(
    method: str,
    table: AnyTable,
    roles: Roles,
    names: Sequence[str] | None,
    option: str = "keys",
) -> list[str]:
    """The keys named, or all quasi-identifiers."""
    chosen = (
        known(method, table, names, option)
        if names is not None
        else [name for name in roles.quasi_identifiers if name in table.columns]
    )
    if not chosen:
        raise CannotProtect(method, "the table has no quasi-identifier")
    return chosen


def coded(column: pd.Series) -> tuple[Array, Array]:
    """A column as int32 codes of its distinct values in order, and those values (texts for categories).

    A missing value has the code -1.
    """
    import numpy as np
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        used = np.zeros(len(column.cat.categories) + 1, dtype=bool)
        used[codes] = True
        place = np.cumsum(used[:-1], dtype=np.int32) - 1
        texts = np.array(column.cat.categories.astype(str), dtype=object)[used[:-1]]
        return np.append(place, np.int32(-1))[codes], texts
    codes, values = pd.factorize(column.to_numpy(), sort=True)
    return codes.astype(np.int32), np.asarray(values)


def code_matrix(table: pd.DataFrame, names: Sequence[str]) -> Array:
    """Columns coded side by side, one row for each record, -1 where missing."""
    import numpy as np

    matrix = np.empty((len(table), len(names)), dtype=np.int32)
    for place, name in enumerate(names):
        matrix[:, place] = coded(table[name])[0]
    return matrix


def strata(method: str, table: pd.DataFrame, by: Sequence[str]) -> list[Array]:
    """Row numbers of each stratum in ascending order; a missing value is a stratum of its own.

    There is one stratum where `by` is empty.
    """
    import numpy as np

    rows = np.arange(len(table))
    if not by:
        return [rows]
    matrix = code_matrix(table, known(method, table, by, "by"))
    order = np.lexsort([rows, *matrix.T[::-1]])
    borders = np.flatnonzero(np.any(np.diff(matrix[order], axis=0) != 0, axis=1)) + 1
    return np.split(order, borders)


def as_numbers(column: pd.Series) -> Array:
    """Any column as float64, NaN where missing: numbers, days since 1970, or codes of categories in order."""
    import numpy as np

    if is_number(column):
        return np.asarray(column.to_numpy())
    if is_date(column):
        days = column.to_numpy().astype("datetime64[ms]")
        return np.where(np.isnat(days), np.nan, days.astype(np.int64) / 86_400_000.0)
    codes = column.cat.codes.to_numpy().astype(np.float64)
    return np.where(codes < 0, np.nan, codes)


def like(column: pd.Series, values: Array) -> Any:
    """Numbers made by `as_numbers`, changed, as values of the column's own type."""
    import numpy as np
    import pandas as pd

    if is_number(column):
        return values
    missing = np.isnan(values)
    if is_date(column):
        moments = (
            np.round(np.where(missing, 0, values) * 86_400_000.0).astype(np.int64).astype("datetime64[ms]")
        )
        return pd.Series(np.where(missing, np.datetime64("NaT", "ms"), moments), index=column.index).astype(
            column.dtype
        )
    return pd.Categorical.from_codes(np.where(missing, -1, values).astype(np.int64), dtype=column.dtype)


def units(table: pd.DataFrame, roles: Roles) -> Array:
    """The number of each record's household, from 0 in order of appearance.

    Without households each record has its own number.
    """
    import numpy as np
    import pandas as pd

    if roles.household is None or roles.household not in table.columns:
        return np.arange(len(table))
    codes, homes = coded(table[roles.household])
    alone = codes < 0
    numbers = np.where(alone, len(homes) + np.cumsum(alone) - 1, codes)
    return np.asarray(pd.factorize(numbers)[0])


def case_weights(method: str, table: pd.DataFrame, roles: Roles) -> Array:
    """The weight by which each record counts, 0 where it is missing."""
    import numpy as np

    if roles.weight is None or roles.weight not in table.columns:
        raise BadOption(method, "weights", "the table has no weight to count records by")
    held: Array = np.nan_to_num(as_numbers(table[roles.weight]))
    if (held < 0).any() or not held.any():
        raise BadOption(method, "weights", f"{roles.weight} must not be below 0, and above 0 somewhere")
    return held
