"""Expected counts of a log-linear model in every cell of a table, empty cells included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array

SWEEPS = 2000
PRECISION = 1e-12


@dataclass(frozen=True)
class SparseTable:
    """The non-empty cells of a table: rows of codes from 0 on, the levels of each key, and the response."""

    codes: Array
    levels: tuple[int, ...]
    response: Array


@dataclass(frozen=True)
class Multiplier:
    """What a cell's expectation is multiplied with.

    There is a value for each non-empty cell, and one for all empty ones.
    """

    held: Array
    empty: float = 1.0


def fitted_main_effects(
    table: SparseTable, multiplier: Multiplier, predictor: Array | None = None
) -> Array | None:
    """Expectations in the non-empty cells by maximum likelihood with a factor for each level of each key.

    It is None where the fit does not converge.

    A cell's expectation is its multiplier times its factors; empty cells are never listed, their sum is a
    product of sums. Each sweep scales every key's factors to its observed margin (iterative proportional
    fitting). A `predictor`, 0 in empty cells, has its coefficient found by a Newton step a sweep.
    """
    keys = range(len(table.levels))
    margins = [np.bincount(table.codes[:, key], table.response, minlength=table.levels[key]) for key in keys]
    factors = [margin / margin.sum() for margin in margins]
    factors[0] = factors[0] * float(table.response.sum())
    slope, expected = 0.0, np.zeros(table.response.size)
    for _ in range(SWEEPS):
        held = multiplier.held if predictor is None else multiplier.held * np.exp(slope * predictor)
        for key in keys:
            others = np.prod(
                [factors[other][table.codes[:, other]] for other in keys if other != key], axis=0
            )
            listed = np.bincount(
                table.codes[:, key], (held - multiplier.empty) * others, minlength=table.levels[key]
            )
            unlisted = multiplier.empty * np.prod([factors[other].sum() for other in keys if other != key])
            factors[key] = margins[key] / (unlisted + listed)
        previous, expected = (
            expected,
            held * np.prod([factors[key][table.codes[:, key]] for key in keys], axis=0),
        )
        if predictor is not None:
            slope += float(
                (predictor * (table.response - expected)).sum()
                / max(float((predictor**2 * expected).sum()), 1e-300)
            )
        if np.all(np.abs(expected - previous) <= PRECISION * (1e-3 + expected)):
            return expected
    return None


def fitted_hierarchy(
    table: SparseTable, multiplier: Multiplier, terms: Sequence[Sequence[int]], predictor: Array | None = None
) -> Array | None:
    """The same with a factor for each cell of each margin in `terms`, over the whole grid of cells."""
    place = np.ravel_multi_index(tuple(table.codes.T), table.levels)
    response, column = np.zeros(table.levels), np.zeros(table.levels)
    response.flat[place] = table.response
    if predictor is not None:
        column.flat[place] = predictor
    start = np.full(table.levels, multiplier.empty)
    start.flat[place] = multiplier.held
    axes = [tuple(key for key in range(len(table.levels)) if key not in term) for term in terms]
    margins = [response.sum(axis=axis, keepdims=True) for axis in axes]
    expected = start * response.sum() / start.sum()
    for _ in range(SWEEPS):
        previous = expected
        for axis, margin in zip(axes, margins, strict=True):
            current = expected.sum(axis=axis, keepdims=True)
            expected = expected * np.divide(margin, current, out=np.zeros_like(margin), where=current > 0)
        if predictor is not None:
            step = float(
                (column * (response - expected)).sum() / max(float((column**2 * expected).sum()), 1e-300)
            )
            expected = expected * np.exp(step * column)
        if np.all(np.abs(expected - previous) <= PRECISION * (1e-3 + expected)):
            held: Array = expected.flat[place]
            return held
    return None


def uniques_at_risk(expected: Array, inclusion: Array) -> tuple[float, float]:
    """How many sample uniques are unique in the population (tau1), and would be matched rightly (tau2).

    The people of the cell outside the sample are Poisson with mean (1 - inclusion) expected.
    """
    outside = (1 - inclusion) * expected
    alone = np.exp(-outside)
    matched = np.where(outside > 0, -np.expm1(-outside) / np.where(outside > 0, outside, 1.0), 1.0)
    return float(alone.sum()), float(matched.sum())
