"""Options that measures share: the classes of numbers, and the rule for missing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from sdc.catalogue.options import NumberColumn

Binning = Literal["equal_frequency", "equal_length"]
Groups = Annotated[int, Field(ge=1, le=1000)]
ClassesOf = Literal["pooled", "candidate"]
Gaps = Literal["category", "drop"]


def _ascending(edges: list[float]) -> list[float]:
    if any(low >= high for low, high in pairwise(edges)):
        message = "edges must ascend, and each stand once"
        raise ValueError(message)
    return edges


ClassEdges = dict[NumberColumn, Annotated[list[float], Field(min_length=2), AfterValidator(_ascending)]]
"""Borders of classes [a, b) by variable, the last class with its upper border in it."""


@dataclass(frozen=True)
class Classing:
    """How the columns of a table are put into classes.

    Numbers are cut by the `edges` given, else into so many `groups` (by value where that is None); everything
    else goes by its values. Records with a gap in a column are a class of their own, or are dropped.
    """

    groups: int | None
    binning: Binning = "equal_frequency"
    edges: Mapping[str, Sequence[float]] = field(default_factory=dict)
    missing: Gaps = "category"
