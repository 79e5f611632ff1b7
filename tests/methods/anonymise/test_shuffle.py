from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from sdc.errors import BadOption


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(6)
    held = (
        rng.normal(size=(8000, 3))
        @ np.linalg.cholesky(np.array([[1, 0.7, 0.5], [0.7, 1, 0.2], [0.5, 0.2, 1]])).T
    )
    return pd.DataFrame(
        {"income": np.exp(held[:, 0]), "wealth": held[:, 1] ** 3, "age": np.round(40 + 10 * held[:, 2])}
    )


def test_values_are_kept_and_so_are_rank_correlations(protect, table):
    made = protect("shuffle", table, {"variables": ["income", "wealth"], "given": ["age"]}).table
    for name in table:
        assert sorted(made[name]) == sorted(table[name])
    assert made["age"].equals(table["age"])
    assert spearmanr(made).statistic == pytest.approx(spearmanr(table).statistic, abs=0.03)


def test_what_a_record_had_does_not_matter_beyond_what_is_given(protect, table):
    made = protect("shuffle", table, {"variables": ["income", "wealth"], "given": ["age"]}).table
    alone = protect("shuffle", table, {"variables": ["income"]}).table
    explained = spearmanr(table["income"], table["age"]).statistic ** 2
    assert spearmanr(made["income"], table["income"]).statistic == pytest.approx(explained, abs=0.05)
    assert abs(spearmanr(alone["income"], table["income"]).statistic) < 0.05


def test_values_are_dealt_within_classes_and_missing_stays_missing(protect, table):
    some = table.head(400).assign(g=pd.Categorical(np.tile(["a", "b"], 200)))
    some.loc[::5, "income"] = np.nan
    made = protect("shuffle", some, {"variables": ["income"], "given": ["age"], "by": ["g"]}).table
    assert made["income"].isna().equals(some["income"].isna())
    for kind in "ab":
        assert sorted(made.loc[some["g"] == kind, "income"].dropna()) == sorted(
            some.loc[some["g"] == kind, "income"].dropna()
        )


def test_names_without_order_are_refused(protect):
    frame = pd.DataFrame({"x": [1.0, 2.0], "g": pd.Categorical(["a", "b"])})
    with pytest.raises(BadOption, match="g has no order"):
        protect("shuffle", frame, {"variables": ["x"], "given": ["g"]})
