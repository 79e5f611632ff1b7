from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

NORMAL = stats.truncnorm(-3, 3, 0.5, 1 / 6)


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


@pytest.mark.parametrize(
    ("given", "law"),
    [({}, stats.uniform()), ({"law": "beta", "shape": 3}, stats.beta(3, 3)), ({"law": "normal"}, NORMAL)],
)
@pytest.mark.parametrize("kind", ["boxes", "linear_two"])
def test_new_values_lie_in_their_gap_by_the_law_asked_for(protect, given, law, kind):
    """Two values have one gap, from 0 to 1."""
    table = pd.DataFrame({"x": [0.0, 1.0], "y": [0.000000001, 1.000000001]})
    made = protect("interpolation", table, {"kind": kind, "rows": 3000, **given}).table["y"] - 0.000000001
    assert stats.kstest(made, law.cdf).pvalue > 0.01
