"""jensen_shannon against the worked examples and synthpop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from sdc.measures.assess import assess
from sdc.measures.utility.jensen_shannon import jensen_shannon
from sdc.statistics.counts.contingency import TwoCounts


@pytest.mark.parametrize("case", ["Q-JSD-2grp", "Q-JSD-3grp", "Q-4.4.6"])
def test_counts_of_the_thesis_with_logarithms_to_base_2(case, worked_examples):
    inputs = worked_examples[case]["inputs"]
    found = TwoCounts.of(inputs["td"], inputs["ta"]).jensen_shannon
    assert found == pytest.approx(worked_examples[case]["recomputed"], rel=1e-12, abs=0)


@pytest.mark.parametrize("case", ["K-JSD-2grp", "K-JSD-max"])
def test_the_lectures_natural_logarithms_differ_by_the_factor_ln_2(case, worked_examples):
    inputs = worked_examples[case]["inputs"]
    found = TwoCounts.of(inputs["td"], inputs["ta"]).jensen_shannon
    assert found * math.log(2) == pytest.approx(worked_examples[case]["recomputed"], rel=1e-12)


def test_disjoint_tables_diverge_by_one(pair_of):
    assert jensen_shannon(pair_of({"a": ["x", "y"]}, {"a": ["z", "z"]})).value == 1


@pytest.mark.parametrize("name", ["cart", "parametric"])
def test_tables_of_the_syntheses_agree_with_synthpop(name, golden, golden_pair):
    pair = golden_pair(f"synthpop_{name}")
    for variables, expected in golden("utility_tab")["outputs"][name].items():
        found = jensen_shannon(pair, variables=variables.split("+"))
        assert found.value == pytest.approx(expected["JSD"], rel=1e-8), variables
        assert found.parts["degrees"] == expected["df"]


def test_without_variables_each_has_its_own_table_and_the_worst_counts(golden, golden_pair):
    tabs = golden("utility_tables")["outputs"]["cart"]["oneway"]["tabs"]
    expected = dict(
        zip(
            (row.split(".")[1] for row in tabs["rows"]),
            (row[tabs["cols"].index("JSD")] for row in tabs["data"]),
            strict=True,
        )
    )
    found = jensen_shannon(golden_pair("synthpop_cart"))
    for variable, value in expected.items():
        assert found.parts[f"divergence.{variable}"] == pytest.approx(value, rel=1e-8)
    assert found.value == pytest.approx(max(expected.values()), rel=1e-8)


def test_the_standardised_form_is_about_one_for_a_sample_from_the_original():
    rng = np.random.default_rng(11)
    original = np.array([400, 300, 150, 100, 50])
    found = []
    for _ in range(400):
        counts = TwoCounts.of(original, rng.multinomial(700, original / 1000))
        found.append(counts.standardised(counts.jensen_shannon_scaled))
    assert np.mean(found) == pytest.approx(1, abs=0.1)


def test_it_is_scipys_distance_squared():
    original, candidate = np.array([5, 0, 3, 9]), np.array([1, 4, 0, 2])
    assert TwoCounts.of(original, candidate).jensen_shannon == pytest.approx(
        jensenshannon(original / 17, candidate / 7, base=2) ** 2, rel=1e-12
    )


def test_a_missing_value_is_a_category(pair_of):
    assert jensen_shannon(pair_of({"a": ["x", None]}, {"a": ["x", "x"]})).value == pytest.approx(
        TwoCounts.of([1, 1], [2, 0]).jensen_shannon
    )


def test_a_constant_cannot_differ(pair_of):
    found = jensen_shannon(pair_of({"a": ["x", "x"]}, {"a": ["x"]}))
    assert (found.value, found.parts["standardised"]) == (0, 0)


@pytest.mark.parametrize(
    "name",
    [
        "jensen_shannon",
        "voas_williamson",
        "freeman_tukey",
        "cell_ks",
        "kl_divergence",
        "table_difference",
        "propensity_mse",
    ],
)
def test_a_recoded_number_is_compared_in_the_candidates_own_bands(name, pair_of):
    ages = [21, 25, 33, 38, 34, 47]
    same = pair_of({"age": ages}, {"age": ["20-29"] * 2 + ["30-39"] * 3 + ["40-49"]})
    moved = pair_of({"age": ages}, {"age": ["20-29"] * 3 + ["30-39"] * 2 + ["40-49"]})
    assert assess(name, same).value == 0
    assert assess(name, moved).value > 0


def test_bands_nobody_can_read_are_a_reason_not_a_distance(pair_of):
    assert (
        "cannot be read"
        in assess("jensen_shannon", pair_of({"age": [21, 25]}, {"age": ["young", "old"]})).not_assessed
    )
