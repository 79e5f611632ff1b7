from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from sdc.catalogue.measurement import NotAssessed
from sdc.data.roles import MissingRule
from sdc.measures.risk.population_uniqueness import population_uniqueness
from sdc.statistics.uniqueness.population import bayes, pitman, slide_negative_binomial, wholly_sampled


def test_uniques_are_counted_in_the_population_file(example_pair, worked_examples):
    case = worked_examples["Q-2.1.3-RFUE-known"]
    outcome = population_uniqueness(
        example_pair(case["inputs"]["sample"], population=case["inputs"]["population"])
    )
    assert outcome.value == pytest.approx(case["recomputed"])
    assert outcome.parts["sample_uniques"] == 9
    assert outcome.parts["population_uniques_among_them"] == pytest.approx(7)


@pytest.mark.parametrize("case", ["Q-2.1.4-RFUE-corrected", "Q-2.1.4-RFUE-corrected-N30"])
@pytest.mark.parametrize("estimator", ["bayes", "zayatz", None])
def test_bayes_rule_is_the_corrected_one(example_pair, worked_examples, case, estimator):
    held = worked_examples[case]
    outcome = population_uniqueness(
        example_pair(held["inputs"]["sample"]), estimator=estimator, population_size=held["parameters"]["N"]
    )
    assert outcome.value == pytest.approx(held["recomputed"])


def test_the_printed_formula_is_a_part(example_pair, worked_examples):
    held = worked_examples["Q-2.1.4-RFUE-printed"]
    outcome = population_uniqueness(
        example_pair(held["inputs"]["sample"]), population_size=held["parameters"]["N"]
    )
    assert outcome.parts["as_printed"] == pytest.approx(held["recomputed"])


@pytest.mark.parametrize("case", ["Q-2.1.4-hyper-1", "Q-2.1.4-hyper-2", "Q-2.1.4-hyper-3"])
def test_the_chance_that_a_whole_class_is_sampled_is_hypergeometric(worked_examples, case):
    held = worked_examples[case]
    size = np.array([held["parameters"]["i"]])
    assert wholly_sampled(size, held["parameters"]["N"], held["parameters"]["n"]) == pytest.approx(
        held["recomputed"]
    )


def test_bayes_agrees_with_the_hypergeometric_distribution_of_scipy():
    sizes, classes, population = np.array([1, 2, 3, 7]), np.array([40, 10, 5, 2]), 900
    records = int((sizes * classes).sum())
    chances = [hypergeom.pmf(1, population, size, records) for size in sizes]
    assert bayes(sizes, classes, population) == pytest.approx(
        classes[0] * chances[0] / (classes * chances).sum()
    )


def restaurant(alpha, theta, people, rng):
    """Sizes of tables of a Chinese restaurant process, in order of arrival of the people."""
    seats, counts = [], []
    for person in range(people):
        new = (theta + alpha * len(counts)) / (theta + person)
        if rng.random() < new:
            counts.append(0)
            seats.append(len(counts) - 1)
        else:
            seats.append(seats[rng.integers(person)] if alpha == 0 else _old(counts, alpha, rng))
        counts[seats[-1]] += 1
    return np.array(seats)


def _old(counts, alpha, rng):
    weights = np.array(counts, dtype=float) - alpha
    return int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum()))


def test_pitman_recovers_the_share_of_uniques_that_stay_alone():
    rng = np.random.default_rng(12)
    seats = restaurant(0.5, 20.0, 6000, rng)
    sample = np.bincount(seats[:1500])
    whole = np.bincount(seats, minlength=sample.size)[: sample.size]
    truth = (whole[sample == 1] == 1).mean()
    sizes, classes = np.unique(sample[sample > 0], return_counts=True)
    assert pitman(sizes, classes, 6000) == pytest.approx(truth, abs=0.06)


def test_the_slide_negative_binomial_recovers_the_share_of_uniques_that_stay_alone():
    rng = np.random.default_rng(3)
    whole = 1 + rng.negative_binomial(0.6, 0.25, 8000)
    sample = rng.binomial(whole, 0.2)
    truth = (whole[sample == 1] == 1).mean()
    sizes, classes = np.unique(sample[sample > 0], return_counts=True)
    assert slide_negative_binomial(sizes, classes, int(whole.sum())) == pytest.approx(truth, abs=0.05)


@pytest.mark.parametrize("estimator", ["bayes", "pitman", "snb"])
def test_a_sample_that_is_the_population_is_unique_there_too(example_pair, estimator):
    pair = example_pair([["a"], ["b"], ["c"], ["c"]])
    assert population_uniqueness(pair, estimator=estimator, population_size=4).value == pytest.approx(
        1, abs=1e-6
    )


def test_generalised_keys_are_found_in_the_population_by_containment(example_pair):
    pair = example_pair(
        [[23, "f"], [41, "m"]],
        None,
        [["20-29", "f"], ["40-49", "m"]],
        population=[[23, "f"], [24, "f"], [41, "m"], [70, "m"]],
    )
    assert population_uniqueness(pair).value == pytest.approx(1 / 2)


def test_a_missing_key_is_unique_only_if_all_it_matches_is(example_pair):
    pair = example_pair([["a", None], ["b", "y"]], population=[["a", "x"], ["a", "y"], ["b", "y"]])
    assert population_uniqueness(pair).parts["sample_uniques"] == 2
    assert population_uniqueness(pair, missing=MissingRule.WILDCARD).value == pytest.approx(1 / 2)


def test_no_uniques_are_no_risk_and_an_unknown_population_is_said(example_pair):
    assert population_uniqueness(example_pair([["a"], ["a"]]), population_size=10).value == 0
    assert isinstance(population_uniqueness(example_pair([["a"]])), NotAssessed)
    assert isinstance(population_uniqueness(example_pair([["a"], ["b"]]), population_size=1), NotAssessed)
    assert isinstance(population_uniqueness(example_pair([["a"]]), estimator="known"), NotAssessed)


def test_the_sum_of_weights_stands_for_the_population(household_pair, households):
    keys = ["region", "sex", "marital_status", "education", "activity"]
    total = round(households["weight"].sum())
    assert (
        population_uniqueness(household_pair(keys)).value
        == population_uniqueness(household_pair(keys), population_size=total).value
    )


def test_overlapping_ranges_are_counted_by_containment(example_pair):
    """20-24 and 20-29 are unique in the candidate.

    Of the population one person is in the first and two are in the second.
    """
    pair = example_pair(
        [23, 27, 40, 41], candidate_keys=["20-24", "20-29", "40-49", "40-49"], population=[23, 27, 40, 45]
    )
    outcome = population_uniqueness(pair)
    assert (
        outcome.value,
        outcome.parts["sample_uniques"],
        outcome.parts["population_uniques_among_them"],
    ) == (0.5, 2, 1)


def test_wildcards_among_overlapping_ranges_are_not_assessed(example_pair):
    pair = example_pair(
        [23, 27], candidate_keys=["20-24", "20-29"], population=[23, 27], missing=MissingRule.WILDCARD
    )
    assert "overlap" in population_uniqueness(pair).reason
