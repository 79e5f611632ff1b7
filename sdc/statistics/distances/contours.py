"""Contour lines of a smooth surface over a grid."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array

Ring = list[tuple[float, float]]


def smoothed(counts: Array, widths: tuple[float, float]) -> Array:
    """Counts on a grid after a normal kernel of these standard deviations (in cells).

    What would leave at the border is reflected.
    """
    made = counts.astype(float)
    for axis, width in enumerate(widths):
        reach = max(int(np.ceil(3 * width)), 1)
        kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
        padded = np.pad(
            made, [(reach, reach) if place == axis else (0, 0) for place in range(2)], mode="symmetric"
        )
        made = np.apply_along_axis(np.convolve, axis, padded, kernel / kernel.sum(), "valid")
    return made


def bandwidths(counts: Array) -> tuple[float, float]:
    """Scott's rule for each margin of a grid of counts, in cells and never below three quarters of one.

    Reference: Scott (1992), Multivariate Density Estimation, doi:10.1002/9780470316849.
    """
    total = max(float(counts.sum()), 1.0)
    found = []
    for axis in (0, 1):
        margin = counts.sum(axis=1 - axis)
        places = np.arange(margin.size)
        mean = float((margin * places).sum()) / total
        deviation = float(np.sqrt((margin * (places - mean) ** 2).sum() / total))
        found.append(max(deviation * total ** (-1 / 6), 0.75))
    return found[0], found[1]


def density_levels(surface: Array, contents: list[float]) -> list[float]:
    """Heights above which these shares of all the mass lie: the borders of the densest regions.

    Reference: Hyndman (1996), doi:10.2307/2684423.
    """
    heights = np.sort(surface.ravel())[::-1]
    mass = np.cumsum(heights) / heights.sum()
    return [float(heights[min(int(np.searchsorted(mass, share)), heights.size - 1)]) for share in contents]


def contour(surface: Array, height: float) -> list[Ring]:
    """Closed lines at a height, in units of cells with the first cell's centre at 0.

    Outside the grid the surface is zero.

    Marching squares on the centres of the cells; the mean of the four corners decides how a saddle is cut.

    Reference: Lorensen and Cline (1987), doi:10.1145/37402.37422.
    """
    padded = np.pad(surface.astype(float), 1)
    above = padded > height
    crossed = above[:-1, :-1].astype(int) + above[1:, :-1] * 2 + above[1:, 1:] * 4 + above[:-1, 1:] * 8
    squares = np.argwhere((crossed > 0) & (crossed < 15)).tolist()
    ahead = dict(
        segment for i, j in squares for segment in _segments(padded, height, i, j, int(crossed[i, j]))
    )
    return _rings(ahead, padded, height)


# A side of the square (i, j) is named by the corner it begins at and its direction: 0 along i, 1 along j.
# Lines keep the high ground on their left.
_BOTTOM, _RIGHT, _TOP, _LEFT = (0, 0, 0), (1, 0, 1), (0, 1, 0), (0, 0, 1)
_CASES: dict[int, list[tuple[tuple[int, int, int], tuple[int, int, int]]]] = {
    1: [(_BOTTOM, _LEFT)],
    2: [(_RIGHT, _BOTTOM)],
    3: [(_RIGHT, _LEFT)],
    4: [(_TOP, _RIGHT)],
    6: [(_TOP, _BOTTOM)],
    7: [(_TOP, _LEFT)],
    8: [(_LEFT, _TOP)],
    9: [(_BOTTOM, _TOP)],
    11: [(_RIGHT, _TOP)],
    12: [(_LEFT, _RIGHT)],
    13: [(_BOTTOM, _RIGHT)],
    14: [(_LEFT, _BOTTOM)],
}


def _segments(
    padded: Array, height: float, i: int, j: int, case: int
) -> list[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    if case in (5, 10):
        joined = padded[i : i + 2, j : j + 2].mean() > height
        apart = {5: [(_BOTTOM, _LEFT), (_TOP, _RIGHT)], 10: [(_RIGHT, _BOTTOM), (_LEFT, _TOP)]}
        together = {5: [(_BOTTOM, _RIGHT), (_TOP, _LEFT)], 10: [(_LEFT, _BOTTOM), (_RIGHT, _TOP)]}
        sides = (together if joined else apart)[case]
    else:
        sides = _CASES[case]
    return [((i + a[0], j + a[1], a[2]), (i + b[0], j + b[1], b[2])) for a, b in sides]


def _rings(
    ahead: dict[tuple[int, int, int], tuple[int, int, int]], padded: Array, height: float
) -> list[Ring]:
    rings = []
    while ahead:
        start = min(ahead)
        ring, side = [], start
        while side in ahead:
            ring.append(_crossing(padded, height, side))
            side = ahead.pop(side)
        rings.append(ring)
    return rings


def _crossing(padded: Array, height: float, side: tuple[int, int, int]) -> tuple[float, float]:
    i, j, direction = side
    low, high = padded[i, j], padded[i + 1, j] if direction == 0 else padded[i, j + 1]
    along = float((height - low) / (high - low)) if high != low else 0.5
    return (i + along - 1, float(j - 1)) if direction == 0 else (float(i - 1), j + along - 1)
