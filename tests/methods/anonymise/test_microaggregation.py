from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadOption, CannotProtect

NUMBERS = ["equivalised_income", "spending", "wealth"]


def aggregate(table, **given):
    roles = Roles.of(
        Variable(
            name,
            Role.SENSITIVE,
            VariableType.NUMERIC if table[name].dtype == float else VariableType.CATEGORICAL,
        )
        for name in table
    )
    entry = find_method("microaggregation")
    return entry.function(table, roles, np.random.default_rng(0), **entry.arguments(given))


@pytest.fixture(scope="module")
def money(households):
    return households[[*NUMBERS, "income"]].astype(float)


def test_mdav_gives_the_reference_table_of_the_demonstration_data(money, golden):
    made = aggregate(money[NUMBERS])
    expected = pd.read_csv("tests/golden/households/pairs/mdav3.csv")
    assert np.abs(made.table.to_numpy() - expected.to_numpy()).max() <= 2e-6
    outputs = golden("microaggregation_mdav")["outputs"]
    assert made.record["groups"] == outputs["groups"]
    assert made.record["variance_within_groups"] == pytest.approx(outputs["SSE_over_SST"], rel=1e-9)


@pytest.mark.parametrize("grouping", ["mdav", "z_score_projection", "principal_component", "univariate"])
def test_means_are_kept_and_every_value_is_shared_by_k(money, grouping):
    made = aggregate(money, grouping=grouping, k=4)
    assert made.table.mean().to_numpy() == pytest.approx(money.mean().to_numpy(), rel=1e-12)
    for name in money:
        assert made.table[name].value_counts().min() >= 4
        assert made.table[name].isna().equals(money[name].isna())


def test_the_sum_of_z_scores_groups_as_counted_by_hand():
    """Scores of (0,0), (1,1), (2,2), (9,9), (8,8), (7,7), (10,10) rise with the value.

    Two groups of three, the last with four.
    """
    table = pd.DataFrame({"x": [0.0, 1, 2, 9, 8, 7, 10], "y": [0.0, 1, 2, 9, 8, 7, 10]})
    made = aggregate(table, grouping="z_score_projection").table
    assert made["x"].tolist() == [1, 1, 1, 8.5, 8.5, 8.5, 8.5]
    assert made["x"].tolist() == made["y"].tolist()


def test_mixed_data_get_modes_medians_and_means():
    near, far = ["n"] * 3 + ["s"] * 3, [1.0, 2.0, 6.0, 101.0, 102.0, 106.0]
    table = pd.DataFrame(
        {
            "place": pd.Categorical(near),
            "school": pd.Categorical(
                ["low", "low", "mid", "top", "mid", "top"], ["low", "mid", "top"], ordered=True
            ),
            "money": far,
            "day": pd.to_datetime(
                ["2020-01-01", "2020-01-02", "2020-01-03", "2021-01-01", "2021-01-02", "2021-01-03"]
            ),
        }
    )
    made = aggregate(table, variables=list(table.columns)).table
    assert made["place"].tolist() == near
    assert made["school"].tolist() == ["low"] * 3 + ["top"] * 3
    assert made["school"].cat.ordered
    assert made["money"].tolist() == [3.0] * 3 + [103.0] * 3
    assert made["day"].dt.strftime("%Y-%m-%d").tolist() == ["2020-01-02"] * 3 + ["2021-01-02"] * 3
    assert made.dtypes.equals(table.dtypes)


def test_groups_stay_within_classes(money, households):
    table = money[NUMBERS].assign(region=pd.Categorical(households["region"]))
    made = aggregate(table, variables=NUMBERS, by=["region"]).table
    before, after = (frame.groupby("region", observed=True)[NUMBERS].mean() for frame in (table, made))
    assert after.to_numpy() == pytest.approx(before.to_numpy(), rel=1e-12)


def test_the_median_can_stand_for_a_group():
    made = aggregate(pd.DataFrame({"x": [1.0, 2.0, 30.0]}), average="median").table
    assert made["x"].tolist() == [2.0, 2.0, 2.0]


def test_a_table_with_fewer_values_than_k_is_refused_by_name():
    with pytest.raises(CannotProtect, match=r"x has 2 values in the table, fewer than k = 3"):
        aggregate(pd.DataFrame({"x": [1.0, 2.0, np.nan]}))
    with pytest.raises(CannotProtect, match=r"x has 1 values in a class of g, fewer than k = 3"):
        aggregate(
            pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "g": pd.Categorical(list("aaab"))}),
            variables=["x"],
            by=["g"],
        )


def test_a_projection_of_text_is_refused():
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "g": pd.Categorical(list("aab"))})
    with pytest.raises(BadOption, match="g does not hold numbers, which only mdav can group"):
        aggregate(table, variables=["x", "g"], grouping="principal_component")
