"""Reads the numbers that a place of a page says as values of a variable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from sdc.report.words import Token, numbers, token, without_shares

if TYPE_CHECKING:
    from sdc.report.forbidden import Forbidden
    from sdc.report.page_text import Fragment


LETTERS = re.compile(r"\w+")


def may_name(fragment: Fragment, forbidden: Forbidden) -> set[str]:
    """Variables of which a place could tell values: those it may name, and the one it is marked with."""
    return {*forbidden.variables.possible_in(fragment.text), fragment.values_of}


def numbers_of(fragment: Fragment) -> set[Token]:
    """Numbers a place says, shares in percent apart."""
    return set(numbers(without_shares(fragment.text), data=fragment.data))


def said_of(variable: str, fragment: Fragment, forbidden: Forbidden) -> set[Token]:
    """Numbers said as values of a variable."""
    if fragment.geometry:
        return set()
    if fragment.values_of == variable:
        return {held for held in numbers_of(fragment) if not (fragment.tick and _is_round(held))}
    return {token(found) for found in said_beside(variable, fragment, forbidden)}


def _is_round(held: Token) -> bool:
    """Whether an axis could have a tick here, whatever its variable.

    That is zero, or hundreds with one digit, or with two digits of which the last is five.
    """
    return held.value == 0 or (
        abs(held.value) >= 100
        and held.digits <= 2
        and (held.digits == 1 or round(abs(held.value) / held.unit) % 5 == 0)
    )


def said_beside(variable: str, fragment: Fragment, forbidden: Forbidden) -> Iterator[str]:
    """Numbers beside the name of a variable, unless they are about a pair or a part of a measure."""
    if variable.casefold() not in fragment.text.casefold():
        return
    text = without_shares(fragment.text)
    for found in _beside(variable).finditer(text):
        before = text[: found.start()].casefold().rstrip()
        if before.endswith(forbidden.named_first) or _longer_name(text, variable, found) in forbidden.names:
            continue
        if fragment.data or not re.search(r"\w\.$", text[: found.start()]):
            yield found[1].replace(",", "")


def _longer_name(text: str, variable: str, found: re.Match[str]) -> str:
    """The longer name that a digit after a variable's name may belong to: x10 says nothing about x."""
    behind = found.start() + len(variable)
    longer = LETTERS.match(text, behind) if found.start(1) == behind else None
    return text[found.start() : longer.end()].casefold() if longer else ""


@cache
def _beside(variable: str) -> re.Pattern[str]:
    """A number said right after the name of a variable."""
    # A digit behind a digit goes on with the name.
    ends = r"(?!\d)" if variable[-1:].isdigit() else ""
    number = r"([-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?![\w.,]*\d)"
    return re.compile(
        rf"(?<!\w){re.escape(variable)}{ends}[\"')\]]*\s*(?:[:=]|is|of)?\s*[\"']?{number}", re.IGNORECASE
    )
