"""Searches a finished page for what it must not say about the original.

Four rules, over everything the page says (texts, attributes, tips, comments, scripts with their data, data in
base64):

1. Numbers of four significant digits or more must not be an outermost value of a numeric variable, exactly or
   rounded to the places written, with or without commas, zeros in words (98.77 million) or as a power of ten.
   Pixels of charts and ticks have four digits, so that five are asked for in drawings, styles and ticks.
   Shorter extremes (an age of 99) are only looked for where a value of that variable is shown: beside its
   name, or in what is marked `data-values-of`; what is marked so is no value of another variable. Four digits
   that prose says as a year (no comma, no currency, no unit of a variable beside them) are looked for there
   alone too. A share in percent is no value, nor is a whole number marked as a count that may be one, nor a
   tick at 0 or a round hundred.
2. No text must be a value of a direct identifier, a category that few original records and no released ones
   have, or an outermost date. A single word the report uses itself, texts of fewer than three letters and
   running numbers look like ordinary text and are skipped. A comma may put a name in the other order
   (Haas, Finn). Texts are compared without accents, lookalikes of letters and characters without width; what
   tags cut apart within a line is read as one. A decimal number is compared with numbers, not with the digits
   of a band (50-59).
3. What stands in one line, table row, tip or JSON object must not be a combination of keys that fewer
   original records share than the threshold. A category without letters (a code) counts where it stands by
   itself, beside the name of its variable or where its values are shown; digits of another number say
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
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc.errors import PageLeaks
from sdc.report.forbidden import Forbidden, house_words
from sdc.report.identifiers import said_number
from sdc.report.page_text import read
from sdc.report.said_keys import rare_combinations
from sdc.report.said_values import may_name, numbers_of, said_of
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
    without_shares,
    words,
)

if TYPE_CHECKING:
    from sdc.report.page_text import Fragment

DISTINCT, DISTINCT_PIXELS = 4, 5
YEAR = re.compile(rf"(?<![\w.,$€£¥])(?<![$€£¥]\s)(?:1[89]|20)\d\d(?!\w|[.,]\d|[{GAPS}]\d{{3}}(?!\d))")
DIGIT = re.compile(r"\d")
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
        found += [(line, what) for what in rare_combinations(line, forbidden, longest)]
    unsaid = {fragment.section for fragment, _ in found if fragment.place.startswith("attribute id of")}
    hits = {
        Hit(held.line, held.place, what, "" if held.section in unsaid else held.section)
        for held, what in found
    }
    return tuple(sorted(hits, key=lambda hit: (hit.line, hit.place, hit.what)))


def _extremes(fragment: Fragment, forbidden: Forbidden) -> Iterator[str]:
    if not DIGIT.search(fragment.text):
        return
    tokens = set(drawn_numbers(fragment.text)) if fragment.geometry else numbers_of(fragment)
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
        for name in may_name(fragment, forbidden)
        if _says(name, forbidden.extremes.get(name, ()), fragment, forbidden)
    }
    yield from (f"an extreme of {variable}" for variable in found)


def _says(variable: str, values: Collection[float], fragment: Fragment, forbidden: Forbidden) -> bool:
    return any(held.value in values for held in said_of(variable, fragment, forbidden)) if values else False


def _years(fragment: Fragment, forbidden: Forbidden) -> set[Token]:
    """Numbers that prose can only mean as years: four bare digits without money or a unit beside them."""
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
    """Whether a text can only be a value.

    It has several words, or one of three letters or more that the report does not use itself, or five digits.
    """
    if text.replace(" ", "").isdigit():
        return " " in text and len(text.replace(" ", "")) >= DISTINCT_PIXELS
    return " " in text or (len(text) >= 3 and text not in house_words())


def _is_written_apart(text: str, fragment: Fragment) -> bool:
    """Whether it stands by itself as several groups of digits that are no number, like 12-34."""
    return " " in text and any(
        normal(item) == text and not NUMBER.match(item) for item in items(fragment.text)
    )
