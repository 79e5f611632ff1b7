"""The values that each label of a coarser table stands for, and the label that holds a value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf, nextafter
from typing import TYPE_CHECKING

import numpy as np

from sdc.arrays import Array
from sdc.statistics.coarsening.bands import NUMBER, Band, parse_band, parse_period

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_TO = r"\s*(?:-|–|\.\.|to)\s*"
_END = rf"[-+]?inf|[-+]?∞|{NUMBER}"
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
_SPACED = re.compile(r"(?<=\d) (?=\d{3}(?:\D|$))")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _end(text: str) -> float:
    return float(text.replace("∞", "inf"))


def _interval(opening: str, low: str, high: str, closing: str) -> Band:
    """Brackets say exactly which ends belong: the first number in it and the first beyond it."""
    first = _end(low) if opening == "[" or _end(low) == -inf else nextafter(_end(low), inf)
    return Band(first, nextafter(_end(high), inf) if closing == "]" else _end(high))


_BRACKETS = re.compile(rf"([\[(])\s*({_END})\s*[,;]\s*({_END})\s*([)\]])")


_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Band]], ...] = (
    (re.compile(rf"({NUMBER}){_TO}({NUMBER})"), lambda low, high: Band(float(low), float(high), closed=True)),
    (
        re.compile(rf"(?:>=|≥|from|at least)\s*({NUMBER})|({NUMBER})\s*(?:\+|and over|or more|or over)"),
        lambda a, b: Band(float(a or b), inf),
    ),
    (
        re.compile(rf"(?:>|over|above|more than)\s*({NUMBER})"),
        lambda low: Band(nextafter(float(low), inf), inf),
    ),
    (re.compile(rf"(?:<|under|below|less than)\s*({NUMBER})"), lambda high: Band(-inf, float(high))),
    (
        re.compile(rf"(?:<=|≤|up to|at most)\s*({NUMBER})|({NUMBER})\s*(?:and under|or less)"),
        lambda a, b: Band(-inf, float(a or b), closed=True),
    ),
)


def read_number_label(text: str) -> Band | None:
    """The numbers a label stands for ("20-29", "65+", "<18", "[20, 30)", "20 to 29", "over 65", "*").

    It is None for any other text.
    """
    plain = text.strip().lower()
    if brackets := _BRACKETS.fullmatch(plain):
        return _interval(*brackets.groups())
    if found := parse_band(plain):
        return found
    for reading in (plain, _SPACED.sub("", _THOUSANDS.sub("", plain))):
        for pattern, made in _FORMS:
            if match := pattern.fullmatch(reading):
                return made(*match.groups())
    return None


def read_date_label(text: str) -> Band | None:
    """The seconds since 1970 that a day, month, quarter, year or range of them stands for, or "*" for all."""
    plain = text.strip()
    if plain == "*":
        return Band(-inf, inf)
    if plain.startswith(("<", "before ")):
        after = _period(plain.removeprefix("before").lstrip("< "))
        return Band(-inf, after[0]) if after else None
    if plain.endswith("+"):
        since = _period(plain[:-1].strip())
        return Band(since[0], inf) if since else None
    if whole := _period(plain):
        return Band(*whole)
    ends = re.split(r"\s+(?:-|–|to)\s+|/|\.\.|(?<=^\d{4})-(?=\d{4}$)", plain)
    periods = [_period(end.strip()) for end in ends]
    if len(periods) != 2 or periods[0] is None or periods[1] is None:
        return None
    return Band(periods[0][0], periods[1][1])


def _period(text: str) -> tuple[float, float] | None:
    """First second of a day or period, and the first after it."""
    if _DAY.fullmatch(text):
        try:
            found: tuple[np.datetime64, np.datetime64] | None = (
                np.datetime64(text, "D"),
                np.datetime64(text, "D") + np.timedelta64(1, "D"),
            )
        except ValueError:
            return None
    else:
        found = parse_period(text)
    if found is None:
        return None
    first, after = (float(day.astype("datetime64[s]").astype(np.int64)) for day in found)
    return first, after


@dataclass(frozen=True)
class Partition:
    """Labels in ascending order: label i holds the values from low[i] up to, but not including, high[i].

    `unreadable` and `overlapping` count labels that stand for no known values, or for values another label
    holds too.
    """

    labels: tuple[str, ...]
    low: Array
    high: Array
    unreadable: int = 0
    overlapping: int = 0

    @property
    def sound(self) -> bool:
        return not self.unreadable and not self.overlapping

    def places(self, values: Array) -> Array:
        """For each value the place of the label that holds it, -1 where none does or it is missing."""
        if not self.labels:
            return np.full(values.shape, -1)
        place = np.searchsorted(self.low, values, side="right") - 1
        held = (place >= 0) & (values < self.high[place])
        return np.where(held, place, -1)


def read_labels(labels: Sequence[str], *, dates: bool = False) -> Partition:
    """The values that each label stands for, as a partition.

    A border two neighbours share belongs to the upper one, and where ranges overlap to both. A range of
    numbers with both ends in it reaches up to the next range when that begins one unit of its last digit
    further on, and else one unit beyond its end: "20-29" holds 29.5.
    """
    read = {label: (read_date_label if dates else read_number_label)(label) for label in labels}
    bands = sorted(
        ((band, label) for label, band in read.items() if band is not None),
        key=lambda item: (item[0].low, item[0].high, item[1]),
    )
    low = np.array([band.low for band, _ in bands])
    after = np.append(low, inf)[1 : low.size + 1]
    high = np.array(
        [_reach(band, float(following)) for (band, _), following in zip(bands, after, strict=True)]
    )
    overlapping = (
        int(np.count_nonzero((high[:-1] > low[1:]) | (low[:-1] == low[1:]))) if len(bands) > 1 else 0
    )
    if overlapping:
        high = np.array([_reach(band, inf) for band, _ in bands])
    return Partition(tuple(label for _, label in bands), low, high, len(read) - len(bands), overlapping)


def _reach(band: Band, following: float) -> float:
    """Where a band ends, itself not in it, given where the next one begins."""
    if following in (band.high, nextafter(band.high, -inf)) and band.low < following:
        return following
    if not band.closed or band.high == inf:
        return band.high
    if band.low == band.high:
        return nextafter(band.high, inf)
    beyond = band.high + _unit(band) if band.low > -inf else nextafter(band.high, inf)
    return (
        following
        if band.high < following < beyond or abs(following - beyond) <= 1e-9 * max(1.0, abs(beyond))
        else beyond
    )


def _unit(band: Band) -> float:
    """One in the last digit in which the ends of a band are written."""
    digits = max(len(f"{end:.12g}".partition(".")[2]) for end in (band.low, band.high))
    return float(10.0**-digits)
