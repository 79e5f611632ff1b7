"""Does a finished page say anything it must not say about the original?

Four rules, over everything the page says (texts, attributes, tips, comments, scripts with their data, data in base64):

1. Numbers of four significant digits or more must not be an outermost value of a numeric variable, exactly or rounded to the places
   written, with or without commas. Pixels of charts have four digits, so that five are asked for in
   drawings and styles. Shorter extremes (an age of 99)
   are only looked for where a value of that variable is said: beside its name, or in what is marked `data-values-of`.
2. No text must be a value of a direct identifier, a category that few original records and no released ones have, or an outermost date.
   A single word the report uses itself, texts of fewer than three letters and running numbers cannot be told from others and are
   passed over.
3. What stands in one line, table row, tip or JSON object must not be a combination of keys that fewer original records share than the threshold.
4. What is marked as a count of original records (`data-count="original"`, or JSON of that name) must not lie between 1 and the threshold.

A value at least as many records share as the threshold asks for is a fact about a crowd and may be said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

from sdc.errors import PageLeaks
from sdc.report.forbidden import Forbidden, house_words
from sdc.report.page_text import read
from sdc.report.words import Token, counts, drawn_numbers, numbers, runs, token, words

if TYPE_CHECKING:
    from sdc.report.page_text import Fragment

DISTINCT, DISTINCT_PIXELS = 4, 5
MOST_COMBINATIONS = 64
DIGIT = re.compile(r"\d")
COUNT_NAME = re.compile(r"^(?:n_|count_|counts_|records_)?original(?:_n|_count|_counts|_records)?$", re.IGNORECASE)


@dataclass(frozen=True)
class Hit:
    """Something a page must not say: where it is and what kind of thing, never what it says."""

    line: int
    place: str
    what: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.place}: {self.what}"


def refuse_leaks(page: str, forbidden: Forbidden) -> None:
    """Let a page pass, or raise with the place and kind of everything it must not say."""
    if hits := scan(page, forbidden):
        raise PageLeaks([str(hit) for hit in hits])


def scan(page: str, forbidden: Forbidden) -> tuple[Hit, ...]:
    """Every place of a page that says what it must not, in the order of the page."""
    text = read(page)
    hits: set[Hit] = set()
    for fragment in text.fragments:
        found = [*_extremes(fragment, forbidden), *_counts(fragment, forbidden)]
        hits.update(Hit(fragment.line, fragment.place, what) for what in found)
    longest = max((len(held.split()) for held in forbidden.texts), default=0)
    for fragment in (*text.lines, *text.fragments):
        hits.update(Hit(fragment.line, fragment.place, what) for what in _texts(fragment, forbidden, longest))
    longest = max((len(level.split()) for levels in forbidden.levels.values() for level in levels), default=1)
    for line in text.lines:
        hits.update(Hit(line.line, line.place, what) for what in _combinations(line, forbidden, longest))
    return tuple(sorted(hits, key=lambda hit: (hit.line, hit.place, hit.what)))


def _extremes(fragment: Fragment, forbidden: Forbidden) -> Iterator[str]:
    if not DIGIT.search(fragment.text):
        return
    tokens = set(drawn_numbers(fragment.text) if fragment.geometry else numbers(fragment.text))
    least = DISTINCT_PIXELS if fragment.geometry else DISTINCT
    for variable, values in forbidden.extremes.items():
        said = _said_of(variable, fragment)
        for value in values:
            if any(held.digits >= least and held.rounds(value) for held in tokens) or any(held.value == value for held in said):
                yield f"an extreme of {variable}"
                break


def _said_of(variable: str, fragment: Fragment) -> set[Token]:
    """Numbers said as values of a variable."""
    if fragment.geometry:
        return set()
    if fragment.values_of == variable:
        return set(numbers(fragment.text))
    return {token(found) for found in _beside(variable).findall(fragment.text)} if variable.casefold() in fragment.text.casefold() else set()


@cache
def _beside(variable: str) -> re.Pattern[str]:
    """A number said right after the name of a variable."""
    return re.compile(rf"(?<!\w){re.escape(variable)}[\"')\]]*\s*(?:[:=]|is|of)?\s*[\"']?([-−]?\d+(?:\.\d+)?)(?![\w.,]*\d)", re.IGNORECASE)


def _counts(fragment: Fragment, forbidden: Forbidden) -> Iterator[str]:
    small = f"a count of original records below {forbidden.threshold}"
    if fragment.counts and not fragment.place.startswith("attribute"):
        held = [found for found in counts(fragment.text) if found.value == int(found.value)]
        if any(0 < found.value < forbidden.threshold for found in held):
            yield small
    elif fragment.place == "script" and any(0 < count < forbidden.threshold for count in _counted(fragment.text)):
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
    for run in runs(words(fragment.text), longest):
        what = forbidden.texts.get(run)
        if what and _is_distinct(run):
            yield what
    for number in numbers(fragment.text):
        what = forbidden.texts.get(f"{abs(number.value):.0f}") if number.value == int(number.value) else None
        if what and number.unit <= 1 and abs(number.value) >= 10 ** (DISTINCT_PIXELS - 1):
            yield what


def _is_distinct(text: str) -> bool:
    """Could this only be a value? Several words, or one of three letters or more that the report does not use itself; five digits."""
    if text.replace(" ", "").isdigit():
        return " " in text
    return " " in text or (len(text) >= 3 and text not in house_words())


def _combinations(line: Fragment, forbidden: Forbidden, longest: int) -> Iterator[str]:
    said = set(runs(words(line.text), longest))
    held = {name: sorted({levels[run] for run in said if run in levels}) for name, levels in forbidden.levels.items()}
    for name in forbidden.numeric_keys:
        held[name] = sorted({f"{found.value:g}" for found in _said_of(name, line)}) if line.values_of != name else []
    present = {name: values for name, values in held.items() if values}
    if len(present) < 2:
        return
    names = tuple(sorted(present))
    for number, values in enumerate(product(*(present[name] for name in names))):
        if number == MOST_COMBINATIONS:
            return
        if 0 < forbidden.count(tuple(zip(names, values, strict=True))) < forbidden.threshold:
            yield f"a rare combination of {', '.join(names)}"
            return
