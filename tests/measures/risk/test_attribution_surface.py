from __future__ import annotations

import numpy as np
import pytest
from thesis_tables import CANDIDATE, ORIGINAL, RESULT

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.risk.attribution_surface import attribution_surface
from sdc.measures.risk.class_attribution import class_attribution


@pytest.fixture(scope="module")
def noisy(example_pair):
    """Keys and targets perfectly dependent, exponential noise on the target, as in example 2.6.10."""
    rng = np.random.default_rng(26)
    key = rng.normal(5, 15**0.5, 3000)
    return example_pair(list(key), list(key + 10), list(key), list(key + 10 + rng.exponential(2, 3000)))


@pytest.mark.parametrize("binning", ["equal_frequency", "equal_length"])
def test_a_point_of_the_surface_is_class_attribution_with_as_many_bins(noisy, binning):
    surface = attribution_surface(noisy, bins_key=[3, 8], bins_target=[3, 8], binning=binning)
    for bins in (3, 8):
        single = class_attribution(noisy, bins=bins, binning=binning)
        assert surface.parts[f"p.{bins}.{bins}"] == pytest.approx(single.value, rel=1e-12)
        assert surface.parts[f"p_original.{bins}.{bins}"] == pytest.approx(
            single.parts["p_original"], rel=1e-12
        )
    assert surface.value == surface.parts["p.8.8"]


def test_one_target_bin_is_always_right_and_finer_targets_less(noisy, worked_examples):
    surface = attribution_surface(noisy, bins_key=[10], bins_target=[1, 2, 3, 5, 8, 10])
    values = [surface.parts[f"p.10.{bins}"] for bins in (1, 2, 3, 5, 8, 10)]
    assert values[0] == 1
    assert values == sorted(values, reverse=True)


def test_the_values_of_example_2_6_10_are_near_those_recomputed(noisy, worked_examples):
    expected = worked_examples["Q-2.6.10-sim"]["recomputed"]
    bins = worked_examples["Q-2.6.10-sim"]["parameters"]["bins"]
    for binning, name in (("equal_frequency", "equal_freq_P_a"), ("equal_length", "equal_length_P_a")):
        surface = attribution_surface(noisy, bins_key=bins, bins_target=bins, binning=binning)
        found = [surface.parts[f"p.{number}.{number}"] for number in bins]
        # Another draw of the noise, and edges on both tables pooled.
        assert found == pytest.approx(expected[name], abs=0.2)


def test_the_riskiest_target_is_shown(household_pair):
    pair = household_pair(["age", "sex"])
    surface = attribution_surface(pair, bins_key=[2], bins_target=[2])
    assert surface.value == max(
        attribution_surface(pair, target=name, bins_key=[2], bins_target=[2]).value
        for name in pair.roles.sensitive
    )


def test_labels_have_one_number_of_classes(example_pair):
    rng = np.random.default_rng(4)
    ages = rng.integers(20, 60, 200)
    bands = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in ages]
    pair = example_pair(list(ages), list(ages * 10.0), bands, list(ages * 10.0))
    assert "labels have one number of classes" in attribution_surface(pair).reason
    assert attribution_surface(pair, bins_key=[5], bins_target=[1]).value == 1


def test_keys_that_never_match_are_not_assessed(example_pair):
    assert isinstance(attribution_surface(example_pair(["a"], ["x"], ["b"], ["x"])), NotAssessed)


def test_overlapping_ranges_are_matched_by_containment(example_pair):
    """The decades of the thesis, counted by hand for class_attribution."""
    found = attribution_surface(
        example_pair(ORIGINAL, RESULT, CANDIDATE, RESULT), bins_key=[5], bins_target=[5]
    )
    assert found.value == found.parts["p_original.5.5"] == pytest.approx((10 / 4 + 29 / 7) / 11, rel=1e-12)
