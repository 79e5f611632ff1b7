"""published_figures on figures computed by hand and by laeken."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sdc.catalogue.registry import find_measure
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from tests.conftest import GOLDEN

NUMERIC = VariableType.NUMERIC
ROLES = Roles.of(
    [
        Variable("region"),
        Variable("age", Role.QUASI_IDENTIFIER, NUMERIC),
        Variable("income", Role.SENSITIVE, NUMERIC),
        Variable("weight", Role.WEIGHT, NUMERIC),
    ]
)
TABLE = pd.DataFrame(
    {
        "region": ["n", "n", "s", "s"],
        "age": [20, 70, 30, 80],
        "income": [10.0, 20.0, 30.0, 60.0],
        "weight": [1.0, 3.0, 1.0, 1.0],
    }
)
CANDIDATE = TABLE.assign(income=[10.0, 20.0, 30.0, 66.0])


def figure(name="f", indicator="mean", variable="income", **further):
    return {"name": name, "indicator": indicator, "variable": variable, **further}


def found(figures, candidate=CANDIDATE, original=TABLE, roles=ROLES):
    return assess(
        "published_figures", ReleasePair.from_frames(original, candidate, roles), {"figures": figures}
    ).outcome


def test_a_figure_holds_within_its_tolerance_or_interval():
    """The weighted mean is 160/6 of the original and 166/6 of the candidate."""
    asked = [
        figure("tight", value=160 / 6, tolerance=0.9),
        figure("wide", value=160 / 6, tolerance=1.0),
        figure("apart", low=26, high=27),
        figure("around", low=26, high=28),
    ]
    outcome = found(asked)
    assert outcome.value == 0.5
    assert [outcome.parts[f"reproduced.{each['name']}"] for each in asked] == [0, 1, 0, 1]
    assert outcome.parts["value.tight"] == pytest.approx(166 / 6)
    assert outcome.parts["difference.wide"] == pytest.approx(1)
    assert outcome.parts["original"] == 1


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (figure(indicator="total"), 166),
        (figure(domain={"region": "s"}), 48),
        (figure(domain={"age": {"at_least": 65}}), 126 / 4),
        (figure(domain={"age": {"at_least": 65, "at_most": 79.5}}), 20),
        (figure(domain={"age": 20}), 10),
        (figure(domain={"age": {"at_most": 70}, "region": ["n", "w"]}), 70 / 4),
        (figure(indicator="rate", variable="region", category="n"), 4 / 6),
        (figure(indicator="rate", variable="region", category="n", domain={"age": {"at_least": 70}}), 3 / 4),
        (figure(indicator="rate", variable="age", category="20"), 1 / 6),
        (figure(indicator="quantile"), 20),
        (figure(indicator="quantile", share=0.9), 66),
        (figure(indicator="at_risk_of_poverty"), 1 / 6),
        (figure(indicator="at_risk_of_poverty", domain={"region": "n"}), 1 / 4),
        (figure(indicator="quintile_share"), 66 / 70),
    ],
)
def test_figures_by_hand(asked, expected):
    outcome = found([{**asked, "value": expected, "tolerance": 1e-12}])
    assert outcome.parts["value.f"] == pytest.approx(expected, rel=1e-14)
    assert outcome.value == 1


def test_published_values_of_laeken_are_reproduced_by_the_original_and_lost_by_noise(golden, households):
    expected = golden("poverty_and_inequality")["outputs"]
    roles = Roles.of(
        [
            Variable("region"),
            Variable("equivalised_income", Role.OTHER, NUMERIC),
            Variable("weight", Role.WEIGHT, NUMERIC),
        ]
    )
    original = households[["region", "equivalised_income", "weight"]]
    noise = pd.read_csv(GOLDEN / "households" / "pairs" / "noise.csv")
    figures = [
        figure(
            f"{peer} {region}",
            indicator,
            "equivalised_income",
            domain={"region": region},
            value=value / unit,
            tolerance=1e-9,
            source="laeken",
        )
        for peer, indicator, unit in [
            ("gini", "gini", 100),
            ("arpr", "at_risk_of_poverty", 100),
            ("qsr", "quintile_share", 1),
        ]
        for region, value in expected["original"][peer]["by_region"].items()
    ]
    outcome = found(figures, original.assign(equivalised_income=noise["equivalised_income"]), original, roles)
    assert outcome.parts["original"] == 1
    same = [
        region
        for region in expected["original"]["arpr"]["by_region"]
        if expected["original"]["arpr"]["by_region"][region]
        == expected["candidate_noise"]["arpr"]["by_region"][region]
    ]
    assert outcome.value == pytest.approx(len(same) / len(figures))


def test_a_figure_the_candidate_cannot_give_is_not_reproduced():
    asked = [
        figure("mean", low=0, high=100),
        figure("old", domain={"age": {"at_least": 65}}, low=0, high=100),
    ]
    for candidate in (
        CANDIDATE.assign(age=["20-29", "70-79", "30-39", "80-89"]),
        CANDIDATE.drop(columns="age"),
    ):
        outcome = found(asked, candidate)
        assert (outcome.value, outcome.parts["not_computable"], outcome.parts["reproduced.old"]) == (
            0.5,
            1,
            0,
        )
        assert "value.old" not in outcome.parts
    empty = found([figure(domain={"region": "s"}, low=-100, high=100)], CANDIDATE.assign(region="n"))
    assert (empty.value, empty.parts["not_computable"]) == (0, 1)


def test_a_figure_the_original_cannot_give_is_a_mistake_of_the_profile():
    reason = found([figure("lost", variable="wealth", low=0, high=1)]).reason
    assert reason == "not computable from the original itself: lost"


def test_missing_values_and_weights_are_left_out():
    holes = CANDIDATE.assign(income=[10.0, np.nan, 30.0, 66.0], weight=[1.0, 3.0, 1.0, np.nan])
    assert found([figure(value=20, tolerance=0)], holes).value == 1


@pytest.mark.parametrize(
    "wrong",
    [
        figure(value=1),
        figure(low=1),
        figure(value=1, tolerance=1, low=0, high=2),
        figure(indicator="rate", value=1, tolerance=1),
        figure(category="n", value=1, tolerance=1),
        figure(value=1, tolerance=-1),
        figure(value=1, tolerance=1, when=2024),
    ],
)
def test_an_incomplete_figure_is_refused_before_any_data_are_read(wrong):
    with pytest.raises(ValidationError):
        find_measure("published_figures").arguments({"figures": [wrong]})


def test_two_figures_of_one_name_are_refused():
    with pytest.raises(ValidationError, match="same name"):
        find_measure("published_figures").arguments(
            {"figures": [figure(value=1, tolerance=1), figure(low=1, high=2)]}
        )


def test_without_figures_there_is_nothing_to_reproduce():
    assert "no published figures" in found([]).reason
