"""Levels of coarseness of a key, from its values as they are to all of them together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from sdc.arrays import Array
from sdc.statistics.coarsening.bands import ANYTHING
from sdc.statistics.coarsening.recoding import CannotRecode, Coarser, Domain, Label, Recode

WAYS = ("widths", "groups", "digits", "periods", "hierarchy")


class Hierarchy(BaseModel):
    """Levels from fine to coarse, between the values as they are and all of them together.

    widths of bands (from `start`), each a multiple of the one before; groups: mappings of new labels to old
    ones, each of the original labels; digits kept, descending; periods of dates; hierarchy: each old label
    with its ancestors, nearest first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    widths: list[Annotated[float, Field(gt=0)]] | None = None
    start: float = 0.0
    groups: list[dict[Label, list[Label]]] | None = None
    digits: list[Annotated[int, Field(ge=1)]] | None = None
    periods: list[Literal["month", "quarter", "year"]] | None = None
    hierarchy: dict[Label, list[Label]] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(getattr(self, way) is not None for way in WAYS) != 1:
            message = f"say exactly one of {', '.join(WAYS)}"
            raise ValueError(message)
        return self

    @property
    def recodes(self) -> list[Recode]:
        if self.hierarchy is not None:
            depth = min((len(ancestors) for ancestors in self.hierarchy.values()), default=0)
            return [Recode(hierarchy=self.hierarchy, level=level + 1) for level in range(depth)]
        return [
            *(Recode(width=width, start=self.start) for width in self.widths or ()),
            *(Recode(groups=groups) for groups in self.groups or ()),
            *(Recode(digits=digits) for digits in self.digits or ()),
            *(Recode(period=period) for period in self.periods or ()),
        ]


def usual(domain: Domain) -> list[Recode]:
    """Levels of a key for which none were declared.

    Four doubling widths for numbers, month to year for dates, none in between for the rest.
    """
    if domain.dates:
        return [Recode(period="month"), Recode(period="quarter"), Recode(period="year")]
    if not domain.numeric or len(domain.values) <= 4:
        return []
    span = float(domain.values[-1] - domain.values[0])
    size = 10.0 ** floor(log10(span / 32))
    step = next(size * times for times in (1, 2, 5, 10) if size * times >= span / 32 * (1 - 1e-9))
    step = max(1.0, ceil(step)) if np.all(domain.values == np.floor(domain.values)) else step
    return [Recode(width=step * 2**level) for level in range(4) if step * 2**level < span]


@dataclass(frozen=True)
class Ladder:
    """One key: per level the new code of each base code, the labels, and the penalty of each new code.

    Base codes are places in the domain, and one more stands for missing, which stays apart until the last
    level. A penalty is the width of a group over that of the domain (numbers, dates), or its number of
    further values over theirs (categories).
    """

    places: tuple[Array, ...]
    labels: tuple[tuple[str, ...], ...]
    penalties: tuple[Array, ...]
    ordered: bool

    @property
    def levels(self) -> int:
        return len(self.places)

    @classmethod
    def of(cls, domain: Domain, recodes: list[Recode]) -> Ladder:
        """A ladder; raises CannotRecode where a level does not fit the domain, or splits an earlier group."""
        size = len(domain.values)
        # Numbers and dates as they are need no labels.
        texts = ("",) * size if domain.numeric or domain.dates else tuple(domain.texts)
        steps = [
            Coarser(np.arange(size), texts, domain.ordered),
            *(recode.coarser(domain) for recode in recodes),
        ]
        for level, (finer, coarser) in enumerate(pairwise(steps), start=1):
            if (
                np.unique(np.column_stack([finer.codes, coarser.codes]), axis=0).shape[0]
                > np.unique(finer.codes).size
            ):
                problem = f"level {level} splits groups of the level before"
                raise CannotRecode(problem)
        places = [np.append(step.codes, len(step.labels)).astype(np.int64) for step in steps]
        penalties = [np.append(_penalties(domain, step), 0.0) for step in steps]
        top = [np.zeros(size + 1, dtype=np.int64)]
        return cls(
            (*places, *top),
            (*(step.labels for step in steps), (ANYTHING,)),
            (*penalties, np.ones(1)),
            domain.ordered,
        )


def _penalties(domain: Domain, step: Coarser) -> Array:
    """What each group loses, from 0 (one value) to 1 (all)."""
    groups = len(step.labels)
    if domain.numeric or domain.dates:
        values = (
            domain.values.astype(np.float64)
            if domain.numeric
            else domain.values.astype("datetime64[ms]").astype(np.float64)
        )
        low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
        np.minimum.at(low, step.codes, values)
        np.maximum.at(high, step.codes, values)
        span = values.max(initial=0.0) - values.min(initial=np.inf) if values.size else 0.0
        return np.where(np.isfinite(low) & (span > 0), (high - low) / (span or 1.0), 0.0)
    sizes = np.bincount(step.codes, minlength=groups) if len(step.codes) else np.zeros(groups)
    return np.maximum(sizes - 1, 0) / max(len(domain.values) - 1, 1)
