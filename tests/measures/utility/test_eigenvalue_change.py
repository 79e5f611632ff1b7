"""eigenvalue_change against sdcMicro and numpy."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.utility.eigenvalue_change import eigenvalue_change


@pytest.mark.parametrize("name", ["mdav3", "noise", "rank_swap"])
def test_the_golden_pairs_agree_with_sdcmicro(name, golden, golden_pair):
    expected = golden("numeric_risk_and_loss")["outputs"][name]
    found = eigenvalue_change(golden_pair(name))
    assert found.value == pytest.approx(expected["eigen"], rel=1e-8)
    for side in ("original", "candidate"):
        for place, value in enumerate(expected[f"eigenvalues_of_correlation_{side}"], start=1):
            assert found.parts[f"{side}.{place}"] == pytest.approx(value, rel=1e-9)


def test_an_outlier_moves_the_plain_value_and_not_the_robust_one(pair_of):
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 300))
    spoiled = x.copy()
    spoiled[0] = 1e4
    elsewhere = y.copy()
    elsewhere[0] = 1e4
    found = eigenvalue_change(pair_of({"x": x, "y": y}, {"x": spoiled, "y": elsewhere}))
    assert found.value > 0.9
    assert found.parts["robust"] < 0.1


def test_a_variable_that_follows_from_others_is_left_out_and_counted(pair_of):
    x = np.arange(10.0)
    found = eigenvalue_change(pair_of({"x": x, "twice": 2 * x}, {"x": x, "twice": 3 * x}))
    assert found.parts["left_out"] == 1
    assert found.value == pytest.approx(0, abs=1e-12)


def test_records_with_a_gap_are_left_out(pair_of):
    table = {"x": [1, 2, 4, np.nan], "y": [1, 3, 2, 5.0]}
    assert eigenvalue_change(pair_of(table, {"x": [1, 2, 4], "y": [1, 3, 2]})).value == 0
    assert isinstance(
        eigenvalue_change(pair_of({"x": [1, np.nan], "y": [np.nan, 1]}, {"x": [1.0], "y": [1.0]})),
        NotAssessed,
    )


def test_a_variable_that_few_records_have_does_not_decide_for_all_others(pair_of):
    """Months without work, say, which nine in ten people lack: x and y are compared on all records."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 100))
    rare = np.where(np.arange(100) < 10, rng.normal(size=100), np.nan)
    before, after = {"x": x, "y": y, "rare": rare}, {"x": x, "y": 0.5 * x + y, "rare": rare}
    found = eigenvalue_change(pair_of(before, after))
    r, s = (abs(np.corrcoef(table["x"], table["y"])[0, 1]) for table in (before, after))
    assert found.value == pytest.approx(abs(s - r) / (1 + r) + abs(s - r) / (1 - r))
    assert (found.parts["variables"], found.parts["original_records"]) == (2, 100)
    assert (
        eigenvalue_change(pair_of(before, after), variables=["x", "y", "rare"]).parts["original_records"]
        == 10
    )


def test_one_variable_has_no_shape(pair_of):
    assert isinstance(eigenvalue_change(pair_of({"x": [1, 2, 3]}, {"x": [10, 20, 90]})), NotAssessed)


def test_a_constant_that_began_to_vary_is_a_change(pair_of):
    """In the unit of both tables pooled the constant varies by 0 before and by v after, apart from x and y."""
    x, y, z = [1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]
    found = eigenvalue_change(pair_of({"x": x, "y": y, "z": [0, 0, 0, 0]}, {"x": x, "y": y, "z": z}))
    v = np.var(z, ddof=1) / np.var([0, 0, 0, 0, *z], ddof=1)
    assert v == pytest.approx(7 / 3)
    assert found.value == pytest.approx((v - 1) / 1, rel=1e-12)
    assert found.parts["left_out"] == 1
    assert found.parts["robust"] == pytest.approx(4 / 3, rel=1e-12)


def test_a_variable_that_became_constant_is_a_change(pair_of):
    """Two eigenvalues of 1 before; one of 1 and one of 0 after."""
    x, y = [1, 1, -1, -1], [1, -1, 1, -1]
    assert eigenvalue_change(pair_of({"x": x, "y": y}, {"x": x, "y": [3, 3, 3, 3]})).value == pytest.approx(
        1, rel=1e-12
    )


def test_a_constant_that_stayed_one_is_no_change(pair_of):
    x, y = [1, 1, -1, -1], [1, -1, 1, -1]
    found = eigenvalue_change(
        pair_of({"x": x, "y": y, "z": [0, 0, 0, 0]}, {"x": x, "y": y, "z": [5, 5, 5, 5]})
    )
    assert (found.value, found.parts["robust"], found.parts["left_out"]) == (0, 0, 1)
    assert isinstance(
        eigenvalue_change(pair_of({"x": [1, 1], "y": [2, 2]}, {"x": [1, 2], "y": [2, 1]})), NotAssessed
    )
