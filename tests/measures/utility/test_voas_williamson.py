"""voas_williamson against the worked examples and synthpop."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.measures.utility.voas_williamson import voas_williamson
from sdc.statistics.counts.contingency import TwoCounts

PRINTED = [
    "Q-VW-2grp-printed-counts",
    "K-VW-2grp-printed-counts",
    "Q-4.4.5-from-data",
    "K-from-data-strict",
    "Q-VW-3grp-from-table",
    "K-VW-3grp-from-table",
]


@pytest.mark.parametrize("case", PRINTED)
def test_the_printed_formula_divides_by_the_candidates_count(case, worked_examples):
    inputs = worked_examples[case]["inputs"]
    assert TwoCounts.of(inputs["td"], inputs["ta"]).chi_squared_as_printed == pytest.approx(
        worked_examples[case]["recomputed"], rel=1e-12, abs=0
    )


@pytest.mark.parametrize("case", ["Q-VW-3grp-printed-expression", "K-VW-3grp-printed-expression"])
def test_the_printed_expression_was_added_up_wrongly(case, worked_examples):
    inputs = worked_examples[case]["inputs"]
    assert (
        TwoCounts.of(inputs["td_printed"], inputs["ta_printed"]).chi_squared_as_printed
        == worked_examples[case]["recomputed"]
    )


def test_the_value_divides_by_the_pooled_count(worked_examples):
    inputs = worked_examples["Q-VW-voas"]["inputs"]
    assert TwoCounts.of(inputs["td"], inputs["ta"]).voas_williamson == pytest.approx(
        worked_examples["Q-VW-voas"]["recomputed"], rel=1e-12
    )


def incomes(worked_examples, pair_of):
    inputs = worked_examples["Q-4.4.5-from-data"]["inputs"]
    return pair_of({"income": inputs["income_original"]}, {"income": inputs["income_synthetic"]})


@pytest.mark.parametrize(
    ("case", "edges"),
    [
        ("Q-4.4.5-from-data", (np.nextafter(60_000, np.inf),)),
        ("K-from-data-strict", (60_000.0,)),
        ("Q-VW-3grp-from-table", (np.nextafter(40_000, np.inf), np.nextafter(80_000, np.inf))),
    ],
)
def test_incomes_grouped_from_the_data_give_the_corrected_counts(case, edges, worked_examples, pair_of):
    pair = incomes(worked_examples, pair_of)
    cells = pair.cells([pair.classed("income", edges=(0, *edges, 1e6))])
    assert cells.original.tolist() == worked_examples[case]["inputs"]["td"]
    assert cells.candidate.tolist() == worked_examples[case]["inputs"]["ta"]


@pytest.mark.parametrize("name", ["cart", "parametric"])
def test_tables_of_the_syntheses_agree_with_synthpop(name, golden, golden_pair):
    pair = golden_pair(f"synthpop_{name}")
    for variables, expected in golden("utility_tab")["outputs"][name].items():
        found = voas_williamson(pair, variables=variables.split("+"))
        assert found.value == pytest.approx(expected["VW"], rel=1e-8), variables
        assert found.parts["standardised"] == pytest.approx(expected["S_VW"], rel=1e-8)
        assert found.parts["degrees"] == expected["df"]


def test_ten_groups_agree_with_synthpop(golden, golden_pair):
    expected = golden("utility_tab")["outputs"]["options"]["cart_age_income_ten_groups"]
    found = voas_williamson(golden_pair("synthpop_cart"), variables=["age", "income"], groups=10)
    assert found.value == pytest.approx(expected["VW"], rel=1e-8)
    assert found.parts["degrees"] == expected["df"]


def test_missing_values_left_out_agree_with_synthpop(golden, golden_pair):
    pair = golden_pair("synthpop_cart")
    expected = golden("utility_tab")["outputs"]["options"]["cart_income_education_missing_left_out"]
    cells = pair.cells([pair.classed("income"), "education"])
    here = (cells.codes >= 0).all(axis=1)
    assert TwoCounts.of(cells.original[here], cells.candidate[here]).voas_williamson == pytest.approx(
        expected["VW"], rel=1e-8
    )


def test_the_printed_form_is_given_only_where_it_is_defined(pair_of):
    assert "as_printed" not in voas_williamson(pair_of({"a": ["x", "y"]}, {"a": ["x", "x"]})).parts
    assert voas_williamson(pair_of({"a": ["x", "y"]}, {"a": ["x", "x", "y"]})).parts["as_printed"] == 1 / 2
