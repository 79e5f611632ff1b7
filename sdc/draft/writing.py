"""Writes a first profile: every guess in its place, with its reason beside it."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader_of
from sdc.catalogue.registry import measures, methods
from sdc.data.roles import Role, VariableType
from sdc.draft.dictionaries import read_dictionary
from sdc.draft.facts import ColumnFacts, TableFacts, constant_within, seems_headless, table_facts
from sdc.draft.guesses import (
    FEW,
    Guess,
    guess_household,
    guess_record_key,
    guess_variables,
    guess_weight,
    is_crowded,
)
from sdc.draft.household_size import CROWD, members, sizes_of_households
from sdc.draft.informed import informed, outside, words_of_categories, words_of_missing
from sdc.draft.linked import read_households
from sdc.draft.opening import MOST_RECORDS, described_source, opened
from sdc.draft.source_lines import source_lines, written
from sdc.errors import BadData, Fault, redacted
from sdc.ingest.readers.header import headless
from sdc.ingest.readers.opened import NOTHING_SAID
from sdc.profile.wording import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sdc.ingest.readers.opened import ColumnMetadata

REPORTED_RISK = ("unique_entries", "class_attribution")
REPORTED_UTILITY = ("records_changed", "ks_distance", "propensity_mse")


def draft(
    path: Path,
    *,
    table: str | None = None,
    query: str | None = None,
    sheet: str | None = None,
    cells: str | None = None,
    layout: Path | None = None,
    dictionary: Path | None = None,
    households: Path | None = None,
    households_table: str | None = None,
    key: str | None = None,
    kept_in: Path | None = None,
    corrections: Mapping[str, str] | None = None,
    most: int = MOST_RECORDS,
) -> str:
    """The text of a profile for a file; counts and names of columns in its comments, never a value.

    `kept_in` is the folder the profile will be kept in (else the current one): paths in a profile begin
    there. `dictionary` is a file that says what the variables are. `households` is a second file, linked with
    the first, of persons, by the column `key`; in a database they are `households_table`. `corrections` are
    keys of `source`, such as its separator, that are not to be guessed. No more than `most` records are
    counted.
    """
    if key and households is None:
        raise BadData([Fault("--key", "it links persons with households", "name their file by --households")])
    if households_table and households is None:
        problem = "it is the table of the households"
        raise BadData([Fault("--households-table", problem, "name their file or database by --households")])
    source = described_source(
        path, table, query, sheet=sheet, cells=cells, layout=layout, corrections=corrections
    )
    is_text = not reader_of(path, source.format).typed
    beside = read_dictionary(dictionary) if dictionary else {}
    with redacted("counting the data"), opened(source, beside, most) as (data, told):
        facts = table_facts(data, comma_may_be_decimal=is_text and source.separator != ",")
        if is_text and not layout and seems_headless(facts):
            raise BadData([headless(path)])
        homes = (
            read_households(households, households_table, facts, data, key, beside) if households else None
        )
        household = homes.key if homes else guess_household(facts)
        others = [column.name for column in facts.columns if column.name != household]
        per_household = constant_within(data, household, others) if household and others else frozenset[str]()
        sizes = homes.sizes if homes else frozenset[str]()
        if household:
            numbers = [name for name in others if facts.by_name[name].is_number]
            sizes |= sizes_of_households(data, household, numbers, members(data, household), CROWD)
        unknown = outside(data, told)
    if homes:
        facts, told, unknown = homes.beside(facts), {**homes.told, **told}, {**homes.unknown, **unknown}
    guesses = tuple(
        informed(guess, facts.by_name[guess.name], told[guess.name], unknown.get(guess.name))
        for guess in guess_variables(facts, household, guess_weight(facts), per_household)
    )
    guesses = tuple(map(homes.marked, guesses)) if homes else guesses
    of_homes = homes.names if homes else frozenset[str]()
    of_persons = [guess for guess in guesses if guess.name not in of_homes]
    sections = (
        _head(path, facts, f" and {households.name}" if households else "", is_part=facts.rows == most),
        source_lines(source, path, kept_in, facts.decimal, guess_record_key(facts, of_persons), homes),
        _variables(facts, guesses, told, of_homes),
        _candidates(facts, guesses, sizes),
        _criteria(guesses, linked=homes is not None),
        TAIL,
    )
    return "\n".join("\n".join(section) + "\n" for section in sections)


def _head(path: Path, facts: TableFacts, beside: str, *, is_part: bool) -> Iterator[str]:
    counted = f"{'the first ' if is_part else ''}{facts.rows} records, {len(facts.columns)} columns"
    yield f"# A first profile of {path.name}{beside}, from {counted}."
    yield "# Every line is a guess from names and counts. Read each, correct it, then run: sdc check PROFILE"
    name = re.sub(r"[^a-z0-9]+", "_", path.stem.lower()).strip("_")
    yield f"name: {name if re.match('[a-z]', name) else f'release_{name}'.rstrip('_')}"
    yield f"title: {written(path.stem)}"
    yield "access: open                      # open, safeguarded or secure"


def _variables(
    facts: TableFacts,
    guesses: Sequence[Guess],
    told: Mapping[str, ColumnMetadata],
    of_households: frozenset[str],
) -> Iterator[str]:
    yield "variables:                         # a column that is simply not to leave has the role dropped"
    for guess in guesses:
        metadata = told.get(guess.name, NOTHING_SAID)
        line = f"  {written(guess.name)}: {_declaration(guess, metadata, of_households)}"
        reasons = ", ".join(filter(None, (guess.reason, words_of_missing(metadata))))
        yield f"{line:<70}  # {reasons}" if reasons else line
    analysed = [
        guess for guess in guesses if guess.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER)
    ]
    coded = [
        guess.name
        for guess in analysed
        if guess.type is VariableType.CATEGORICAL and facts.by_name[guess.name].is_coded
    ]
    if coded:
        yield f"  # Codes: {', '.join(coded)}."
        yield (
            "  # Beside a role, values: {CODE: words, CODE: words} says them in words, and label: what a"
            " variable is."
        )


def _declaration(guess: Guess, told: ColumnMetadata, of_households: frozenset[str]) -> str:
    """A role with what was guessed, and what the file itself says of the column.

    Those of a file of households are per household without being said so.
    """
    said = {"role": guess.role.value}
    if told.label:
        said["label"] = json.dumps(told.label, ensure_ascii=False)
    if told.unit:
        said["unit"] = json.dumps(told.unit, ensure_ascii=False)
    if guess.type is not VariableType.CATEGORICAL and guess.role is not Role.WEIGHT:
        said["type"] = guess.type.value
    if guess.type is VariableType.ORDINAL:
        said["order"] = json.dumps(told.order, ensure_ascii=False)
    if guess.per_household and guess.name not in of_households:
        said["per"] = "household"
    if values := words_of_categories(guess, told):
        said["values"] = json.dumps(values, ensure_ascii=False)
    if missing_codes := dict.fromkeys((*told.missing_codes, *guess.missing_codes)):
        said["missing_codes"] = f"[{', '.join(map(json.dumps, missing_codes))}]"
    return (
        guess.role.value
        if len(said) == 1
        else "{" + ", ".join(f"{key}: {value}" for key, value in said.items()) + "}"
    )


def _candidates(facts: TableFacts, guesses: Sequence[Guess], sizes: frozenset[str]) -> Iterator[str]:
    """Coarser keys, no small crowds, and groups of like amounts: the steps most agencies begin with."""
    keys = _of(guesses, Role.QUASI_IDENTIFIER)
    recodes = {guess.name: recode for guess in keys if (recode := _recode(facts, guess))}
    crowded = [
        facts.by_name[guess.name] for guess in keys if is_crowded(facts.by_name[guess.name], guess.type)
    ]
    numbers = [guess for guess in _of(guesses, Role.SENSITIVE) if guess.type is VariableType.NUMERIC]
    amounts = [guess.name for guess in numbers if not guess.per_household]
    at_home = {guess.name: base for guess in numbers if guess.per_household and (base := _base(facts, guess))}
    steps = []
    if recodes and "global_recode" in methods():
        steps.append(
            "{method: global_recode, with:"
            f" {{{', '.join(f'{written(name)}: {recode}' for name, recode in recodes.items())}}}}}"
        )
    if keys and "local_suppression" in methods():
        together = ", by_household: true" if any(guess.per_household for guess in keys) else ""
        open_keys = [written(guess.name) for guess in keys if guess.name in sizes]
        kept = f", cap: {{{', '.join(f'{name}: 0' for name in open_keys)}}}" if open_keys else ""
        said = f"  # {' and '.join(open_keys)} can be counted, so other keys go" if open_keys else ""
        steps.append(f"{{method: local_suppression, with: {{k: {CROWD}{together}{kept}}}}}{said}")
    if amounts and "microaggregation" in methods():
        steps.append(
            f"{{method: microaggregation, with: {{variables: [{', '.join(map(written, amounts))}], k: 3}}}}"
        )
    if at_home and "rounding" in methods():
        # What groups records would give members of a household different amounts.
        rounded = ", ".join(f"{written(name)}: {{to: {base:g}}}" for name, base in at_home.items())
        steps.append(f"{{method: rounding, with: {{{rounded}}}}}")
    yield "candidates:"
    yield "  recoded:" if steps else "  recoded: []"
    if crowded and steps:
        yield (
            "    # Keys with too many values, most of which will be suppressed unless they are grouped"
            " before:"
        )
        yield from map(_advice, crowded)
    for step in steps:
        yield f"    - {step}"


def _advice(column: ColumnFacts) -> str:
    """How a key with too many values may be grouped, as a comment."""
    if column.spelling:
        return (
            f"    # {written(column.name)}: write its days YYYY-MM-DD in the file, declare type: date, and"
            " recode it with {period: year}"
        )
    step = f"{{method: global_recode, with: {{{written(column.name)}: {{digits: 2}}}}}}"
    return f"    # - {step}  # leading digits of codes; or groups: {{NEW: [OLD, OLD]}}, others: REST"


def _recode(facts: TableFacts, guess: Guess) -> str:
    """Bands of a number, years of a day.

    Nothing where there are few values already, or no telling what belongs together.
    """
    if guess.type is VariableType.DATE:
        return "{period: year}" if facts.by_name[guess.name].distinct > FEW else ""
    if facts.by_name[guess.name].begins_with_year:
        return "{digits: 4}" if facts.by_name[guess.name].distinct > FEW else ""
    width = _width(facts, guess) if guess.type is VariableType.NUMERIC else 0
    return f"{{width: {width:g}}}" if width else ""


def _width(facts: TableFacts, guess: Guess) -> float:
    """About ten bands: 1, 2 or 5 times a power of ten wide, 10 for ages.

    0 where there are few values already.
    """
    column = facts.by_name[guess.name]
    if column.distinct <= FEW or column.largest <= column.smallest:
        return 0
    about = (column.largest - column.smallest) / 10
    power = 10.0 ** math.floor(math.log10(about))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= about * 0.99)


def _base(facts: TableFacts, guess: Guess) -> float:
    """A power of ten, about a hundredth of the range; 0 where all amounts are the same."""
    spread = facts.by_name[guess.name].largest - facts.by_name[guess.name].smallest
    return 10.0 ** math.ceil(math.log10(spread / 100)) if spread > 0 else 0


def _criteria(guesses: Sequence[Guess], *, linked: bool) -> Iterator[str]:
    yield "risk:"
    yield f'  - {{measure: k_anonymity, at_least: 3, because: "{PLACEHOLDER}"}}'
    if "reconstruction" in measures() and "local_suppression" in methods():
        yield "  - {measure: reconstruction}  # suppressed values that others give away; judged with at_most"
    for name in REPORTED_RISK:
        if name in measures() and (name != "class_attribution" or _of(guesses, Role.SENSITIVE)):
            yield f"  - {{measure: {name}}}  # reported, and not judged until it has at_least or at_most"
    if linked and _of(guesses, Role.WEIGHT):
        yield "  - {measure: household_risk}  # who is found gives away the household; judged with at_most"
    elif linked:
        yield "  # household_risk would judge households; it needs a variable with the role weight"
    yield "utility:"
    numeric = any(
        guess.type is VariableType.NUMERIC
        and guess.role in (Role.SENSITIVE, Role.OTHER, Role.QUASI_IDENTIFIER)
        for guess in guesses
    )
    for name in REPORTED_UTILITY:
        if name in measures() and (name != "ks_distance" or numeric):
            yield f"  - {{measure: {name}}}"


TAIL = (
    (
        "approval: {required: always, roles: [reviewer]}  # people decide on a draft; then when_referred or"
        " never"
    ),
    (
        "publish: {formats: [csv, parquet], outbox: outbox}  # a folder beside this profile that must be"
        " there: mkdir outbox"
    ),
)


def _of(guesses: Sequence[Guess], role: Role) -> list[Guess]:
    return [guess for guess in guesses if guess.role is role]
