"""Bins to look at, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.counts.histogram import Bins, log_edges, round_edges, round_step, shares


@pytest.mark.parametrize(
    ("span", "most", "step"), [(100, 10, 10), (100, 9, 20), (1, 5, 0.2), (99, 30, 5), (7, 40, 0.2)]
)
def test_steps_are_round(span: float, most: int, step: float):
    assert round_step(span, most) == pytest.approx(step)


def test_edges_cover_the_range_in_round_steps():
    assert round_edges(3, 41, 10).tolist() == [0, 5, 10, 15, 20, 25, 30, 35, 40, 45]
    assert round_edges(1, 8, 40, least_step=1).tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert round_edges(5, 5, 5).size >= 2


def test_bins_with_few_records_join_their_neighbours():
    bins = Bins(np.array([0, 1, 2, 3, 4, 5]), np.array([12, 3, 8, 20, 4]), np.array([10, 5, 5, 20, 7]))
    merged = bins.merged(10)
    assert merged.edges.tolist() == [0, 1, 3, 5]
    assert merged.original.tolist() == [12, 11, 24]
    assert merged.candidate.tolist() == [10, 10, 27]


def test_all_records_end_in_one_bin_where_they_are_few():
    merged = Bins(np.array([0, 1, 2]), np.array([2, 3]), np.array([1, 1])).merged(10)
    assert (merged.edges.tolist(), merged.original.tolist()) == ([0, 2], [5])


def test_empty_outer_bins_are_left_out():
    bins = Bins(
        np.array([-np.inf, 0, 1, 2, np.inf]), np.array([0, 4, 0, 0]), np.array([0, 3, 2, 0])
    ).trimmed()
    assert (bins.edges.tolist(), bins.original.tolist(), bins.candidate.tolist()) == (
        [0, 1, 2],
        [4, 0],
        [3, 2],
    )


def test_edges_can_be_avoided():
    bins = Bins(np.array([-np.inf, 0, 1, 2, np.inf]), np.array([0, 4, 5, 1]), np.array([0, 3, 2, 0])).without(
        [1.0, 7.0]
    )
    assert (bins.edges.tolist(), bins.original.tolist(), bins.candidate.tolist()) == (
        [-np.inf, 0, 2, np.inf],
        [0, 9, 1],
        [0, 5, 0],
    )


def test_open_bins_are_drawn_one_step_long():
    bins = Bins(np.array([-np.inf, 0, 10, np.inf]), np.array([1, 1, 1]), np.array([1, 1, 1]))
    assert bins.closed(5).tolist() == [-5, 0, 10, 15]


def test_borders_on_a_logarithmic_axis_are_round_and_about_as_far_apart():
    assert log_edges(20, 700).tolist() == [20, 30, 50, 70, 100, 150, 200, 300, 500, 700]
    assert log_edges(0.0015, 400_000).tolist()[:4] == [0.001, 0.002, 0.005, 0.01]
    assert log_edges(149, 151).tolist() == [100, 150, 200]


def test_shares_of_nothing_are_nought():
    assert shares(np.array([0, 0])).tolist() == [0, 0]
