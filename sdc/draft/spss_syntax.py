"""Reads what SPSS syntax says of variables: VARIABLE LABELS, VALUE LABELS, MISSING VALUES, VARIABLE LEVEL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sdc.ingest.readers.opened import NOTHING_SAID, ColumnMetadata, Level
from sdc.ingest.readers.statistical_values import code_text

PIECE = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[()/,=]|[^\s()/,='\"]+")
COMMANDS = {
    ("variable", "labels"): "labels",
    ("value", "labels"): "values",
    ("add", "value", "labels"): "values",
    ("missing", "values"): "missing",
    ("variable", "level"): "level",
}
RANGE = "thru"


def of_syntax(text: str) -> dict[str, ColumnMetadata]:
    """What the commands say of each variable; other commands are passed over."""
    found: dict[str, ColumnMetadata] = {}
    for command, pieces in _commands(text):
        for names, told in _clauses(command, pieces):
            for name in names:
                found[name] = _with(found.get(name, NOTHING_SAID), command, told)
    return {name: _in_order(held) for name, held in found.items()}


def _commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command that is known, with its pieces. A command ends with a full stop or an empty line."""
    without = re.sub(
        r"(?m)^\s*(\*|comment\b).*?(\.\s*$|\n\s*\n)|/\*.*?\*/", "", text, flags=re.DOTALL | re.IGNORECASE
    )
    for part in re.split(r"\.[ \t]*(?:\r?\n|$)|\r?\n[ \t]*\r?\n", without):
        pieces = PIECE.findall(part)
        words = tuple(piece.lower() for piece in pieces[:3])
        for begin, command in COMMANDS.items():
            if words[: len(begin)] == begin:
                yield command, pieces[len(begin) :]


def _clauses(command: str, pieces: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The variables of a clause, and what is said of them."""
    names: list[str] = []
    told: list[str] = []
    inside = False
    for piece in pieces:
        if command in ("missing", "level") and piece in "()":
            inside = piece == "("
            if not inside:
                yield names, told
                names, told = [], []
        elif piece in ("/", ",", "="):
            if piece == "/" and command in ("labels", "values") and names:
                yield names, told
                names, told = [], []
        elif command == "labels" and names and _is_text(piece):
            yield names, [piece]
            names = []
        elif (command == "values" and names and (told or _is_code(piece))) or inside:
            told.append(piece)
        else:
            names.append(piece)
    if names and told:
        yield names, told


def _is_text(piece: str) -> bool:
    return piece[0] in "'\""


def _is_code(piece: str) -> bool:
    return _is_text(piece) or _number(piece) is not None


def _number(piece: str) -> float | None:
    try:
        return float(piece)
    except ValueError:
        return None


def _plain(piece: str) -> str:
    if _is_text(piece):
        return piece[1:-1].replace(piece[0] * 2, piece[0]).rstrip()
    number = _number(piece)
    return piece if number is None else code_text(number)


def _with(held: ColumnMetadata, command: str, told: list[str]) -> ColumnMetadata:
    if command == "labels":
        return replace(held, label=_plain(told[0]))
    if command == "values":
        pairs = zip(told[::2], told[1::2], strict=False)
        return replace(held, values={**held.values, **{_plain(code): _plain(word) for code, word in pairs}})
    if command == "level":
        level = told[0].lower() if told else ""
        return replace(held, level=Level(level)) if level in {*Level} else held
    return replace(held, missing_codes=tuple(dict.fromkeys(_missing(held, told))))


def _missing(held: ColumnMetadata, told: list[str]) -> Iterator[str]:
    """Single codes, and the labelled codes of a range: its other values have no name."""
    for place, piece in enumerate(told):
        if piece.lower() == RANGE:
            low, high = (_end(told[at : at + 1]) for at in (place - 1, place + 1))
            yield from (
                code
                for code in held.values
                if (number := _number(code)) is not None and low <= number <= high
            )
        elif piece.lower() not in ("lo", "lowest", "hi", "highest"):
            yield _plain(piece)


def _end(piece: list[str]) -> float:
    word = piece[0].lower() if piece else ""
    if word in ("lo", "lowest"):
        return float("-inf")
    number = _number(word)
    return float("inf") if number is None else number


def _in_order(held: ColumnMetadata) -> ColumnMetadata:
    """Codes of an ordinal variable from low to high, without those for missing."""
    if held.level is not Level.ORDINAL:
        return held
    codes = [code for code in held.values if code not in held.missing_codes and _number(code) is not None]
    return replace(held, order=tuple(sorted(codes, key=float)))
