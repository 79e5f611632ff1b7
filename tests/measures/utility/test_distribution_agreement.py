"""distribution_agreement against scipy's one-sample tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.assess import assess
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
    found = distribution_agreement(
        pair_of({"x": x}, {"x": rng.normal(x.mean(), x.std(), 500)}), families=["normal", "exponential"]
    )
    assert found.value == 0


def test_families_the_original_cannot_follow_are_left_out(pair_of):
    found = distribution_agreement(pair_of({"x": [-1.0, 0.5, 2.0]}, {"x": [-1.0, 0.5, 2.0]}))
    assert {name.rsplit(".", 1)[1] for name in found.parts} == {"normal"}
    assert isinstance(distribution_agreement(pair_of({"x": [1.0, 1.0]}, {"x": [1.0, 1.0]})), NotAssessed)


@pytest.mark.parametrize(
    ("law", "scipys"),
    [
        ({"law": "normal", "location": 2, "scale": 1.5}, stats.norm(2, 1.5)),
        ({"law": "lognormal", "location": 0.5, "scale": 0.8}, stats.lognorm(0.8, scale=np.exp(0.5))),
        ({"law": "exponential", "location": 1, "scale": 2}, stats.expon(1, 2)),
        ({"law": "uniform", "location": 0, "scale": 5}, stats.uniform(0, 5)),
    ],
)
def test_a_law_with_given_parameters_is_tested_as_by_scipy(law, scipys, pair_of):
    generator = np.random.default_rng(6)
    x, y = generator.normal(2, 1.5, 400), generator.normal(2.4, 1.5, 300)
    outcome = assess(
        "distribution_agreement", pair_of({"x": x}, {"x": y}), {"laws": {"x": law}, "level": 0.01}
    ).outcome
    decisions = []
    for side, values in (("original", x), ("candidate", y)):
        test = stats.ks_1samp(values, scipys.cdf, mode="asymp")
        assert outcome.parts[f"distance_{side}.x.given"] == pytest.approx(test.statistic, rel=1e-10)
        assert outcome.parts[f"p_{side}.x.given"] == pytest.approx(test.pvalue, rel=1e-9, abs=1e-300)
        decisions.append(test.pvalue < 0.01)
        assert outcome.parts[f"rejected_{side}.x.given"] == decisions[-1]
    assert outcome.value == (decisions[0] == decisions[1])
    assert not any(name.endswith(".normal") for name in outcome.parts)


def test_given_laws_stand_beside_families_that_are_asked_for(pair_of):
    given = {"laws": {"x": {"law": "normal", "location": 0, "scale": 1}}, "families": ["normal"]}
    outcome = assess(
        "distribution_agreement", pair_of({"x": [-1.0, 0.5, 2.0]}, {"x": [-1.0, 0.5, 2.0]}), given
    ).outcome
    assert {name.rsplit(".", 1)[1] for name in outcome.parts} == {"normal", "given"}
    assert not any(name.startswith("p_") and name.endswith(".normal") for name in outcome.parts)
    other = assess(
        "distribution_agreement",
        pair_of({"x": [1.0, 2]}, {"x": [1.0, 2]}),
        {"laws": {"y": given["laws"]["x"]}},
    )
    assert other.not_assessed == "a law is given of y, which is not compared"
