"""Words for counts, numbers and limits, one form of every text, and the name a misspelt one may stand for."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

FEWEST = 4
"""So many letters of a name say which one is meant."""


def composed(value: Any) -> Any:
    """Texts in Unicode's form NFC, also those in lists and mappings: what reads the same is the same."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        return {composed(key): composed(held) for key, held in value.items()}
    return [composed(held) for held in value] if isinstance(value, list | tuple) else value


def counted(number: int, one: str, many: str = "") -> str:
    """A count with its noun: 1 criterion, 2 criteria."""
    return f"{number:,} {noun(number, one, many)}"


def noun(number: int, one: str, many: str = "") -> str:
    return one if number == 1 else many or one + "s"


def nearest(name: str, known: list[str]) -> str | None:
    """The known name this one may be a slip for.

    Two letters changed places, one is missing or too many, it is one of its words, or it is how it begins.
    """
    meant = name.casefold()
    folded = {other.casefold(): other for other in reversed(known)}
    close = difflib.get_close_matches(meant, folded, n=1, cutoff=0.65)
    whole = [other for other in sorted(folded) if meant in re.split(r"[_.\s]", other)]
    plain = meant.replace("_", "")
    begun = [other for other in sorted(folded) if other.replace("_", "").startswith(plain)]
    return next((folded[other] for other in (*close, *whole, *(begun if len(plain) >= FEWEST else ()))), None)


def said(number: float, apart_from: float | None = None) -> str:
    """A number in few digits, but as many as it takes to tell it from another."""
    digits = next(
        (
            digits
            for digits in (6, 9, 12, 15)
            if apart_from is None or f"{number:.{digits}g}" != f"{apart_from:.{digits}g}"
        ),
        17,
    )
    return f"{number:.{digits}g}"


def number(value: float | None) -> str:
    """A number in four digits, or a dash where there is none."""
    return "—" if value is None else f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def limit_in_words(
    at_least: float | None, at_most: float | None, write: Callable[[float], str] = said
) -> str:
    """A range in words: at least 3, at most 0.1, between 0 and 1, exactly 0; empty where there is none."""
    if at_least is not None and at_most is not None:
        low, high = write(at_least), write(at_most)
        return f"exactly {low}" if at_least == at_most else f"between {low} and {high}"
    if at_least is not None:
        return f"at least {write(at_least)}"
    return f"at most {write(at_most)}" if at_most is not None else ""


def limit_in_signs(at_least: float | None, at_most: float | None) -> str:
    """The same for a table: ≥ 3, ≤ 0.1, ≥ 0 and ≤ 1, exactly 0."""
    if at_least is not None and at_least == at_most:
        return f"exactly {number(at_least)}"
    low = [f"≥ {number(at_least)}"] if at_least is not None else []
    high = [f"≤ {number(at_most)}"] if at_most is not None else []
    return " and ".join([*low, *high])
