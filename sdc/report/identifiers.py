"""Finds values of direct identifiers on a page; only those on the page are kept, even of millions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from sdc.report.page_text import read
from sdc.report.words import Token, numbers, runs, surname_first, token, words

LONGEST = 8
"""Of a longer value the first words stand for it."""
SPARSE = 1000
DECIMAL = re.compile(r"[-+]?\d+[.,]\d+")
DISTINCT_DECIMAL = 5
MOST_NUMBERS = 1_000_000


def said_identifiers(
    page: str, identifiers: Mapping[str, Iterable[object]], known: Callable[[], frozenset[str]]
) -> dict[str, str]:
    """Values on the page, in normal form, with what they are; each variable's values are read once.

    Running numbers are left out (where many numbers of a length are taken, any number would be one), and so
    are texts without a digit that are `known`: a surname that is also a region, or a word of the profile,
    looks like that word.
    """
    if not identifiers:
        return {}
    said = sayings(page)
    found: dict[str, str] = {}
    for name, values in identifiers.items():
        found.update(dict.fromkeys(_recognised(values, said), f"a value of the direct identifier {name}"))
    lettered = {text for text in found if text.replace(" ", "").isalpha()}
    dropped = lettered & known() if lettered else frozenset()
    return {text: what for text, what in found.items() if text not in dropped}


def sayings(page: str) -> frozenset[str]:
    """Every run of up to eight words a page has, and its whole numbers as they are without commas."""
    text = read(page)
    found: set[str] = set()
    for fragment in (*text.lines, *text.fragments):
        if not fragment.geometry:
            found.update(runs(words(fragment.text), LONGEST))
            found.update(surname_first(fragment.text))
            found.update(filter(None, map(said_number, numbers(fragment.text))))
    return frozenset(found)


def _recognised(values: Iterable[object], said: frozenset[str]) -> set[str]:
    found: set[str] = set()
    taken: dict[int, set[str]] = {}
    for value in values:
        if value is None:
            continue
        text = _as_said(str(value))
        if (length := _digits(text)) and len(
            numbers_of_length := taken.setdefault(length, set())
        ) < MOST_NUMBERS:
            numbers_of_length.add(text)
        found.update(said & {text, *surname_first(str(value))})
    return {
        text
        for text in found
        if not (length := _digits(text)) or SPARSE * len(taken[length]) <= 9 * 10 ** (length - 1)
    }


def said_number(token: Token) -> str:
    """A number as it is compared with values of identifiers.

    Whole numbers stay as they are, decimals need five digits or more; anything else is None.
    """
    if token.value.is_integer():
        return f"{abs(token.value):.0f}"
    return f"{abs(token.value):.12g}" if token.digits >= DISTINCT_DECIMAL else ""


def _as_said(value: str) -> str:
    """A decimal number as a number, anything else as its first words: 50.59 is not what 50-59 says."""
    if DECIMAL.fullmatch(value.strip()):
        return said_number(token(value.strip().replace(",", ".")))
    return " ".join(words(value)[:LONGEST])


def _digits(text: str) -> int:
    """How many digits a number has; none where it is a text."""
    plain = text.replace(".", "")
    return len(plain) if plain.isdigit() else 0
