"""Draws given that a condition holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sdc.arrays import Array


def conditioning(
    draw: Callable[[int, np.random.Generator], Array],
    holds: Callable[[Array], Array],
    rows: int,
    rng: np.random.Generator,
    *,
    tries: int = 10_000,
) -> Array:
    """Draws (rows of an array) repeated until enough of them meet the condition.

    With probability p of the condition 1/p draws are needed for one. A condition that no draw has met after
    `tries` rounds is an error.

    Reference: Devroye (1986), doi:10.1007/978-1-4613-8643-8, section II.3.
    """
    kept: list[Array] = []
    found = 0
    for _ in range(tries):
        drawn = draw(max(rows - found, 64), rng)
        kept.append(drawn[holds(drawn)])
        found += len(kept[-1])
        if found >= rows:
            return np.concatenate(kept)[:rows]
    message = f"the condition held for {found} of {rows} draws wanted"
    raise ValueError(message)


def beta_by_conditioning(a: float, b: float, rows: int, rng: np.random.Generator) -> Array:
    """Beta draws: U^(1/a) / (U^(1/a) + V^(1/b)) given that the sum is at most 1.

    Reference: Jöhnk (1964), doi:10.1007/BF02613706.
    """

    def powers(count: int, stream: np.random.Generator) -> Array:
        drawn: Array = stream.random((count, 2)) ** np.array([1 / a, 1 / b])
        return drawn

    parts = conditioning(powers, lambda drawn: (drawn.sum(axis=1) <= 1) & (drawn.sum(axis=1) > 0), rows, rng)
    made: Array = parts[:, 0] / parts.sum(axis=1)
    return made
