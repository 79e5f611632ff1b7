"""Compares texts as words and numbers, however they are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

WORD = re.compile(r"[^\W_]+", re.UNICODE)
GAPS = "\u00a0\u202f\u2009'_ "
MOST_OF_A_SHARE, DIGITS_OF_A_SHARE = 100, 3
SHARE = re.compile(rf"(?<![\w.,])[-−+]?(\d+(?:[.,]\d+)?)[{GAPS}]*(?:%|per ?cent\b)")
PLAIN = re.compile(r"(?<![\w.])[-−+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
DRAWN = re.compile(r"(?<![\d.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\d.])")
DRAWN_GROUPS = re.compile(r"(?<![\d.,])[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])")
MOST_GIVEN, MOST_FAMILY = 3, 2
"""Names of a person before and after a comma."""
LARGEST = 100
"""No number a page says has more zeros."""
GROUPED = re.compile(rf"(?<![\w.,])[-−+]?\d{{1,3}}(?:[,{GAPS}]\d{{3}})+(?:\.\d+)?(?![\w])")
# Between words a comma or a narrow gap makes one number of its groups; in data it may stand between two, and
# so may a space anywhere.
ONE_NUMBER = re.compile(r"(?<![\w.,])[-−+]?\d{1,3}(?:[,\u00a0\u202f\u2009]\d{3})+(?:\.\d+)?(?![\w])(?!,\d)")
BORDER = re.compile(r"[;|/×·&\"'(){}\[\]:=<>\n]|,(?!\d{3}(?!\d))|\s[-–—]\s|\sand\s")
# A comma before three digits stands between thousands, unless points stand there already.
CONTINENTAL = re.compile(
    rf"(?<![\w.,])[-−+]?(?:\d{{1,3}}(?:[.{GAPS}]\d{{3}})+,\d+|\d+,(?!\d{{3}}(?!\d))\d+)(?![\w,])"
)


# A number with a word or a power of ten for its zeros.
SCALED = re.compile(
    rf"(?<![\w.,])([-−+]?\d+(?:[.,{GAPS}]\d+)*)[{GAPS}]*(?:(?P<word>[^\W\d_]+)\b|[×x·*]\s*10\s*(?:\^\s*(?P<power>[-−]?\d+)|(?P<raised>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)))",
    re.IGNORECASE,
)
ZEROS = {
    "k": 3,
    "thousand": 3,
    "tsd": 3,
    "m": 6,
    "mio": 6,
    "mln": 6,
    "mn": 6,
    "million": 6,
    "millions": 6,
    "millionen": 6,
}
ZEROS |= {
    "b": 9,
    "bn": 9,
    "mrd": 9,
    "mld": 9,
    "billion": 9,
    "billions": 9,
    "milliard": 9,
    "milliards": 9,
    "milliarden": 9,
    "trillion": 12,
}
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
# Letters of other alphabets that look like Latin ones, and Latin letters that accents alone do not explain.
LOOKALIKES = str.maketrans(
    dict(zip("аеорсухіјѕԁһӏкмтвнɡɑ", "aeopcyxijsdhlkmtbhga", strict=True))
    | dict(zip("αεικνορτυχγ", "aeikvoptuxy", strict=True))
    | {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"}
)


def normal(text: str) -> str:
    """A text as it is compared: lower case, no accents, no lookalikes of letters, one space between words."""
    return " ".join(words(text))


def words(text: str) -> list[str]:
    if text.isascii():
        return WORD.findall(text.casefold())
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", shown(text)).casefold())
    return WORD.findall(
        "".join(letter for letter in folded if not unicodedata.combining(letter)).translate(LOOKALIKES)
    )


def shown(text: str) -> str:
    """A text as a reader sees it: without characters that have no width, with Latin digits."""
    if text.isascii():
        return text
    return "".join(_shown(letter) for letter in text)


def _shown(letter: str) -> str:
    kind = unicodedata.category(letter)
    if kind == "Cf":
        return ""
    return str(unicodedata.decimal(letter)) if kind == "Nd" else letter


def runs(tokens: Sequence[str], longest: int) -> Iterable[str]:
    """All runs of neighbouring words up to a length."""
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + longest, len(tokens)) + 1):
            yield " ".join(tokens[start:end])


def surname_first(text: str) -> Iterator[str]:
    """What a comma puts in the other order, in normal form: "Haas, Finn" is "finn haas"."""
    parts = text.split(",")
    for before, after in pairwise(map(words, parts)):
        yield from (
            " ".join([*after[:given], *before[-family:]])
            for given in range(1, min(len(after), MOST_GIVEN) + 1)
            for family in range(1, min(len(before), MOST_FAMILY) + 1)
        )


@dataclass(frozen=True)
class Token:
    """A number as it is written: its value, the unit of its last counting place, its significant digits."""

    value: float
    unit: float
    digits: int

    def rounds(self, number: float) -> bool:
        """Whether it is this number, exactly or rounded to the places written."""
        return abs(self.value - number) <= self.unit * 0.5000001


def without_shares(text: str) -> str:
    """A text without its percentages as we write them: up to 100 %, three digits at most.

    A longer one may be anything.
    """
    return SHARE.sub(lambda found: " " if _is_share(found[1]) else found[0], text)


def _is_share(written: str) -> bool:
    held = token(written.replace(",", "."))
    return held.value <= MOST_OF_A_SHARE and held.digits <= DIGITS_OF_A_SHARE


def items(text: str) -> Iterator[str]:
    """What stands by itself in a text, between commas, brackets, colons and similar signs."""
    for found in BORDER.split(without_shares(text)):
        if found and found.strip():
            yield found.strip()


def numbers(text: str, *, data: bool = False) -> Iterator[Token]:
    """Numbers of a text in each way they may be read: plain, with thousands apart, with a decimal comma.

    Groups of thousands are one number and not several, except in `data`, where commas stand between numbers
    too.
    """
    for found in PLAIN.findall(text if data else ONE_NUMBER.sub(" ", text)):
        yield token(found)
    for found in GROUPED.findall(text):
        yield token(re.sub(rf"[,{GAPS}]", "", found))
    for found in CONTINENTAL.findall(text):
        yield token(re.sub(rf"[.{GAPS}]", "", found).replace(",", "."))
    yield from _scaled(text)


def _scaled(text: str) -> Iterator[Token]:
    """Numbers whose zeros are a word or a power of ten: 98.77 million, 98.765M, 9.877 × 10⁷."""
    for found in SCALED.finditer(text):
        power = found["power"] or (found["raised"] or "").translate(RAISED)
        zeros = ZEROS.get(found["word"].lower()) if found["word"] else int(power.replace("−", "-"))
        if zeros is not None and abs(zeros) <= LARGEST:
            scale = 10.0**zeros
            yield from (
                Token(held.value * scale, held.unit * scale, held.digits) for held in numbers(found[1])
            )


def drawn_numbers(text: str) -> Iterator[Token]:
    """Numbers of a path or a style, where letters may stand beside them.

    A comma may separate two numbers or be inside one.
    """
    yield from map(token, DRAWN.findall(text))
    yield from (token(found.replace(",", "")) for found in DRAWN_GROUPS.findall(text))


def counts(text: str) -> Iterator[Token]:
    """Numbers of a text read in one way: commas stand between thousands."""
    yield from (token(re.sub(rf"[,{GAPS}]", "", found)) for found in GROUPED.findall(text))
    yield from map(token, PLAIN.findall(GROUPED.sub(" ", text)))


def token(written: str) -> Token:
    """A number from its text: zeros at its end do not count as significant digits."""
    text = written.replace("−", "-")
    mantissa, _, power = text.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    # a hash may read like a number beyond all numbers
    exponent = max(-LARGEST, min(LARGEST, int(power or 0)))
    if fraction:
        digits, unit = len((whole + fraction).strip("0")), 10.0 ** (exponent - len(fraction))
    else:
        stripped = whole.rstrip("0")
        digits, unit = (
            len(stripped.lstrip("0")),
            10.0 ** (exponent + len(whole) - len(stripped)) if stripped else 1.0,
        )
    return Token(float(f"{mantissa}e{exponent}"), unit, digits)
