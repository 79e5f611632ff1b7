from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import nbinom

from sdc.catalogue.measurement import NotAssessed
from sdc.data.roles import MissingRule
from sdc.measures.risk.individual_risk import individual_risk
from sdc.statistics.uniqueness.reidentification import negative_binomial_risk

FIVE = ["region", "sex", "marital_status", "education", "activity"]
SIX = [*FIVE, "household_size"]
CASES = [
    ("complete_records_only", FIVE, MissingRule.OWN_CATEGORY, True),
    ("missing_is_wildcard_alpha_1", FIVE, MissingRule.WILDCARD, False),
    ("missing_is_own_category", FIVE, MissingRule.OWN_CATEGORY, False),
    ("six_keys_complete_records_only", SIX, MissingRule.OWN_CATEGORY, True),
    ("six_keys_missing_is_wildcard_alpha_1", SIX, MissingRule.WILDCARD, False),
    ("six_keys_missing_is_own_category", SIX, MissingRule.OWN_CATEGORY, False),
]


def agrees(values, expected, rel=1e-9):
    """A vector against its golden summary."""
    assert values.size == expected["n"]
    assert values[:20] == pytest.approx(expected["first_20"], rel=rel)
    assert values.sum() == pytest.approx(expected["sum"], rel=rel)
    assert (values.astype(float) ** 2).sum() == pytest.approx(expected["sum_of_squares"], rel=rel)
    assert (values.min(), values.max()) == pytest.approx((expected["min"], expected["max"]), rel=rel)


@pytest.mark.parametrize(("case", "keys", "missing", "complete"), CASES)
def test_frequencies_and_risks_are_those_of_sdcmicro(
    household_pair, households, golden, case, keys, missing, complete
):
    expected = golden("frequencies_and_individual_risk")["outputs"][case]
    pair = household_pair(keys, households["education"].notna() if complete else None, missing=missing)
    outcome = individual_risk(pair)
    agrees(outcome.by_record["sample_frequency"], expected["fk"], rel=0)
    agrees(outcome.by_record["population_frequency"], expected["Fk"])
    agrees(outcome.by_record["risk"], expected["individual_risk"])
    assert outcome.value == pytest.approx(expected["expected_reidentifications_over_n"], rel=1e-9)
    assert outcome.parts["expected_reidentifications"] == pytest.approx(
        expected["expected_reidentifications"], rel=1e-9
    )
    assert outcome.parts["largest"] == pytest.approx(expected["individual_risk"]["max"], rel=1e-9)
    for threshold in (0.1, 0.05):
        above = individual_risk(pair, threshold=threshold).parts["share_above"]
        assert above * expected["n_records"] == pytest.approx(
            expected[f"records_with_risk_above_{threshold}"]
        )


@pytest.mark.parametrize(
    ("case", "keys"), [("complete_records_only", FIVE), ("six_keys_complete_records_only", SIX)]
)
def test_the_exact_expectation_is_that_of_sdcmicro(household_pair, households, golden, case, keys):
    expected = golden("frequencies_and_individual_risk")["outputs"][case]
    outcome = individual_risk(household_pair(keys, households["education"].notna()), method="exact")
    agrees(outcome.by_record["risk"], expected["individual_risk_exact"], rel=1e-8)
    assert outcome.parts["expected_reidentifications"] == pytest.approx(
        expected["expected_reidentifications_exact"], rel=1e-8
    )


@pytest.mark.parametrize(
    ("sample", "population"),
    [(1, 3.0), (2, 17.5), (3, 9.0), (8, 50.0), (12, 20.0), (40, 400.0), (100, 9000.0)],
)
def test_the_exact_risk_is_the_mean_of_one_over_a_negative_binomial(sample, population):
    share = sample / population
    extra = np.arange(100_000)
    mean = (nbinom.pmf(extra, sample, share) / (sample + extra)).sum()
    assert negative_binomial_risk(np.array([sample]), np.array([population]), exact=True)[0] == pytest.approx(
        mean, rel=1e-9
    )


def test_closed_forms_of_small_classes():
    share = 0.3
    odds = share / (1 - share)
    log = np.log(1 / share)
    risks = negative_binomial_risk(np.array([1, 2, 3]), np.array([1, 2, 3]) / share)
    assert risks == pytest.approx([odds * log, odds - odds**2 * log, share / (3 - (1 - share))])


def test_a_sample_that_is_the_population_leaves_one_over_its_size():
    for exact in (True, False):
        assert negative_binomial_risk(
            np.array([1, 2, 5]), np.array([1.0, 2.0, 4.0]), exact=exact
        ) == pytest.approx([1, 1 / 2, 1 / 5])


def test_large_classes_do_not_overflow():
    assert negative_binomial_risk(np.array([100_000]), np.array([5e6]), exact=True)[0] == pytest.approx(
        1 / 5e6, rel=1e-3
    )


def test_weights_that_are_missing_or_not_positive_are_counted_in_the_reason(household_pair, households):
    broken = households.assign(weight=households["weight"].where(households.index >= 3, -1))
    assert individual_risk(household_pair(FIVE, candidate=broken)) == NotAssessed(
        "records whose weight is missing or not positive: 3"
    )


def test_an_aligned_candidate_without_weights_borrows_those_of_the_original(household_pair, households):
    bare = households.drop(columns="weight")
    assert (
        individual_risk(household_pair(FIVE, candidate=bare, aligned=True)).value
        == individual_risk(household_pair(FIVE)).value
    )
    assert isinstance(individual_risk(household_pair(FIVE, candidate=bare)), NotAssessed)
