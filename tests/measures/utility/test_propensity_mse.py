"""propensity_mse against the worked examples and synthpop."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.measurement import NotAssessed
from sdc.measures.utility.propensity_mse import propensity_mse
from sdc.statistics.design import Feature, Terms, design, term_blocks
from sdc.statistics.logistic import fit_logistic
from sdc.statistics.propensity import null_deviation, null_mean, summarise_scores

FIVE = ["sex", "age", "region", "income", "spending"]


def table_of(inputs, rows):
    return pd.DataFrame({name: np.array(inputs[name])[rows] for name in ("age", "income", "gender")})


def example(worked_examples, pair_of, case, labels="t"):
    inputs = worked_examples[case]["inputs"]
    synthetic = np.array(inputs[labels]) == 1
    return pair_of(table_of(inputs, ~synthetic), table_of(inputs, synthetic))


def test_the_twenty_rows_of_the_thesis(worked_examples, pair_of):
    found = propensity_mse(example(worked_examples, pair_of, "Q-4.4.2-pMSE"))
    assert found.parts["pmse"] == pytest.approx(worked_examples["Q-4.4.2-pMSE"]["recomputed"], rel=1e-12)
    assert found.value == pytest.approx(worked_examples["Q-4.4.2-pMSE-ratio"]["recomputed"], rel=1e-12)
    assert found.parts["specks"] == pytest.approx(worked_examples["Q-4.4.2-SPECKS"]["recomputed"])
    assert found.parts["rank_sum_u_original"] == worked_examples["Q-4.4.2-U"]["recomputed"]
    assert found.parts["rank_sum_u"] == 100 - 43


def features_of(inputs):
    numbers = [Feature(name, np.array(inputs[name], dtype=float)) for name in ("age", "income")]
    return [*numbers, Feature("gender", (np.array(inputs["gender"]) == "M").astype(int), 2)]


def test_scores_and_coefficients_of_the_thesis(worked_examples):
    case = worked_examples["Q-4.4.2-scores"]
    features = features_of(case["inputs"])
    scores = fit_logistic(design(term_blocks(features), 20), np.array(case["inputs"]["t"])).scores
    assert scores == pytest.approx(np.array(case["recomputed"]), abs=1e-12)
    raw = np.column_stack([np.ones(20), *(feature.values for feature in features)])
    coefficients = np.linalg.lstsq(raw, np.log(scores / (1 - scores)), rcond=None)[0]
    assert coefficients == pytest.approx(np.array(worked_examples["Q-4.4.2-gamma"]["recomputed"]), rel=1e-8)


def test_the_gender_model_of_the_thesis(worked_examples):
    case = worked_examples["Q-4.4.2-gender"]
    numbers = [Feature(name, np.array(case["inputs"][name], dtype=float)) for name in ("age", "income")]
    female = np.array(case["inputs"]["gender"]) == "F"
    scores = fit_logistic(design(term_blocks(numbers), 10), female).scores
    centred = np.column_stack([np.ones(10), *(number.values - number.values.mean() for number in numbers)])
    coefficients = np.linalg.lstsq(centred, np.log(scores / (1 - scores)), rcond=None)[0]
    assert coefficients == pytest.approx(np.array(case["recomputed"]), rel=1e-6)


def test_the_printed_scores_give_the_printed_value(worked_examples):
    case = worked_examples["Q-4.4.2-pMSE-from-scores"]
    found = summarise_scores(np.array(case["inputs"]["scores"]), np.repeat([True, False], 10))
    assert found.pmse == pytest.approx(case["recomputed"], rel=1e-12)


def test_the_original_released_as_it_is_gives_exactly_nothing(worked_examples, pair_of):
    found = propensity_mse(example(worked_examples, pair_of, "Q-4.4.3-correct", "t_correct"))
    assert found.value == found.parts["pmse"] == worked_examples["Q-4.4.3-correct"]["recomputed"] == 0


def test_the_mislabelled_row_of_the_thesis_explains_its_value(worked_examples):
    case = worked_examples["Q-4.4.3-as-labelled"]
    scores = fit_logistic(design(term_blocks(features_of(case["inputs"])), 20), np.array(case["inputs"]["t_printed"])).scores
    assert np.mean((scores - 0.5) ** 2) == pytest.approx(case["recomputed"], rel=1e-10)


@pytest.mark.parametrize("shift", [10, 20, 1e6])
def test_tables_that_lie_apart_give_the_limit_and_say_so(shift, worked_examples, pair_of):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 100), columns=["x", "y"])
    found = propensity_mse(pair_of(table, table + shift))
    assert found.parts["pmse"] == worked_examples["Q-4.4.4-limit"]["recomputed"] == 0.25
    assert found.parts["separated"] == 1
    assert found.parts["specks"] == 1


def test_mean_and_deviation_of_the_null(worked_examples):
    parameters = worked_examples["Q-4.4.4-null-mean"]["parameters"]
    k, c, records = parameters["k"], parameters["c"], parameters["N"]
    assert null_mean(k - 1, c, records) == pytest.approx(worked_examples["Q-4.4.4-null-mean"]["recomputed"], rel=1e-12)
    assert null_deviation(k - 1, c, records) == pytest.approx(worked_examples["Q-4.4.4-null-sd"]["recomputed"], rel=1e-12)


def test_the_null_of_the_expenditure_survey_is_what_its_slide_printed(worked_examples):
    """The data are not there; the printed value is what a correct synthesis of two variables would give."""
    printed = worked_examples["H-Up"]["printed"]
    assert printed / null_mean(2, 0.5, 2 * worked_examples["H-Up"]["parameters"]["n"]) == pytest.approx(0.996, abs=5e-4)


@pytest.mark.parametrize("name", ["cart", "parametric"])
@pytest.mark.parametrize(("case", "variables"), [("main_effects_all_nine", None), ("main_effects_five", FIVE)])
def test_main_effects_agree_with_synthpop(name, case, variables, golden, golden_pair):
    expected = golden("propensity_logit")["outputs"][name][case]
    found = propensity_mse(golden_pair(f"synthpop_{name}"), variables=variables)
    assert found.parts["degrees"] == expected["df"]
    assert found.parts["pmse"] == pytest.approx(expected["pMSE"], rel=1e-6)
    assert found.value == pytest.approx(expected["S_pMSE"], rel=1e-6)
    assert found.parts["rank_sum_u"] == pytest.approx(expected["U"], rel=1e-5)
    assert found.parts["specks"] == pytest.approx(expected["SPECKS"], abs=1e-3)
    assert found.parts["po50"] == pytest.approx(expected["PO50"], abs=1e-3)


def test_the_shuffled_original_gives_exactly_nothing(households, pair_of):
    table = households[[*FIVE, "education"]]
    found = propensity_mse(pair_of(table, table.sample(frac=1, random_state=3)))
    assert (found.value, found.parts["pmse"], found.parts["specks"], found.parts["separated"]) == (0, 0, 0, 0)


def test_a_category_only_one_table_has_gets_its_limit_and_the_rest_is_fitted_as_without_it():
    rng = np.random.default_rng(2)
    number, category, response = rng.normal(size=500), rng.integers(0, 3, 500), rng.integers(0, 2, 500)
    lonely = np.arange(500) < 20
    category[lonely], response[lonely] = 3, 1
    whole = fit_logistic(design(term_blocks([Feature("x", number), Feature("k", category, 4)]), 500), response)
    rest = fit_logistic(design(term_blocks([Feature("x", number[~lonely]), Feature("k", category[~lonely], 3)]), 480), response[~lonely])
    assert whole.separated
    assert not rest.separated
    assert (whole.scores[lonely] == 1).all()
    assert whole.scores[~lonely] == pytest.approx(rest.scores, abs=1e-9)
    assert whole.rank == rest.rank + 1


def test_columns_that_follow_from_others_are_not_counted():
    rng = np.random.default_rng(4)
    x = rng.normal(size=200)
    features = [Feature("x", x), Feature("twice", 2 * x + 3), Feature("constant", np.ones(200)), Feature("one", np.zeros(200, dtype=int), 1)]
    assert fit_logistic(design(term_blocks(features), 200), rng.integers(0, 2, 200)).rank == 2


def test_a_missing_number_is_an_indicator_and_zero():
    """Written out: the fit is that of the columns 1, x with 0 for missing, missing."""
    rng = np.random.default_rng(6)
    x, response = rng.normal(5, 2, 300), rng.integers(0, 2, 300)
    x[:40] = np.nan
    found = fit_logistic(design(term_blocks([Feature("x", x)]), 300), response)
    columns = np.column_stack([np.ones(300), np.nan_to_num(x), np.isnan(x)])
    assert found.rank == 3
    assert columns.T @ (response - found.scores) == pytest.approx(np.zeros(3), abs=1e-9)
    predictor = np.log(found.scores / (1 - found.scores))
    assert np.linalg.lstsq(columns, predictor, rcond=None)[1] == pytest.approx(0, abs=1e-15)


def test_a_quasi_separation_no_single_column_shows_is_found():
    x = np.array([0, 1, 2, 3, 3, 4, 5, 6], dtype=float)
    response = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    found = fit_logistic(design(term_blocks([Feature("x", x)]), 8), response)
    assert found.separated
    assert found.scores == pytest.approx(np.array([0, 0, 0, 0.5, 0.5, 1, 1, 1]), abs=1e-6)


def test_scores_solve_the_likelihood_equations_for_every_kind_of_term():
    rng = np.random.default_rng(8)
    features = [Feature("x", rng.normal(size=400)), Feature("y", rng.exponential(size=400)), Feature("k", rng.integers(-1, 3, 400), 3)]
    response = rng.integers(0, 2, 400)
    ranks = []
    for terms in Terms:
        matrix = design(term_blocks(features, terms), 400)
        fit = fit_logistic(matrix, response)
        dense = np.zeros((400, matrix.width + 1))
        np.put_along_axis(dense, np.where(matrix.columns < 0, matrix.width, matrix.columns), matrix.values, axis=1)
        assert dense[:, :-1].T @ (response - fit.scores) == pytest.approx(np.zeros(matrix.width), abs=1e-7)
        ranks.append(fit.rank)
        assert fit.rank == np.linalg.matrix_rank(dense[:, :-1])
    assert ranks == [1 + 2 + 3, 6 + 1 + 6, 13 + 2, 15 + 2 + 1]


def test_too_many_coefficients_are_refused_with_their_number(pair_of):
    labels = [f"{number}" for number in range(6000)]
    found = propensity_mse(pair_of({"a": labels}, {"a": labels}))
    assert isinstance(found, NotAssessed)
    assert "6000 coefficients" in found.reason


def test_a_table_of_constants_cannot_be_told_apart(pair_of):
    assert propensity_mse(pair_of({"a": ["x"] * 3, "b": [1, 1, 1]}, {"a": ["x"] * 2, "b": [1, 1]})).value == 0
