from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats


@pytest.fixture(scope="module")
def normal():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1000)
    return pd.DataFrame({"x": x, "y": 0.8 * x + 0.6 * rng.normal(size=1000)})


@pytest.mark.parametrize("kind", ["boxes", "linear_one", "linear_two"])
def test_margins_are_kept_and_no_value_is_copied(protect, normal, kind):
    made = protect("interpolation", normal, {"kind": kind, "rows": 5000}).table
    for name in normal:
        assert stats.ks_2samp(made[name], normal[name]).statistic < 0.04
        assert not set(made[name]) & set(normal[name])
        assert made[name].max() <= normal[name].max()
        assert (made[name].min() >= normal[name].min()) or kind == "linear_one"


def test_only_boxes_keep_dependence(protect, normal):
    """Example 3.2.21."""
    held = protect("interpolation", normal, {"rows": 5000}).table.corr().iloc[0, 1]
    lost = protect("interpolation", normal, {"rows": 5000, "kind": "linear_two"}).table.corr().iloc[0, 1]
    assert held == pytest.approx(normal.corr().iloc[0, 1], abs=0.03)
    assert abs(lost) < 0.06
