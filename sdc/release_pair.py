"""The measures' only window on the data: original and candidate side by side, counted and coded once."""

from __future__ import annotations

import threading
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from sdc import sql
from sdc.classes import Cells, Classed, ClassSizes, Combinations, Crosstab
from sdc.roles import MissingRule, Roles, VariableType
from sdc.table import Table, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import numpy as np
    import pandas as pd

    from sdc.protection import Step

    Array = np.ndarray[Any, Any]

Made = TypeVar("Made")


class Side(StrEnum):
    """Which table of a pair."""

    ORIGINAL = "original"
    CANDIDATE = "candidate"
    HOLDOUT = "holdout"
    POPULATION = "population"


class ReleasePair:
    """Original and candidate of one release, with all a measure may ask about them.

    Everything asked for is made once and shared by all measures, whichever thread asks first.
    """

    def __init__(
        self,
        original: Table,
        candidate: Table,
        roles: Roles,
        *,
        holdout: Table | None = None,
        population: Table | None = None,
        aligned: bool = False,
        missing: MissingRule = MissingRule.OWN_CATEGORY,
        steps: Sequence[Step] = (),
        syntheses: Sequence[Table] = (),
    ) -> None:
        self.original, self.candidate, self.holdout, self.population = original, candidate, holdout, population
        self.roles = roles
        self.aligned = aligned
        self.missing = missing
        self.steps = tuple(steps)
        self.syntheses = tuple(syntheses) or (candidate,)
        self._made: dict[Hashable, Any] = {}
        self._locks: dict[Hashable, threading.Lock] = {}
        self._guard = threading.Lock()

    @classmethod
    def from_frames(
        cls,
        original: pd.DataFrame,
        candidate: pd.DataFrame,
        roles: Roles,
        *,
        holdout: pd.DataFrame | None = None,
        population: pd.DataFrame | None = None,
        aligned: bool = False,
        missing: MissingRule = MissingRule.OWN_CATEGORY,
        steps: Sequence[Step] = (),
        syntheses: Sequence[pd.DataFrame] = (),
    ) -> ReleasePair:
        """A pair for a notebook or a test: no warehouse, no files."""
        import pyarrow as pa

        from sdc.database import Database

        database = Database.in_memory()

        def held(name: str, frame: pd.DataFrame | None) -> Table | None:
            return None if frame is None else database.write(name, pa.Table.from_pandas(frame, preserve_index=False))

        originals, candidates = held("original", original), held("candidate", candidate)
        assert originals is not None
        assert candidates is not None
        further = [held(f"synthesis_{number}", frame) for number, frame in enumerate(syntheses, start=1)]
        return cls(
            originals,
            candidates,
            roles,
            holdout=held("holdout", holdout),
            population=held("population", population),
            aligned=aligned,
            missing=missing,
            steps=steps,
            syntheses=[table for table in further if table is not None],
        )

    def table(self, side: Side) -> Table:
        table: Table | None = getattr(self, side.value)
        if table is None:
            message = f"this pair has no {side.value}"
            raise LookupError(message)
        return table

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives, made by the first who asks under this key and shared with all others."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._made:
                self._made[key] = make()
            made: Made = self._made[key]
            return made

    # Columns, coded

    def numbers(self, column: str, side: Side) -> Array:
        """A numeric column as float64 in row order, NaN where missing. Not to be written to."""
        return self.once(("numbers", column, side), lambda: _frozen(self.table(side).numbers(column)))

    def codes(self, column: str, side: Side) -> Array:
        """A column as int32 codes in row order, -1 where missing, on the levels of `levels(column)`."""
        return self.once(("codes", column, side), lambda: self._pooled_codes(column)[side])

    def levels(self, column: str) -> tuple[str, ...]:
        """The values of a column in original and candidate together: in declared order, else in byte order."""
        return self.once(("levels", column), lambda: self._levels(column))

    def _levels(self, column: str) -> tuple[str, ...]:
        seen: set[str] = set()
        for table in (self.original, self.candidate):
            if column in table.columns:
                seen.update(self._own_codes(column, table)[1])
        order = self.roles[column].order if column in self.roles else ()
        return (*(level for level in order if level in seen), *sorted(seen - set(order), key=str.encode))

    def _own_codes(self, column: str, table: Table) -> tuple[Array, list[str]]:
        return self.once(("own_codes", column, table.name), lambda: table.codes(column))

    def _pooled_codes(self, column: str) -> dict[Side, Array]:
        import numpy as np

        position = {level: code for code, level in enumerate(self.levels(column))}
        pooled = {}
        for side in (Side.ORIGINAL, Side.CANDIDATE):
            if column not in self.table(side).columns:
                continue
            codes, levels = self._own_codes(column, self.table(side))
            places = np.array([*(position[level] for level in levels), -1], dtype=np.int32)
            pooled[side] = _frozen(places[codes])
        return pooled

    def frame(self, columns: Sequence[str], side: Side) -> pd.DataFrame:
        """Columns as pandas in row order, typed by role (see Table.frame). A fresh frame each time."""
        return self.table(side).frame(columns, self.roles)

    # Classes of numeric columns

    def classed(self, column: str, *, bins: int = 5, equal_frequency: bool = True, edges: Sequence[float] = ()) -> Classed:
        """Classes of a numeric column from original and candidate pooled; equal edges are merged, outer classes are open."""
        if edges:
            return Classed(column, tuple(sorted({float(edge) for edge in edges})))
        return self.once(("classed", column, bins, equal_frequency), lambda: self._classed(column, bins, equal_frequency=equal_frequency))

    def _classed(self, column: str, bins: int, *, equal_frequency: bool) -> Classed:
        import numpy as np

        pooled = np.concatenate([self.numbers(column, Side.ORIGINAL), self.numbers(column, Side.CANDIDATE)])
        pooled = pooled[~np.isnan(pooled)]
        if pooled.size == 0:
            return Classed(column, ())
        shares = np.linspace(0, 1, bins + 1)
        borders = np.quantile(pooled, shares) if equal_frequency else pooled.min() + shares * (pooled.max() - pooled.min())
        distinct = np.unique(borders)
        return Classed(column, tuple(float(edge) for edge in distinct[1:-1]))

    # Counts, in DuckDB

    def class_sizes(self, keys: Sequence[str], side: Side = Side.CANDIDATE, missing: MissingRule | None = None) -> ClassSizes:
        """Sizes of the classes on the keys, under the pair's missing rule or the one given."""
        rule = missing or self.missing
        return self.once(("class_sizes", tuple(keys), side, rule), lambda: self._class_sizes(tuple(keys), side, rule))

    def _class_sizes(self, keys: tuple[str, ...], side: Side, rule: MissingRule) -> ClassSizes:
        import numpy as np

        from sdc.statistics.wildcard import matching_records

        if rule is MissingRule.WILDCARD:
            combinations = self.combinations(keys, side)
            size = matching_records(combinations.codes, combinations.count)
            distinct, place = np.unique(size, return_inverse=True)
            classes = np.bincount(place, minlength=distinct.size)
            records = np.bincount(place, combinations.count, minlength=distinct.size).astype(np.int64)
            return ClassSizes(distinct, classes, records)
        table = self.table(side)
        grouped = f'SELECT count(*) AS "n" FROM {sql.name(table.name)} GROUP BY {sql.names(keys) or "()"}'
        rows = table.fetch(f'SELECT "n", count(*) FROM ({grouped}) WHERE "n" > 0 GROUP BY "n" ORDER BY "n"')
        size, classes = (np.array([row[place] for row in rows], dtype=np.int64) for place in (0, 1))
        return ClassSizes(size, classes, size * classes)

    def combinations(self, keys: Sequence[str], side: Side = Side.CANDIDATE) -> Combinations:
        """Every combination of the keys in one table, with records and (where the table has them) weights."""
        return self.once(("combinations", tuple(keys), side), lambda: self._combinations(tuple(keys), side))

    def _combinations(self, keys: tuple[str, ...], side: Side) -> Combinations:
        import numpy as np

        table = self.table(side)
        weight = self.roles.weight if self.roles.weight in table.columns else None
        # A decimal sum does not depend on the order in which threads add.
        summed = f', CAST(sum(CAST({sql.name(weight)} AS DECIMAL(18, 6))) AS DOUBLE) AS "w"' if weight else ""
        texts = ", ".join(f'CAST({sql.name(key)} AS VARCHAR) AS "k{place}"' for place, key in enumerate(keys))
        answer = table.arrow(f'SELECT {texts}, count(*) AS "n"{summed} FROM {sql.name(table.name)} GROUP BY {sql.names(keys)}')
        coded = [encode(answer.column(f"k{place}")) for place in range(len(keys))]
        codes = np.column_stack([column for column, _ in coded])
        order = np.lexsort(codes.T[::-1])
        count = answer.column("n").to_numpy()[order]
        weights = answer.column("w").to_numpy()[order] if weight else None
        return Combinations(keys, codes[order], tuple(tuple(levels) for _, levels in coded), count, weights)

    def cells(self, columns: Sequence[str | Classed]) -> Cells:
        """Cells of a table over the columns, in both tables; a missing value is a cell of its own (code -1)."""
        return self.once(("cells", tuple(columns)), lambda: self._cells(tuple(columns)))

    def _cells(self, columns: tuple[str | Classed, ...]) -> Cells:
        import numpy as np

        expressions = [self._expression(column) for column in columns]
        named = ", ".join(f'{expression} AS "k{place}"' for place, expression in enumerate(expressions))
        keys = ", ".join(f'"k{place}"' for place in range(len(columns)))
        answer = self.original.arrow(f"""
            WITH counted AS (
                SELECT {named}, count(*) AS "o", 0 AS "c" FROM {sql.name(self.original.name)} GROUP BY ALL
                UNION ALL
                SELECT {named}, 0 AS "o", count(*) AS "c" FROM {sql.name(self.candidate.name)} GROUP BY ALL)
            SELECT {keys}, CAST(sum("o") AS BIGINT) AS "o", CAST(sum("c") AS BIGINT) AS "c" FROM counted GROUP BY {keys}""")
        coded = [encode(answer.column(f"k{place}")) for place in range(len(columns))]
        codes = np.column_stack([column for column, _ in coded])
        order = np.lexsort(codes.T[::-1])
        labels = tuple(column if isinstance(column, str) else column.name for column in columns)
        original, candidate = (answer.column(side).to_numpy()[order] for side in ("o", "c"))
        return Cells(labels, codes[order], tuple(tuple(levels) for _, levels in coded), original, candidate)

    def crosstab(self, keys: Sequence[str | Classed], target: str | Classed) -> Crosstab:
        """The target within the classes of the keys, in both tables."""
        return self.once(("crosstab", tuple(keys), target), lambda: self._crosstab(tuple(keys), target))

    def _crosstab(self, keys: tuple[str | Classed, ...], target: str | Classed) -> Crosstab:
        import numpy as np

        expressions = [*(self._expression(key) for key in keys), self._expression(target)]
        named = ", ".join([*(f'{text} AS "k{place}"' for place, text in enumerate(expressions[:-1])), f'{expressions[-1]} AS "t"'])
        grouping = ", ".join(f'"k{place}"' for place in range(len(keys)))
        answer = self.original.arrow(f"""
            WITH counted AS (
                SELECT {named}, count(*) AS "o", 0 AS "c" FROM {sql.name(self.original.name)} GROUP BY ALL
                UNION ALL
                SELECT {named}, 0 AS "o", count(*) AS "c" FROM {sql.name(self.candidate.name)} GROUP BY ALL),
            cells AS (
                SELECT {grouping}, "t", CAST(sum("o") AS BIGINT) AS "o", CAST(sum("c") AS BIGINT) AS "c"
                FROM counted GROUP BY {grouping}, "t")
            SELECT list({{'t': "t", 'o': "o", 'c': "c"}}) AS "class" FROM cells GROUP BY {grouping}""")
        classes = answer.column("class").combine_chunks()
        offsets = np.asarray(classes.offsets.to_numpy(), dtype=np.int64)
        fields = classes.values.slice(offsets[0], offsets[-1] - offsets[0])
        codes, levels = encode(_chunked(fields.field("t")))
        counts = (fields.field(side).to_numpy(zero_copy_only=False) for side in ("o", "c"))
        return Crosstab(offsets - offsets[0], codes, tuple(levels), *counts)

    def _expression(self, column: str | Classed) -> str:
        """A column, or its class, as comparable text."""
        if isinstance(column, str):
            return f"CAST({sql.name(column)} AS VARCHAR)"
        number = f"CAST({sql.name(column.name)} AS DOUBLE)"
        below = " ".join(f"WHEN {number} < {edge!r} THEN '{place:05d}'" for place, edge in enumerate(column.edges))
        return f"CASE WHEN {number} IS NULL THEN NULL {below} ELSE '{len(column.edges):05d}' END"

    def varies_in_type(self, column: str) -> bool:
        """Is a column numeric or a date in the original but text in the candidate: generalised?"""
        declared = self.roles[column].type
        return declared in (VariableType.NUMERIC, VariableType.DATE) and self.candidate.types[column] == "VARCHAR" != self.original.types[column]


def _frozen(array: Array) -> Array:
    array.setflags(write=False)
    return array


def _chunked(array: Any) -> Any:
    import pyarrow as pa

    return pa.chunked_array([array])
