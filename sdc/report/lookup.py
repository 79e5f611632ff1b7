"""Looks up which of many names or numbers a place of a page may hold."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from operator import itemgetter

from sdc.report.words import Token

WORD = re.compile(r"\w+")


class Names:
    """Names that may begin with any word of a text, also where a digit follows at once.

    It finds too many rather than too few.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._place = {name: place for place, name in enumerate(dict.fromkeys(names))}
        self._by_beginning: dict[str, list[str]] = {}
        for name in self._place:
            begun = WORD.match(name.casefold())
            self._by_beginning.setdefault(begun[0] if begun else "", []).append(name)
        self._longest = max(map(len, self._by_beginning), default=0)

    def possible_in(self, text: str) -> list[str]:
        """Names that could be in a text, in their own order.

        Names that do not begin with a letter or a digit are always among them.
        """
        held = {
            word[:length]
            for word in set(WORD.findall(text.casefold()))
            for length in range(1, min(len(word), self._longest) + 1)
        }
        found = [
            name for begun in (held | {""}) & self._by_beginning.keys() for name in self._by_beginning[begun]
        ]
        return sorted(found, key=self._place.__getitem__)


class Numbers:
    """Numbers of variables in order, to find those a written number stands for."""

    def __init__(self, numbers: Mapping[str, Iterable[float]]) -> None:
        self._held = sorted(
            ((value, name) for name, values in numbers.items() for value in values), key=itemgetter(0)
        )
        self._values = [value for value, _ in self._held]

    def meant_by(self, written: Token) -> set[str]:
        """The variables one of whose numbers this is, exactly or rounded to the places written."""
        # A unit more than `rounds` asks for on both sides; it decides.
        first = bisect_left(self._values, written.value - written.unit)
        last = bisect_right(self._values, written.value + written.unit)
        return {name for value, name in self._held[first:last] if written.rounds(value)}
