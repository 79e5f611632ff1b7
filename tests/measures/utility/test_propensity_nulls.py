"""The nulls of propensity_mse: a correct candidate averages 1, however it was made."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.protection import Protection, Step
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.kernels.one_thread import one_thread
from sdc.measures.utility.propensity_mse import propensity_mse
from sdc.statistics.neighbours.clusters import Clustering
from sdc.statistics.regression.design import Feature, TermKind, term_blocks
from sdc.statistics.regression.propensity import (
    chi_square_chance,
    formula_null,
    pairs_scale,
    permutation_scale,
    resampled_null,
    summarise_scores,
)
from sdc.statistics.regression.propensity_models import (
    TreeRules,
    clustered_scorer,
    inference_scorer,
    logistic_scorer,
    tree_scorer,
)

NAMES = ["a", "b", "c"]
ROWS = 200


def synthesis(drawn=(), protection=Protection.SYNTHETIC):
    return (
        Step(
            "sequential",
            {},
            protection,
            aligned=False,
            touched=frozenset(NAMES),
            record={"drawn_parameters": list(drawn)},
        ),
    )


def normal(mean, covariance, rng):
    return pd.DataFrame(rng.multivariate_normal(mean, covariance, ROWS), columns=NAMES)


def law(rng):
    return normal([0, 1, 2], [[1, 0.5, 0], [0.5, 1, 0.3], [0, 0.3, 1]], rng)


def plain(table, rng):
    return normal(table.mean(), table.cov(), rng)


def proper(table, rng):
    """Parameters of a bootstrap sample: as uncertain as those of the original."""
    return plain(table.sample(ROWS, replace=True, random_state=int(rng.integers(2**31))), rng)


def independent(_, rng):
    return law(rng)


def half_drawn(table, rng):
    """The mean of a as estimated; b and c as in proper, by regression on what was drawn before them."""
    made = {"a": rng.normal(table["a"].mean(), table["a"].std(), ROWS)}
    for name in ("b", "c"):
        held = table.sample(ROWS, replace=True, random_state=int(rng.integers(2**31)))
        x = np.column_stack([np.ones(ROWS), *(held[other] for other in made)])
        slopes, rest = np.linalg.lstsq(x, held[name])[:2]
        made[name] = np.column_stack([np.ones(ROWS), *made.values()]) @ slopes + rng.normal(
            0, math.sqrt(rest[0] / ROWS), ROWS
        )
    return pd.DataFrame(made)


def replicated(make, replications):
    """Features of correct candidates below their originals, and who is the candidate's."""
    is_candidate = np.repeat([False, True], ROWS)
    for seed in range(replications):
        rng = np.random.default_rng(seed)
        table = law(rng)
        both = pd.concat([table, make(table, rng)])
        yield [Feature(name, both[name].to_numpy()) for name in NAMES], is_candidate, rng


def pmse_of(scorer, is_candidate):
    return summarise_scores(scorer(is_candidate).scores, is_candidate).pmse


@cache
def logistic_pmse(make):
    with one_thread():
        return np.array(
            [
                pmse_of(logistic_scorer(term_blocks(held), 2 * ROWS), labels)
                for held, labels, _ in replicated(make, 400)
            ]
        )


MADE = [(plain, 0.0), (proper, 1.0), (half_drawn, 2 / 3), (independent, 1.0)]


@pytest.mark.slow
@pytest.mark.parametrize(("make", "drawn"), MADE)
def test_a_correct_candidate_averages_one_under_a_logistic_model(make, drawn):
    """The ratio is chi-square over its 3 degrees: its standard error is 0.041 with 400 replications."""
    ratios = logistic_pmse(make) / formula_null(3, 0.5, 2 * ROWS, drawn).mean
    assert ratios.mean() == pytest.approx(1, abs=3 * math.sqrt(2 / 3 / 400))


@pytest.mark.slow
@pytest.mark.parametrize("make", [proper, independent])
def test_the_null_of_plain_synthesis_would_average_two_for_what_varies_twice(make):
    ratios = logistic_pmse(make) / formula_null(3, 0.5, 2 * ROWS).mean
    assert ratios.mean() == pytest.approx(2, abs=6 * math.sqrt(2 / 3 / 400))


