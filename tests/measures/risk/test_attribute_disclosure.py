from __future__ import annotations

import pytest

from sdc.measures.risk.attribute_disclosure import attribute_disclosure

KEYS = ["sex", "age", "region", "marital_status"]
NAMES = {
    "Dorig": "in_original_disclosive",
    "Dsyn": "candidate_disclosive",
    "iS": "keys_in_candidate",
    "DiS": "in_candidate_disclosive",
    "DiSCO": "disco",
    "DiSDiO": "disdio",
    "max_denom": "largest_denominator",
    "mean_denom": "mean_denominator",
    "baseCAPd": "base_cap",
    "CAPd": "cap_original",
    "CAPs": "cap_candidate",
    "DCAP": "dcap",
    "TCAP": "tcap",
}


@pytest.mark.parametrize(
    ("case", "target"), [("health", "health"), ("activity", "activity"), ("income_in_five_groups", "income")]
)
@pytest.mark.parametrize("candidate", ["cart", "parametric"])
def test_disclosure_is_that_of_synthpop(household_pair, golden, golden_pair, candidate, case, target):
    expected = golden("disclosure")["outputs"][candidate][case]
    outcome = attribute_disclosure(
        household_pair(KEYS, candidate=golden_pair(f"synthpop_{candidate}")), target=target
    )
    for name, value in {**expected["attrib"], **expected["caps"]}.items():
        assert outcome.parts[NAMES[name]] == pytest.approx(value, rel=1e-9), name
    assert outcome.value == outcome.parts["disco"]


def test_base_rate_and_tcap_are_those_of_the_worked_example(example_pair, worked_examples):
    base, attributed = worked_examples["Q-2.6.1-DCAP-baseline"], worked_examples["Q-2.6.1-TCAP"]
    outcome = attribute_disclosure(
        example_pair(*(attributed["inputs"][name] for name in ("KO", "TO", "KA", "TA")))
    )
    assert outcome.parts["base_cap"] / 100 == pytest.approx(base["recomputed"])
    # Two men are told right, and no woman; of the men, whose key alone tells, all.
    assert outcome.value == 50
    assert outcome.value / outcome.parts["in_candidate_disclosive"] == pytest.approx(attributed["recomputed"])


def test_large_cells_are_not_counted_beyond_the_limit(example_pair):
    pair = example_pair(["a", "a", "a", "b"], ["x", "x", "x", "y"])
    assert attribute_disclosure(pair).value == 100
    limited = attribute_disclosure(pair, denominator_limit=2)
    assert limited.value == 25
    assert limited.parts["largest_denominator"] == 1


def test_a_missing_target_discloses_unless_excluded(example_pair):
    pair = example_pair(["a", "b", "b"], [None, "x", "y"])
    assert attribute_disclosure(pair).value == pytest.approx(100 / 3)
    excluded = attribute_disclosure(pair, exclude_missing=True)
    assert (
        excluded.value,
        excluded.parts["in_original_disclosive"],
        excluded.parts["largest_denominator"],
    ) == (0, 0, 0)


def test_without_a_target_the_riskiest_counts(household_pair, golden_pair, household_roles):
    outcome = attribute_disclosure(household_pair(KEYS), keys=KEYS)
    assert outcome.value == max(value for name, value in outcome.parts.items() if name.startswith("value."))
