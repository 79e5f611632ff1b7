from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadOption, CannotProtect
from sdc.statistics.synthesis.families import best_family, fit_family


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(4)
    x = rng.normal(10, 2, 3000)
    return pd.DataFrame(
        {"x": x, "y": np.exp(0.5 * (x - 10) + rng.normal(0, 0.5, 3000)), "z": rng.exponential(3, 3000)}
    )


def test_the_family_data_come_from_is_found(protect, table):
    made = protect("parametric_margins", table)
    assert made.record["families"]["x"] == "normal"
    assert made.record["families"]["y"] == "lognormal"
    assert made.record["families"]["z"] in ("exponential", "gamma")
    for name in table:
        assert stats.ks_2samp(made.table[name], table[name]).statistic < 0.05


def test_dependence_is_kept_or_not_as_asked(protect, table):
    held = stats.spearmanr(*(protect("parametric_margins", table).table[name] for name in "xy")).statistic
    lost = stats.spearmanr(
        *(protect("parametric_margins", table, {"dependence": "none"}).table[name] for name in "xy")
    ).statistic
    assert held == pytest.approx(stats.spearmanr(table["x"], table["y"]).statistic, abs=0.05)
    assert abs(lost) < 0.08


def test_estimates_are_those_of_scipy():
    values = np.random.default_rng(1).gamma(3, 2, 500)
    shape, _, scale = stats.gamma.fit(values, floc=0)
    level = np.array([0.1, 0.5, 0.9])
    assert fit_family(values, "gamma").quantile(level) == pytest.approx(
        stats.gamma(shape, scale=scale).ppf(level), rel=1e-4
    )
    assert best_family(values).family in ("gamma", "lognormal")


@pytest.mark.parametrize("family", ["normal", "lognormal", "gamma"])
@pytest.mark.parametrize("start", [0, 20_240_000, 1_700_000_000])
def test_values_far_from_zero_are_fitted_as_those_near(protect, family, start):
    """Days as 20240131, or seconds: the spread is a tiny share of the value. All three laws are then normal."""
    values = start + np.random.default_rng(3).normal(500, 10, 4000)
    fitted = fit_family(values, family)
    assert np.isfinite(fitted.aic)
    middle, high = fitted.quantile(np.array([0.5, 0.975]))
    assert middle == pytest.approx(start + 500, abs=1)
    assert high - middle == pytest.approx(19.6, rel=0.05)
    made = protect("parametric_margins", pd.DataFrame({"x": values}), {"families": {"x": family}}).table
    assert made["x"].std() == pytest.approx(10, rel=0.05)


def test_a_family_that_cannot_have_the_values_is_refused_by_name(protect, table):
    with pytest.raises(CannotProtect, match="x has values that lognormal cannot have"):
        protect("parametric_margins", table.assign(x=table["x"] - 10), {"families": {"x": "lognormal"}})
    with pytest.raises(BadOption, match="no variable is called"):
        protect("parametric_margins", table, {"families": {"w": "normal"}})


def test_without_dependence_a_number_is_its_quantile_at_a_uniform_level(table):
    roles = Roles.of([Variable("x", Role.OTHER, VariableType.NUMERIC)])
    entry = find_method("parametric_margins")
    given = {"dependence": "none", "families": {"x": "normal"}}
    made = entry.function(table[["x"]], roles, np.random.default_rng(3), **entry.arguments(given)).table["x"]
    wanted = stats.norm(table["x"].mean(), table["x"].std()).ppf(np.random.default_rng(3).random(3000))
    assert made.to_numpy() == pytest.approx(wanted)


@pytest.mark.parametrize("dependence", ["copula", "none"])
def test_missing_values_keep_their_share_and_the_others_their_family(protect, table, dependence):
    gaps = table.assign(z=table["z"].where(np.arange(3000) % 4 > 0))
    made = protect(
        "parametric_margins", gaps, {"dependence": dependence, "families": {"z": "exponential"}}
    ).table["z"]
    assert made.isna().mean() == pytest.approx(0.25, abs=0.03)
    assert stats.kstest(made.dropna(), stats.expon(scale=gaps["z"].mean()).cdf).statistic < 0.04
