"""What is in the source as it is read now: how it is written and why that is thought, columns, duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sdc.catalogue.readers import reader_of, scheme_of
from sdc.data import sql
from sdc.data.roles import Role
from sdc.draft.facts import ColumnFacts, TableFacts, constant_within, seems_headless, table_facts
from sdc.draft.guesses import Guess, guess_household, guess_variables, guess_weight
from sdc.draft.informed import informed, outside
from sdc.draft.opening import opened
from sdc.errors import redacted
from sdc.ingest.readers.csv_dialect import guess_encoding, guess_separator
from sdc.ingest.readers.file_kind import kind_of, words_for
from sdc.ingest.readers.packed import is_packed
from sdc.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sdc.data.table import Table
    from sdc.ingest.readers.opened import ColumnMetadata
    from sdc.profile.plan import Source

MOST_COUNTED = 200_000
"""So many records of a file are counted while somebody waits; the page says so."""
BINS = 16
MOST_LEVELS = 12
FIRST_RECORDS = 5
UNSEEN = (Role.DIRECT_IDENTIFIER, Role.HOUSEHOLD)
"""Numbers and names of persons and households: no picture of them tells anything."""
SEPARATOR_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "stroke", " ": "space"}
ENCODING_REASONS = {
    "utf-8": "every byte of the file reads as UTF-8",
    "utf-16": "the file begins with the mark of UTF-16",
    "latin-1": "some bytes are no UTF-8, and none is of those that only windows-1252 has",
    "windows-1252": "some bytes are no UTF-8, and some are characters of windows-1252 alone",
}


@dataclass(frozen=True)
class FoundFact:
    """One thing about the file: what it is, and why that is thought."""

    what: str
    found: str
    why: str
    doubtful: bool = False


@dataclass(frozen=True)
class Sketch:
    """Counts for a small picture: bins of a number from low to high, or the most frequent categories."""

    counts: tuple[int, ...]
    labels: tuple[str, ...]
    of_numbers: bool


@dataclass(frozen=True)
class FoundColumn:
    """A column as it is in the file: counts, a picture of it, what was guessed of it and why."""

    facts: ColumnFacts
    guess: Guess
    label: str
    sketch: Sketch | None


@dataclass(frozen=True)
class FoundFile:
    """A source that was read: findings, columns in the order of the file, its first records."""

    rows: int
    is_part: bool
    findings: tuple[FoundFact, ...]
    columns: Mapping[str, FoundColumn]
    duplicates: int
    first: tuple[tuple[str, ...], ...]


def found_file(source: Source) -> FoundFile:
    """Read a source as its keys say; its path is absolute. BadData where it cannot be read so."""
    is_text = not reader_of(source.path, source.format).typed
    with redacted("counting the data"), opened(source, most=MOST_COUNTED) as (data, told):
        facts = table_facts(data, comma_may_be_decimal=is_text and source.separator != ",")
        household = guess_household(facts)
        others = [column.name for column in facts.columns if column.name != household]
        at_home = constant_within(data, household, others) if household and others else frozenset[str]()
        unknown = outside(data, told)
        columns = {
            guess.name: FoundColumn(
                facts.by_name[guess.name],
                informed(guess, facts.by_name[guess.name], told[guess.name], unknown.get(guess.name)),
                told[guess.name].label,
                _sketch(data, facts.by_name[guess.name], facts.decimal) if guess.role not in UNSEEN else None,
            )
            for guess in guess_variables(facts, household, guess_weight(facts), at_home)
        }
        repeated = data.rows - _distinct(data)
        first = _first(data)
        findings = tuple(_findings(source, facts, told, repeated, is_text=is_text))
    return FoundFile(facts.rows, facts.rows == MOST_COUNTED, findings, columns, repeated, first)


def _findings(
    source: Source,
    facts: TableFacts,
    told: Mapping[str, ColumnMetadata],
    repeated: int,
    *,
    is_text: bool,
) -> Iterator[FoundFact]:
    reader = reader_of(source.path, source.format)
    yield FoundFact("format", words_for(reader.name), _why_format(source))
    if reader.name == "csv" and not is_packed(source.path) and scheme_of(source.path) is None:
        yield from _dialect(source, facts)
    if is_text:
        comma = facts.decimal == ","
        why = "numbers have a comma among their digits" if comma else "no number has a comma in it"
        differs = source.decimal != facts.decimal
        yield FoundFact(
            "decimal mark", "comma" if source.decimal == "," else "point", why, doubtful=differs and comma
        )
    first = "the first line has the names of the columns"
    if is_text and seems_headless(facts):
        yield FoundFact(
            "header", "perhaps none", "the names of half the columns read like values", doubtful=True
        )
    elif is_text:
        yield FoundFact("header", "there is one", first)
    coded = [column for column in facts.columns if column.missing_codes]
    said = ", ".join(f"{column.name} ({counted(column.coded, 'record')})" for column in coded)
    yield FoundFact(
        "missing codes",
        said or "none seen",
        "words such as NA, or numbers below zero where all others are not"
        if coded
        else "no column has values that look like codes for missing",
    )
    labelled = sum(bool(each.label or each.values) for each in told.values())
    if labelled:
        yield FoundFact("labels", f"of {counted(labelled, 'column')}", "the file itself has them")
    yield FoundFact(
        "duplicates",
        counted(repeated, "record") if repeated else "none",
        "they are equal to another record in every column" if repeated else "every record differs somewhere",
        doubtful=repeated > 0,
    )


def _why_format(source: Source) -> str:
    if source.format:
        return "the profile says so"
    kind = kind_of(source.path) if source.path.is_file() else None
    return f"its first bytes are those of {kind}" if kind else f"its name ends in {source.path.suffix or '…'}"


def _dialect(source: Source, facts: TableFacts) -> Iterator[FoundFact]:
    encoding = guess_encoding(source.path)
    yield FoundFact(
        "encoding",
        source.encoding,
        ENCODING_REASONS[encoding] if encoding == source.encoding else f"the file reads better as {encoding}",
        doubtful=encoding != source.encoding,
    )
    separator = guess_separator(source.path, encoding)
    words = SEPARATOR_WORDS.get(source.separator, repr(source.separator))
    why = (
        f"it cuts the first lines into {counted(len(facts.columns), 'column')}, more than any other mark"
        if separator == source.separator
        else f"a {SEPARATOR_WORDS.get(separator, separator)} would cut the first lines more evenly"
    )
    yield FoundFact("separator", words, why, doubtful=separator != source.separator)


def _distinct(data: Table) -> int:
    columns = ", ".join(map(sql.name, data.columns))
    ((count,),) = data.fetch(f"SELECT count(*) FROM (SELECT DISTINCT {columns} FROM {sql.name(data.name)})")
    return int(count)


def _first(data: Table) -> tuple[tuple[str, ...], ...]:
    columns = ", ".join(data.text(column) for column in data.columns)
    rows: list[tuple[Any, ...]] = data.fetch(
        f"SELECT {columns} FROM {sql.name(data.name)} LIMIT {FIRST_RECORDS}"
    )
    return tuple(tuple("" if cell is None else str(cell) for cell in row) for row in rows)


def _sketch(data: Table, column: ColumnFacts, decimal: str) -> Sketch | None:
    """None where every record has its own value and no picture would tell anything."""
    text = f"NULLIF({data.text(column.name)}, '')"
    codes = (
        f' AND "t" NOT IN ({", ".join(map(sql.text, column.missing_codes))})' if column.missing_codes else ""
    )
    read = f'(SELECT {text} AS "t" FROM {sql.name(data.name)}) WHERE "t" IS NOT NULL{codes}'
    if column.is_number and column.distinct > MOST_LEVELS and column.largest > column.smallest:
        plain = "translate(\"t\", ',.', '.,')" if decimal == "," else '"t"'
        step = (column.largest - column.smallest) / BINS
        number = f"least({BINS - 1}, floor((TRY_CAST({plain} AS DOUBLE) - {column.smallest!r}) / {step!r}))"
        rows = data.fetch(f"SELECT {number}::INTEGER, count(*) FROM {read} GROUP BY 1")
        counts = {int(bin_): count for bin_, count in rows if bin_ is not None}
        edges = [column.smallest + step * number for number in range(BINS + 1)]
        labels = tuple(f"{low:.6g} to {high:.6g}" for low, high in pairwise(edges))
        return Sketch(tuple(counts.get(number, 0) for number in range(BINS)), labels, of_numbers=True)
    if column.unique or column.distinct > 20 * MOST_LEVELS or not column.present:
        return None
    order = '"t"' if column.is_coded or column.is_date else "2 DESC"
    rows = data.fetch(f'SELECT "t", count(*) FROM {read} GROUP BY 1 ORDER BY {order}, 1 LIMIT {MOST_LEVELS}')
    return Sketch(tuple(row[1] for row in rows), tuple(str(row[0]) for row in rows), of_numbers=False)
