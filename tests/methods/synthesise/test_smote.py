from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.errors import BadOption


@pytest.fixture(scope="module")
def clusters():
    """Two classes far apart, whose colour is theirs."""
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b"], [60, 20])
    centre = np.where(kind == "a", 0.0, 100.0)
    return pd.DataFrame(
        {"x": centre + rng.normal(size=80), "y": centre + rng.normal(size=80), "kind": pd.Categorical(kind)}
    )


def test_new_records_lie_within_their_class_and_keep_its_share(protect, clusters):
    made = protect("smote", clusters, {"by": ["kind"]}).table
    assert made["kind"].value_counts().to_dict() == {"a": 60, "b": 20}
    for kind, part in made.groupby("kind", observed=True):
        original = clusters[clusters["kind"] == kind]
        assert part["x"].between(original["x"].min(), original["x"].max()).all()
    assert not set(made["x"]) & set(clusters["x"])


def test_without_classes_categories_follow_the_neighbours(protect, clusters):
    made = protect("smote", clusters, {"neighbours": 3}).table
    assert ((made["x"] > 50) == (made["kind"] == "b")).all()


def test_a_class_of_one_record_has_only_that_record(protect):
    table = pd.DataFrame({"x": [1.0, 2.0, 9.0], "k": pd.Categorical(["a", "a", "b"])})
    made = protect("smote", table, {"by": ["k"]}).table
    assert made["x"][made["k"] == "b"].tolist() == [9.0]


@pytest.mark.parametrize("named", [["b"], []])
def test_a_named_category_grows_to_the_size_of_the_largest_from_its_own_records(protect, clusters, named):
    made = protect("smote", clusters, {"balance": {"kind": named}}).table
    assert made["kind"].value_counts().to_dict() == {"a": 60, "b": 60}
    assert (made["x"][made["kind"] == "b"] > 50).all()


def test_only_named_categories_grow_and_classes_within_them_keep_their_shares(protect):
    table = pd.DataFrame(
        {
            "x": np.arange(60.0),
            "kind": pd.Categorical(["a"] * 40 + ["b"] * 10 + ["c"] * 10),
            "sex": pd.Categorical(["f", "m", "m", "m", "m"] * 12),
        }
    )
    made = protect("smote", table, {"balance": {"kind": ["c"]}, "by": ["sex"]}).table
    assert made.groupby(["kind", "sex"], observed=True).size().to_dict() == {
        ("a", "f"): 8, ("a", "m"): 32, ("b", "f"): 2, ("b", "m"): 8, ("c", "f"): 8, ("c", "m"): 32,
    }  # fmt: skip
    assert len(protect("smote", table, {"balance": {"kind": []}, "rows": 30}).table) == 30


def test_what_cannot_be_balanced_is_refused(protect, clusters):
    with pytest.raises(BadOption, match="kind has no record of 1 of the categories named"):
        protect("smote", clusters, {"balance": {"kind": ["z"]}})
    with pytest.raises(BadOption, match="x does not hold categories"):
        protect("smote", clusters, {"balance": {"x": []}})


def test_a_law_around_the_middle_keeps_away_from_both_ends(protect):
    """Of two records each is the other's neighbour.

    New ones lie between 0 and 1, uniformly with a variance of 1/12.
    """
    table = pd.DataFrame({"x": [0.0, 1.0], "y": [0.123456789, 0.987654321]})
    drawn = {
        law: protect("smote", table, {"rows": 4000, "law": law, "neighbours": 1}).table["y"]
        for law in ("uniform", "beta", "normal")
    }
    spread = {law: float(((values - 0.123456789) / 0.864197532).var()) for law, values in drawn.items()}
    assert spread["uniform"] == pytest.approx(1 / 12, rel=0.08)
    assert spread["beta"] == pytest.approx(1 / 20, rel=0.08)
    assert spread["normal"] == pytest.approx(1 / 36, rel=0.08)
