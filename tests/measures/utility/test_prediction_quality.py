"""prediction_quality against numpy and hand calculation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.measures.utility.prediction_quality import prediction_quality

NUMERIC = VariableType.NUMERIC
ROLES = Roles.of(
    [
        Variable("y", Role.SENSITIVE, NUMERIC),
        Variable("x", Role.QUASI_IDENTIFIER, NUMERIC),
        Variable("w", Role.WEIGHT, NUMERIC),
    ]
)


def table(seed, slope):
    rng = np.random.default_rng(seed)
    x = rng.normal(10, 2, 50)
    return pd.DataFrame(
        {"y": slope * x + rng.normal(0, 1, 50), "x": x, "w": rng.integers(1, 6, 50).astype(float)}
    )


def mean_fitted(data):
    matrix, root = np.column_stack([np.ones(50), data["x"]]), np.sqrt(data["w"].to_numpy())
    return (matrix @ np.linalg.lstsq(matrix * root[:, None], data["y"] * root)[0]).mean()


def test_weighted_fits_are_compared_by_their_mean(pair_of):
    original, candidate = table(1, 2.0), table(2, 2.5)
    found = assess(
        "prediction_quality", ReleasePair.from_frames(original, candidate, ROLES), {"models": ["y ~ x"]}
    ).outcome
    before, after = mean_fitted(original), mean_fitted(candidate)
    assert (
        found.value == found.parts["difference.1"] == pytest.approx(abs(before - after) / before, rel=1e-10)
    )
    assert (found.parts["original.1"], found.parts["candidate.1"]) == pytest.approx((before, after))
    assert found.parts["unweighted"] == pytest.approx(
        abs(original["y"].mean() - candidate["y"].mean()) / original["y"].mean(), rel=1e-10
    )


def test_without_weights_the_mean_fitted_value_is_the_mean_response(pair_of):
    """Two of four against three of four, whatever explains it.

    The exchanged predictions know the difference.
    """
    original = {"h": ["bad", "bad", "good", "good"] * 5, "x": [1.0, 2.0, 1.5, 3.0] * 5}
    candidate = {"h": ["bad", "bad", "bad", "good"] * 5, "x": [3.0, 1.0, 2.5, 2.0] * 5}
    found = prediction_quality(pair_of(original, candidate), models=["h == bad ~ x"])
    assert found.value == pytest.approx(0.5, rel=1e-10)
    turned = {"h": original["h"], "x": [1.5, 3.0, 1.0, 2.0] * 5}
    found = prediction_quality(pair_of(original, turned), models=["h == bad ~ x"])
    assert found.value == pytest.approx(0, abs=1e-10)
    assert found.parts["exchanged.1"] > 0.1


def test_the_exchanged_predictions_are_made_for_the_originals_records(pair_of):
    """y = x against y = 2x - 1, each with the same small residuals, at x = 0, 1, 2, 3."""
    x, bend = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.1, -0.1, -0.1, 0.1])
    found = prediction_quality(
        pair_of({"y": x + bend, "x": x}, {"y": 2 * x - 1 + bend, "x": x}), models=["y ~ x"]
    )
    assert found.value == pytest.approx(0.5 / 1.5)
    assert found.parts["exchanged.1"] == pytest.approx(np.abs(x - (2 * x - 1)).mean() / 1.5)


def test_the_worst_model_is_the_value(pair_of):
    original, candidate = table(1, 2.0), table(1, 2.0).assign(y=lambda held: held["y"] * 1.1)
    pair = pair_of(original, candidate)
    found = prediction_quality(pair, models=["x ~ w", "y ~ w"])
    assert found.parts["difference.1"] == 0
    assert found.value == found.parts["difference.2"] == pytest.approx(0.1)


def test_a_mean_of_nothing_has_no_relative_difference(pair_of):
    x = np.array([-1.0, 1.0, -1.0, 1.0])
    found = prediction_quality(
        pair_of({"y": [-1.0, 1.0, 1.0, -1.0], "x": x}, {"y": [0.0, 1.0, 0.5, 1.0], "x": x}), models=["y ~ x"]
    )
    assert isinstance(found, NotAssessed)
    assert "is 0 in the original" in found.reason
