from __future__ import annotations

import numpy as np
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.data.roles import MissingRule
from sdc.measures.risk.household_risk import household_risk
from sdc.statistics.uniqueness.reidentification import household_risk as risk_in_household

FIVE = ["region", "sex", "marital_status", "education", "activity"]
SIX = [*FIVE, "household_size"]


@pytest.mark.parametrize(
    ("case", "keys", "missing", "complete"),
    [
        ("complete_records_only", FIVE, MissingRule.OWN_CATEGORY, True),
        ("missing_is_wildcard_alpha_1", FIVE, MissingRule.WILDCARD, False),
        ("missing_is_own_category", FIVE, MissingRule.OWN_CATEGORY, False),
        ("six_keys_complete_records_only", SIX, MissingRule.OWN_CATEGORY, True),
        ("six_keys_missing_is_wildcard_alpha_1", SIX, MissingRule.WILDCARD, False),
        ("six_keys_missing_is_own_category", SIX, MissingRule.OWN_CATEGORY, False),
    ],
)
def test_household_risk_is_that_of_sdcmicro(
    household_pair, households, golden, case, keys, missing, complete
):
    expected = golden("frequencies_and_individual_risk")["outputs"][case]
    outcome = household_risk(
        household_pair(keys, households["education"].notna() if complete else None, missing=missing)
    )
    risk = outcome.by_record["household_risk"]
    summary = expected["household_risk"]
    assert risk[:20] == pytest.approx(summary["first_20"], rel=1e-9)
    assert (risk**2).sum() == pytest.approx(summary["sum_of_squares"], rel=1e-9)
    assert (risk.min(), risk.max()) == pytest.approx((summary["min"], summary["max"]), rel=1e-9)
    assert outcome.value == pytest.approx(expected["household_expected_reidentifications_over_n"], rel=1e-9)
    assert outcome.parts["expected_reidentifications"] == pytest.approx(
        expected["household_expected_reidentifications"], rel=1e-9
    )
    assert outcome.parts["share_above"] * expected["n_records"] == pytest.approx(
        expected["records_with_household_risk_above_0.1"]
    )


def test_every_member_bears_the_risk_of_all():
    risk = risk_in_household(np.array([0.5, 0.1, 0.2, 0.3]), np.array([7, 2, 7, -1]))
    assert risk == pytest.approx([1 - 0.5 * 0.8, 0.1, 1 - 0.5 * 0.8, 0.3])


def test_records_without_a_household_number_are_alone():
    assert risk_in_household(np.array([0.5, 0.5]), np.array([-1, -1])) == pytest.approx([0.5, 0.5])


def test_a_candidate_without_household_numbers_is_not_assessed(household_pair, households):
    assert household_risk(
        household_pair(FIVE, candidate=households.drop(columns="household_id"))
    ) == NotAssessed("the candidate has no household_id")
