"""Labels of bands such as "20-29", "-10 to -1", "65+" or "2024-Q1", and the values they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from sdc.arrays import Array

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
ANYTHING = "*"
QUARTER = re.compile(r"^(\d{4})-Q([1-4])$")
MONTH = re.compile(r"^(\d{4})-(\d{2})$")
YEAR = re.compile(r"^(\d{4})$")


@dataclass(frozen=True)
class Band:
    """The numbers from `low` to `high`, `high` itself only when `closed`."""

    low: float
    high: float
    closed: bool = False

    def holds(self, values: Array) -> Array:
        """Which values lie in the band; a missing one does not."""
        below = values <= self.high if self.closed else values < self.high
        inside: Array = (values >= self.low) & below
        return inside

    @property
    def label(self) -> str:
        """As a half-open interval: "[20.5,30)", "65+", "<18"."""
        if self.low == -inf:
            return ANYTHING if self.high == inf else f"<{number_text(self.high)}"
        if self.high == inf:
            return f"{number_text(self.low)}+"
        return f"[{number_text(self.low)},{number_text(self.high)}{']' if self.closed else ')'}"

    @property
    def whole_label(self) -> str:
        """For whole numbers, with both ends in it: "20-29", or "20" alone.

        Below zero "-10 to -1", because two signs side by side are easily misread.
        """
        if self.low == -inf or self.high == inf:
            return self.label
        last = self.high if self.closed else self.high - 1
        return (
            number_text(self.low)
            if last <= self.low
            else f"{number_text(self.low)}{' to ' if self.low < 0 else '-'}{number_text(last)}"
        )


_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Band]], ...] = (
    (re.compile(re.escape(ANYTHING)), lambda: Band(-inf, inf, closed=True)),
    (re.compile(rf"({NUMBER})"), lambda value: Band(float(value), float(value), closed=True)),
    (
        re.compile(rf"({NUMBER})(?:-| to )({NUMBER})"),
        lambda low, high: Band(float(low), float(high), closed=True),
    ),
    (re.compile(rf"({NUMBER})\+"), lambda low: Band(float(low), inf)),
    (re.compile(rf"<({NUMBER})"), lambda high: Band(-inf, float(high))),
    (
        re.compile(rf"\[({NUMBER}),({NUMBER})([)\]])"),
        lambda low, high, end: Band(float(low), float(high), closed=end == "]"),
    ),
)


def number_text(value: float) -> str:
    """A number as text: whole ones without a point, others in as few digits as give the same number back."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))


def parse_band(text: str) -> Band | None:
    """The numbers that a label stands for.

    A number alone stands for itself, "*" for all, any other text for none.
    """
    for pattern, made in _FORMS:
        if found := pattern.fullmatch(text):
            return made(*found.groups())
    return None


def bands_of_width(
    values: Array, width: float, start: float, bottom: float = -inf, top: float = inf
) -> tuple[Array, list[Band]]:
    """Bands [start + i width, start + (i + 1) width) in order, and for each value the place of its band.

    Bands are cut at `bottom` and `top`, beyond which they are open. Only bands that hold a value are given.
    """
    place = np.floor((values - start) / width)
    # The quotient is rounded: the ends decide.
    place = place + (values >= start + (place + 1) * width) - (values < start + place * width)
    place = np.where(values >= top, inf, np.where(values < bottom, -inf, place))
    seen, codes = np.unique(place, return_inverse=True)
    return codes, [_band_at(float(number), width, start, bottom, top) for number in seen]


def _band_at(place: float, width: float, start: float, bottom: float, top: float) -> Band:
    if place == inf:
        return Band(top, inf)
    if place == -inf:
        return Band(-inf, bottom)
    return Band(max(start + place * width, bottom), min(start + (place + 1) * width, top))


def bands_between(values: Array, edges: list[float]) -> tuple[Array, list[Band]]:
    """Bands [a, b) between edges, the outer ones open, and for each value the place of its band."""
    ends = [-inf, *edges, inf]
    seen, codes = np.unique(np.searchsorted(edges, values, side="right"), return_inverse=True)
    return codes, [Band(ends[place], ends[place + 1]) for place in seen]


def periods(dates: Array, unit: str) -> list[str]:
    """The month ("2024-03"), quarter ("2024-Q1") or year ("2024") of each date."""
    years = np.datetime_as_string(dates.astype("datetime64[Y]"), unit="Y")
    if unit == "year":
        return [str(year) for year in years]
    months = dates.astype("datetime64[M]").astype(np.int64) % 12
    if unit == "quarter":
        return [f"{year}-Q{month // 3 + 1}" for year, month in zip(years, months, strict=True)]
    return [f"{year}-{month + 1:02d}" for year, month in zip(years, months, strict=True)]


def parse_period(text: str) -> tuple[np.datetime64, np.datetime64] | None:
    """First day of a period, and first day after it; None for any other text."""
    if found := YEAR.fullmatch(text):
        first, months = f"{found[1]}-01", 12
    elif found := QUARTER.fullmatch(text):
        first, months = f"{found[1]}-{3 * int(found[2]) - 2:02d}", 3
    elif (found := MONTH.fullmatch(text)) and 1 <= int(found[2]) <= 12:
        first, months = text, 1
    else:
        return None
    month = np.datetime64(first, "M")
    return month.astype("datetime64[D]"), (month + np.timedelta64(months, "M")).astype("datetime64[D]")
