"""propensity_mse against the worked examples and synthpop."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import Side
from sdc.measures.assess import assess
from sdc.measures.utility import propensity_mse as module
from sdc.run.randomness import Randomness
from sdc.statistics.regression import logistic
from sdc.statistics.regression.design import Feature, TermKind, design, term_blocks
from sdc.statistics.regression.logistic import fit_logistic
from sdc.statistics.regression.propensity import formula_null, summarise_scores

FIVE = ["sex", "age", "region", "income", "spending"]


def propensity_mse(pair, **options):
    return module.propensity_mse(pair, **{"rng": np.random.default_rng(0), **options})


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
    scores = fit_logistic(
        design(term_blocks(features_of(case["inputs"])), 20), np.array(case["inputs"]["t_printed"])
    ).scores
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
    null = formula_null(k - 1, c, records)
    assert null.mean == pytest.approx(worked_examples["Q-4.4.4-null-mean"]["recomputed"], rel=1e-12)
    assert null.deviation == pytest.approx(worked_examples["Q-4.4.4-null-sd"]["recomputed"], rel=1e-12)


def test_the_null_of_the_expenditure_survey_is_what_its_slide_printed(worked_examples):
    """The data are not there; the printed value is what a correct synthesis of two variables would give."""
    printed = worked_examples["H-Up"]["printed"]
    assert printed / formula_null(
        2, 0.5, 2 * worked_examples["H-Up"]["parameters"]["n"]
    ).mean == pytest.approx(0.996, abs=5e-4)


@pytest.mark.parametrize("name", ["cart", "parametric"])
@pytest.mark.parametrize(
    ("case", "variables", "terms"),
    [
        ("main_effects_all_nine", None, TermKind.LINEAR),
        ("main_effects_five", FIVE, TermKind.LINEAR),
        ("two_way_interactions_five", FIVE, TermKind.INTERACTIONS),
        ("two_way_interactions_four", ["sex", "age", "marital_status", "health"], TermKind.INTERACTIONS),
    ],
)
def test_logistic_models_agree_with_synthpop(name, case, variables, terms, golden, golden_pair):
    expected = golden("propensity_logit")["outputs"][name][case]
    found = propensity_mse(golden_pair(f"synthpop_{name}"), variables=variables, terms=terms)
    tolerance = 1e-5 if (name, case) == ("parametric", "two_way_interactions_four") else 1e-6
    assert found.parts["degrees"] == expected["df"]
    assert found.parts["separated"] == (tolerance == 1e-5)
    assert found.parts["pmse"] == pytest.approx(expected["pMSE"], rel=tolerance)
    assert found.value == pytest.approx(expected["S_pMSE"], rel=tolerance)
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
    whole = fit_logistic(
        design(term_blocks([Feature("x", number), Feature("k", category, 4)]), 500), response
    )
    rest = fit_logistic(
        design(term_blocks([Feature("x", number[~lonely]), Feature("k", category[~lonely], 3)]), 480),
        response[~lonely],
    )
    assert whole.separated
    assert not rest.separated
    assert (whole.scores[lonely] == 1).all()
    assert whole.scores[~lonely] == pytest.approx(rest.scores, abs=1e-9)
    assert whole.rank == rest.rank + 1


def test_columns_that_follow_from_others_are_not_counted():
    rng = np.random.default_rng(4)
    x = rng.normal(size=200)
    features = [
        Feature("x", x),
        Feature("twice", 2 * x + 3),
        Feature("constant", np.ones(200)),
        Feature("one", np.zeros(200, dtype=int), 1),
    ]
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
    features = [
        Feature("x", rng.normal(size=400)),
        Feature("y", rng.exponential(size=400)),
        Feature("k", rng.integers(-1, 3, 400), 3),
    ]
    response = rng.integers(0, 2, 400)
    ranks = []
    for terms in TermKind:
        matrix = design(term_blocks(features, terms), 400)
        fit = fit_logistic(matrix, response)
        dense = np.zeros((400, matrix.width + 1))
        np.put_along_axis(
            dense, np.where(matrix.columns < 0, matrix.width, matrix.columns), matrix.all_values(), axis=1
        )
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


@pytest.mark.parametrize(
    ("name", "case", "variables"),
    [("parametric", "all_nine", None), ("parametric", "five", FIVE), ("cart", "five", FIVE)],
)
def test_trees_agree_with_synthpop(name, case, variables, golden, golden_pair):
    expected = golden("propensity_cart")["outputs"][name][case]
    found = propensity_mse(
        golden_pair(f"synthpop_{name}"), model="cart", variables=variables, null="none"
    ).parts
    assert found["leaves"] == expected["leaves"]
    assert found["pmse"] == pytest.approx(expected["pMSE"], rel=1e-9)
    assert found["rank_sum_u"] == pytest.approx(expected["U"], rel=1e-9)
    assert (found["specks"], found["po50"]) == pytest.approx((expected["SPECKS"], expected["PO50"]), rel=1e-9)


@pytest.mark.parametrize("complexity", [0.001, 0.0])
def test_a_table_whose_margins_are_kept_exactly_gives_no_split_at_all(complexity, golden_pair):
    """As in Karr's tables, whose tree finds nothing in rank-swapped data."""
    found = propensity_mse(golden_pair("rank_swap"), model="cart", complexity=complexity, permutations=2)
    assert (found.parts["leaves"], found.value, found.parts["pmse"]) == (1, 0, 0)


