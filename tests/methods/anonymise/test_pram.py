from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sdc.data.roles import Role
from sdc.errors import BadOption, CannotProtect
from sdc.statistics.noise.post_randomisation import invariant_matrix
from tests.methods.conftest import roles_of

TABLE = pd.DataFrame(
    {
        "region": pd.Categorical(["n"] * 500 + ["s"] * 300 + ["w"] * 180 + ["e"] * 20),
        "area": pd.Categorical(["x", "y"] * 500),
    }
)


def test_the_matrix_is_invariant_and_keeps_as_many_as_asked_for(households):
    shares = households["region"].value_counts(normalize=True).to_numpy()
    for keep in (0.2, 0.5, 0.9):
        matrix = invariant_matrix(shares, keep)
        assert matrix.sum(axis=1) == pytest.approx(np.ones(len(shares)), abs=1e-12)
        assert shares @ matrix == pytest.approx(shares, abs=1e-12)
        assert np.sum(shares * np.diag(matrix)) == pytest.approx(keep)


def test_margins_are_expected_to_stay(protect):
    totals = (
        sum(
            protect("pram", TABLE, {"variables": ["region"], "keep": 0.6}, seed=seed)
            .table["region"]
            .value_counts()
            for seed in range(300)
        )
        / 300
    )
    expected = TABLE["region"].value_counts()
    error = 4 * np.sqrt(expected * 0.4 / 300)
    assert ((totals.reindex(expected.index) - expected).abs() < error + 0.5).all()


def test_the_share_kept_is_near_the_one_asked_for(protect):
    made = protect("pram", TABLE, {"variables": ["region"], "keep": 0.7})
    assert (made.table["region"] == TABLE["region"]).mean() == pytest.approx(0.7, abs=0.06)
    assert made.record["expected_share_kept"]["region"] == pytest.approx(0.7)
    assert made.table.dtypes.equals(TABLE.dtypes)


def test_own_chances_are_followed_and_categories_without_a_row_stay(protect):
    own = {"region": {"n": {"s": 1.0}, "s": {"s": 0.5, "w": 0.5}}}
    made = protect("pram", TABLE, {"variables": ["region"], "matrix": own}).table["region"]
    assert (made[:500] == "s").all()
    assert set(made[500:800]) == {"s", "w"}
    assert (made[500:800] == "s").mean() == pytest.approx(0.5, abs=0.12)
    assert made[800:].equals(TABLE["region"][800:])


def test_chances_are_made_in_every_class(protect):
    table = pd.DataFrame(
        {
            "region": pd.Categorical(["n", "s"] * 50 + ["w", "e"] * 50),
            "area": pd.Categorical(["x"] * 100 + ["y"] * 100),
        }
    )
    made = protect("pram", table, {"variables": ["region"], "keep": 0.5, "by": ["area"]}).table
    assert set(made["region"][:100]) == {"n", "s"}
    assert set(made["region"][100:]) == {"w", "e"}


def test_the_chances_are_sealed_and_nowhere_else(protect):
    made = protect("pram", TABLE, {"variables": ["region"]})
    assert made.sealed["transition"]["region"]["levels"] == ["e", "n", "s", "w"]
    assert len(made.sealed["transition"]["region"]["chances"][0]) == 4
    assert "chances" not in str(made.record)


def test_missing_stays_missing_and_a_constant_stays_constant(protect):
    table = pd.DataFrame({"a": pd.Categorical(["x", None, "y", "x"]), "b": pd.Categorical(["z"] * 4)})
    made = protect("pram", table, {"variables": ["a", "b"], "keep": 0.6}).table
    assert made["a"].isna().tolist() == [False, True, False, False]
    assert made["b"].tolist() == ["z"] * 4


def test_the_default_is_the_categorical_quasi_identifiers(protect):
    made = protect("pram", TABLE, {"keep": 0.5}, roles=roles_of(TABLE, region=Role.QUASI_IDENTIFIER))
    assert made.table["area"].equals(TABLE["area"])
    assert not made.table["region"].equals(TABLE["region"])


def test_what_cannot_be_done_is_refused_by_name(protect):
    with pytest.raises(CannotProtect, match="region is so uneven"):
        protect(
            "pram",
            pd.DataFrame({"region": pd.Categorical(["n"] * 99 + ["s"])}),
            {"variables": ["region"], "keep": 0.5},
        )
    with pytest.raises(BadOption, match="1 categories to which region may change do not occur"):
        protect("pram", TABLE, {"variables": ["region"], "matrix": {"region": {"n": {"nowhere": 1.0}}}})
    with pytest.raises(BadOption, match="area is not among the variables"):
        protect("pram", TABLE, {"variables": ["region"], "matrix": {"area": {"x": {"y": 1.0}}}})
    with pytest.raises(BadOption, match="x does not hold categories"):
        protect("pram", pd.DataFrame({"x": [1.0]}), {"variables": ["x"]})
    with pytest.raises(ValidationError):
        protect("pram", TABLE, {"variables": ["region"], "matrix": {"region": {"n": {"s": 0.5}}}})
