"""Searches a finished page for what it must not say about the original.

Four rules, over everything the page says (texts, attributes, tips, comments, scripts with their data, data in
base64):

1. Numbers of four significant digits or more must not be an outermost value of a numeric variable, exactly or
   rounded to the places written, with or without commas, zeros in words (98.77 million) or as a power of ten.
   Pixels of charts and ticks have four digits, so that five are asked for in drawings, styles and ticks.
   Shorter extremes (an age of 99) are only looked for where a value of that variable is said: beside its
   name, or in what is marked `data-values-of`; what is marked so is no value of another variable. Four digits
   that prose says as a year (no comma, no currency, no unit of a variable beside them) are looked for there
   alone too. A share in percent is no value, nor is a whole number marked as a count that may be one, nor a
   tick at 0 or a round hundred.
2. No text must be a value of a direct identifier, a category that few original records and no released ones
   have, or an outermost date. A single word the report uses itself, texts of fewer than three letters and
   running numbers cannot be told from others and are passed over. A comma may put a name in the other order
   (Haas, Finn). Texts are compared without accents, lookalikes of letters and characters without width; what
   tags cut apart within a line is read as one. A decimal number is compared with numbers, not with the digits
   of a band (50-59).
3. What stands in one line, table row, tip or JSON object must not be a combination of keys that fewer
   original records share than the threshold. A category without letters (a code) is said where it stands by
   itself, beside the name of its variable or where values of it are told; digits of another number say
   nothing. Where a place names the variables whose categories it tells (`data-categories-of`), what could be
   a category of several is read as one of those, in their order; where it names none, its numbers are no
   codes and the report's own words (yes, no) no categories.
4. What is marked as a count of original records (`data-count="original"`, or JSON of that name) must not lie
   between 1 and the threshold.

A value at least as many records share as the threshold asks for is a fact about a crowd and may be said.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Any

from sdc.errors import PageLeaks
from sdc.report.forbidden import Forbidden, house_words
from sdc.report.identifiers import said_number
from sdc.report.page_text import read
from sdc.report.words import (
    GAPS,
    Token,
    counts,
    drawn_numbers,
    items,
    normal,
    numbers,
    runs,
    surname_first,
    token,
    without_shares,
    words,
)

if TYPE_CHECKING:
    from sdc.report.page_text import Fragment

DISTINCT, DISTINCT_PIXELS = 4, 5
MOST_COMBINATIONS, MOST_READINGS = 64, 16
YEAR = re.compile(rf"(?<![\w.,$€£¥])(?<![$€£¥]\s)(?:1[89]|20)\d\d(?!\w|[.,]\d|[{GAPS}]\d{{3}}(?!\d))")
DIGIT = re.compile(r"\d")
LETTERS = re.compile(r"\w+")
NUMBER = re.compile(r"[-−+]?[\d.,\s]+%?$")
COUNT_NAME = re.compile(
    r"^(?:n_|count_|counts_|records_)?original(?:_n|_count|_counts|_records)?$", re.IGNORECASE
)


@dataclass(frozen=True)
class Hit:
    """Something a page must not say: where it is and what kind of thing, never what it says."""

    line: int
    place: str
    what: str
    section: str = ""

    def __str__(self) -> str:
        return f"line {self.line}, {self.place}{f' in #{self.section}' if self.section else ''}: {self.what}"


def refuse_leaks(page: str, forbidden: Forbidden, beside: Sequence[str] = ()) -> None:
    """Let a page pass, or raise with the place and kind of all it must not say and of what is `beside` it."""
    if hits := [*map(str, scan(page, forbidden)), *beside]:
        raise PageLeaks(hits)


def scan(page: str, forbidden: Forbidden) -> tuple[Hit, ...]:
    """Every place of a page that says what it must not, in the order of the page."""
    text = read(page)
    found: list[tuple[Fragment, str]] = []
    for fragment in text.fragments:
        found += [
            (fragment, what) for what in (*_extremes(fragment, forbidden), *_counts(fragment, forbidden))
        ]
    longest = max((len(held.split()) for held in forbidden.texts), default=0)
    for fragment in (*text.lines, *text.fragments):
        found += [(fragment, what) for what in _texts(fragment, forbidden, longest)]
    longest = max((len(level.split()) for levels in forbidden.levels.values() for level in levels), default=1)
    for line in text.lines:
        found += [(line, what) for what in _combinations(line, forbidden, longest)]
    unsaid = {fragment.section for fragment, _ in found if fragment.place.startswith("attribute id of")}
    hits = {
        Hit(held.line, held.place, what, "" if held.section in unsaid else held.section)
        for held, what in found
    }
    return tuple(sorted(hits, key=lambda hit: (hit.line, hit.place, hit.what)))


def _extremes(fragment: Fragment, forbidden: Forbidden) -> Iterator[str]:
    if not DIGIT.search(fragment.text):
        return
    tokens = set(drawn_numbers(fragment.text)) if fragment.geometry else _read(fragment)
    if fragment.counts and not fragment.geometry:
        tokens = {
            held for held in tokens if not (held.value.is_integer() and 0 <= held.value <= forbidden.records)
        }
    least = DISTINCT_PIXELS if fragment.geometry or fragment.tick else DISTINCT
    years = _years(fragment, forbidden)
    long = [held for held in tokens if held.digits >= least and held not in years]
    found = {
        name
        for held in long
        for name in forbidden.outermost.meant_by(held)
        if fragment.values_of in ("", name)
    }
    found |= {
        name
        for name in _may_name(fragment, forbidden)
        if _says(name, forbidden.extremes.get(name, ()), fragment, forbidden)
    }
    yield from (f"an extreme of {variable}" for variable in found)


def _may_name(fragment: Fragment, forbidden: Forbidden) -> set[str]:
    """Variables of which a place could tell values: those it may name, and the one it is marked with."""
    return {*forbidden.variables.possible_in(fragment.text), fragment.values_of}


def _says(variable: str, values: Collection[float], fragment: Fragment, forbidden: Forbidden) -> bool:
    return any(held.value in values for held in _said_of(variable, fragment, forbidden)) if values else False


def _years(fragment: Fragment, forbidden: Forbidden) -> set[Token]:
    """Numbers that prose says as years only.

    Four bare digits, no amount of money and no unit of a variable beside them.
    """
    if fragment.geometry or fragment.data or fragment.values_of:
        return set()
    plain = without_shares(fragment.text)
    without = YEAR.sub(
        lambda found: "|" if _following(plain, found.end()) not in forbidden.units else found[0], plain
    )
    return set(numbers(plain)) - set(numbers(without))


def _following(text: str, place: int) -> str:
    """The word, or sign, that comes next."""
    found = re.compile(r"\s*(\w+|\S)").match(text, place)
    return found[1].casefold() if found else ""


def _read(fragment: Fragment) -> set[Token]:
    return set(numbers(without_shares(fragment.text), data=fragment.data))


def _said_of(variable: str, fragment: Fragment, forbidden: Forbidden) -> set[Token]:
    """Numbers said as values of a variable."""
    if fragment.geometry:
        return set()
    if fragment.values_of == variable:
        return {held for held in _read(fragment) if not (fragment.tick and _is_round(held))}
    return {token(found) for found in _said_beside(variable, fragment, forbidden)}


def _is_round(held: Token) -> bool:
    """Could an axis have a tick here, whatever its variable.

    Nought, or hundreds of one digit, or of two that end in five?
    """
    return held.value == 0 or (
        abs(held.value) >= 100
        and held.digits <= 2
        and (held.digits == 1 or round(abs(held.value) / held.unit) % 5 == 0)
    )


def _said_beside(variable: str, fragment: Fragment, forbidden: Forbidden) -> Iterator[str]:
    """Numbers beside the name of a variable, unless they are about a pair or a part of a measure."""
    if variable.casefold() not in fragment.text.casefold():
        return
    text = without_shares(fragment.text)
    for found in _beside(variable).finditer(text):
        before = text[: found.start()].casefold().rstrip()
        if before.endswith(forbidden.named_first) or _longer_name(text, variable, found) in forbidden.names:
            continue
        if fragment.data or not re.search(r"\w\.$", text[: found.start()]):
            yield found[1].replace(",", "")


def _longer_name(text: str, variable: str, found: re.Match[str]) -> str:
    """The name a digit right behind a variable's name may belong to: in x10 nothing is said of x."""
    behind = found.start() + len(variable)
    longer = LETTERS.match(text, behind) if found.start(1) == behind else None
    return text[found.start() : longer.end()].casefold() if longer else ""


