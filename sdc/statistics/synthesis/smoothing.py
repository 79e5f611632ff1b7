"""Draws values near those of donors that belong to nobody."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sdc.arrays import Array

Smoothing = Literal["spline", "density"]

SHARED = 10
"""A value that so many observed records share is no one's own.

It stays, and with it the few values of a coarse number.
"""
KNOTS = 2_000
"""A spline goes through no more points of the quantile function than this."""


def smoothed(drawn: Array, observed: Array, how: Smoothing, rng: np.random.Generator) -> Array:
    """Values drawn from the observed ones, moved a little unless many share them, within their range.

    `density` adds normal noise of Silverman's bandwidth, turned back at the ends. `spline` takes the quantile
    of a smoothing spline of the observed quantile function, at a level drawn among those of the value.

    Reference: Silverman (1986), doi:10.1201/9781315140919, section 6.4.1; Reinsch (1967),
    doi:10.1007/BF02162161.
    """
    low, high = float(observed.min()), float(observed.max())
    if not drawn.size or high <= low:
        return drawn
    made = _kernel(drawn, observed, rng) if how == "density" else _spline(drawn, observed, rng)
    made = np.where(made < low, 2 * low - made, made)
    made = np.where(made > high, 2 * high - made, made)
    inside = (high - low) * 1e-6
    return np.where(_shared(drawn, observed), drawn, np.clip(made, low + inside, high - inside))


def _shared(drawn: Array, observed: Array) -> Array:
    """Which values drawn do many observed records share?"""
    values, counts = np.unique(observed, return_counts=True)
    often = values[counts >= SHARED]
    return np.isin(drawn, often)


def bandwidth(observed: Array) -> float:
    """0.9 times the smaller of standard deviation and interquartile range / 1.34, times n^(-1/5)."""
    quarter, three = np.quantile(observed, [0.25, 0.75])
    spread = [
        width
        for width in (
            float(observed.std(ddof=1)) if len(observed) > 1 else 0.0,
            float(three - quarter) / 1.34,
        )
        if width > 0
    ]
    return 0.9 * min(spread, default=0.0) * len(observed) ** -0.2


def _kernel(drawn: Array, observed: Array, rng: np.random.Generator) -> Array:
    made: Array = drawn + bandwidth(observed) * rng.standard_normal(len(drawn))
    return made


def _spline(drawn: Array, observed: Array, rng: np.random.Generator) -> Array:
    from scipy.interpolate import make_smoothing_spline

    ordered = np.sort(observed)
    low, high = np.searchsorted(ordered, drawn, side="left"), np.searchsorted(ordered, drawn, side="right")
    levels = (low + rng.random(len(drawn)) * np.maximum(high - low, 1)) / len(ordered)
    points = np.unique(np.linspace(0, len(ordered) - 1, min(len(ordered), KNOTS)).astype(np.int64))
    if points.size < 5:
        return np.interp(levels * len(ordered) - 0.5, np.arange(len(ordered)), ordered)
    at, scale = (points + 0.5) / len(ordered), float(np.ptp(ordered))
    curve = make_smoothing_spline(at, (ordered[points] - ordered[0]) / scale, lam=1e-6)
    # A quantile function does not fall; where the spline does it is held.
    held = np.maximum.accumulate(curve(at))
    return np.asarray(ordered[0] + scale * np.interp(levels, at, held))