@pytest.mark.slow
@pytest.mark.parametrize(("make", "drawn"), [(plain, False), (proper, True), (independent, True)])
def test_one_p_value_in_twenty_is_below_a_twentieth(make, drawn):
    chances = np.array(
        [chi_square_chance(pmse, 3, 0.5, 2 * ROWS, drawn=drawn) for pmse in logistic_pmse(make)]
    )
    assert np.mean(chances < 0.05) == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 400))


LOCAL = {
    "cart": lambda held: tree_scorer(held, TreeRules()),
    "gini": lambda held: tree_scorer(held, TreeRules(criterion="gini", complexity=0.002)),
    "ctree": lambda held: inference_scorer(held, TreeRules(least_split=60, least_leaf=20), 1.0),
}


def local_ratio(scorer_of, make, replications):
    """The mean pMSE over the mean of five permutations of each."""
    found, permuted = [], []
    for held, labels, rng in replicated(make, replications):
        scorer = scorer_of(held)
        found.append(pmse_of(scorer, labels))
        permuted += [pmse_of(scorer, rng.permutation(labels)) for _ in range(5)]
    return np.mean(found) / resampled_null(permuted).mean


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("make", [independent, proper])
def test_a_correct_candidate_averages_one_under_a_tree(name, make):
    assert local_ratio(LOCAL[name], make, 60) == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize("name", ["cart", "gini"])
def test_a_plain_synthesis_is_hardly_nearer_than_an_independent_sample_to_a_tree(name):
    """Means and covariances are reproduced, and they are few of what a tree looks at."""
    assert 0.85 < local_ratio(LOCAL[name], plain, 60) < 1.02


@pytest.mark.parametrize("linkage", ["average", "kmeans"])
def test_a_correct_candidate_averages_about_one_under_clusters(linkage):
    ratios = []
    for held, labels, rng in replicated(independent, 30):
        scored = clustered_scorer(held, TermKind.LINEAR, Clustering(6, linkage), rng)(labels)
        ratios.append(
            summarise_scores(scored.scores, labels).pmse
            / formula_null(scored.degrees, 0.5, 2 * ROWS, 1.0).mean
        )
    assert np.mean(ratios) == pytest.approx(1, abs=0.15)


def test_the_null_by_hand():
    """100 records, a quarter of them the candidate's.

    C (1 - c)² / N by its own variance, c² (1 - c) / N by the original's.
    """
    once, both = 0.25 * 0.75**2 / 100, 0.25 * 0.75 / 100
    assert formula_null(4, 0.25, 100).mean == pytest.approx(4 * once)
    assert formula_null(4, 0.25, 100, 1.0).mean == pytest.approx(4 * both)
    assert formula_null(4, 0.25, 100, 0.5).mean == pytest.approx(2 * once + 2 * both)
    assert formula_null(4, 0.25, 100, 0.5).deviation == pytest.approx(
        math.sqrt(2 * (2 * once**2 + 2 * both**2))
    )
    assert permutation_scale(0.25, 0.0) == pytest.approx(0.75)
    assert permutation_scale(0.25, 1.0) == pytest.approx(1)


def test_pairs_of_equal_size_are_halved_for_a_logistic_model_and_kept_for_a_local_one():
    assert pairs_scale(500, 500, 0.5, 1000, local=False) == pytest.approx(0.5)
    assert pairs_scale(500, 500, 0.5, 1000, local=True) == pytest.approx(1)


@pytest.mark.parametrize("found", [[0.0, 0.0], [0.0, 0.0, 0.1], [0.0] * 26 + [0.1] * 24])
def test_a_null_found_in_less_than_half_of_the_tables_is_none(found):
    assert resampled_null(found) is None


def test_a_null_found_in_half_of_the_tables_is_their_mean():
    assert resampled_null([0.0, 0.1]).mean == pytest.approx(0.05)


