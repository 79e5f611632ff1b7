"""How are counts written in a sentence, and which name may a misspelt one be a slip for?"""

from __future__ import annotations

import difflib
import re


def counted(number: int, one: str, many: str = "") -> str:
    """A count with its noun: 1 criterion, 2 criteria."""
    return f"{number:,} {noun(number, one, many)}"


def noun(number: int, one: str, many: str = "") -> str:
    return one if number == 1 else many or one + "s"


def nearest(name: str, known: list[str]) -> str | None:
    """The known name this one may be a slip for.

    Two letters changed places, one is missing or too many, or it is one of its words.
    """
    meant = name.casefold()
    folded = {other.casefold(): other for other in reversed(known)}
    close = difflib.get_close_matches(meant, folded, n=1, cutoff=0.65)
    whole = [other for other in sorted(folded) if meant in re.split(r"[_.\s]", other)]
    return next((folded[other] for other in (*close, *whole)), None)


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
