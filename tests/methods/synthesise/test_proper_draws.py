"""Do proper syntheses differ by what is not known of the models, once and not twice?

For n observed values of variance s^2 the mean is known up to s^2 / n. Syntheses of many records differ in
their means by next to nothing if the model stays the same, and by s^2 / n if what is not known of it is drawn
too.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType

OBSERVED, ROWS, SYNTHESES = 60, 1500, 120

NUMBERS = (
    "sample",
    "norm",
    "lognorm",
    "sqrtnorm",
    "cubertnorm",
    "normrank",
    "cart",
    "ctree",
    "forest",
    "bagging",
)
CATEGORIES = ("sample", "logreg", "polyreg", "polr", "cart", "ctree", "forest", "bagging")


def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    level = pd.Categorical.from_codes(
        rng.permutation(np.repeat([0, 1], OBSERVED // 2)), ["no", "yes"], ordered=True
    )
    return pd.DataFrame(
        {"x": rng.normal(size=OBSERVED), "number": rng.normal(10, 1, OBSERVED), "level": level}
    )


def means(target: str, model: str, *, proper: bool, m: int = SYNTHESES, **options: object) -> np.ndarray:
    """The mean (or the share of "yes") of each of m syntheses, with x as the only predictor."""
    held = table()[["x", target]]
    kinds = {"x": VariableType.NUMERIC, "number": VariableType.NUMERIC, "level": VariableType.ORDINAL}
    roles = Roles.of(
        [
            Variable(name, Role.OTHER, kinds[name], order=("no", "yes") if name == "level" else ())
            for name in held
        ],
    )
    entry = find_method("sequential")
    given = {
        "models": {target: {"model": model, **options}},
        "m": m,
        "rows": ROWS,
        "proper": proper,
        "within_range": False,
    }
    made = entry.function(held, roles, np.random.default_rng(8), **entry.arguments(given))
    return np.array(
        [
            (frame[target] == "yes").mean() if target == "level" else frame[target].mean()
            for frame in (made.table, *made.syntheses)
        ]
    )


def unknown(target: str) -> float:
    """How far the mean is unknown: its variance."""
    held = table()[target]
    values = (held == "yes").astype(float) if target == "level" else held
    return float(values.var()) / OBSERVED


@pytest.mark.parametrize(
    ("target", "model"),
    [*(("number", model) for model in NUMBERS), *(("level", model) for model in CATEGORIES)],
)
def test_proper_syntheses_differ_by_what_is_not_known_and_others_hardly(target: str, model: str) -> None:
    few = {"trees": 8, "m": 60} if model in ("forest", "bagging") else {}
    assert 0.6 < means(target, model, proper=True, **few).var(ddof=1) / unknown(target) < 1.7
    assert means(target, model, proper=False, **few).var(ddof=1) / unknown(target) < 0.25


@pytest.mark.parametrize(
    "options",
    [{"model": "norm_draw"}, {"model": "lognorm", "bayes": True}, {"model": "normrank", "bayes": True}],
)
@pytest.mark.parametrize("proper", [False, True])
def test_models_that_draw_their_parameters_count_what_is_not_known_once(
    options: dict[str, object], proper: bool
) -> None:
    model = str(options["model"])
    further = {name: value for name, value in options.items() if name != "model"}
    assert 0.6 < means("number", model, proper=proper, **further).var(ddof=1) / unknown("number") < 1.6


@pytest.mark.parametrize("model", ["logreg", "polyreg"])
@pytest.mark.parametrize("proper", [False, True])
def test_categories_with_drawn_coefficients_count_what_is_not_known_once(model: str, proper: bool) -> None:
    assert 0.6 < means("level", model, proper=proper, bayes=True).var(ddof=1) / unknown("level") < 1.7


def test_matching_draws_its_coefficients_and_keeps_every_donor() -> None:
    """A bootstrap sample would leave out a third of them."""
    held = table()[["x", "number"]]
    roles = Roles.of(Variable(name, Role.OTHER, VariableType.NUMERIC) for name in held)
    entry = find_method("sequential")
    given = {"models": {"number": "pmm"}, "m": 3, "rows": 4000, "proper": True}
    made = entry.function(
        held.assign(number=held["x"] * 3 + held["number"]),
        roles,
        np.random.default_rng(8),
        **entry.arguments(given),
    )
    assert all(frame["number"].nunique() > 0.9 * OBSERVED for frame in (made.table, *made.syntheses))
    assert len({frame["number"].mean() for frame in (made.table, *made.syntheses)}) == 3


@pytest.mark.slow
def test_whether_a_value_is_missing_is_drawn_properly_too() -> None:
    held = table()[["x", "number"]]
    held.loc[held.index[:24], "number"] = np.nan
    roles = Roles.of(Variable(name, Role.OTHER, VariableType.NUMERIC) for name in held)
    entry = find_method("sequential")

    def spread(*, proper: bool) -> float:
        given = {"models": {"number": "norm_draw"}, "m": SYNTHESES, "rows": ROWS, "proper": proper}
        made = entry.function(held, roles, np.random.default_rng(8), **entry.arguments(given))
        return float(
            np.var([frame["number"].isna().mean() for frame in (made.table, *made.syntheses)], ddof=1)
        )

    assert 0.6 < spread(proper=True) / (0.4 * 0.6 / OBSERVED) < 1.7
    assert spread(proper=False) / (0.4 * 0.6 / OBSERVED) < 0.25


def test_donors_of_a_nested_variable_are_a_bootstrap_sample_when_proper() -> None:
    rng = np.random.default_rng(2)
    group = pd.Categorical(rng.choice(["a", "b"], OBSERVED))
    held = pd.DataFrame(
        {"group": group, "code": pd.Categorical([f"{each}{rng.integers(20)}" for each in group])}
    )
    roles = Roles.of(Variable(name, Role.OTHER) for name in held)
    entry = find_method("sequential")

    def codes(*, proper: bool) -> set[int]:
        given = {
            "models": {"code": {"model": "nested", "within": "group"}},
            "m": 20,
            "rows": 4000,
            "proper": proper,
        }
        made = entry.function(held, roles, np.random.default_rng(8), **entry.arguments(given))
        return {frame["code"].nunique() for frame in (made.table, *made.syntheses)}

    assert codes(proper=False) == {held["code"].nunique()}
    assert max(codes(proper=True)) < held["code"].nunique()
