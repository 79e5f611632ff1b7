"""ecdf_distance against the worked examples, base R, and a brute count."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.utility import ecdf_distance as module
from sdc.measures.utility.ecdf_distance import ecdf_distance
from sdc.statistics.distances.dominance import joint_distance


def columns(points):
    held = np.asarray(points, dtype=float)
    return {f"v{place}": column for place, column in enumerate(held.reshape(len(held), -1).T)}


def brute(original, candidate):
    points = np.concatenate([original, candidate])
    shares = [
        (table[None, :, :] <= points[:, None, :]).all(axis=2).mean(axis=1) for table in (original, candidate)
    ]
    return shares[0] - shares[1]


@pytest.mark.parametrize("case", ["W-MCM-max-2-3", "W-MCM-max-4-4", "W-MCM-ties", "W-MCM-bivariate"])
def test_mcm_of_the_worked_examples(case, worked_examples, pair_of):
    given = worked_examples[case]
    x, y = given["inputs"]["X"], given["inputs"]["Y"]
    found = ecdf_distance(pair_of(columns(x), columns(y)))
    assert found.parts["mcm"] == pytest.approx(given["recomputed"], rel=1e-14)
    assert found.parts["u_a"] == pytest.approx(given["recomputed"] / (len(x) + len(y)), rel=1e-14)


def test_md_of_the_worked_example(worked_examples, pair_of):
    given = worked_examples["W-MD-bivariate"]
    assert (
        ecdf_distance(pair_of(columns(given["inputs"]["X"]), columns(given["inputs"]["Y"]))).value
        == given["recomputed"]
    )


def test_the_values_hu_prints_are_of_the_form_ours_take(worked_examples):
    """The data are not printed.

    U_m is a whole number over n and U_a a whole number over 2 n n² for tables of one size.
    """
    u_m, u_a = worked_examples["H-Um"], worked_examples["H-Ua"]
    n = u_m["parameters"]["n"]
    rng = np.random.default_rng(1)
    found = joint_distance(rng.normal(size=(n, 1)).round(2), rng.normal(0.1, 1, size=(n, 1)).round(2))
    for largest, mean_square in [(found.largest, found.mean_square), (u_m["recomputed"], u_a["recomputed"])]:
        assert largest * n == pytest.approx(round(largest * n), abs=1e-9)
        assert mean_square * 2 * n**3 == pytest.approx(round(mean_square * 2 * n**3), rel=1e-9)
        assert mean_square <= largest**2


@pytest.mark.parametrize("name", ["mdav3", "noise", "rank_swap", "synthpop_cart", "synthpop_parametric"])
def test_one_way_distances_of_the_golden_pairs_agree_with_base_r(name, golden, golden_pair):
    expected = golden("ecdf_distance")["outputs"][name]["by_variable"]
    found = ecdf_distance(golden_pair(name), one_way=True)
    for variable, values in expected.items():
        assert found.parts[f"u_m.{variable}"] == pytest.approx(values["U_m"], abs=1e-12)
        assert found.parts[f"u_a.{variable}"] == pytest.approx(values["U_a"], abs=1e-12)
    assert found.value == max(number for part, number in found.parts.items() if part.startswith("u_m."))
    assert found.parts["u_a"] == max(
        number for part, number in found.parts.items() if part.startswith("u_a.")
    )


@pytest.mark.parametrize("name", ["mdav3", "noise", "rank_swap", "synthpop_cart", "synthpop_parametric"])
def test_joint_distances_of_the_golden_pairs_agree_with_brute_force(name, golden, golden_pair):
    for joined, values in golden("ecdf_distance")["outputs"][name]["joint"].items():
        found = ecdf_distance(golden_pair(name), variables=joined.split("+"))
        assert found.value == pytest.approx(values["MD"], abs=1e-12)
        assert found.parts["mcm"] == pytest.approx(values["MCM"], abs=1e-12)
        assert found.parts["u_a"] == pytest.approx(values["U_a"], abs=1e-12)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4, 6])
@pytest.mark.parametrize(("n", "m"), [(5, 9), (300, 300), (2100, 2500), (2300, 2300)])
def test_every_number_of_dimensions_is_counted_exactly(dimensions, n, m):
    """Few distinct values make many ties, and tables of more than 2,048 records fill more than one block."""
    rng = np.random.default_rng(dimensions)
    for levels in (3, 12, 10_000):
        original, candidate = (
            rng.integers(0, levels, (n, dimensions)).astype(float),
            rng.integers(0, levels + 1, (m, dimensions)).astype(float),
        )
        candidate[: n // 3] = original[: n // 3]
        differences = brute(original, candidate)
        found = joint_distance(original, candidate)
        assert found.largest == pytest.approx(np.abs(differences).max(), abs=1e-14)
        assert found.squares == pytest.approx((differences**2).sum(), rel=1e-11)


def test_a_constant_makes_no_difference_to_large_tables():
    """Two dimensions and three are counted in different ways."""
    rng = np.random.default_rng(4)
    original, candidate = rng.normal(size=(21_000, 2)), rng.normal(0.02, 1, size=(19_000, 2))
    plane = joint_distance(original, candidate)
    space = joint_distance(
        *(np.column_stack([points, np.ones(len(points))]) for points in (original, candidate))
    )
    assert plane == space


def test_one_dimension_is_the_kolmogorov_smirnov_distance(pair_of):
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 40, 300).astype(float), rng.integers(0, 42, 210).astype(float)
    assert ecdf_distance(pair_of({"a": x}, {"a": y})).value == pytest.approx(
        stats.ks_2samp(x, y, method="asymp").statistic, abs=1e-12
    )


def test_a_swap_that_keeps_margins_shows_jointly_only(pair_of):
    pair = pair_of({"a": [1.0, 2.0], "b": [1.0, 2.0]}, {"a": [1.0, 2.0], "b": [2.0, 1.0]})
    assert ecdf_distance(pair, one_way=True).value == 0
    assert ecdf_distance(pair).value == 0.5


def test_records_with_a_missing_value_are_left_out(pair_of):
    pair = pair_of({"a": [1, 2, np.nan], "b": [1, 2, 3]}, {"a": [1, 2, 9], "b": [1, 2, np.nan]})
    found = ecdf_distance(pair)
    assert (found.value, found.parts["original_records"], found.parts["candidate_records"]) == (0, 2, 2)
    nothing = ecdf_distance(pair_of({"a": [1, np.nan], "b": [np.nan, 2]}, {"a": [1.0, 2.0], "b": [1.0, 2.0]}))
    assert isinstance(nothing, NotAssessed)
    assert "no record of the original" in nothing.reason


def test_beyond_its_limit_it_says_so(pair_of, monkeypatch):
    monkeypatch.setattr(module, "MOST_RECORDS", 5)
    three = {name: [1.0, 2.0, 3.0] for name in "abc"}
    assert isinstance(ecdf_distance(pair_of(three, three)), NotAssessed)
    assert ecdf_distance(pair_of(three, three), variables=["a", "b"]).value == 0