def test_the_p_value_of_two_degrees_is_an_exponential():
    """Chi-square with two degrees: exp(-x / 2). A pMSE of 0.0005 in 2 x 500 records is 4 times 0.000125.

    Half as many if drawn.
    """
    assert chi_square_chance(0.0005, 2, 0.5, 1000, drawn=False) == pytest.approx(math.exp(-2), rel=1e-12)
    assert chi_square_chance(0.0005, 2, 0.5, 1000, drawn=True) == pytest.approx(math.exp(-1), rel=1e-12)


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(5)
    return law(rng), law(rng)


def measured(pair_of, tables, steps=(), aligned=False, **options):
    return propensity_mse(
        pair_of(*tables, steps=steps, aligned=aligned), rng=np.random.default_rng(0), **options
    )


def test_the_null_used_is_said(pair_of, tables):
    """Three of three, one of three and none of the columns drawn, with tables of equal size."""
    for drawn, scale in ((NAMES, 1), (["b"], 2 / 3), ([], 1 / 2)):
        found = measured(pair_of, tables, synthesis(drawn)).parts
        assert (found["null.formula"], found["null_scale"]) == (1, pytest.approx(scale))
    assert measured(pair_of, tables, null="independent").parts["null.independent"] == 1
    tree = measured(pair_of, tables, synthesis(), model="cart", permutations=2).parts
    assert (tree["null.permutation"], tree["null_scale"]) == (1, 1)
    logistic = measured(pair_of, tables, synthesis(), null="permutation", permutations=2).parts
    assert (logistic["null.permutation"], logistic["null_scale"]) == (1, 1 / 2)


@pytest.mark.parametrize(
    ("steps", "aligned", "options"),
    [
        ((), False, {}),
        (synthesis(protection=Protection.PERTURBATIVE), True, {}),
        ((*synthesis(), *synthesis(protection=Protection.NON_PERTURBATIVE)), False, {}),
        (synthesis(["b"]), False, {}),
        (synthesis(), False, {"terms": "interactions"}),
        (synthesis(), False, {"model": "clustered_logistic", "clusters": 2}),
        (synthesis(), False, {"null": "permutation", "permutations": 2}),
        (synthesis(), False, {"null": "none"}),
    ],
    ids=[
        "unknown steps",
        "masked",
        "masked too",
        "some drawn",
        "interactions",
        "clusters",
        "permutation",
        "none",
    ],
)
def test_no_p_value_is_given_where_it_does_not_hold(steps, aligned, options, pair_of, tables):
    assert "p_value" not in measured(pair_of, tables, steps, aligned, **options).parts
    assert "p_value" in measured(pair_of, tables, synthesis()).parts


def test_records_in_households_have_no_p_value(tables):
    roles = Roles.of(
        [
            Variable("home", Role.HOUSEHOLD),
            *(Variable(name, Role.OTHER, VariableType.NUMERIC) for name in NAMES),
        ]
    )
    at_home = [table.assign(home=np.arange(ROWS) // 2) for table in tables]
    found = propensity_mse(
        ReleasePair.from_frames(*at_home, roles, steps=synthesis()), rng=np.random.default_rng(0)
    )
    assert found.parts["degrees"] == 3
    assert "p_value" not in found.parts


def test_without_a_null_the_value_is_in_units_of_one_degree_and_never_smaller_than_with_one(pair_of, tables):
    for options in (
        {},
        {"terms": "interactions"},
        {"model": "cart"},
        {"model": "clustered_logistic", "clusters": 3},
    ):
        without, usual = (
            measured(pair_of, tables, null="none", **options),
            measured(pair_of, tables, **options),
        )
        assert without.value == pytest.approx(without.parts["pmse"] / (0.125 / (2 * ROWS)))
        assert without.value >= usual.value
        assert "expected" not in without.parts
        assert without.parts["pmse"] == usual.parts["pmse"]


def test_a_tree_without_a_split_and_without_a_null_is_not_assessed(pair_of, tables):
    assert isinstance(measured(pair_of, (tables[0], tables[0]), model="cart", null="none"), NotAssessed)
