"""train_on_candidate on tables whose predictability is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.measures.utility import train_on_candidate as module
from sdc.run.randomness import Randomness
from sdc.statistics.regression.prediction import explained_share

NUMERIC = VariableType.NUMERIC
ROLES = Roles.of(
    [
        Variable("x", Role.QUASI_IDENTIFIER, NUMERIC),
        Variable("g", Role.QUASI_IDENTIFIER),
        Variable("y", Role.SENSITIVE, NUMERIC),
        Variable("h"),
    ]
)


def table(records, seed, effect=1.0):
    rng = np.random.default_rng(seed)
    x, g = rng.normal(size=records), rng.choice(["a", "b", "c"], records)
    y = effect * (2 * x + 3 * (g == "b")) + rng.normal(size=records)
    return pd.DataFrame({"x": x, "g": g, "y": y, "h": np.where(y > 1, "high", "low")})


def found(candidate, original=None, holdout=None, roles=ROLES, **options):
    pair = ReleasePair.from_frames(
        table(500, 1) if original is None else original, candidate, roles, holdout=holdout
    )
    return assess("train_on_candidate", pair, options, randomness=Randomness.from_seed(3)).outcome


@pytest.mark.parametrize("model", ["linear", "tree", "forest"])
@pytest.mark.parametrize("target", ["y", "h"])
def test_identical_tables_predict_alike_and_unrelated_ones_do_not(model, target):
    same = found(table(500, 1), holdout=table(300, 2), target=target, model=model, variables=["x", "g"])
    assert same.value == 1
    lost = found(
        table(500, 3, effect=0.0), holdout=table(300, 2), target=target, model=model, variables=["x", "g"]
    )
    assert lost.value < 0.3


def test_scores_are_shares_of_variance_explained_in_the_holdout():
    """Ridge with this many records is least squares; R² is scikit-learn's."""
    original, candidate, holdout = table(5000, 1), table(5000, 2, effect=0.5), table(2000, 3)
    outcome = found(candidate, original, holdout, variables=["x", "g"])

    def columns(frame):
        return np.column_stack([frame["x"], frame["g"] == "b", frame["g"] == "c"])

    scores = [
        LinearRegression().fit(columns(frame), frame["y"]).score(columns(holdout), holdout["y"])
        for frame in (original, candidate)
    ]
    assert [outcome.parts["original"], outcome.parts["candidate"]] == pytest.approx(scores, abs=1e-3)
    assert outcome.value == pytest.approx(scores[1] / scores[0], abs=2e-3)
    assert (outcome.parts["on_holdout"], outcome.parts["tested_records"]) == (1, 2000)


def test_without_a_holdout_the_original_is_the_test_and_the_parts_say_so():
    outcome = found(table(400, 2))
    assert (outcome.parts["on_holdout"], outcome.parts["tested_records"]) == (0, 500)


def test_explained_shares_by_hand():
    assert explained_share(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])) == 1
    assert explained_share(np.array([2.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0])) == 0
    assert explained_share(np.array([1.5, 2.0, 2.5]), np.array([1.0, 2.0, 3.0])) == 0.75
    assert explained_share(np.array([9.0, 9.0, 9.0]), np.array([1.0, 2.0, 3.0])) == 0
    # Two of each category, told with certainty but for one record at even chances: 1 - 0.5 / 2.
    shares = np.array([[1, 0], [1, 0], [0, 1], [0.5, 0.5]])
    assert explained_share(shares, np.eye(2)[[0, 0, 1, 1]]) == 0.75


def test_categories_the_candidate_lost_or_the_holdout_alone_has_do_no_harm():
    original, candidate = (
        table(300, seed).assign(h=lambda held: np.where(held["y"] > 3, "top", held["h"])) for seed in (1, 2)
    )
    holdout = table(300, 3).assign(
        h=lambda held: np.select([held["y"] > 3, held["y"] < -4], ["top", "bottom"], held["h"])
    )
    holdout, candidate = (
        holdout.assign(g=holdout["g"].replace({"c": "d"})),
        candidate.assign(h=candidate["h"].replace({"top": "high"})),
    )
    assert isinstance(found(candidate, original, holdout, target="h", variables=["x", "g"]), Measurement)
    constant = found(candidate.assign(h="low"), original, holdout, target="h", variables=["x", "g"])
    assert constant.value == 0


def test_missing_predictors_are_used_and_missing_targets_left_out():
    holes = table(500, 1)
    holes.loc[::3, "x"] = np.nan
    holes.loc[::5, "g"] = None
    holes.loc[:99, "y"] = np.nan
    outcome = found(holes, holes, variables=["x", "g"])
    assert (outcome.value, outcome.parts["tested_records"]) == (1, 400)


def test_a_target_nobody_can_predict_is_no_yardstick():
    noise = table(500, 1, effect=0.0)
    outcome = found(noise, noise, table(300, 2, effect=0.0), variables=["x", "g"])
    assert isinstance(outcome, NotAssessed)
    assert "do not explain y" in outcome.reason


def test_beyond_its_limit_records_are_drawn_the_same_in_any_order(monkeypatch):
    monkeypatch.setattr(module, "MOST_RECORDS", 200)
    original, candidate = table(500, 1), table(500, 2)
    turned = found(
        candidate[::-1].reset_index(drop=True), original.sample(frac=1, random_state=1).reset_index(drop=True)
    )
    assert found(candidate, original).value == turned.value
    assert turned.parts["tested_records"] == 200


def test_too_many_levels_are_refused():
    wide = table(500, 1).assign(g=[f"level {place}" for place in range(500)])
    monstrous = found(pd.concat([wide] * 3).assign(g=[f"level {place}" for place in range(1500)]), wide)
    assert isinstance(monstrous, NotAssessed)
    assert "is the limit" in monstrous.reason


def test_it_says_when_there_is_nothing_to_predict():
    plain = Roles.of([Variable("x", Role.OTHER, NUMERIC), Variable("y", Role.OTHER, NUMERIC)])
    data = table(50, 1)[["x", "y"]]
    assert "no target" in found(data, data, roles=plain).reason
    assert "must be in all tables" in found(table(50, 1), table(50, 2), table(50, 3).drop(columns="x")).reason
