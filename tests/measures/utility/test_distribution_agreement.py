"""distribution_agreement against scipy's one-sample tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from sdc.measurement import NotAssessed
from sdc.measures.utility.distribution_agreement import distribution_agreement


def test_the_decision_is_by_the_quantile_of_kolmogorovs_law(worked_examples):
    assert special.kolmogi(1 - worked_examples["K-KS-quantile"]["parameters"]["p"]) == pytest.approx(
        worked_examples["K-KS-quantile"]["recomputed"], abs=1e-7
    )


def test_distances_are_scipys_and_decisions_follow(pair_of):
    rng = np.random.default_rng(3)
    x = rng.lognormal(1, 0.5, 300)
    y = np.append(rng.normal(3, 1, 200), -1.0)
    found = distribution_agreement(pair_of({"x": x}, {"x": y}))
    laws = {
        "normal": stats.norm(x.mean(), x.std()),
        "lognormal": stats.lognorm(np.log(x).std(), scale=np.exp(np.log(x).mean())),
        "exponential": stats.expon(scale=x.mean()),
    }
    agreed = 0
    for family, law in laws.items():
        decisions = []
        for side, values in (("original", x), ("candidate", y)):
            distance = stats.ks_1samp(values, law.cdf).statistic
            assert found.parts[f"distance_{side}.x.{family}"] == pytest.approx(distance, rel=1e-10)
            decisions.append(np.sqrt(values.size) * distance > 1.3580986)
            assert found.parts[f"rejected_{side}.x.{family}"] == decisions[-1]
        agreed += decisions[0] == decisions[1]
    assert found.value == agreed / 3


def test_a_candidate_turned_normal_changes_the_decision(pair_of):
    rng = np.random.default_rng(4)
    x = rng.exponential(size=500)
    found = distribution_agreement(pair_of({"x": x}, {"x": rng.normal(x.mean(), x.std(), 500)}), families=["normal", "exponential"])
    assert found.value == 0


def test_families_the_original_cannot_follow_are_left_out(pair_of):
    found = distribution_agreement(pair_of({"x": [-1.0, 0.5, 2.0]}, {"x": [-1.0, 0.5, 2.0]}))
    assert {name.rsplit(".", 1)[1] for name in found.parts} == {"normal"}
    assert isinstance(distribution_agreement(pair_of({"x": [1.0, 1.0]}, {"x": [1.0, 1.0]})), NotAssessed)
