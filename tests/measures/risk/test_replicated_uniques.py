from __future__ import annotations

import pytest

from sdc.measures.risk.replicated_uniques import replicated_uniques

KEYS = {
    "sex_age_region_marital_status": ["sex", "age", "region", "marital_status"],
    "sex_region_marital_status_education_activity": [
        "sex",
        "region",
        "marital_status",
        "education",
        "activity",
    ],
}


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("candidate", ["cart", "parametric"])
def test_uniques_are_those_of_synthpop(household_pair, golden, golden_pair, candidate, keys):
    expected = golden("replicated_uniques")["outputs"][candidate][keys]["numbers"]
    outcome = replicated_uniques(household_pair(KEYS[keys], candidate=golden_pair(f"synthpop_{candidate}")))
    names = ("unique_in_original", "unique_in_candidate", "candidate_uniques_in_original", "replicated")
    assert [outcome.parts[f"count_{name}"] for name in names] == expected


@pytest.mark.parametrize("candidate", ["cart", "parametric"])
def test_percentages_are_those_of_synthpop(household_pair, golden, golden_pair, candidate):
    expected = golden("disclosure")["outputs"][candidate]["health"]["ident"]
    outcome = replicated_uniques(
        household_pair(
            ["sex", "age", "region", "marital_status"], candidate=golden_pair(f"synthpop_{candidate}")
        )
    )
    assert outcome.value == pytest.approx(expected["repU"], rel=1e-9)
    assert outcome.parts["unique_in_original"] == pytest.approx(expected["UiO"], rel=1e-9)
    assert outcome.parts["unique_in_candidate"] == pytest.approx(expected["UiS"], rel=1e-9)
    assert outcome.parts["uniques_in_both_tables"] == pytest.approx(expected["UiOiS"], rel=1e-9)


def test_an_original_released_as_it_is_replicates_all_its_uniques(household_pair, golden):
    outcome = replicated_uniques(household_pair(["sex", "age", "region", "marital_status"]))
    assert outcome.value == outcome.parts["unique_in_original"] == pytest.approx(100 * 1014 / 5915)


def test_a_generalised_key_is_replicated_by_containment(example_pair):
    pair = example_pair([[23, "f"], [31, "m"]], None, [["20-29", "f"], ["30-39", "f"]])
    assert replicated_uniques(pair).value == 50
    assert replicated_uniques(pair, keys=["key_0"]).value == 100


def test_numbers_in_classes_are_replicated_by_class(example_pair):
    pair = example_pair([1.0, 5.0], None, [1.2, 5.1])
    assert replicated_uniques(pair).value == 0
    assert replicated_uniques(pair, edges={"key_0": [0.0, 3.0, 6.0]}).value == 100
