"""What is demanded of a suppression, its terms, and the error where it cannot be had."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array


@dataclass(frozen=True)
class Demand:
    """Every record is to be one of at least k on these keys (places of columns)."""

    keys: tuple[int, ...]
    k: int


@dataclass(frozen=True)
class Terms:
    """What a suppression costs in each column, and how many records may lose it (0: the column stays)."""

    costs: tuple[float, ...]
    caps: tuple[int, ...]

    def used_up(self, columns: list[int], budget: Array) -> tuple[int, ...]:
        """The columns whose cap is used up; where none is, those of the smallest cap."""
        gone = tuple(
            key for key, left in zip(columns, budget, strict=True) if left <= 0 and self.costs[key] > 0
        )
        least = min((self.caps[key] for key in columns if self.costs[key] > 0), default=0)
        return gone or tuple(key for key in columns if self.costs[key] > 0 and self.caps[key] == least)

    def dearer(self, columns: tuple[int, ...]) -> Terms:
        """The same with these columns at four times their cost: spared for where nothing else helps."""
        return Terms(
            tuple(cost * (4 if key in columns else 1) for key, cost in enumerate(self.costs)), self.caps
        )


class Unreachable(ValueError):
    """The caps leave records in classes that are too small; `capped` are the columns that were used up."""

    def __init__(self, capped: tuple[int, ...], records: int) -> None:
        self.capped, self.records = capped, records
        super().__init__(f"{records} records remain")


def bits(keys: tuple[int, ...]) -> int:
    """A set of columns as a number."""
    return sum(1 << key for key in keys)


def observed_bits(codes: Array) -> Array:
    """For each record the set of columns that are not missing, as a number."""
    held = np.zeros(len(codes), dtype=np.uint64)
    for place, column in enumerate(codes.T):
        held |= (column >= 0).astype(np.uint64) << np.uint64(place)
    return held