@cache
def _beside(variable: str) -> re.Pattern[str]:
    """A number said right after the name of a variable."""
    # A digit behind a digit goes on with the name.
    ends = r"(?!\d)" if variable[-1:].isdigit() else ""
    number = r"([-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?![\w.,]*\d)"
    return re.compile(
        rf"(?<!\w){re.escape(variable)}{ends}[\"')\]]*\s*(?:[:=]|is|of)?\s*[\"']?{number}", re.IGNORECASE
    )


def _counts(fragment: Fragment, forbidden: Forbidden) -> Iterator[str]:
    small = f"a count of original records below {forbidden.threshold}"
    if fragment.counts and not fragment.place.startswith("attribute"):
        held = [found for found in counts(fragment.text) if found.value == int(found.value)]
        if any(0 < found.value < forbidden.threshold for found in held):
            yield small
    elif fragment.place == "script" and any(
        0 < count < forbidden.threshold for count in _counted(fragment.text)
    ):
        yield small


def _counted(script: str) -> Iterator[float]:
    """Numbers a script holds under a name that says they count original records."""
    decoder, place = json.JSONDecoder(), 0
    while begun := re.compile(r"[{\[]").search(script, place):
        try:
            held, place = decoder.raw_decode(script, begun.start())
        except ValueError:
            place = begun.end()
            continue
        yield from _named(held)
    for name, number in re.findall(r"[\"']?(\w+)[\"']?\s*[:=]\s*(-?\d+(?:\.\d+)?)", script):
        if COUNT_NAME.match(name):
            yield float(number)


