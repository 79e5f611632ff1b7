from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.attribution.averaging import (
    averages,
    counts_of_cells,
    error_ratio,
    recovered_only_by_averaging,
)

NAN = np.nan


def test_the_average_is_over_what_is_shown():
    found = averages([np.array([1.0, NAN, NAN]), np.array([3.0, 5.0, NAN])])
    assert np.array_equal(found, [2, 5, NAN], equal_nan=True)


def test_what_one_release_meets_alone_is_not_owed_to_the_average():
    truth = np.array([100.0, 100.0, 100.0, NAN])
    releases = [np.array([90.0, 101.0, NAN, 1.0]), np.array([110.0, 99.0, NAN, 1.0])]
    assert recovered_only_by_averaging(truth, releases, 0.05).tolist() == [True, False, False, False]


def test_the_ratio_of_errors_leaves_out_what_the_first_release_does_not_show():
    truth = np.array([0.0, 0.0, 7.0])
    assert error_ratio(truth, [np.array([2.0, -4.0, NAN]), np.array([0.0, 0.0, 9.0])]) == pytest.approx(
        0.5, rel=1e-15
    )


def test_a_first_release_without_error_has_no_ratio():
    assert error_ratio(np.array([1.0, NAN]), [np.array([1.0, 2.0]), np.array([3.0, 2.0])]) is None


def test_cells_of_all_tables_are_counted_together():
    place, counts = counts_of_cells(
        [[np.array([0, 0, 1]), np.array([0, -1, 0])], [np.array([0, 2]), np.array([0, 0])]]
    )
    # In order: (0, missing), (0, 0), (1, 0), (2, 0).
    assert place.tolist() == [1, 0, 2]
    assert counts.tolist() == [[1, 1, 1, 0], [0, 1, 0, 1]]