def test_a_deeper_tree_never_tells_less(golden_pair):
    pair = golden_pair("noise")
    found = [
        propensity_mse(pair, model="cart", complexity=complexity, permutations=2).parts
        for complexity in (0.01, 0.001, 0.0001)
    ]
    assert found[0]["pmse"] < found[1]["pmse"] < found[2]["pmse"]
    assert found[0]["tree_gini"] > found[1]["tree_gini"] > found[2]["tree_gini"]


def test_the_impurity_left_is_what_the_scores_took_away(golden_pair):
    """For two labels the Gini impurity is 2 mean p (1 - p), so the leaves' is 2 (c (1 - c) - pMSE)."""
    found = propensity_mse(golden_pair("synthpop_parametric"), model="cart", permutations=2)
    assert found.parts["tree_gini"] == pytest.approx(2 * (0.25 - found.parts["pmse"]), rel=1e-12)


def test_quadratic_terms_see_what_linear_ones_cannot(pair_of):
    rng = np.random.default_rng(1)
    x = rng.normal(size=1000)
    wider = pair_of({"x": x}, {"x": x * 1.5})
    assert propensity_mse(wider).value < 2
    assert propensity_mse(wider, terms=TermKind.QUADRATIC).value > 20


def test_cubic_terms_are_karrs_model_with_products_of_squares():
    """1, z1, z2, z1 z2, z1², z2², z1³, z2³, z1² z2²: nine columns, and not one more."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 300))
    matrix = design(term_blocks([Feature("x", x), Feature("y", y)], TermKind.CUBIC), 300)
    assert matrix.width == 9
    z1, z2 = ((values - values.mean()) / values.std() for values in (x, y))
    expected = [np.ones(300), z1, z2, z1 * z2, z1**2, z2**2, z1**3, z2**3, z1**2 * z2**2]
    found = [matrix.all_values()[:, place] for place in range(9)]
    for column in expected:
        assert min(np.abs(column - other).max() for other in found) < 1e-9


@pytest.mark.parametrize("terms", list(TermKind))
def test_units_and_origins_do_not_matter(terms, golden_pair, pair_of):
    pair = golden_pair("synthpop_parametric")
    plain = propensity_mse(pair, terms=terms, variables=["age", "spending", "sex"])
    tables = (pair.frame(["age", "spending", "sex"], side) for side in (Side.ORIGINAL, Side.CANDIDATE))
    original, candidate = (table.assign(age=1000 - 7 * table["age"]) for table in tables)
    assert propensity_mse(pair_of(original, candidate), terms=terms).value == pytest.approx(
        plain.value, rel=1e-7
    )


def test_clusters_see_what_one_regression_cannot(pair_of):
    """A parabola against its reflection.

    No linear function tells them apart, one in each of two halves does.
    """
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, 2000)
    pair = pair_of(
        {"x": x, "y": x**2 + rng.normal(0, 0.1, 2000)}, {"x": x, "y": 2 / 3 - x**2 + rng.normal(0, 0.1, 2000)}
    )
    assert propensity_mse(pair).value < 5
    found = propensity_mse(pair, model="clustered_logistic", clusters=10)
    assert found.value > 50
    assert found.parts["clusters"] == 10


def test_a_pure_cluster_has_its_share(pair_of):
    near, far = np.zeros((2, 50)), np.full((2, 50), 100.0)
    pair = pair_of({"x": near[0], "y": near[1]}, {"x": far[0], "y": far[1]})
    found = propensity_mse(pair, model="clustered_logistic", clusters=2)
    assert found.parts["pmse"] == 0.25
    assert found.parts["degrees"] == 1


def test_the_permutation_null_is_near_the_formula_for_a_logistic_model(golden_pair):
    pair = golden_pair("synthpop_cart")
    formula = propensity_mse(pair, variables=FIVE)
    permuted = propensity_mse(pair, variables=FIVE, null="permutation", permutations=100)
    assert permuted.parts["expected"] == pytest.approx(formula.parts["expected"], rel=0.15)
    assert (formula.parts["null_valid_for_dependent"], permuted.parts["null_valid_for_dependent"]) == (1, 1)


def test_pairs_of_syntheses_give_the_null_of_their_own_model(pair_of):
    """Bootstraps of the original are drawn from its law: their pairs must find the formula."""
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"x": rng.normal(size=800), "k": rng.choice(["a", "b", "c"], 800)})
    drawn = [table.sample(400, replace=True, random_state=seed) for seed in range(8)]
    found = propensity_mse(pair_of(table, drawn[0], syntheses=drawn), null="pairs")
    formula = propensity_mse(pair_of(table, drawn[0]))
    assert found.parts["expected"] == pytest.approx(formula.parts["expected"], rel=0.5)
    assert isinstance(propensity_mse(pair_of(table, drawn[0]), null="pairs"), NotAssessed)


def test_no_null_holds_for_masked_records(golden_pair):
    assert propensity_mse(golden_pair("noise")).parts["null_valid_for_dependent"] == 0


def test_a_tree_has_no_formula(golden_pair):
    assert isinstance(propensity_mse(golden_pair("noise"), model="cart", null="formula"), NotAssessed)


def test_permutations_are_those_of_the_seed(golden_pair):
    pair = golden_pair("synthpop_parametric")
    options = {"model": "cart", "permutations": 5, "variables": FIVE, "complexity": 0.0005}
    runs = [
        assess("propensity_mse", pair, options, randomness=Randomness.from_seed(seed)).value
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]


KARR = [f"W-T{table}" for table in range(2, 10)]


@pytest.mark.parametrize("case", KARR)
def test_karrs_printed_tables_hold_together(case, worked_examples):
    """Sums over 2 n = 20,000 records.

    None above N c (1 - c), bigger trees and more terms never below smaller ones.
    """
    printed = worked_examples[case]["printed"]
    for method in printed["MD"]:
        assert all(
            printed[measure][method] <= 20_000 * 0.25
            for measure in ("LogI", "LogII", "TreeI", "TreeII", "ModI", "ModII")
        )
        assert printed["TreeII"][method] >= printed["TreeI"][method]
        assert printed["LogII"][method] >= printed["LogI"][method]
        assert printed["ModII"][method] >= printed["ModI"][method]
    assert printed["LogI"]["Syn"] == printed["TreeI"]["Rank"] == 0


@pytest.fixture(scope="module")
def karr():
    """Two correlated variables far from normal, a normal table with their moments exactly, and one rank-swapped."""
    rng = np.random.default_rng(12)
    first = rng.exponential(size=3000)
    table = np.column_stack([first, 0.7 * first + rng.exponential(size=3000)])
    normal = rng.normal(size=(3000, 2))
    normal = (normal - normal.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(normal.T))).T
    syn = normal @ np.linalg.cholesky(np.cov(table.T)).T + table.mean(axis=0)
    places = np.argsort(np.argsort(table, axis=0) + rng.uniform(-150, 150, table.shape), axis=0)
    rank = np.empty_like(table)
    for column in range(2):
        rank[places[:, column], column] = np.sort(table[:, column])
    return {
        name: pd.DataFrame(values, columns=["x", "y"])
        for name, values in {"table": table, "Syn": syn, "Rank": rank}.items()
    }


@pytest.mark.slow
def test_a_table_with_the_moments_of_the_original_is_told_apart_by_karrs_second_model_only(karr, pair_of):
    """As the printed columns for Syn.

    Exactly 0 under Logistic I, large under Logistic II, the trees and the clusters.
    """
    pair = pair_of(karr["table"], karr["Syn"])
    assert propensity_mse(pair, terms=TermKind.QUADRATIC).parts["pmse"] == 0
    assert propensity_mse(pair, terms=TermKind.CUBIC).parts["pmse"] > 0.01
    assert propensity_mse(pair, model="cart", permutations=2).parts["pmse"] > 0.01
    linear, quadratic = (
        propensity_mse(pair, model="clustered_logistic", terms=terms).parts["pmse"]
        for terms in (TermKind.LINEAR, TermKind.QUADRATIC)
    )
    assert quadratic > linear > 0.01


def test_a_rank_swapped_table_is_told_apart_by_everything_but_a_small_tree(karr, pair_of):
    """As the printed columns for Rank."""
    pair = pair_of(karr["table"], karr["Rank"])
    assert propensity_mse(pair, model="cart", permutations=2).parts["pmse"] == 0
    assert propensity_mse(pair, terms=TermKind.LINEAR).parts["pmse"] == 0
    assert (
        0
        < propensity_mse(pair, terms=TermKind.QUADRATIC).parts["pmse"]
        < propensity_mse(pair, terms=TermKind.CUBIC).parts["pmse"]
    )


def test_a_narrow_gap_between_the_tables_separates_them_exactly():
    rng = np.random.default_rng(5)
    x = np.append(rng.uniform(0, 1, 100), rng.uniform(1.001, 2, 100))
    found = fit_logistic(design(term_blocks([Feature("x", x)]), 200), np.repeat([0, 1], 100))
    assert found.separated
    assert found.scores.tolist() == [0.0] * 100 + [1.0] * 100


def test_the_sum_over_all_records_is_the_score_times_their_number(golden, golden_pair):
    expected = golden("propensity_logit")["outputs"]["cart"]
    found = propensity_mse(golden_pair("synthpop_cart"), rng=np.random.default_rng(1))
    assert found.parts["n_pmse"] == pytest.approx(
        expected["main_effects_all_nine"]["pMSE"] * (5000 + 5915), rel=1e-6
    )


def regressed(points, labels):
    """Scores of the logistic regression that scipy's minimiser finds, on standardised columns."""
    matrix = np.column_stack([np.ones(len(points)), (points - points.mean(axis=0)) / points.std(axis=0)])
    sign = np.where(labels, 1, -1)
    found = optimize.minimize(
        lambda beta: np.logaddexp(0, -sign * (matrix @ beta)).sum(), np.zeros(matrix.shape[1]), tol=1e-12
    )
    return 1 / (1 + np.exp(-matrix @ found.x))


