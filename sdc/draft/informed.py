"""Corrects guesses by what a file, or a dictionary beside it, says of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.roles import Role, VariableType
from sdc.ingest.readers.opened import ColumnMetadata, Level
from sdc.spelling import counted

if TYPE_CHECKING:
    from sdc.data.table import Table
    from sdc.draft.facts import ColumnFacts
    from sdc.draft.guesses import Guess

FIXED_ROLES = (Role.WEIGHT, Role.HOUSEHOLD, Role.DIRECT_IDENTIFIER)


def merged(
    file: Mapping[str, ColumnMetadata], beside: Mapping[str, ColumnMetadata]
) -> dict[str, ColumnMetadata]:
    """What a dictionary says goes before what the file says. Names may differ in capitals."""
    folded = {name.casefold(): held for name, held in beside.items()}
    return {name: _both(held, folded.get(name.casefold())) for name, held in file.items()}


def _both(file: ColumnMetadata, beside: ColumnMetadata | None) -> ColumnMetadata:
    if beside is None:
        return file
    return ColumnMetadata(
        beside.label or file.label,
        {**file.values, **beside.values},
        tuple(dict.fromkeys((*file.missing_codes, *beside.missing_codes))),
        beside.level or file.level,
        beside.order or file.order,
        beside.unit or file.unit,
    )


def outside(data: Table, told: Mapping[str, ColumnMetadata]) -> dict[str, int]:
    """How many distinct values of each column that has labels or an order are not among them."""
    counts = {}
    for name, said in told.items():
        if known := {*said.values, *said.order}:
            listed = ", ".join(sql.text(code) for code in sorted(known))
            text = data.text(name)
            condition = f"FILTER ({text} NOT IN ({listed}, ''))"
            ((counts[name],),) = data.fetch(
                f"SELECT count(DISTINCT {text}) {condition} FROM {sql.name(data.name)}"
            )
    return counts


def informed(guess: Guess, facts: ColumnFacts, said: ColumnMetadata, unknown: int | None) -> Guess:
    """A guess with the type that the metadata tell. `unknown` values have no label or place in the order."""
    if guess.role in FIXED_ROLES or guess.type is VariableType.DATE:
        return guess
    if said.level is Level.ORDINAL and said.order and not unknown:
        return replace(guess, type=VariableType.ORDINAL)
    if said.level is Level.ORDINAL and unknown:
        problem = f"ordinal in the file, but {counted(unknown, 'value')} without a label: give its order"
        return replace(guess, type=VariableType.CATEGORICAL, reason=f"{guess.reason}, {problem}")
    if said.level in (Level.NOMINAL, Level.ORDINAL) or unknown == 0:
        return replace(guess, type=VariableType.CATEGORICAL)
    if said.level is Level.SCALE and facts.is_number:
        return replace(guess, type=VariableType.NUMERIC)
    return guess


def words_of_categories(guess: Guess, said: ColumnMetadata) -> dict[str, str]:
    """Words for the categories of a variable, no two alike. Numbers, days and what is missing have none."""
    if guess.type in (VariableType.NUMERIC, VariableType.DATE) or guess.role in FIXED_ROLES:
        return {}
    codes = [code for code in said.values if code not in said.missing_codes and said.values[code].strip()]
    if guess.type is VariableType.ORDINAL:
        codes = [code for code in codes if code in said.order]
    words: dict[str, str] = {}
    for code in codes:
        word = said.values[code].strip()
        taken = word in words.values() or (word != code and word in {*codes, *said.order})
        words[code] = f"{word} ({code})" if taken else word
    return words


def words_of_missing(said: ColumnMetadata) -> str:
    """What the codes for missing stand for, as a comment."""
    spoken = [f"{code} {said.values[code]}" for code in said.missing_codes if said.values.get(code)]
    return f"missing: {'; '.join(' '.join(each.split()) for each in spoken)}" if spoken else ""