def _named(held: Any, *, counts: bool = False) -> Iterator[float]:
    if isinstance(held, Mapping):
        for name, value in held.items():
            yield from _named(value, counts=bool(COUNT_NAME.match(str(name))))
    elif isinstance(held, list):
        for value in held:
            yield from _named(value, counts=counts)
    elif counts and isinstance(held, int | float) and not isinstance(held, bool) and held == int(held):
        yield float(held)


def _texts(fragment: Fragment, forbidden: Forbidden, longest: int) -> Iterator[str]:
    if fragment.geometry or not longest:
        return
    for run in (*runs(words(fragment.text), longest), *surname_first(fragment.text)):
        what = forbidden.texts.get(run)
        if what and (_is_distinct(run) or _is_written_apart(run, fragment)):
            yield what
    for number in numbers(fragment.text, data=fragment.data):
        what = forbidden.texts.get(said_number(number))
        is_distinct = not number.value.is_integer() or abs(number.value) >= 10 ** (DISTINCT_PIXELS - 1)
        if what and is_distinct and number.unit <= 1:
            yield what


def _is_distinct(text: str) -> bool:
    """Could this only be a value?

    Several words, or one of three letters or more that the report does not use itself; five digits.
    """
    if text.replace(" ", "").isdigit():
        return " " in text and len(text.replace(" ", "")) >= DISTINCT_PIXELS
    return " " in text or (len(text) >= 3 and text not in house_words())


def _is_written_apart(text: str, fragment: Fragment) -> bool:
    """Does it stand by itself as several groups of digits that are no number, like 12-34?"""
    return " " in text and any(
        normal(item) == text and not NUMBER.match(item) for item in items(fragment.text)
    )


