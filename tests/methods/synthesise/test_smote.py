from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def clusters():
    """Two classes far apart, whose colour is theirs."""
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b"], [60, 20])
    centre = np.where(kind == "a", 0.0, 100.0)
    return pd.DataFrame({"x": centre + rng.normal(size=80), "y": centre + rng.normal(size=80), "kind": pd.Categorical(kind)})


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
