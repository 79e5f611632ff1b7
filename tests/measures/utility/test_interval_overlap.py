"""interval_overlap against synthpop's compare(), simulation and hand calculation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.registry import find_measure
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.measures.model_fits import TwoFits, two_fits
from sdc.measures.model_frame import model_frame
from sdc.measures.utility.interval_overlap import Lengths, ModelComparison, interval_overlap
from sdc.statistics.estimates.intervals import expected_overlap, overlap
from sdc.statistics.regression.design import Block, design
from sdc.statistics.regression.formula import parse
from sdc.statistics.regression.regression import fit_linear

FORMULAS = {
    "lm_spending": "spending ~ sex + age + region + education",
    "lm_log_spending": "log(spending) ~ sex + age + income",
    "logit_married": "marital_status == married ~ sex + age + region",
}
TOLERANCE = {"lm_spending": 1e-8, "lm_log_spending": 1e-8, "logit_married": 1e-6}
SIZES = {"cart": 5000, "parametric": 5915}


def _lengths(errors, ratio):
    return Lengths(errors, 0.95, None, ratio, 1 / ratio, 1)


def column(table, place):
    return np.array(table["data"])[:, place]


@pytest.mark.parametrize("model", FORMULAS)
@pytest.mark.parametrize("candidate", SIZES)
def test_coefficients_errors_and_overlaps_agree_with_synthpop(candidate, model, golden, golden_pair):
    expected, close = golden("model_fits")["outputs"][candidate][model], TOLERANCE[model]
    pair = golden_pair(f"synthpop_{candidate}")
    fits = two_fits(model_frame(pair, parse(FORMULAS[model]), weighted=False))
    assert fits.original.coefficients == pytest.approx(column(expected["coef_obs"], 0), rel=close)
    assert fits.original.errors == pytest.approx(column(expected["coef_obs"], 1), rel=close)
    assert fits.candidate.coefficients == pytest.approx(column(expected["coef_syn"], 0), rel=close)
    ratio = 5915 / SIZES[candidate]
    found = ModelComparison.of(fits, _lengths("original", ratio))
    assert found.overlap == pytest.approx(np.array(expected["ci_overlap"]), rel=close, abs=close)
    assert found.difference == pytest.approx(np.abs(column(expected["coef_diff"], 3)), rel=close, abs=close)
    if expected["lack_of_fit"] is not None:
        assert found.lack_of_fit == pytest.approx(expected["lack_of_fit"], rel=close)
    population = ModelComparison.of(fits, _lengths("population", ratio))
    assert population.overlap == pytest.approx(
        np.array(expected["ci_overlap_population"]), rel=close, abs=close
    )


@pytest.mark.parametrize("candidate", SIZES)
def test_the_measure_gives_synthpops_means_by_model(candidate, golden, golden_pair):
    expected = golden("model_fits")["outputs"][candidate]
    found = interval_overlap(golden_pair(f"synthpop_{candidate}"), models=list(FORMULAS.values()))
    overlaps = np.concatenate([expected[model]["ci_overlap"] for model in FORMULAS])
    for number, model in enumerate(FORMULAS, start=1):
        assert found.parts[f"overlap.{number}"] == pytest.approx(
            expected[model]["mean_ci_overlap"], rel=TOLERANCE[model]
        )
        assert found.parts[f"standardised_difference.{number}"] == pytest.approx(
            expected[model]["mean_abs_std_diff"], rel=TOLERANCE[model]
        )
    assert found.value == pytest.approx(overlaps.mean(), rel=1e-6)
    assert found.parts["smallest"] == pytest.approx(overlaps.min(), rel=1e-6)
    regions = [
        place for place, term in enumerate(expected["lm_spending"]["terms"]) if term.startswith("region")
    ]
    assert found.parts["overlap.1.region"] == pytest.approx(
        np.mean(np.array(expected["lm_spending"]["ci_overlap"])[regions]), rel=1e-8
    )
    signs = [column(expected[model][side], 0) > 0 for model in FORMULAS for side in ("coef_obs", "coef_syn")]
    assert (
        found.parts["sign_agreement"]
        == np.concatenate([one == other for one, other in zip(signs[::2], signs[1::2], strict=True)]).mean()
    )
    clear = [
        np.abs(column(expected[model][side], 2)) > 1.959964
        for model in FORMULAS
        for side in ("coef_obs", "coef_syn")
    ]
    assert (
        found.parts["significance_agreement"]
        == np.concatenate([one == other for one, other in zip(clear[::2], clear[1::2], strict=True)]).mean()
    )
    population = interval_overlap(
        golden_pair(f"synthpop_{candidate}"), models=[FORMULAS["lm_spending"]], errors="population"
    )
    assert population.value == pytest.approx(expected["lm_spending"]["mean_ci_overlap_population"], rel=1e-8)


def test_overlaps_by_hand():
    """[0, 4] and [2, 4] share 2: half of the first and all of the second.

    [0, 2] and [3, 5] miss each other by half a length.
    """
    found = overlap(
        np.array([2.0, 1.0, 5.0]),
        np.array([2.0, 1.0, 1.0]),
        np.array([3.0, 4.0, 5.0]),
        np.array([1.0, 1.0, 1.0]),
    )
    assert found.tolist() == [0.75, -0.5, 1.0]


@pytest.mark.parametrize(("ratio", "spread"), [(1.0, 1.0), (1.4, 1.0), (0.7, 1.3), (1.0, 0.3)])
def test_the_expected_overlap_is_that_of_drawn_estimates(ratio, spread):
    drawn = np.random.default_rng(1).normal(0, spread, 400_000)
    half = np.full(drawn.size, 1.959963984540054)
    assert expected_overlap(0.95, ratio, spread) == pytest.approx(
        overlap(0 * drawn, half, drawn, ratio * half).mean(), abs=2e-3
    )


def test_one_correct_synthesis_of_equal_size_overlaps_by_four_fifths(golden_pair):
    """1 - sqrt(2 / pi) / (2 * 1.96)."""
    assert expected_overlap(0.95, 1.0, 1.0) == pytest.approx(
        1 - np.sqrt(2 / np.pi) / (2 * 1.959963984540054), rel=1e-12
    )
    assert expected_overlap(0.95, 1.0, 1.0) == pytest.approx(0.797, abs=1e-3)
    found = interval_overlap(golden_pair("synthpop_parametric"), models=["spending ~ age"])
    assert found.parts["expected"] == pytest.approx(0.797, abs=1e-3)


def people(records, seed, slope=1.0):
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 80, records)
    region = rng.choice(["east", "north", "west"], records)
    return pd.DataFrame(
        {"y": slope * age + 5 * (region == "west") + rng.normal(0, 10, records), "age": age, "region": region}
    )


def test_syntheses_of_a_correct_model_overlap_as_expected():
    rng, found = np.random.default_rng(1), []
    x = rng.uniform(-1, 1, 200)
    matrix = design([Block(np.zeros(200, dtype=np.int32), x, 1, 0)], 200)
    for _ in range(300):
        original = fit_linear(matrix, 2 + x + rng.normal(0, 1, 200), np.ones(200))
        spread = original.errors[0] / np.sqrt(
            np.linalg.inv(np.array([[200, x.sum()], [x.sum(), x @ x]]))[0, 0]
        )
        synthesis = fit_linear(matrix, original.fitted + rng.normal(0, spread, 200), np.ones(200))
        found.append(
            ModelComparison.of(
                TwoFits(("intercept", "x"), original, synthesis, x), _lengths("original", 1.0)
            ).overlap.mean()
        )
    assert np.mean(found) == pytest.approx(expected_overlap(0.95, 1.0, 1.0), abs=0.02)


def test_several_syntheses_are_judged_by_their_mean(pair_of):
    original, tables = people(300, 1), [people(300, seed) for seed in (2, 3, 4)]
    pair = pair_of(original, tables[0], syntheses=tables)
    found = interval_overlap(pair, models=["y ~ age + region"])
    fits = [
        two_fits(model_frame(pair_of(original, table), parse("y ~ age + region"), weighted=False))
        for table in tables
    ]
    mean = np.mean([fit.candidate.coefficients for fit in fits], axis=0)
    expected = np.abs(mean - fits[0].original.coefficients) / fits[0].original.errors
    assert found.parts["standardised_difference"] == pytest.approx(expected.mean(), rel=1e-12)
    assert found.parts["expected"] == pytest.approx(expected_overlap(0.95, 1.0, np.sqrt(1 / 3)))
    assert found.parts["syntheses"] == 3


def test_own_errors_make_the_candidates_intervals(pair_of):
    original, candidate = people(400, 1), people(100, 2)
    found = interval_overlap(pair_of(original, candidate), models=["y ~ age"], errors="own")
    fits = two_fits(model_frame(pair_of(original, candidate), parse("y ~ age"), weighted=False))
    expected = overlap(
        fits.original.coefficients,
        1.959964 * fits.original.errors,
        fits.candidate.coefficients,
        1.959964 * fits.candidate.errors,
    )
    assert found.value == pytest.approx(expected.mean(), rel=1e-6)


def test_the_reference_is_a_category_both_tables_have_and_new_ones_are_not_compared(pair_of):
    original = people(300, 1)
    candidate = people(300, 2)
    candidate.loc[:20, "region"] = "away"
    found = interval_overlap(pair_of(original, candidate), models=["y ~ age + region"])
    assert found.parts["coefficients"] == 4
    lost = candidate.assign(region=candidate["region"].replace({"west": "north"}))
    reason = interval_overlap(pair_of(original, lost), models=["y ~ age + region"])
    assert isinstance(reason, NotAssessed)
    assert reason.reason == "model 1 on the candidate: 1 of 4 coefficients cannot be estimated"


def test_a_recoded_number_is_compared_by_its_bands(pair_of):
    original = people(300, 1).assign(age=lambda held: held["age"].round())
    banded = original.assign(
        age=[f"{int(age) // 20 * 20}-{int(age) // 20 * 20 + 19}" for age in original["age"]]
    )
    found = interval_overlap(pair_of(original, banded), models=["y ~ age"])
    assert found.value == 1
    assert isinstance(interval_overlap(pair_of(original, banded), models=["y ~ age^2"]), NotAssessed)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("wealth ~ age", "not in both tables: wealth"),
        ("region ~ age", "has 3 categories: compare it with one"),
        ("y == much ~ age", "compared with a word"),
        ("region == south ~ age", "no finite estimate"),
        ("y ~ region^2", "region is not a number in both tables"),
    ],
)
def test_a_model_that_cannot_be_fitted_says_why(formula, said, pair_of):
    table = people(100, 1)
    found = interval_overlap(pair_of(table, table), models=[formula])
    assert isinstance(found, NotAssessed)
    assert said in found.reason


def test_a_formula_that_cannot_be_read_is_refused_before_any_data_are(pair_of):
    with pytest.raises(ValidationError, match="expected after"):
        find_measure("interval_overlap").arguments({"models": ["income ~"]})


def test_weights_count_and_the_value_without_them_is_beside():
    numeric = VariableType.NUMERIC
    roles = Roles.of(
        [
            Variable("y", Role.SENSITIVE, numeric),
            Variable("age", Role.QUASI_IDENTIFIER, numeric),
            Variable("w", Role.WEIGHT, numeric),
        ]
    )
    original = people(200, 1)[["y", "age"]].assign(
        w=np.random.default_rng(3).integers(1, 9, 200).astype(float)
    )
    candidate = people(200, 2)[["y", "age"]].assign(w=original["w"])
    pair, plain = (
        ReleasePair.from_frames(original, candidate, roles),
        ReleasePair.from_frames(original, candidate, Roles.of(list(roles)[:2])),
    )
    weighted, unweighted = assess("interval_overlap", pair).outcome, assess("interval_overlap", plain).outcome
    assert weighted.parts["unweighted"] == pytest.approx(unweighted.value, rel=1e-12)
    assert weighted.value != pytest.approx(unweighted.value, rel=1e-3)


def test_unless_named_sensitive_variables_are_explained_by_the_keys():
    numeric = VariableType.NUMERIC
    roles = Roles.of(
        [
            Variable("y", Role.SENSITIVE, numeric),
            Variable("age", Role.QUASI_IDENTIFIER, numeric),
            Variable("region", Role.SENSITIVE),
            Variable("other"),
        ]
    )
    table = people(300, 1).assign(other="x")
    found = assess(
        "interval_overlap", ReleasePair.from_frames(table, people(300, 2).assign(other="x"), roles)
    ).outcome
    assert {"overlap.1.age", "overlap.2.age"} <= set(found.parts)
    assert found.parts["coefficients"] == 4


def test_coefficients_and_interval_bounds_of_both_tables_are_synthpops(golden, golden_pair):
    expected = golden("model_fits")["outputs"]["cart"]["lm_spending"]
    found = interval_overlap(golden_pair("synthpop_cart"), models=[FORMULAS["lm_spending"]]).parts
    for side, table in (("original", "coef_obs"), ("candidate", "coef_syn")):
        estimate, error = column(expected[table], 0), column(expected[table], 1)
        for place, term in ((0, "intercept"), (2, "age"), (3, "region.1"), (10, "region.8")):
            assert found[f"{side}.coefficient.1.{term}"] == pytest.approx(estimate[place], rel=1e-8)
            low, high = found[f"{side}.low.1.{term}"], found[f"{side}.high.1.{term}"]
            assert (low + high) / 2 == pytest.approx(estimate[place], rel=1e-8)
            assert high - low == pytest.approx(2 * 1.959963984540054 * error[place], rel=1e-7), (side, term)
