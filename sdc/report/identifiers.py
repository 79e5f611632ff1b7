"""Which values of direct identifiers does a page say? Millions are read through, and only those the page says are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sdc.report.page_text import read
from sdc.report.words import numbers, runs, words

LONGEST = 8
"""Of a longer value the first words stand for it."""
SPARSE = 1000
MOST_NUMBERS = 1_000_000


def said_identifiers(page: str, identifiers: Mapping[str, Iterable[object]], known: Callable[[], frozenset[str]]) -> dict[str, str]:
    """Values the page says, in normal form, with what they are; each variable's values are read once.

    Left out are running numbers (where many numbers of a length are taken, any number would be one) and texts without a digit
    that are `known`: a surname that is also a region, or a word of the profile, cannot be told from it.
    """
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
            found.update(f"{abs(token.value):.0f}" for token in numbers(fragment.text) if token.value.is_integer())
    return frozenset(found)


def _recognised(values: Iterable[object], said: frozenset[str]) -> set[str]:
    found: set[str] = set()
    taken: dict[int, set[str]] = {}
    for value in values:
        if value is None:
            continue
        tokens = words(str(value))
        text = " ".join(tokens[:LONGEST])
        if text.isdigit() and len(numbers_of_length := taken.setdefault(len(text), set())) < MOST_NUMBERS:
            numbers_of_length.add(text)
        if text in said:
            found.add(text)
    return {text for text in found if not text.isdigit() or SPARSE * len(taken[len(text)]) <= 9 * 10 ** (len(text) - 1)}
