"""Guesses what each column is, with the reason for each guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.data.roles import Role, VariableType
from sdc.draft import name_words as words
from sdc.draft.name_words import speaks_of
from sdc.spelling import noun
from sdc.statistics.counts.coverage import TINY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc.draft.facts import ColumnFacts, TableFacts

MOST_KEYS = 7
FEW = 12
MOST_LEVELS = 100
TOO_MANY = "too many values for a key as it is: group it"


@dataclass(frozen=True)
class Guess:
    """A variable as it will stand in the profile, and the reason beside it."""

    name: str
    role: Role
    type: VariableType
    reason: str
    missing_codes: tuple[str, ...] = ()
    per_household: bool = False


def guess_household(facts: TableFacts) -> str | None:
    """The column that numbers households: named so, whole, shared by some records and not by many."""
    for column in facts.columns:
        shared = column.present == column.rows and column.rows / FEW < column.distinct < column.rows
        if (
            speaks_of(column.name, words.HOUSEHOLD)
            and shared
            and not _is_fraction(column)
            and not speaks_of(column.name, words.WEIGHT)
        ):
            return column.name
    return None


def guess_weight(facts: TableFacts) -> str | None:
    """The column that weighs records: named so and positive; a weight of persons before one of households."""
    if any(speaks_of(column.name, words.BODY) for column in facts.columns):
        return None
    named = [
        column
        for column in facts.columns
        if speaks_of(column.name, words.WEIGHT)
        and column.is_number
        and column.smallest > 0
        and not column.coded
    ]
    named = [column for column in named if column.present == column.rows]
    return next(
        (
            column.name
            for column in sorted(named, key=lambda column: speaks_of(column.name, words.WEIGHT_OF_HOUSEHOLD))
        ),
        None,
    )


def guess_record_key(facts: TableFacts, guesses: Iterable[Guess]) -> str | None:
    """The first column that tells every record from every other and stays behind."""
    for guess in guesses:
        if (
            guess.role is Role.DIRECT_IDENTIFIER
            and facts.by_name[guess.name].unique
            and not speaks_of(guess.name, words.PERSON)
        ):
            return guess.name
    return None


def guess_variables(
    facts: TableFacts, household: str | None, weight: str | None, per_household: frozenset[str]
) -> tuple[Guess, ...]:
    """A guess for every column; at most a handful of keys, for nothing would be left of a file with many."""
    told = {}
    if stratum := next(
        (
            column.name
            for column in facts.columns
            if speaks_of(column.name, words.STRATUM) and column.distinct <= MOST_LEVELS
        ),
        None,
    ):
        told[stratum] = (Role.STRATUM, "named like a stratum of the sample")
    if weight:
        told[weight] = (Role.WEIGHT, "named like a weight, all values above 0")
    if household:
        told[household] = (Role.HOUSEHOLD, "named like a household number, shared by some records")
    roles = {column.name: told.get(column.name) or _role(column) for column in facts.columns}
    _choose_keys(facts, roles)
    return tuple(
        _guess(column, *roles[column.name], same_at_home=column.name in per_household)
        for column in facts.columns
    )


def _guess(column: ColumnFacts, role: Role, reason: str, *, same_at_home: bool) -> Guess:
    kind = type_of(column, role)
    told = same_at_home and role not in (Role.DIRECT_IDENTIFIER, Role.HOUSEHOLD, Role.WEIGHT, Role.STRATUM)
    # Amounts are changed record by record in the draft's steps, which a promise of equality within households
    # would not survive.
    promised = told and not (role is Role.SENSITIVE and kind is VariableType.NUMERIC)
    codes = column.missing_codes if role is not Role.DIRECT_IDENTIFIER else ()
    return Guess(
        column.name,
        role,
        kind,
        _reason(column, reason, same_at_home=told and not promised),
        codes,
        per_household=promised,
    )


def _role(column: ColumnFacts) -> tuple[Role, str]:
    if speaks_of(column.name, words.PERSON) and not column.is_number and column.distinct > 1:
        return Role.DIRECT_IDENTIFIER, "named like something that points at a person"
    if _numbers_records(column):
        return Role.DIRECT_IDENTIFIER, "another value in every record"
    if speaks_of(column.name, words.SENSITIVE):
        return Role.SENSITIVE, "named like something a person would not tell"
    return _role_of_own_values(column) if column.mostly_own and not _is_day(column) else (Role.OTHER, "")


def _role_of_own_values(column: ColumnFacts) -> tuple[Role, str]:
    """Texts and coordinates that most records have to themselves stay behind.

    Amounts are changed like sensitive ones.
    """
    if not column.is_number:
        return Role.DIRECT_IDENTIFIER, "text, and most records have a value of their own"
    if speaks_of(column.name, words.COORDINATE):
        return Role.DIRECT_IDENTIFIER, "named like a coordinate, and most records have a value of their own"
    if _is_code(column) or speaks_of(column.name, words.QUANTITY):
        return Role.OTHER, ""
    return Role.SENSITIVE, "a number, and most records have a value of their own"


def _numbers_records(column: ColumnFacts) -> bool:
    """Unique without being a measured quantity: text, a running number, or named as an identifier.

    In tiny files only the name counts.
    """
    if not column.unique or _is_fraction(column) or _is_day(column):
        return False
    named = speaks_of(column.name, words.NUMBER_OF_RECORD)
    running = column.is_whole and column.largest - column.smallest + 1 == column.rows
    return named or (column.rows > TINY and (running or not column.is_number))


def _is_fraction(column: ColumnFacts) -> bool:
    return column.is_number and not column.is_whole


def _is_day(column: ColumnFacts) -> bool:
    return column.is_date or bool(column.spelling)


def is_crowded(column: ColumnFacts, kind: VariableType) -> bool:
    """More values than a key can have, and no step of a draft that would make them fewer."""
    return column.distinct > MOST_LEVELS and kind is VariableType.CATEGORICAL and not column.begins_with_year


def _choose_keys(facts: TableFacts, roles: dict[str, tuple[Role, str]]) -> None:
    """Quasi-identifiers: what others can see or look up, places and demography first.

    Else what has fewest values.
    """
    free = [column for column in facts.columns if roles[column.name][0] is Role.OTHER and column.distinct > 1]
    chosen = _named_keys(free)
    if not chosen:
        fewest = sorted((column for column in free if column.distinct <= MOST_LEVELS), key=_levels)[:3]
        chosen = {column.name: "no key was recognised by name; this one has few values" for column in fewest}
    if not chosen:
        numbers = sorted(
            (
                column
                for column in facts.columns
                if column.is_number and roles[column.name][0] in (Role.OTHER, Role.SENSITIVE)
            ),
            key=_levels,
        )
        chosen = {
            column.name: "no key was recognised; say which variables an intruder can know"
            for column in numbers[:1]
        }
    # What has many values points at people by itself, and is the last to be left out.
    ranked = sorted(chosen.items(), key=lambda item: facts.by_name[item[0]].distinct <= MOST_LEVELS)
    for name, reason in ranked[:MOST_KEYS]:
        crowded = is_crowded(facts.by_name[name], type_of(facts.by_name[name], Role.QUASI_IDENTIFIER))
        roles[name] = (Role.QUASI_IDENTIFIER, f"{reason}, {TOO_MANY}" if crowded else reason)
    for name, reason in ranked[MOST_KEYS:]:
        roles[name] = (Role.OTHER, f"{reason}, but {MOST_KEYS} keys are enough for a first draft")


def _named_keys(free: list[ColumnFacts]) -> dict[str, str]:
    """Keys by their names, and days most records have to themselves.

    Of numbers with many values only ages and the like, and codes.
    """
    usable = [
        column
        for column in free
        if column.distinct <= MOST_LEVELS or speaks_of(column.name, words.QUANTITY) or _may_be_code(column)
    ]
    chosen: dict[str, str] = {}
    for kind, reason in (
        (words.DEMOGRAPHIC, "demography that others know"),
        (words.PLACE, "a place that others know"),
        (words.VISIBLE, "visible to others"),
    ):
        chosen.update(
            {
                column.name: reason
                for column in usable
                if speaks_of(column.name, kind) and column.name not in chosen
            }
        )
    days = [
        column.name for column in free if _is_day(column) and column.mostly_own and column.name not in chosen
    ]
    return chosen | dict.fromkeys(days, "a day that others may know")


def _levels(column: ColumnFacts) -> int:
    return column.distinct


def type_of(column: ColumnFacts, role: Role) -> VariableType:
    """Numbers are amounts where they are fractions, have many values or are named so; else they are codes."""
    if role is Role.WEIGHT:
        return VariableType.NUMERIC
    if role in (Role.DIRECT_IDENTIFIER, Role.HOUSEHOLD):
        return VariableType.CATEGORICAL
    if column.is_date:
        return VariableType.DATE
    named = speaks_of(column.name, words.QUANTITY) and not speaks_of(column.name, words.GROUPED)
    measured = column.is_number and (_is_fraction(column) or column.distinct > FEW or named)
    return VariableType.NUMERIC if measured and not _is_code(column) else VariableType.CATEGORICAL


def _may_be_code(column: ColumnFacts) -> bool:
    return _is_code(column) or not column.is_number


def _is_code(column: ColumnFacts) -> bool:
    """Whole numbers that stand for places, groups or days are no quantities."""
    if column.spelling or (column.is_whole and speaks_of(column.name, words.CODED)):
        return True
    of_places = (
        speaks_of(column.name, words.PLACE)
        and not speaks_of(column.name, words.QUANTITY)
        and not speaks_of(column.name, words.SENSITIVE)
    )
    return column.is_whole and of_places and column.distinct < column.rows / 2


def _reason(column: ColumnFacts, reason: str, *, same_at_home: bool) -> str:
    said = [reason] if reason else []
    if column.spelling:
        said.append(f"days written {column.spelling}: as YYYY-MM-DD they could be read as type: date")
    said.append(f"{column.distinct} {noun(column.distinct, 'value')}")
    if column.present < column.rows:
        said.append(f"{column.rows - column.present} missing")
    if column.coded:
        said.append(f"{column.coded} with a code that looks like missing")
    if not column.is_number and 2 < column.distinct <= FEW and speaks_of(column.name, words.ORDERED):
        said.append("perhaps ordinal: then give its order")
    if same_at_home:
        said.append("the same within every household")
    return ", ".join(said)
