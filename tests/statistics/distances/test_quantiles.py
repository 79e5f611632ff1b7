from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.distances.quantiles import quantiles


@pytest.mark.parametrize(
    "values",
    [
        np.arange(7.0),
        np.repeat([3.0, 1.0, 2.0], [5, 1, 9]),
        np.array([4.0]),
        np.random.default_rng(0).normal(size=5000),
    ],
)
def test_quantiles_are_those_of_numpy(values):
    shares = np.linspace(0, 1, 12)
    assert quantiles(values, shares) == pytest.approx(np.quantile(values, shares), rel=1e-14)
    assert quantiles(values[::-1], shares) == pytest.approx(quantiles(values, shares), rel=0)
