"""The scan for direct identifiers finds what a plain reading of every value finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sdc.report import identifiers
from sdc.report.identifiers import said_identifiers, said_number, sayings
from sdc.report.words import surname_first, token, words

PIECES = (
    *(
        "Anna",
        "anna",
        "O'Brien",
        "d’Arc",
        "Müller",
        "Mu\u0308ller",
        "Ławska",
        "Öz",
        "Смит",
        "van der Berg",
        "x_y",
    ),
    *("12345", "0012", "1,234", "12.345", "12,345", "-12.345", "+7.5", "3.0", "99999.5", "50-59", "1e5", "7"),
    *(
        "AB-12",
        "a.b@c.org",
        "tel:+41 79 123",
        "#9",
        "²",
        "１２",
        "½",
        "%",
        ".",
        ",",
        "_",
        "",
        "\u00a0",
        "\u200b",
    ),
)
GAPS = (
    " ",
    " ",
    " ",
    "",
    ",",
    ", ",
    "-",
    "\n",
    "\t",
    "\v",
    "\x1f",
    "\x00",
    "_",
    ".",
    "/",
    "\u2009",
    "\u3000",
)


def plainly(page: str, values: list[object]) -> set[str]:
    """Every value read word by word, and numbers of a length left out where many are taken."""
    said, found, taken = sayings(page), set(), {}
    for text in (str(value) for value in values if value is not None):
        stripped = text.strip()
        if identifiers.DECIMAL.fullmatch(stripped):
            normal = said_number(token(stripped.replace(",", ".")))
        else:
            normal = " ".join(words(text)[:8])
        if normal.replace(".", "").isdigit():
            taken.setdefault(len(normal.replace(".", "")), set()).add(normal)
        found |= said & {normal, *surname_first(text)}
    return {
        text
        for text in found
        if not (plain := text.replace(".", "")).isdigit()
        or 1000 * len(taken[len(plain)]) <= 9 * 10 ** (len(plain) - 1)
    }


def scanned(page: str, values: list[object]) -> set[str]:
    return set(said_identifiers(page, {"who": values}, frozenset))


def one(chance: np.random.Generator, among: Sequence[Any]) -> Any:
    return among[int(chance.integers(len(among)))]


def drawn(chance: np.random.Generator) -> str:
    pieces = [one(chance, GAPS) + one(chance, PIECES) for _ in range(chance.integers(1, 6))]
    return "".join(pieces) + one(chance, GAPS)


@pytest.mark.parametrize("seed", range(40))
def test_the_scan_finds_what_a_plain_reading_finds(seed, monkeypatch):
    """Values of every writing; in blocks of seven, so that a variable is read in several."""
    monkeypatch.setattr(identifiers, "AT_A_TIME", 7)
    chance = np.random.default_rng(seed)
    values = [drawn(chance) for _ in range(60)] + [12345, 12.5, 99999.5, None, 7, -8]
    said = [one(chance, values) for _ in range(8)] + [drawn(chance) for _ in range(8)]
    page = "".join(f"<p>{text}</p>" for text in said)
    assert scanned(page, values) == plainly(page, values)


@pytest.mark.parametrize("length", [4, 6, 18, 19, 22])
@pytest.mark.parametrize("write", ["{}", " {}", "({})", "No. {}", "{}.0", "{},0"])
def test_whether_numbers_run_on_does_not_depend_on_their_writing(length, write):
    """Of 9,000 numbers of four digits nine may be taken; of longer ones these few stand out."""
    first = 10 ** (length - 1)
    for many in (9, 10):
        values = [write.format(first + 7 * place) for place in range(many)]
        page = f"<p>{write.format(first)}</p>"
        assert scanned(page, values) == plainly(page, values)


def test_numbers_in_two_writings_are_counted_once():
    """Nine numbers, each plainly and as a decimal number: still nine of four digits."""
    values = [text for number in range(1000, 1009) for text in (f"{number}", f"{number}.0")]
    assert scanned("<p>1000</p>", values) == plainly("<p>1000</p>", values) == {"1000"}
