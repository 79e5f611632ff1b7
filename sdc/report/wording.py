"""Numbers, limits and verdicts in plain words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Otherwise
from sdc.catalogue.numbers_in_words import number, pieces_of, reading, rounded
from sdc.catalogue.protection import Protection
from sdc.catalogue.units import Better
from sdc.data.roles import Role
from sdc.gate.decision import Verdict
from sdc.spelling import limit_in_words

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sdc.profile.plan import VariablePlan

__all__ = [
    "CHECKS",
    "CONSEQUENCES",
    "DIGITS_OF_LIMITS",
    "DIRECTIONS",
    "PROTECTIONS",
    "ROLES",
    "VERDICTS",
    "anchor",
    "check",
    "limit",
    "listed",
    "number",
    "pieces",
    "pieces_of",
    "reading",
    "rounded",
    "sentence",
    "title",
    "worded",
]

ROLES = {
    Role.DIRECT_IDENTIFIER: "direct identifier",
    Role.QUASI_IDENTIFIER: "quasi-identifier",
    Role.SENSITIVE: "sensitive",
    Role.WEIGHT: "survey weight",
    Role.HOUSEHOLD: "household number",
    Role.STRATUM: "stratum",
    Role.OTHER: "other",
    Role.DROPPED: "dropped",
}
DIRECTIONS = {Better.HIGHER: "higher is better", Better.LOWER: "lower is better"}
PROTECTIONS = {
    Protection.NON_PERTURBATIVE: "makes values coarser or missing; none is false",
    Protection.PERTURBATIVE: "may make values false; the records are those of the original",
    Protection.SYNTHETIC: "draws values from a model",
}
CONSEQUENCES = {
    Otherwise.WITHHOLD: "the release is withheld",
    Otherwise.REFER: "a reviewer decides",
    Otherwise.NOTE: "it is noted",
}
VERDICTS = {Verdict.PUBLISHED: "Published", Verdict.REFERRED: "Referred", Verdict.WITHHELD: "Withheld"}
CHECKS = {"unchecked": "declared range not checked"}
"""Checks of the table whose names alone say too little."""
DIGITS_OF_LIMITS = 12


def limit(at_least: float | None, at_most: float | None) -> str:
    """A limit as it was written: no digit of it is rounded away."""
    told = limit_in_words(at_least, at_most, lambda bound: number(bound, DIGITS_OF_LIMITS))
    return told or "reported, not judged"


def listed(words: Sequence[str]) -> str:
    """Words as a list in a sentence: a, b and c."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))


def title(name: str) -> str:
    """A name of the catalogue as a heading: k_anonymity is read as k anonymity."""
    return name.replace("_", " ").replace(".", ", ")


def check(criterion: str) -> str:
    """A check of the table as a heading.

    `table.outside_domain.net_income` becomes "outside domain, net_income".
    """
    fact, _, variable = criterion.partition(".")[2].partition(".")
    said = CHECKS.get(fact) or title(fact)
    return f"{said}, {variable}" if variable else said


def sentence(text: str, name: str) -> str:
    """A text with a capital letter first, unless it begins with a name: that is spelt as it is."""
    return text if name and text.startswith(name) else text[:1].upper() + text[1:]


def pieces(part: str, names: Collection[str]) -> list[str]:
    """What points join in the name of a part; names that have points themselves stay whole.

    So does what follows the last name of a variable, a label, and the name of a class, VARIABLE=LABEL,
    VARIABLE=LABEL: their points are their own.
    """
    if any(part.startswith(f"{name}=") for name in names):
        return [part]
    whole = [
        rf"(?:(?<=\.)|^){re.escape(name)}(?=\.|$)"
        for name in sorted(names, key=len, reverse=True)
        if "." in name
    ]
    found = list(re.finditer("|".join([*whole, r"[^.]+"]), part))
    last = max((place for place, held in enumerate(found) if held[0] in names), default=len(found) - 1)
    label = part[found[last].end() + 1 :] if found else ""
    return [*(held[0] for held in found[: last + 1]), *([label] if label else [])]


def worded(pieces: Sequence[str], variables: Mapping[str, VariablePlan]) -> list[str]:
    """Pieces of a name with codes in words, where a code stands behind its variable."""
    return [
        variables[before].words(piece) if before in variables else piece
        for before, piece in zip(["", *pieces], pieces, strict=False)
    ]


def anchor(*words: str) -> str:
    """A fragment of an address from words that may hold anything."""
    return "-".join(
        "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in word) for word in words
    )
