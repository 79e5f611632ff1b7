"""Finds values of direct identifiers on a page; only those on the page are kept, even of millions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdc.arrays import Array
from sdc.report.page_text import read
from sdc.report.words import Token, numbers, runs, surname_first, token, words

LONGEST = 8
"""Of a longer value the first words stand for it."""
SPARSE = 1000
DECIMAL = re.compile(r"[-+]?\d+[.,]\d+")
DISTINCT_DECIMAL = 5
MOST_NUMBERS = 1_000_000
"""More different numbers than these are not told apart."""
LONGEST_NUMBER = 9
"""Numbers of more digits are sparse, however many they are: `MOST_NUMBERS` are too few of them."""
AT_A_TIME = 2**16
UNUSUAL = r"[,]|^\s*[-+]?\d+[.]\d+\s*$"
"""Values with a comma are names in another order, or decimal numbers."""
FIRST_WORD = "(?P<word>[a-z0-9]+)"
ONE_NUMBER = "^[^A-Za-z0-9]*(?P<digits>[0-9]+)[^A-Za-z0-9]*$"


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
    taken = TakenNumbers()
    beginnings = pa.array({text.split(" ", 1)[0] for text in said}, pa.string())
    rest = (str(value) for value in values if value is not None)
    while some := list(islice(rest, AT_A_TIME)):
        texts = pa.array(some, pa.string())
        plain = pc.and_(pc.string_is_ascii(texts), pc.invert(pc.match_substring_regex(texts, UNUSUAL)))
        plainly, unusual = texts.filter(plain), texts.filter(pc.invert(plain)).to_pylist()
        taken.add(plainly, map(_as_said, unusual))
        for value in (*_may_be_said(plainly, beginnings), *unusual):
            found.update(said & {_as_said(value), *surname_first(value)})
    return {text for text in found if not (length := _digits(text)) or taken.are_sparse(length)}


def _may_be_said(plainly: pa.Array, beginnings: pa.Array) -> list[str]:
    """The values worth reading word by word: those that begin as something on the page does."""
    begins = pc.struct_field(pc.extract_regex(pc.ascii_lower(plainly), FIRST_WORD), "word")
    held: list[str] = plainly.filter(pc.is_in(begins, value_set=beginnings)).to_pylist()
    return held


class TakenNumbers:
    """How many different numbers of each length a variable has, as far as it matters."""

    def __init__(self) -> None:
        self._whole: dict[int, Array] = {}
        self._other: dict[int, set[str]] = {}

    def add(self, plainly: pa.Array, others: Iterable[str]) -> None:
        """Values in plain writing, and others as a page would say them."""
        read = [(text, length) for text in others if (length := _digits(text))]
        decimal = pa.array([text for text, _ in read if text.isdecimal()], pa.string())
        plain = pc.struct_field(pc.extract_regex(plainly, ONE_NUMBER), "digits").drop_null()
        # A number is one number, however it is written.
        whole = pa.concat_arrays([plain, decimal])
        lengths = pc.binary_length(whole).to_numpy(zero_copy_only=False)
        for length in np.unique(lengths[lengths <= LONGEST_NUMBER]).tolist():
            held = self._whole.get(length, np.zeros(0, np.int64))
            if SPARSE * held.size <= possible(length):
                these = whole.filter(pa.array(lengths == length)).cast(pa.int64()).to_numpy()
                self._whole[length] = _distinct(np.concatenate([held, these]))
        for text, length in read:
            known = self._other.setdefault(length, set())
            if not text.isdecimal() and len(known) < MOST_NUMBERS:
                known.add(text)

    def are_sparse(self, length: int) -> bool:
        """Whether few enough numbers of this length are taken for one of them to stand out."""
        taken = len(self._whole.get(length, ())) + len(self._other.get(length, ()))
        return SPARSE * min(taken, MOST_NUMBERS) <= possible(length)


def possible(length: int) -> int:
    """How many whole numbers have so many digits."""
    return 9 * int(10 ** (length - 1))


def _distinct(numbers: Array) -> Array:
    """Each number once, in order: sorting is faster than numpy's own way where most of them differ."""
    ordered = np.sort(numbers)
    distinct: Array = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return distinct


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