def _combinations(line: Fragment, forbidden: Forbidden, longest: int) -> Iterator[str]:
    sure, codes, alone = _keys_said(line, forbidden, longest)
    readings = (
        sure | {name: codes[name] for name in chosen}
        for size in range(min(len(codes), alone), -1, -1)
        for chosen in combinations(sorted(codes), size)
        if len(sure) + size > 1
    )
    for held in islice(readings, MOST_READINGS):
        names = tuple(sorted(held))
        for values in islice(product(*(held[name] for name in names)), MOST_COMBINATIONS):
            if 0 < forbidden.count(tuple(zip(names, values, strict=True))) < forbidden.threshold:
                yield f"a rare combination of {', '.join(names)}"
                return


def _keys_said(
    line: Fragment, forbidden: Forbidden, longest: int
) -> tuple[dict[str, list[str]], dict[str, list[str]], int]:
    """Values of keys a line says for sure; codes it may say, for nothing tells of which variable.

    And how many stand there by themselves.
    """
    said = set(runs(words(line.text), longest))
    named = {name: forbidden.levels[name] for name in line.categories_of or () if name in forbidden.levels}
    if line.categories_of == ():
        said -= house_words()
    sure: defaultdict[str, set[str]] = defaultdict(set)
    for run in said:
        for name in () if _is_code(run) else forbidden.owners.get(run, ()):
            if name in named or not _is_level(run, named):
                sure[name].add(forbidden.levels[name][run])
    in_order = _in_order(line, named)
    alone = _alone(line, {level for held in sure.values() for level in held})
    may_name = _may_name(line, forbidden)
    owners = {name for code in alone for name in forbidden.owners.get(code, ())}
    codes: dict[str, list[str]] = {}
    for name in (may_name | owners | in_order.keys()) & forbidden.levels.keys():
        levels = forbidden.levels[name]
        if name in in_order:
            sure[name] = {levels[in_order[name]]}
            continue
        told = {normal(found) for found in _said_beside(name, line, forbidden)}
        told |= {f"{held.value:g}" for held in _read(line)} if line.values_of == name else set()
        sure[name] |= {levels[code] for code in told if code in levels and _is_code(code)}
        may_be_told = line.categories_of is None or name in named
        if (
            may_be_told
            and not sure[name]
            and (held := sorted({levels[code] for code in alone if code in levels and _is_code(code)}))
        ):
            codes[name] = held
    for name in forbidden.numeric_keys & may_name:
        sure[name] = (
            {f"{held.value:g}" for held in _said_of(name, line, forbidden)}
            if line.values_of != name
            else set()
        )
    return {name: sorted(values) for name, values in sure.items() if values}, codes, len(alone)


def _is_level(text: str, named: Mapping[str, Mapping[str, str]]) -> bool:
    return any(text in levels for levels in named.values())


def _in_order(line: Fragment, named: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The category of each variable a place names, where it tells them first and in order.

    Nothing where it does not.
    """
    first = [normal(item) for item in items(line.text)][: len(line.categories_of or ())]
    told = dict(zip(line.categories_of or (), first, strict=False))
    return (
        {name: told[name] for name in named}
        if all(told.get(name) in levels for name, levels in named.items())
        else {}
    )


def _is_code(text: str) -> bool:
    """A category without letters."""
    return not any(letter.isalpha() for letter in text)


def _alone(line: Fragment, levels: set[str]) -> set[str]:
    """What has no letter and stands by itself in a line.

    In a cell, between commas, or beside a category of another variable.
    """
    found: set[str] = set()
    for piece in line.pieces:
        text = piece
        for level in sorted(levels, key=len, reverse=True):
            if len(level) >= 3 and normal(level) not in house_words():
                text = re.sub(rf"(?<!\w){re.escape(level)}(?!\w)", "|", text, flags=re.IGNORECASE)
        found.update(normal(item) for item in items(text) if DIGIT.search(item) and _is_code(item))
    return found
