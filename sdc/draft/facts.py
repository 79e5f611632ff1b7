"""Counts the columns of a file, without looking at any record."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sdc.data import own_values, sql
from sdc.statistics.counts.coverage import mostly_own

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.data.table import Table

TEXT_CODES = tuple(
    "NA N/A n/a na NaN nan NULL null None . .. - ? #N/A *".split()  # noqa: SIM905 - words in a row
)
SURE_CODES = ("NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", ".", "#N/A")
EXACT = 2**53
WIDEST_STEP = 10
NUMBER = re.compile(r"-?\d+([.,]\d+)?")
DAY = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}")
NUMBER_CODES = tuple(
    "-6 -7 -8 -9 -66 -77 -88 -99 -666 -777 -888 -999 -6666 -7777 -8888 -9999 -99999".split()  # noqa: SIM905 - words in a row
)
SPELLINGS = {
    "DD.MM.YYYY": (r"\d{1,2}\.\d{1,2}\.\d{4}", "%d.%m.%Y"),
    "DD/MM/YYYY": (r"\d{1,2}/\d{1,2}/\d{4}", "%d/%m/%Y"),
    "MM/DD/YYYY": (r"\d{1,2}/\d{1,2}/\d{4}", "%m/%d/%Y"),
    "DD-MM-YYYY": (r"\d{1,2}-\d{1,2}-\d{4}", "%d-%m-%Y"),
    "YYYY/MM/DD": (r"\d{4}/\d{1,2}/\d{1,2}", "%Y/%m/%d"),
    "YYYYMMDD": (r"\d{8}", "%Y%m%d"),
    "DD.MM.YY": (r"\d{1,2}\.\d{1,2}\.\d{2}", "%d.%m.%y"),
    "DD/MM/YY": (r"\d{1,2}/\d{1,2}/\d{2}", "%d/%m/%y"),
    "MM/DD/YY": (r"\d{1,2}/\d{1,2}/\d{2}", "%m/%d/%y"),
}
"""The form of a day's text, and how it is read."""
YEARS = (1850, 2100)
"""Numbers of eight digits are days only where all their years could be those of people."""


@dataclass(frozen=True)
class ColumnFacts:
    """Counts over one column; `smallest` and `largest` guide guesses and are never written down.

    `uncommon` counts the records whose value is no common answer. `has_its_name`: the name of the column is
    one of its values.
    """

    name: str
    rows: int
    present: int
    distinct: int
    numbers: int
    whole: int
    padded: int
    dates: int
    alone: int
    pairs: int
    uncommon: int
    spelled: tuple[int, ...] = (0,) * len(SPELLINGS)
    smallest: float = 0.0
    largest: float = 0.0
    missing_codes: tuple[str, ...] = ()
    coded: int = 0
    constant_in_households: bool = False
    has_its_name: bool = False

    @property
    def unique(self) -> bool:
        return self.present == self.rows == self.distinct and self.rows > 1

    @property
    def is_number(self) -> bool:
        return self.numbers == self.present > 0 and not self.padded

    @property
    def is_whole(self) -> bool:
        return self.is_number and self.whole == self.present

    @property
    def is_coded(self) -> bool:
        """Are all values whole numbers, with or without zeros in front?"""
        return self.whole == self.present > 0

    @property
    def is_date(self) -> bool:
        return self.dates == self.present > 0

    @property
    def spelling(self) -> str:
        """How its days are written, where all values are days and not as a profile reads them."""
        return next(
            (name for name, count in zip(SPELLINGS, self.spelled, strict=True) if count == self.present > 0),
            "",
        )

    @property
    def begins_with_year(self) -> bool:
        return self.spelling.startswith("YYYY")

    @property
    def mostly_own(self) -> bool:
        """Have most records a value of their own?"""
        return mostly_own(self.alone, self.pairs, self.uncommon)


@dataclass(frozen=True)
class TableFacts:
    """Counts over all columns, and the mark that numbers have before their decimals."""

    rows: int
    columns: tuple[ColumnFacts, ...]
    decimal: str = "."
    by_name: dict[str, ColumnFacts] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.by_name.update({column.name: column for column in self.columns})


def seems_headless(facts: TableFacts) -> bool:
    """Is the first line of a file a record?

    At least half of the names are values of their own column, or are numbers or days.

    Years and running numbers are names too. A column with one value may be a box that was ticked, marked by
    its name.
    """
    numbers = [
        float(column.name.replace(",", ".")) for column in facts.columns if NUMBER.fullmatch(column.name)
    ]
    steps = {after - before for before, after in pairwise(numbers)}
    running = (
        len(steps) == 1
        and steps <= set(range(1, WIDEST_STEP + 1))
        and all(number.is_integer() for number in numbers)
    )
    return 2 * sum(_is_doubtful(column, running=running) for column in facts.columns) >= len(facts.columns)


def _is_doubtful(column: ColumnFacts, *, running: bool) -> bool:
    """Could the name of this column be a value of its first record?"""
    if NUMBER.fullmatch(column.name):
        return not running
    return bool(DAY.fullmatch(column.name)) or (column.has_its_name and column.distinct > 1)


def table_facts(table: Table, *, comma_may_be_decimal: bool) -> TableFacts:
    """Facts of every column; in a file that is not cut at commas numbers may have a decimal comma."""
    decimal = (
        ","
        if comma_may_be_decimal and any(_has_decimal_comma(table, column) for column in table.columns)
        else "."
    )
    return TableFacts(
        table.rows, tuple(_column_facts(table, column, decimal) for column in table.columns), decimal
    )


