"""Finds lines of a page that say a combination of keys few original records share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations, islice, product
from typing import TYPE_CHECKING

from sdc.report.forbidden import house_words
from sdc.report.said_values import may_name, numbers_of, said_beside, said_of
from sdc.report.words import items, normal, runs, words

if TYPE_CHECKING:
    from sdc.report.forbidden import Forbidden
    from sdc.report.page_text import Fragment

DIGIT = re.compile(r"\d")
MOST_COMBINATIONS, MOST_READINGS = 64, 16


def rare_combinations(line: Fragment, forbidden: Forbidden, longest: int) -> Iterator[str]:
    """What a line says that fewer original records share than the threshold, by the names of its keys."""
    sure, codes, alone = _keys_said(line, forbidden, longest)
    readings = (
        sure | {name: codes[name] for name in chosen}
        for size in range(min(len(codes), alone), -1, -1)
        for chosen in combinations(sorted(codes), size)
        if len(sure) + size > 1
    )
    for held in islice(readings, MOST_READINGS):
        names = tuple(sorted(held))
        for values in islice(product(*(held[name] for name in names)), MOST_COMBINATIONS):
            if 0 < forbidden.count(tuple(zip(names, values, strict=True))) < forbidden.threshold:
                yield f"a rare combination of {', '.join(names)}"
                return


def _keys_said(
    line: Fragment, forbidden: Forbidden, longest: int
) -> tuple[dict[str, list[str]], dict[str, list[str]], int]:
    """Values of keys that a line surely says, and codes it may say, whose variable is not known.

    And how many stand there by themselves.
    """
    said = set(runs(words(line.text), longest))
    named = {name: forbidden.levels[name] for name in line.categories_of or () if name in forbidden.levels}
    if line.categories_of == ():
        said -= house_words()
    sure: defaultdict[str, set[str]] = defaultdict(set)
    for run in said:
        for name in () if _is_code(run) else forbidden.owners.get(run, ()):
            if name in named or not _is_level(run, named):
                sure[name].add(forbidden.levels[name][run])
    in_order = _in_order(line, named)
    alone = _alone(line, {level for held in sure.values() for level in held})
    nameable = may_name(line, forbidden)
    owners = {name for code in alone for name in forbidden.owners.get(code, ())}
    codes: dict[str, list[str]] = {}
    for name in (nameable | owners | in_order.keys()) & forbidden.levels.keys():
        levels = forbidden.levels[name]
        if name in in_order:
            sure[name] = {levels[in_order[name]]}
            continue
        told = {normal(found) for found in said_beside(name, line, forbidden)}
        told |= {f"{held.value:g}" for held in numbers_of(line)} if line.values_of == name else set()
        sure[name] |= {levels[code] for code in told if code in levels and _is_code(code)}
        may_be_told = line.categories_of is None or name in named
        if (
            may_be_told
            and not sure[name]
            and (held := sorted({levels[code] for code in alone if code in levels and _is_code(code)}))
        ):
            codes[name] = held
    for name in forbidden.numeric_keys & nameable:
        sure[name] = (
            {f"{held.value:g}" for held in said_of(name, line, forbidden)}
            if line.values_of != name
            else set()
        )
    return {name: sorted(values) for name, values in sure.items() if values}, codes, len(alone)


def _is_level(text: str, named: Mapping[str, Mapping[str, str]]) -> bool:
    return any(text in levels for levels in named.values())


def _in_order(line: Fragment, named: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The category of each variable a place names, where it tells them first and in order.

    Nothing where it does not.
    """
    first = [normal(item) for item in items(line.text)][: len(line.categories_of or ())]
    told = dict(zip(line.categories_of or (), first, strict=False))
    return (
        {name: told[name] for name in named}
        if all(told.get(name) in levels for name, levels in named.items())
        else {}
    )


def _is_code(text: str) -> bool:
    """A category without letters."""
    return not any(letter.isalpha() for letter in text)


def _alone(line: Fragment, levels: set[str]) -> set[str]:
    """What has no letter and stands by itself in a line.

    In a cell, between commas, or beside a category of another variable.
    """
    found: set[str] = set()
    for piece in line.pieces:
        text = piece
        for level in sorted(levels, key=len, reverse=True):
            if len(level) >= 3 and normal(level) not in house_words():
                text = re.sub(rf"(?<!\w){re.escape(level)}(?!\w)", "|", text, flags=re.IGNORECASE)
        found.update(normal(item) for item in items(text) if DIGIT.search(item) and _is_code(item))
    return found