@pytest.mark.parametrize(("scale", "distance"), [("standard", "squared_euclidean"), ("none", "euclidean")])
def test_clusters_by_average_linkage_with_a_regression_in_each_are_scipys(scale, distance, pair_of):
    rng = np.random.default_rng(8)
    points = np.concatenate([rng.normal(size=(200, 2)), rng.normal(0.3, 1.2, size=(150, 2))]) * [1, 30]
    made = points if scale == "none" else (points - points.mean(axis=0)) / points.std(axis=0)
    metric = "sqeuclidean" if distance == "squared_euclidean" else "euclidean"
    labels = hierarchy.cut_tree(hierarchy.linkage(pdist(made, metric), "average"), n_clusters=4).ravel()
    theirs, is_candidate = np.empty(350), np.arange(350) >= 200
    for label in range(4):
        own = labels == label
        share = is_candidate[own].mean()
        fitted = own.sum() >= 15 and 0 < share < 1
        theirs[own] = regressed(made[own], is_candidate[own]) if fitted else share
    pair = pair_of(dict(zip("ab", points[:200].T, strict=True)), dict(zip("ab", points[200:].T, strict=True)))
    found = propensity_mse(
        pair,
        model="clustered_logistic",
        clusters=4,
        scale=scale,
        distance=distance,
        rng=np.random.default_rng(1),
    )
    assert found.parts["pmse"] == pytest.approx(((theirs - 150 / 350) ** 2).mean(), rel=1e-6)
    assert found.parts["average_linkage"] == 1


