"""Probabilities of the cells of a table: as counted, or as tables of fewer variables say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np

from sdc.arrays import Array
from sdc.statistics.noise.discrete_laplace import discrete_laplace
from sdc.statistics.noise.privacy_noise import analytic_sigma
from sdc.statistics.sampling.discrete_inverse import finite

Noise = Literal["laplace", "gaussian"]

MOST_CELLS = 20_000_000
ROUNDS = 200
SETTLED = 1e-9


@dataclass(frozen=True)
class Guarantee:
    """A privacy loss to be spent on counts, and the noise by which."""

    epsilon: float
    delta: float
    noise: Noise


def counted(codes: Array, shape: Sequence[int]) -> Array:
    """How many records (rows of codes) fall into each cell, as whole numbers."""
    place = (
        np.ravel_multi_index(tuple(codes.T), tuple(shape))
        if codes.shape[1]
        else np.zeros(len(codes), dtype=np.int64)
    )
    return np.bincount(place, minlength=prod(shape)).reshape(tuple(shape))


def noisy_counts(tables: Sequence[Array], guarantee: Guarantee, rng: np.random.Generator) -> list[Array]:
    """Tables of counts of the same records with noise, together (epsilon, delta)-private by record.

    One record adds 1 to one cell of each of the T tables. So all counts together change by T in absolute sum
    and by sqrt(T) in Euclidean length. Laplace: every count gets discrete Laplace noise of rate epsilon / T,
    drawn without rounding, so that each table is (epsilon / T)-private and all of them are epsilon-private by
    composition. Gaussian: every count gets normal noise of the deviation that (epsilon, delta) asks of
    sensitivity sqrt(T), rounded. Empty cells get noise like all others.

    Reference: Dwork, McSherry, Nissim, Smith (2006), doi:10.1007/11681878_14; Ghosh, Roughgarden,
    Sundararajan (2012), doi:10.1137/09076828X; Balle, Wang (2018), arXiv:1805.06530.
    """
    if guarantee.noise == "laplace":
        rate = guarantee.epsilon / len(tables)
        return [table + discrete_laplace(rate, table.size, rng).reshape(table.shape) for table in tables]
    sigma = analytic_sigma(float(np.sqrt(len(tables))), guarantee.epsilon, guarantee.delta)
    return [table + np.round(rng.normal(0.0, sigma, table.shape)).astype(np.int64) for table in tables]


def fitted_cells(
    margins: Sequence[tuple[Sequence[int], Array]], shape: Sequence[int], possible: Array | None = None
) -> tuple[Array, float]:
    """Probabilities of all cells that add up to the margins, and the largest deviation left.

    Iterative proportional fitting from equal probabilities of all possible cells: of all tables with these
    margins the one of largest entropy, that is the log-linear model of these interactions. Margins are scaled
    to a sum of one, and what they put where nothing is possible is lost.

    Reference: Deming, Stephan (1940), doi:10.1214/aoms/1177731829; Bishop, Fienberg, Holland (1975), Discrete
    Multivariate Analysis, chapter 3.
    """
    cells = np.ones(tuple(shape)) if possible is None else possible.astype(np.float64).reshape(tuple(shape))
    cells /= cells.sum()
    wanted = [(tuple(axes), table / table.sum()) for axes, table in margins]
    gap = 0.0
    for _ in range(ROUNDS):
        gap = 0.0
        for axes, table in wanted:
            others = tuple(axis for axis in range(len(shape)) if axis not in axes)
            held = cells.sum(axis=others, keepdims=True)
            target = _placed(table, axes, len(shape))
            gap = max(gap, float(np.abs(held - target).max()))
            cells *= np.divide(target, held, out=np.zeros_like(held), where=held > 0)
        cells /= cells.sum()
        if gap < SETTLED:
            break
    return cells, gap


def _placed(table: Array, axes: tuple[int, ...], width: int) -> Array:
    """A margin as a table over all variables, of length one along those it does not have."""
    order = np.argsort(axes)
    turned = np.transpose(table, order)
    ascending = sorted(axes)
    return turned.reshape(
        [turned.shape[ascending.index(axis)] if axis in ascending else 1 for axis in range(width)]
    )


def drawn_cells(cells: Array, rows: int, rng: np.random.Generator) -> Array:
    """Codes of records, a row each, drawn with the probabilities of the cells."""
    return np.column_stack(np.unravel_index(finite(cells.ravel(), rows, rng), cells.shape))