def _values(table: Table, column: str) -> str:
    """The values of a column with their counts: what is asked of texts is asked of each once."""
    read = f"SELECT NULLIF({table.text(column)}, '') AS \"t\" FROM {sql.name(table.name)}"
    return f'SELECT "t", count(*) AS "c" FROM ({read}) GROUP BY "t"'


def _has_decimal_comma(table: Table, column: str) -> bool:
    """All values are whole or have one comma among digits, and some have it."""
    ((with_comma, other),) = table.fetch(rf"""
        SELECT count(*) FILTER (WHERE regexp_full_match("t", '-?\d+,\d+')),
               count(*) FILTER (
                   WHERE NOT regexp_full_match("t", '-?\d+(,\d+)?') AND "t" NOT IN ({_texts(TEXT_CODES)}))
        FROM ({_values(table, column)})""")
    return bool(with_comma) and not other


def _column_facts(table: Table, column: str, decimal: str) -> ColumnFacts:
    plain = "translate(\"t\", ',.', '.,')" if decimal == "," else '"t"'
    (answer,) = table.fetch(f"""
        WITH read AS (
            SELECT *, TRY_CAST({plain} AS DOUBLE) AS "n",
                   "t" IN ({_texts(TEXT_CODES)}) AS "is_text_code",
                   "t" IN ({_texts(NUMBER_CODES)}) AS "is_number_code"
            FROM ({_values(table, column)})),
        known AS (
            SELECT *, {own_values.is_common("c")} AS "is_common",
                   isfinite("n") AND abs("n") < {EXACT} AND NOT contains("t", '_') AND NOT "is_text_code"
                       AS "is_number"
            FROM read)
        SELECT coalesce(sum("c") FILTER (WHERE NOT "is_text_code"), 0)::BIGINT,
               count(*) FILTER (WHERE NOT "is_text_code"),
               coalesce(sum("c") FILTER (WHERE "is_number"), 0)::BIGINT,
               coalesce(sum("c") FILTER (WHERE "is_number" AND "n" = floor("n")), 0)::BIGINT,
               coalesce(sum("c") FILTER (WHERE "t"[1] = '0' AND "t"[2] BETWEEN '0' AND '9'), 0)::BIGINT,
               coalesce(sum("c") FILTER (
                   WHERE length("t") = 10 AND "t"[5] = '-' AND TRY_CAST("t" AS DATE) IS NOT NULL), 0)::BIGINT,
               count(*) FILTER (WHERE "c" = 1 AND NOT "is_text_code"),
               count(*) FILTER (WHERE "c" = 2 AND NOT "is_text_code"),
               coalesce(sum("c") FILTER (WHERE NOT "is_text_code" AND NOT "is_common"), 0)::BIGINT,
               [{", ".join(map(_days, SPELLINGS))}],
               min("n") FILTER (WHERE "is_number" AND NOT "is_number_code"),
               max("n") FILTER (WHERE "is_number" AND NOT "is_number_code"),
               list("t") FILTER (WHERE "is_text_code"),
               list("t") FILTER (WHERE "is_number_code"),
               coalesce(sum("c") FILTER (WHERE "is_text_code"), 0)::BIGINT,
               coalesce(sum("c") FILTER (WHERE "is_number_code"), 0)::BIGINT,
               coalesce(bool_or("t" = {sql.text(column)}), FALSE)
        FROM known""")
    return _facts(column, table.rows, answer)


def _days(spelling: str) -> str:
    return f'coalesce(sum("c") FILTER (WHERE {is_day(spelling)}), 0)::BIGINT'


def _facts(column: str, rows: int, answer: Sequence[Any]) -> ColumnFacts:
    (
        *counts,
        spelled,
        smallest,
        largest,
        text_codes,
        number_codes,
        coded_texts,
        coded_numbers,
        has_its_name,
    ) = answer
    facts = replace(
        ColumnFacts(column, rows, *counts),
        spelled=tuple(spelled),
        smallest=smallest or 0.0,
        largest=largest or 0.0,
    )
    codes, coded = tuple(text_codes or ()), coded_texts
    if not facts.is_number and not facts.is_date and not facts.spelling and not {*codes} <= {*SURE_CODES}:
        codes, coded = (), 0
    # Below zero where everything else is not: a code, as surveys use them.
    if facts.is_number and smallest is not None and smallest >= 0 and number_codes:
        codes, coded = (*codes, *number_codes), coded + coded_numbers
    return replace(facts, missing_codes=tuple(sorted(codes)), coded=coded, has_its_name=has_its_name)


def _texts(values: Sequence[str]) -> str:
    return ", ".join(map(sql.text, values))


def constant_within(table: Table, household: str, columns: Sequence[str]) -> frozenset[str]:
    """Columns that have one value in every household; none where every household has one record."""
    home = sql.name(household)
    varies = ", ".join(
        f"count(DISTINCT {sql.name(column)}) > 1 OR count({sql.name(column)}) NOT IN (0, count(*)) AS"
        f' "v{place}"'
        for place, column in enumerate(columns)
    )
    counted = ", ".join(f'count(*) FILTER (WHERE "v{place}")' for place in range(len(columns)))
    ((largest, *differing),) = table.fetch(
        f'SELECT max("n"), {counted} FROM (SELECT count(*) AS "n", {varies} FROM {sql.name(table.name)} GROUP'
        f" BY {home})"
    )
    return (
        frozenset(column for column, count in zip(columns, differing, strict=True) if not count)
        if (largest or 0) > 1
        else frozenset()
    )


def is_day(spelling: str) -> str:
    """Is the text "t" a day in this spelling? In SQL."""
    form, reading = map(sql.text, SPELLINGS[spelling])
    return (
        f'regexp_full_match("t", {form}) AND year(try_strptime("t", {reading})) BETWEEN {YEARS[0]} AND'
        f" {YEARS[1]}"
    )