def test_a_fit_ends_where_rounding_keeps_probabilities_moving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over ten million rows sums are rounded so much that no probability comes to rest."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=4000)
    response = rng.random(4000) < 1 / (1 + np.exp(-x))
    matrix = design(term_blocks([Feature("x", x)]), 4000)
    exact = fit_logistic(matrix, response)
    steps, parts = [], logistic._newton_parts
    noise = np.random.default_rng(2)

    def rounded(*given: object) -> tuple[object, object, float]:
        steps.append(1)
        gradient, curvature, likelihood = parts(*given)  # type: ignore[arg-type]
        return gradient + 1e-7 * noise.normal(size=gradient.size), curvature, likelihood

    monkeypatch.setattr(logistic, "_newton_parts", rounded)
    found = fit_logistic(matrix, response)
    assert len(steps) < 20
    assert np.abs(found.scores - exact.scores).max() < 1e-8


def test_a_fit_in_parts_of_the_rows_is_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    x, k = rng.normal(size=5000), rng.integers(0, 4, 5000)
    response = rng.random(5000) < 1 / (1 + np.exp(-x - k / 4))
    matrix = design(term_blocks([Feature("x", x), Feature("k", k, 4)]), 5000)
    whole = fit_logistic(matrix, response).scores
    monkeypatch.setattr(logistic, "AT_ONCE", 700)
    parts = fit_logistic(matrix, response).scores
    assert np.abs(whole - parts).max() < 1e-12
    assert np.array_equal(parts, fit_logistic(matrix, response).scores)
