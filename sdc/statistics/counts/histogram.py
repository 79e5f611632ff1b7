"""Bins of counts of numbers: few enough to look at, and none too small to be shown."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array


def round_step(span: float, most: int) -> float:
    """The smallest of 1, 2, 5 times a power of ten that cuts a span into no more than so many pieces."""
    raw = span / most
    power = 10.0 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= raw * (1 - 1e-9))


def round_edges(low: float, high: float, most: int, least_step: float = 0.0) -> Array:
    """Multiples of a round step around `low` to `high`, at most `most` steps and one more at each end."""
    if high <= low:
        high = low + (abs(low) or 1.0)
    step = max(round_step(high - low, most), least_step)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return np.round(np.arange(first, last + 1) * step, 12)


def log_edges(low: float, high: float) -> Array:
    """Round numbers from at or below `low` to at or above `high`, evenly spread on a logarithmic axis.

    They are finer over few powers of ten.
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if last - first <= 4 else (1.0, 2.0, 5.0)
    edges = np.array([step * 10.0**power for power in range(first, last + 1) for step in steps])
    start, end = int(np.searchsorted(edges, low, side="right")) - 1, int(np.searchsorted(edges, high))
    return np.round(edges[start : end + 1], 12)


@dataclass(frozen=True)
class Bins:
    """Counts of two tables in the same bins [a, b).

    `edges` has one number more than there are bins; the outer ones may be infinite.
    """

    edges: Array
    original: Array
    candidate: Array

    def trimmed(self) -> Bins:
        """The bins without outer ones that hold no record of either table."""
        filled = np.flatnonzero((self.original > 0) | (self.candidate > 0))
        if filled.size == 0:
            return self
        first, last = int(filled[0]), int(filled[-1])
        return Bins(
            self.edges[first : last + 2], self.original[first : last + 1], self.candidate[first : last + 1]
        )

    def without(self, values: Iterable[float]) -> Bins:
        """The bins without inner edges at these values: the bins on both sides become one."""
        avoided = set(values)
        starts = [
            0,
            *(place for place in range(1, self.original.size) if float(self.edges[place]) not in avoided),
        ]
        return self._joined(starts)

    def _joined(self, starts: list[int]) -> Bins:
        edges = np.append(self.edges[starts], self.edges[-1])
        return Bins(edges, np.add.reduceat(self.original, starts), np.add.reduceat(self.candidate, starts))

    def merged(self, least: int) -> Bins:
        """Neighbouring bins joined until each holds so many records of the original.

        The rest at the end joins the last bin.
        """
        starts, held = [0], 0
        for place, count in enumerate(self.original.tolist()):
            held += count
            if held >= least and place + 1 < self.original.size:
                starts.append(place + 1)
                held = 0
        if held < least and len(starts) > 1:
            starts.pop()
        return self._joined(starts)

    def closed(self, step: float) -> Array:
        """The edges with infinite ones replaced by the length of a step beside the last finite one."""
        edges = self.edges.astype(float).copy()
        if np.isinf(edges[0]):
            edges[0] = edges[1] - step if edges.size > 2 or np.isfinite(edges[1]) else 0.0
        if np.isinf(edges[-1]):
            edges[-1] = edges[-2] + step
        return edges


def shares(counts: Array) -> Array:
    """Counts as shares of their sum; all zero where there are none."""
    total = counts.sum()
    return counts / total if total else np.zeros(counts.size)
