"""Are coefficients of a category drawn as far apart as they are unknown?

The reference is the covariance of log-odds of counts: Woolf (1955), doi:10.1111/j.1469-1809.1955.tb01348.x.
"""

from __future__ import annotations

import numpy as np
import pytest

from sdc.catalogue.registry import find_method
from sdc.catalogue.synthesis_models import find_model
from sdc.errors import CannotProtect
from sdc.methods.model_choice import ChosenModel, draws_parameters
from sdc.statistics.synthesis import category_regression
from sdc.statistics.synthesis.category_regression import Multinomial
from sdc.statistics.synthesis.feature import CompleteFeature

DRAWS = 4000
COUNTS = np.array([[30, 50, 20], [15, 25, 60]])
"""Records of each of two groups (rows) by their level (columns)."""


def counted(levels: int) -> tuple[CompleteFeature, list[CompleteFeature]]:
    """The records of the table, its first levels alone."""
    held = [
        (group, level) for group in range(2) for level in range(levels) for _ in range(COUNTS[group, level])
    ]
    groups, codes = np.array(held).T
    return CompleteFeature(codes, levels), [CompleteFeature(groups.astype(float))]


@pytest.mark.parametrize("levels", [2, 3])
def test_log_odds_of_counts_are_drawn_with_their_known_mean_and_covariance(levels):
    """In group g the log-odds of level k against the first are log(n_gk / n_g0), of variance 1/n_gk + 1/n_g0 and covariance 1/n_g0."""
    target, predictors = counted(levels)
    both, rng = [CompleteFeature(np.array([0.0, 1.0]))], np.random.default_rng(5)
    fitted, drawn = Multinomial.fitted(target, predictors, 0.0), []
    for _ in range(DRAWS):
        odds = np.log(fitted.drawn(predictors, len(target.values), 0.0, rng).probabilities(both, 2))
        drawn.append((odds[:, 1:] - odds[:, :1]).ravel())
    wide = levels - 1
    means = np.log(COUNTS[:, 1:levels] / COUNTS[:, :1]).ravel()
    covariance = np.zeros((2 * wide, 2 * wide))
    for group in range(2):
        own = slice(group * wide, (group + 1) * wide)
        covariance[own, own] = 1 / COUNTS[group, 0] + np.diag(1 / COUNTS[group, 1:levels])
    spread = np.sqrt(np.diag(covariance))
    assert np.abs((np.mean(drawn, axis=0) - means) / spread).max() < 0.06
    assert np.abs((np.cov(np.transpose(drawn)) - covariance) / np.outer(spread, spread)).max() < 0.08


def observed(levels: int) -> tuple[CompleteFeature, list[CompleteFeature]]:
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=400), rng.normal(size=400)
    scores = np.column_stack([place * (0.6 * x - 0.4 * z) + rng.gumbel(size=400) for place in range(levels)])
    return CompleteFeature(scores.argmax(axis=1), levels), [CompleteFeature(x), CompleteFeature(z)]


def test_a_penalty_is_part_of_the_posterior():
    """With two levels a penalty of ridge / 2 on both coefficients is one of ridge / 4 on the square of their difference."""
    target, predictors = observed(2)
    fitted = Multinomial.fitted(target, predictors, 50.0)
    columns = fitted.columns.matrix(predictors, 400)
    share = fitted.probabilities(predictors, 400)[:, 1]
    information = (columns * (share * (1 - share))[:, None]).T @ columns + np.diag([0.0, 25.0, 25.0])
    assert fitted.curvature(columns, 50.0) == pytest.approx(information, abs=1e-6)


@pytest.mark.parametrize("model", ["logreg", "polyreg"])
def test_bayes_is_an_option_and_off_by_default(model):
    target, predictors = observed(2)
    function = find_model(model).function

    def levels(seed, **options):
        return function(target, predictors, np.random.default_rng(seed), **options)(
            predictors, 400, np.random.default_rng(0)
        ).tolist()

    assert levels(1) == levels(2)
    assert levels(1, bayes=True) != levels(2, bayes=True)
    assert draws_parameters(ChosenModel(model, {"bayes": True}))
    assert not draws_parameters(ChosenModel(model))


def test_a_predictor_that_tells_all_still_tells_nearly_all():
    x = np.random.default_rng(1).normal(size=500)
    target, predictors = CompleteFeature((x > 0).astype(int), 2), [CompleteFeature(x)]
    fitted, agree = Multinomial.fitted(target, predictors, 1e-2), []
    for seed in range(100):
        made = fitted.drawn(predictors, 500, 1e-2, np.random.default_rng(seed)).values(
            predictors, 500, np.random.default_rng(seed)
        )
        agree.append((made == target.values).mean())
    assert min(agree) > 0.85


def test_too_many_coefficients_are_refused(monkeypatch):
    target, predictors = observed(3)
    monkeypatch.setattr(category_regression, "MOST_DRAWN", 5)
    with pytest.raises(CannotProtect, match="6 coefficients are more than the 5"):
        Multinomial.fitted(target, predictors, 0.0).drawn(predictors, 400, 0.0, np.random.default_rng(0))


def test_the_step_records_whose_parameters_were_drawn(mixed):
    from sdc.data.roles import Role, Roles, Variable, VariableType

    table = mixed[["age", "sex", "education"]]
    kinds = {"age": VariableType.NUMERIC, "sex": VariableType.CATEGORICAL}
    order = {"education": ("low", "middle", "high")}
    roles = Roles.of(
        Variable(name, Role.OTHER, kinds.get(name, VariableType.ORDINAL), order=order.get(name, ()))
        for name in table
    )
    entry = find_method("sequential")
    given = {"models": {"sex": {"model": "polyreg", "bayes": True}}}
    made = entry.function(table, roles, np.random.default_rng(0), **entry.arguments(given))
    assert made.record["drawn_parameters"] == ["sex"]
