"""Writes a number, and a measurement with its interval and the end that was judged, in few digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc.catalogue.measurement import Interval

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int | None = None, *, whole: bool = True) -> str:
    """A number with so many significant digits (three, or four for thousands) and commas at thousands.

    Whole numbers are written in full unless `whole` is off.
    """
    digits = digits or (3 if abs(value) < 1000 else 4)
    if whole and value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace("-", "−")
    if abs(value) < 1e-4:
        mantissa, exponent = f"{value:.{max(digits - 2, 0)}e}".split("e")
        return f"{mantissa} × 10{str(int(exponent)).translate(SUPERSCRIPTS)}".replace("-", "−")
    decimals = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    text = f"{rounded(value, digits):,.{decimals}f}"
    trimmed = text.rstrip("0").rstrip(".") if "." in text else text
    return trimmed.replace("-", "−")


def reading(
    value: float,
    interval: Interval | None = None,
    judged: float | None = None,
    say: Callable[[float], str] | None = None,
) -> str:
    """A measurement in words: its estimate, its interval, and the end that was judged.

    0.32 (95 % 0.09 to 0.76), judged at 0.76.
    """
    estimate, between, end = pieces_of(value, interval, judged, say)
    return f"{estimate}{f' ({between})' if between else ''}{f', {end}' if end else ''}"


def pieces_of(
    value: float, interval: Interval | None, judged: float | None, say: Callable[[float], str] | None = None
) -> tuple[str, str, str]:
    """Estimate, interval and judged end of a measurement, each in words.

    `say` writes a number; without it an interval gives as many decimals as tell its ends apart by two digits.
    """
    write = say or (number if interval is None else _as_finely_as(interval))
    between = (
        f"{number(100 * interval.level)} % {write(interval.low)} to {write(interval.high)}"
        if interval
        else ""
    )
    return write(value), between, "" if judged is None or judged == value else f"judged at {write(judged)}"


def _as_finely_as(interval: Interval) -> Callable[[float], str]:
    width = interval.high - interval.low
    if not width:
        return number
    decimals = max(1 - math.floor(math.log10(width)), 0)
    return lambda value: f"{value:,.{decimals}f}".replace("-", "−")


def rounded(value: float, digits: int) -> float:
    """A number to so many significant digits."""
    return round(value, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0.0
