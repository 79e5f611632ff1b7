"""Weighted regressions against numpy and against records written out as often as they weigh."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.regression.design import Design
from sdc.statistics.regression.regression import Unfit, fit_linear, fit_logit, independent_columns, only


def dense(points):
    """A matrix of numbers with an intercept first."""
    rows, width = points.shape
    columns = np.tile(np.arange(width + 1, dtype=np.int32), (rows, 1))
    return Design(
        columns,
        np.ascontiguousarray(points),
        np.arange(-1, width, dtype=np.int32),
        width + 1,
        np.append(True, np.zeros(width, dtype=bool)),
    )


@pytest.fixture
def data():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(200, 3))
    return points, rng.integers(1, 5, 200), points @ [1.0, -2.0, 0.5] + 3 + rng.normal(size=200)


def test_least_squares_is_numpys(data):
    points, _, response = data
    fit = fit_linear(dense(points), response, np.full(200, 7.0))
    matrix = np.column_stack([np.ones(200), points])
    theirs = np.linalg.lstsq(matrix, response)[0]
    variance = ((response - matrix @ theirs) ** 2).sum() / (200 - 4)
    assert fit.coefficients == pytest.approx(theirs, rel=1e-12)
    assert fit.errors == pytest.approx(
        np.sqrt(np.diag(np.linalg.inv(matrix.T @ matrix)) * variance), rel=1e-12
    )
    assert fit.fitted == pytest.approx(matrix @ theirs)


def test_a_weight_is_as_good_as_so_many_records(data):
    points, times, response = data
    repeated = np.repeat(np.arange(200), times)
    weighted, written = (
        fit_linear(dense(points), response, times.astype(float)),
        fit_linear(dense(points[repeated]), response[repeated], np.ones(repeated.size)),
    )
    assert weighted.coefficients == pytest.approx(written.coefficients, rel=1e-10)
    event = (response > 3).astype(float)
    weighted, written = (
        fit_logit(dense(points[:, :1]), event, times.astype(float)),
        fit_logit(dense(points[repeated][:, :1]), event[repeated], np.ones(repeated.size)),
    )
    assert weighted.coefficients == pytest.approx(written.coefficients, rel=1e-10)
    assert weighted.errors == pytest.approx(written.errors * np.sqrt(repeated.size / 200), rel=1e-10)


def test_the_logistic_fit_solves_its_equations(data):
    points, times, response = data
    event = (response + points[:, 1] > 3).astype(float)
    fit = fit_logit(dense(points), event, times.astype(float))
    matrix = np.column_stack([np.ones(200), points])
    assert matrix.T @ (times * (event - fit.fitted)) == pytest.approx(np.zeros(4), abs=1e-10)
    assert fit.fitted == pytest.approx(1 / (1 + np.exp(-matrix @ fit.coefficients)))


def test_columns_that_follow_from_earlier_ones_are_left_out(data):
    points, _, _ = data
    matrix = dense(
        np.column_stack(
            [points[:, 0], 1e6 * points[:, 0] + 4, points[:, 1], np.zeros(200), points[:, 0] - points[:, 1]]
        )
    )
    kept = independent_columns(matrix)
    assert kept.tolist() == [0, 1, 3]
    assert only(matrix, kept).width == 3


def test_what_records_do_not_determine_is_said(data):
    points, _, response = data
    with pytest.raises(Unfit, match="3 records do not determine 4"):
        fit_linear(dense(points[:3]), response[:3], np.ones(3))
    with pytest.raises(Unfit, match="without error"):
        fit_linear(dense(points), points @ [1.0, 2.0, 3.0], np.ones(200))
    with pytest.raises(Unfit, match="no finite estimate"):
        fit_logit(dense(points), (points[:, 0] > 0).astype(float), np.ones(200))
    with pytest.raises(Unfit, match="no finite estimate"):
        fit_logit(dense(points), np.ones(200), np.ones(200))
