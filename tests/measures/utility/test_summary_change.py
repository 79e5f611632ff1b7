"""summary_change against numpy, scipy and base R."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sdc.catalogue.registry import Family
from sdc.measures.utility.summary_change import summary_change
from sdc.report.edition import Edition, Rules


def test_changes_are_candidate_minus_original(pair_of):
    found = summary_change(pair_of({"a": [1, 2, 3, 6]}, {"a": [2, 3, 4, 9]}))
    assert found.parts["mean.a"] == 1.5
    assert found.parts["variance.a"] == pytest.approx(
        np.var([2, 3, 4, 9], ddof=1) - np.var([1, 2, 3, 6], ddof=1)
    )
    assert found.parts["median.a"] == 1
    assert found.value == pytest.approx(1.5 / np.std([1, 2, 3, 6], ddof=1))


@pytest.mark.parametrize(("moved", "inside"), [(0.9, 1), (1.1, 0)])
def test_the_mean_is_in_the_interval_of_the_original_as_in_the_lecture(moved, inside, pair_of):
    x = np.random.default_rng(1).normal(50, 5, 100)
    reach = 1.959964 * x.std(ddof=1) / 10
    found = summary_change(pair_of({"x": x}, {"x": x + moved * reach}))
    assert found.parts["mean_in_interval.x"] == inside


def test_the_paired_test_is_scipys_and_for_aligned_tables_only(pair_of):
    rng = np.random.default_rng(2)
    x = rng.normal(50, 5, 100)
    y = x + rng.normal(0.2, 1, 100)
    aligned = summary_change(pair_of({"x": x}, {"x": y}, aligned=True))
    assert aligned.parts["paired_p.x"] == pytest.approx(stats.ttest_rel(y, x).pvalue, rel=1e-10)
    assert not any("_p" in name for name in summary_change(pair_of({"x": x}, {"x": y})).parts)


def test_the_paired_test_has_its_limits(pair_of):
    assert summary_change(pair_of({"x": [1, 2, 3]}, {"x": [1, 2, 3]}, aligned=True)).parts["paired_p.x"] == 1
    assert summary_change(pair_of({"x": [1, 2, 3]}, {"x": [2, 3, 4]}, aligned=True)).parts["paired_p.x"] == 0


@pytest.mark.parametrize("name", ["mdav3", "noise", "rank_swap"])
def test_means_of_the_golden_pairs_agree_with_base_r(name, golden, golden_pair):
    expected = golden("numeric_risk_and_loss")["outputs"][name]
    found = summary_change(golden_pair(name))
    for variable, mean in expected["mean"]["original"].items():
        assert found.parts[f"mean.{variable}"] == pytest.approx(
            expected["mean"]["candidate"][variable] - mean, abs=1e-8
        )
        before, after = (expected["sd_n_minus_1"][side][variable] ** 2 for side in ("original", "candidate"))
        assert found.parts[f"variance.{variable}"] == pytest.approx(
            after - before, rel=1e-6, abs=1e-6 * before
        )


def test_a_constant_is_measured_in_the_unit_of_both_tables(pair_of):
    found = summary_change(pair_of({"x": [1.0, 1.0]}, {"x": [3.0, 3.0]}))
    assert found.value == pytest.approx(2 / np.std([1, 1, 3, 3], ddof=1))


def test_levels_and_intervals_of_both_tables_are_numpys_and_scipys(pair_of):
    x, y = np.array([1.0, 2, 3, 6]), np.array([2.0, 3, 4, 9, 9])
    found = summary_change(pair_of({"a": x}, {"a": y}), level=0.9).parts
    for side, values in (("original", x), ("candidate", y)):
        low, high = stats.norm.interval(0.9, values.mean(), values.std(ddof=1) / np.sqrt(values.size))
        expected = {
            "mean": values.mean(),
            "variance": values.var(ddof=1),
            "median": np.median(values),
            "mean_low": low,
            "mean_high": high,
        }
        assert {name: found[f"{side}.{name}.a"] for name in expected} == pytest.approx(expected, rel=1e-12)


def test_levels_of_the_original_stay_inside_the_house(pair_of):
    found = summary_change(pair_of({"a": [1.5, 2, 3, 6]}, {"a": [2, 3, 4, 9]})).parts
    public = Rules(Edition.PUBLIC, frozenset({"a"})).parts(found, Family.UTILITY)
    assert "mean.a" in public
    assert not any(name.startswith(("original.", "candidate.")) for name in public)
