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
    """The known name this one may be a slip for: two letters changed places, one is missing or too many, or it is one of its words."""
    meant = name.casefold()
    folded = {other.casefold(): other for other in reversed(known)}
    close = difflib.get_close_matches(meant, folded, n=1, cutoff=0.65)
    whole = [other for other in sorted(folded) if meant in re.split(r"[_.\s]", other)]
    return next((folded[other] for other in (*close, *whole)), None)
