"""Makes a variable coarser: by bands, groups, leading digits, a hierarchy or periods."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sdc.arrays import Array
from sdc.statistics.coarsening.bands import (
    Band,
    bands_between,
    bands_of_width,
    number_text,
    parse_band,
    periods,
)

Label = Annotated[
    str,
    BeforeValidator(
        lambda value: (
            number_text(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
        )
    ),
]
WAYS = ("width", "bands", "groups", "digits", "hierarchy", "period")


class CannotRecode(ValueError):
    """The domain of a variable does not allow the recoding; names and counts only."""


@dataclass(frozen=True)
class Domain:
    """The distinct values of a variable in order: numbers, dates, or texts.

    Where `ordered`, texts are in their own order.
    """

    values: Array
    ordered: bool = True

    @property
    def numeric(self) -> bool:
        return bool(self.values.dtype.kind == "f")

    @property
    def dates(self) -> bool:
        return bool(self.values.dtype.kind == "M")

    @property
    def texts(self) -> list[str]:
        if self.numeric:
            return [number_text(value) for value in self.values]
        if self.dates:
            return [str(day) for day in self.values.astype("datetime64[D]")]
        return list(self.values)


@dataclass(frozen=True)
class Coarser:
    """For each value of a domain the place of its new label; labels in the order the values have."""

    codes: Array
    labels: tuple[str, ...]
    ordered: bool


class Recode(BaseModel):
    """One way to make a variable coarser.

    width: bands of equal width from `start`, open below `bottom` and from `top` on; bands: edges, or labels
    such as "18-64"; groups: new label to old ones, the rest kept or put under `others`; digits: codes cut to
    their leading digits; hierarchy: old label to its ancestors, of which `level` counts from 1; period: dates
    to month, quarter or year.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    width: Annotated[float, Field(gt=0)] | None = None
    start: float = 0.0
    bottom: float | None = None
    top: float | None = None
    bands: list[float] | list[str] | None = None
    groups: dict[Label, list[Label]] | None = None
    others: Label | None = None
    digits: Annotated[int, Field(ge=1)] | None = None
    hierarchy: dict[Label, list[Label]] | None = None
    level: Annotated[int, Field(ge=1)] = 1
    period: Literal["month", "quarter", "year"] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [way for way in WAYS if getattr(self, way) is not None]
        if len(given) != 1:
            message = f"say exactly one of {', '.join(WAYS)}"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            message = "bottom must lie below top"
            raise ValueError(message)
        named = [old for members in (self.groups or {}).values() for old in members]
        if len(named) != len(set(named)):
            message = "a value is in two groups"
            raise ValueError(message)
        if self.bands is not None:
            _ascending(self.bands)
        return self

    @property
    def way(self) -> str:
        return next(way for way in WAYS if getattr(self, way) is not None)

    @property
    def types(self) -> tuple[str, ...]:
        """What the variable must be as declared; anything where there are none."""
        return {"width": ("numeric",), "bands": ("numeric",), "period": ("date",)}.get(self.way, ())

    def coarser(self, domain: Domain) -> Coarser:
        """The new label of each value; raises CannotRecode where the domain does not allow it."""
        made: Coarser = getattr(self, f"_by_{self.way}")(domain)
        return made

    def _by_width(self, domain: Domain) -> Coarser:
        _need(domain.numeric, "width needs a numeric variable")
        assert self.width is not None
        bottom, top = (-inf if self.bottom is None else self.bottom), (inf if self.top is None else self.top)
        codes, bands = bands_of_width(domain.values, self.width, self.start, bottom, top)
        steps = (self.width, self.start, self.bottom or 0, self.top or 0)
        return _banded(
            codes, bands, whole=_whole(domain.values) and all(float(step).is_integer() for step in steps)
        )

    def _by_bands(self, domain: Domain) -> Coarser:
        _need(domain.numeric, "bands need a numeric variable")
        assert self.bands is not None
        if any(isinstance(band, str) for band in self.bands):
            return _into(domain, [str(band) for band in self.bands])
        edges = [float(edge) for edge in self.bands]
        codes, bands = bands_between(domain.values, edges)
        return _banded(codes, bands, whole=_whole(domain.values) and _whole(np.array(edges)))

    def _by_groups(self, domain: Domain) -> Coarser:
        assert self.groups is not None
        parent = {old: new for new, members in self.groups.items() for old in members}
        rest = (lambda text: text) if self.others is None else (lambda _text: self.others)
        return _named(domain, [parent[text] if text in parent else str(rest(text)) for text in domain.texts])

    def _by_digits(self, domain: Domain) -> Coarser:
        _need(not domain.numeric and not domain.dates, "digits needs codes: declare the variable categorical")
        return _named(domain, [text[: self.digits] for text in domain.texts])

    def _by_hierarchy(self, domain: Domain) -> Coarser:
        assert self.hierarchy is not None
        absent = sum(len(self.hierarchy.get(text, ())) < self.level for text in domain.texts)
        _need(not absent, f"{absent} of its values have no ancestor at level {self.level} of the hierarchy")
        return _named(domain, [self.hierarchy[text][self.level - 1] for text in domain.texts])

    def _by_period(self, domain: Domain) -> Coarser:
        _need(domain.dates, "period needs a variable of type date")
        assert self.period is not None
        months, place = np.unique(domain.values.astype("datetime64[M]"), return_inverse=True)
        coarse = _named(Domain(months), periods(months, self.period))
        return Coarser(coarse.codes[place], coarse.labels, ordered=True)


def _need(holds: bool, problem: str) -> None:
    if not holds:
        raise CannotRecode(problem)


def _whole(values: Array) -> bool:
    return bool(np.all(np.floor(values) == values))


def _ascending(bands: list[float] | list[str]) -> None:
    """Edges must ascend; bands must be readable, ascend and not overlap."""
    parsed = [parse_band(band) if isinstance(band, str) else Band(band, band, closed=True) for band in bands]
    read = [band for band in parsed if band is not None]
    if not read or len(read) < len(parsed):
        message = 'bands are edges (0, 18, 65) or labels ("0-17", "18-64", "65+")'
        raise ValueError(message)
    if any(
        right.low < left.high or (left.closed and right.low == left.high) for left, right in pairwise(read)
    ):
        message = "bands must ascend and not overlap"
        raise ValueError(message)


def _into(domain: Domain, labels: list[str]) -> Coarser:
    """Each value into the band that holds it."""
    codes = np.full(len(domain.values), -1)
    for place, label in enumerate(labels):
        band = parse_band(label)
        assert band is not None
        codes[band.holds(domain.values)] = place
    outside = int(np.count_nonzero(codes < 0))
    _need(not outside, f"{outside} of its values lie in none of the bands")
    return Coarser(codes, tuple(labels), ordered=True)


def _banded(codes: Array, bands: list[Band], *, whole: bool) -> Coarser:
    return Coarser(codes, tuple(band.whole_label if whole else band.label for band in bands), ordered=True)


def _named(domain: Domain, labels: list[str]) -> Coarser:
    """Labels in the order in which the domain's values first have them.

    Byte order is used where the domain has none.
    """
    distinct = list(dict.fromkeys(labels)) if domain.ordered else sorted(set(labels), key=str.encode)
    place = {label: code for code, label in enumerate(distinct)}
    return Coarser(
        np.array([place[label] for label in labels], dtype=np.int64), tuple(distinct), ordered=domain.ordered
    )
