"""table_fit against synthpop's tables of all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.utility.table_fit import table_fit

NAMES = {
    "S_pMSE": "standardised",
    "pMSE": "pmse",
    "VW": "voas_williamson",
    "FT": "freeman_tukey",
    "S_FT": "standardised_freeman_tukey",
    "JSD": "jensen_shannon",
    "G": "likelihood_ratio",
    "S_G": "standardised_likelihood_ratio",
    "SPECKS": "specks",
    "U": "rank_sum_u",
    "PO50": "po50",
    "MabsDD": "mean_absolute_difference",
    "WMabsDD": "weighted_absolute_difference",
    "S_WMabsDD": "standardised_weighted_absolute_difference",
    "dBhatt": "bhattacharyya",
    "df": "degrees",
}


@pytest.mark.parametrize("name", ["cart", "parametric"])
@pytest.mark.parametrize(("kind", "ways"), [("oneway", 1), ("twoway", 2)])
def test_every_statistic_of_every_table_agrees_with_synthpop(name, kind, ways, golden, golden_pair):
    tabs = golden("utility_tables")["outputs"][name][kind]["tabs"]
    found = table_fit(golden_pair(f"synthpop_{name}"), ways=ways)
    for row, numbers in zip(tabs["rows"], tabs["data"], strict=True):
        table = "+".join(part.split(".")[1] for part in row.split(":"))
        for column, number in zip(tabs["cols"], numbers, strict=True):
            if column in NAMES:
                assert found.parts[f"{NAMES[column]}.{table}"] == pytest.approx(number, rel=1e-8), (
                    table,
                    column,
                )
    fits = [numbers[tabs["cols"].index("S_pMSE")] for numbers in tabs["data"]]
    assert found.value == pytest.approx(max(fits), rel=1e-8)
    assert found.parts["mean"] == pytest.approx(np.mean(fits), rel=1e-8)


@pytest.mark.parametrize("name", ["cart", "parametric"])
def test_scores_by_variable_are_means_over_its_tables(name, golden, golden_pair):
    tabs = golden("utility_tables")["outputs"][name]["twoway"]["tabs"]
    fits = {
        row: numbers[tabs["cols"].index("S_pMSE")]
        for row, numbers in zip(tabs["rows"], tabs["data"], strict=True)
    }
    found = table_fit(golden_pair(f"synthpop_{name}"))
    assert found.parts["variable.income"] == pytest.approx(
        np.mean([fit for row, fit in fits.items() if "income" in row]), rel=1e-8
    )


def test_large_sparse_tables_are_counted_alike(pair_of):
    """Four hundred cells squared are far more than records: counted another way, the same by hand."""
    rng = np.random.default_rng(9)
    original, candidate = (
        {name: [f"{code}" for code in rng.integers(0, 400, 60)] for name in ("a", "b")} for _ in range(2)
    )
    found = table_fit(pair_of(original, candidate))
    pairs = [set(zip(table["a"], table["b"], strict=True)) for table in (original, candidate)]
    assert found.parts["degrees.a+b"] == len(pairs[0] | pairs[1]) - 1


def test_it_needs_as_many_variables_as_ways(pair_of):
    assert isinstance(table_fit(pair_of({"a": ["x"]}, {"a": ["x"]})), NotAssessed)
