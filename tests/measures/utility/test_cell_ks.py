"""cell_ks against the worked examples and synthpop."""

from __future__ import annotations

import pytest

from sdc.measures.utility.cell_ks import cell_ks
from sdc.statistics.counts.contingency import TwoCounts


@pytest.mark.parametrize("case", ["Q-KS-2grp", "K-KS-2grp", "Q-KS-3grp-from-table", "K-KS-3grp-from-table"])
def test_cumulative_shares_of_the_thesis_and_the_lecture(case, worked_examples):
    inputs = worked_examples[case]["inputs"]
    assert TwoCounts.of(inputs["td"], inputs["ta"]).cumulative == pytest.approx(
        worked_examples[case]["recomputed"], rel=1e-12
    )


def test_the_largest_single_cell_is_another_statistic(worked_examples):
    case = worked_examples["Q-KS-3grp-percell"]
    assert TwoCounts.of(case["inputs"]["td"], case["inputs"]["ta"]).largest_cell == pytest.approx(
        case["recomputed"], rel=1e-12
    )


def test_a_number_is_added_up_in_its_order(worked_examples, pair_of):
    """The three income groups of the thesis as values 1, 2, 3."""
    inputs = worked_examples["Q-KS-3grp-from-table"]["inputs"]
    tables = [
        {"group": [place for place, count in enumerate(counts) for _ in range(count)]}
        for counts in (inputs["td"], inputs["ta"])
    ]
    found = cell_ks(pair_of(*tables), groups=20)
    assert found.value == pytest.approx(0.2)
    assert found.parts["largest_cell"] == pytest.approx(0.3)


def test_an_ordinal_is_added_up_in_its_declared_order_and_a_category_is_not(pair_of):
    original, candidate = (
        {"a": ["low"] * 3 + ["middle"] * 5 + ["high"] * 2},
        {"a": ["low"] + ["middle"] * 8 + ["high"]},
    )
    assert cell_ks(
        pair_of(original, candidate, order={"a": ("low", "middle", "high")})
    ).value == pytest.approx(0.2)
    assert cell_ks(pair_of(original, candidate)).value == pytest.approx(0.3)


def test_missing_values_come_last(pair_of):
    order = {"a": ("low", "high")}
    found = cell_ks(
        pair_of({"a": ["low", "high", None, None]}, {"a": ["low", "low", "low", "high"]}, order=order)
    )
    assert found.value == pytest.approx(max(3 / 4 - 1 / 4, 4 / 4 - 2 / 4))


@pytest.mark.parametrize("name", ["cart", "parametric"])
def test_joint_tables_have_synthpops_total_variation(name, golden, golden_pair):
    pair = golden_pair(f"synthpop_{name}")
    expected = {
        variables: told["SPECKS"]
        for variables, told in golden("utility_tab")["outputs"][name].items()
        if "+" in variables or variables in ("sex", "education", "health")
    }
    assert {"sex", "education", "health"} < expected.keys()
    assert {
        variables: cell_ks(pair, variables=variables.split("+")).value for variables in expected
    } == pytest.approx(expected, rel=1e-8)
