"""freeman_tukey against synthpop, and counted by hand."""

from __future__ import annotations

import pytest

from sdc.measures.utility.freeman_tukey import freeman_tukey


@pytest.mark.parametrize("name", ["cart", "parametric"])
def test_tables_of_the_syntheses_agree_with_synthpop(name, golden, golden_pair):
    pair = golden_pair(f"synthpop_{name}")
    for variables, expected in golden("utility_tab")["outputs"][name].items():
        found = freeman_tukey(pair, variables=variables.split("+"))
        assert found.value == pytest.approx(expected["FT"], rel=1e-8), variables
        assert found.parts["standardised"] == pytest.approx(expected["S_FT"], rel=1e-8)


def test_empty_cells_are_no_obstacle(pair_of):
    found = freeman_tukey(pair_of({"a": ["x"] * 4}, {"a": ["y"] * 9}))
    assert found.value == pytest.approx(4 * (9 + 9))
    assert found.parts == {
        "standardised": pytest.approx(72),
        "degrees": 1,
        "statistic.a": pytest.approx(72),
        "standardised.a": pytest.approx(72),
    }
