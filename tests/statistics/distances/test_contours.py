"""Contour lines whose place is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sdc.statistics.distances.contours import bandwidths, contour, density_levels, smoothed


def area(ring: list[tuple[float, float]]) -> float:
    return 0.5 * sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True))


def test_one_cell_gives_a_diamond_half_way_to_its_neighbours():
    surface = np.zeros((3, 3))
    surface[1, 1] = 2
    (ring,) = contour(surface, 1.0)
    assert sorted(ring) == [(0.5, 1.0), (1.0, 0.5), (1.0, 1.5), (1.5, 1.0)]


def test_a_cone_gives_a_circle():
    grid = np.arange(41) - 20
    surface = 20 - np.hypot(*np.meshgrid(grid, grid))
    (ring,) = contour(np.maximum(surface, 0), 10.0)
    assert abs(area(ring)) == pytest.approx(math.pi * 100, rel=0.01)
    assert all(math.hypot(x - 20, y - 20) == pytest.approx(10, abs=0.1) for x, y in ring)


def test_lines_are_closed_at_the_border_of_the_grid():
    (ring,) = contour(np.ones((2, 2)), 0.5)
    assert {(min(x, 0), min(y, 0)) for x, y in ring} == {(-0.5, 0), (0, -0.5), (0, 0)}
    assert len(ring) == 8


@pytest.mark.parametrize(("low", "rings"), [(0.4, 1), (0.0, 2)])
def test_a_saddle_is_joined_where_its_middle_is_high(low: float, rings: int):
    # The middle is 0.7 or 0.5: above, or not above, the height.
    assert len(contour(np.array([[1.0, low], [low, 1.0]]), 0.5)) == rings


def test_every_record_within_its_level_is_inside():
    surface = np.array([[8.0, 4.0], [2.0, 2.0]])
    # Half the mass of 16 is the highest cell alone, three quarters it and the next.
    assert density_levels(surface, [0.5, 0.75]) == [8.0, 4.0]


def test_smoothing_keeps_the_mass():
    counts = np.zeros((15, 11))
    counts[7, 5], counts[0, 0] = 30, 10
    made = smoothed(counts, (1.5, 2.0))
    assert made.sum() == pytest.approx(40)
    assert made[7, 5] == made[1:-1, 1:-1].max()


def test_bandwidth_follows_scott():
    counts = np.zeros((5, 5))
    counts[0, 2] = counts[4, 2] = 32
    # Standard deviation 2 along the first margin, 64 records: 2 * 64 ** (-1/6) = 1; nought along the other.
    assert bandwidths(counts) == pytest.approx((1.0, 0.75))
