"""Writes names, texts and comparable values in SQL: here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

UNSEEN = r"[\s\p{Z}\p{Cf}]"
"""Spaces of any kind, and characters without width."""


def name(identifier: str) -> str:
    """A column or table name, quoted."""
    return '"' + identifier.replace('"', '""') + '"'


def names(identifiers: Iterable[str]) -> str:
    """Several names, quoted, with commas."""
    return ", ".join(map(name, identifiers))


def text(value: str) -> str:
    """A text literal, quoted."""
    return "'" + value.replace("'", "''") + "'"


def number(value: float) -> str:
    """A number literal, as DuckDB's DOUBLE."""
    return f"CAST('{value!r}' AS DOUBLE)"


def as_text(value: str, held: str) -> str:
    """A value of the type `held` as text: a number or a date reads the same whichever type holds it."""
    if held.startswith("DECIMAL"):
        # Digits are kept: a float could not tell long codes apart.
        written = f"CAST({value} AS VARCHAR)"
        return f"CASE WHEN contains({written}, '.') THEN rtrim(rtrim({written}, '0'), '.') ELSE {written} END"
    if held.startswith(("FLOAT", "DOUBLE")):
        number = f"CAST({value} AS DOUBLE)"
        whole = f"{number} = trunc({number}) AND abs({number}) < 9e18"
        written = (
            f"WHEN {whole} THEN CAST(CAST({number} AS BIGINT) AS VARCHAR) ELSE CAST({number} AS VARCHAR)"
        )
        return f"CASE WHEN isnan({number}) THEN NULL {written} END"
    if held.startswith("TIMESTAMP"):
        return (
            f"CASE WHEN {value} = date_trunc('day', {value}) THEN CAST(CAST({value} AS DATE) AS VARCHAR) ELSE"
            f" CAST({value} AS VARCHAR) END"
        )
    return f"CAST({value} AS VARCHAR)"


def folded(text: str, held: str) -> str:
    """The text of a value of the type `held` without what does not distinguish two values.

    That is case, accents, spaces, characters without width, and zeros before a number.
    """
    if held.startswith(("FLOAT", "DOUBLE", "DECIMAL", "BIGINT", "INTEGER", "DATE")):
        return text
    plain = f"regexp_replace(strip_accents(lower({text})), '{UNSEEN}', '', 'g')"
    return (
        f"CASE WHEN regexp_full_match({text}, '\\d+') THEN coalesce(nullif(ltrim({text}, '0'), ''), '0') ELSE"
        f" {plain} END"
    )


def comparable(value: str, held: str) -> str:
    """A value of the type `held` as classes compare it: what is not a number is missing."""
    return f"CASE WHEN isnan({value}) THEN NULL ELSE {value} END" if held in ("FLOAT", "DOUBLE") else value
