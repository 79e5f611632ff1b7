"""Says what is wrong with a value, in the words of people who write profiles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sdc.data.roles import Role
from sdc.profile.document import kind_of
from sdc.spelling import counted, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sdc.profile.document import Place

PLACEHOLDER = "first draft, to be replaced by the rule of your agency"
"""What a draft says for `because`, for want of a rule."""

SIMPLE_NAME = r"^[a-z][a-z0-9_]*$"
SIMPLE_NAME_IN_WORDS = "small letters, digits and _, beginning with a letter"

PAIRS = "a set of 'key: value' pairs"
KINDS = {
    "string_type": "text",
    "path_type": "a path",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "dict_type": PAIRS,
    "model_type": PAIRS,
    "model_attributes_type": PAIRS,
    "dataclass_type": PAIRS,
    "date_type": "a date like 2025-01-31",
    "date_parsing": "a date like 2025-01-31",
    "date_from_datetime_parsing": "a date like 2025-01-31",
    "finite_number": "a finite number",
}
LIMITS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
# A text alone where pairs are wanted: at which depth it stands for which key.
SHORT = {
    ("prefer", 1): "measure",
    ("risk", 2): "measure",
    ("utility", 2): "measure",
    ("candidates", 3): "method",
    ("source", 1): "path",
    ("source", 2): "path",
}
TO_ADD = {
    "name": "add name: a_short_name (small letters, digits and _)",
    "source": "add source: {path: data.csv}",
    "path": "add path: data.csv (relative to the profile)",
    "variables": "add variables: with a line for every column of the data",
    "candidates": "add candidates: with at least one list of steps",
    "method": "add method: and the name of one (see `sdc catalogue`)",
    "measure": "add measure: and the name of one (see `sdc catalogue`)",
}


def listed(words: Iterable[str], last: str = "or") -> str:
    """'a, b or c'."""
    many = list(words)
    return many[0] if len(many) == 1 else f"{', '.join(many[:-1])} {last} {many[-1]}" if many else ""


def ordinal(position: int) -> str:
    """'the 3rd' for position 2."""
    number = position + 1
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"the {number}{ending}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The nearest known name, or all of them where they are few."""
    many = [*known]
    if found := nearest(name, many):
        return f"did you mean {found!r}?"
    return f"known here: {', '.join(many)}" if 0 < len(many) <= 12 else ""


def subject(place: Place) -> str:
    """A value by the key it stands under."""
    if not place:
        return "the profile"
    *before, last = place
    return f"{ordinal(last)} item of {subject(tuple(before))}" if isinstance(last, int) else last


def worded(place: Place, errors: Sequence[Any]) -> tuple[str, str]:
    """Problem and remedy for what pydantic found at one place.

    Several errors are the branches of a choice.
    """
    first, value, about = errors[0], errors[0]["input"], subject(place)
    if first["type"] == "missing":
        return _missing(place)
    if value is None:
        return _empty(place, errors)
    allowed = [option for error in errors for option in _allowed(error)]
    if allowed and all(_allowed(error) for error in errors) and isinstance(value, str):
        hint = nearest(value, allowed)
        return f"{about} cannot be {value!r}", f"write {listed(allowed)}" + (
            f" (did you mean {hint!r}?)" if hint else ""
        )
    if first["type"] == "string_pattern_mismatch":
        wanted = (
            SIMPLE_NAME_IN_WORDS
            if first["ctx"]["pattern"] == SIMPLE_NAME
            else f"the pattern {first['ctx']['pattern']}"
        )
        return f"{about} cannot be {value!r}", f"write {wanted}"
    if own := [
        error["ctx"]["error"] for error in errors if error["type"] in ("value_error", "assertion_error")
    ]:
        return f"{about}: {own[0]}", ""
    instead = "" if first["type"] in ("too_short", "too_long") else f", not {kind_of(value)}"
    return f"{about} must be {listed(dict.fromkeys(map(_expected, errors)))}{instead}", _remedy(
        place, errors, value
    )


def _missing(place: Place) -> tuple[str, str]:
    *before, last = place
    if isinstance(last, int):
        return f"{subject(tuple(before))} has too few items", f"{ordinal(last)} is missing"
    within = f" of {subject(tuple(before))}" if before else ""
    return f"{last}{within} is missing", TO_ADD.get(last, f"add {last}:")


def _empty(place: Place, errors: Sequence[Any]) -> tuple[str, str]:
    if place[0] == "variables" and len(place) == 2:
        return f"{subject(place)} has no role", f"write {listed(Role)}"
    return (
        f"{subject(place)} has no value",
        f"write {listed(dict.fromkeys(map(_expected, errors)))}, or delete the line",
    )


def _allowed(error: Any) -> list[str]:
    if error["type"] not in ("enum", "literal_error"):
        return []
    return re.findall(r"'([^']*)'", error["ctx"]["expected"])


def _expected(error: Any) -> str:
    kind, given = error["type"], error.get("ctx", {})
    if kind in KINDS:
        return KINDS[kind]
    if kind in ("enum", "literal_error"):
        return listed(_allowed(error)) or str(given["expected"])
    for key, words in LIMITS.items():
        if key in given:
            return (
                f"{words} {given[key]:g}" if isinstance(given[key], (int, float)) else f"{words} {given[key]}"
            )
    if "max_length" in given:
        return f"at most {counted(given['max_length'], 'item')} long"
    if "min_length" in given:
        return f"at least {counted(given['min_length'], 'item')} long"
    message: str = error["msg"]
    return message.removeprefix("Input should be ")


def _remedy(place: Place, errors: Sequence[Any], value: Any) -> str:
    wanted = {KINDS.get(error["type"]) for error in errors}
    if "a finite number" in wanted and place[-1] in ("at_least", "at_most"):
        return "delete it where there is no limit"
    if "a list" in wanted and isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return f"write [{value}]"
    if "a list" in wanted and isinstance(value, dict):
        return "begin each item with '- '"
    if PAIRS in wanted and isinstance(value, str) and (str(place[0]), len(place)) in SHORT:
        return f"write {{{SHORT[str(place[0]), len(place)]}: {value}}}"
    is_number = isinstance(value, str) and re.fullmatch(r"[-+]?\d+(\.\d*)?", value)
    return "write it without quotes" if is_number and {"a number", "a whole number"} & wanted else ""
