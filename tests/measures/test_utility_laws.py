"""Laws that every measure of utility in the catalogue obeys; a new measure is held to them by being there."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.catalogue.registry import Family, Need, find_measure, measures
from sdc.catalogue.units import Better
from sdc.cli.main import cli
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.profile.parts import can_have
from sdc.run.randomness import Randomness

UTILITY = sorted(name for name, entry in measures().items() if entry.family is Family.UTILITY)

CASES = [
    (name, {**find_measure(name).example, **options})
    for name in UTILITY
    for options in ({}, *find_measure(name).variants)
]
ids = [
    name
    + "".join(f"-{value}" for value in options.values() if not isinstance(value, list))
    + ("-joint" if "variables" in options else "")
    for name, options in CASES
]
every_measure = pytest.mark.parametrize(("name", "options"), CASES, ids=ids)


def every_measure_without(need: Need) -> pytest.MarkDecorator:
    kept = [place for place, (name, _) in enumerate(CASES) if need not in find_measure(name).needs]
    return pytest.mark.parametrize(
        ("name", "options"), [CASES[place] for place in kept], ids=[ids[place] for place in kept]
    )


MARGINAL = [
    "added_missing",
    "cell_ks",
    "entropy_change",
    "estimator_error",
    "freeman_tukey",
    "grouping_sensitivity",
    "jensen_shannon",
]
MARGINAL += [
    "kl_divergence",
    "ks_distance",
    "quantile_distance",
    "summary_change",
    "table_difference",
    "voas_williamson",
    "distribution_agreement",
]
MARGINAL += ["indicator_change"]
DEPENDENCE = [
    ("dependence_change", {}),
    ("eigenvalue_change", {}),
    ("table_fit", {}),
    ("k_marginals", {}),
    ("density_overlap", {}),
]
DEPENDENCE += [
    ("jensen_shannon", {"variables": ["income", "spending"]}),
    ("propensity_mse", {"terms": "interactions"}),
]
DEPENDENCE += [("ecdf_distance", {}), ("interval_overlap", {}), ("train_on_candidate", {})]
DEPENDENCE += [
    ("tree_impurity", {"target": "spending"}),
    ("propensity_mse", {"model": "clustered_logistic", "clusters": 4}),
]

NUMERIC = VariableType.NUMERIC
EDUCATION = ("none", "primary", "secondary", "degree")
VARIABLES = [
    Variable("household", Role.HOUSEHOLD),
    Variable("sex", Role.QUASI_IDENTIFIER),
    Variable("region", Role.QUASI_IDENTIFIER),
    Variable("education", Role.QUASI_IDENTIFIER, VariableType.ORDINAL, EDUCATION),
    Variable("age", Role.QUASI_IDENTIFIER, NUMERIC),
    Variable("income", Role.OTHER, NUMERIC),
    Variable("spending", Role.OTHER, NUMERIC),
    Variable("health", Role.SENSITIVE),
]
ROLES = Roles.of([*VARIABLES, Variable("weight", Role.WEIGHT, NUMERIC)])
NUMBERS = ["age", "income", "spending"]


def people(records: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, records).astype(float)
    income = np.round(np.exp(rng.normal(10, 0.6, records)) + 100 * age, 2)
    frame = pd.DataFrame(
        {
            "household": np.arange(records) // 2,
            "sex": rng.choice(["female", "male"], records),
            "region": rng.choice(["East", "Capital", "South", "West"], records, p=[0.4, 0.3, 0.2, 0.1]),
            "education": rng.choice(EDUCATION, records),
            "age": age,
            "income": income,
            "spending": np.round(0.6 * income + rng.gamma(4, 1500, records), 2),
            "health": np.where(age + rng.normal(0, 20, records) > 60, "bad", "good"),
            "weight": np.ones(records),
        }
    )
    frame.loc[rng.random(records) < 0.06, "income"] = np.nan
    frame.loc[rng.random(records) < 0.05, "education"] = None
    return frame


TABLE = people(240, 1)


def pair_of(
    original: pd.DataFrame, candidate: pd.DataFrame, roles: Roles = ROLES, **further: Any
) -> ReleasePair:
    return ReleasePair.from_frames(
        original,
        candidate,
        roles,
        **{"aligned": len(original) == len(candidate), "holdout": people(150, 99), **further},
    )


def value_of(name: str, options: dict[str, Any], pair: ReleasePair) -> float:
    found = assess(name, pair, options, randomness=Randomness.from_seed(7))
    assert found.value is not None, found.not_assessed
    low, high = find_measure(name).bounds
    assert low <= found.value <= high
    return found.value


def worse(name: str, value: float, than: float, by: float = 0.0) -> bool:
    """Is a value worse than another by more than this?"""
    return value < than - by if find_measure(name).better is Better.HIGHER else value > than + by


def best_of(name: str) -> float:
    """The value of identical tables: what nothing done gives, where the measure says so."""
    entry = find_measure(name)
    said = [stick.number for stick in entry.against if stick.words == "nothing done"]
    usual = entry.bounds[1] if entry.better is Better.HIGHER else 0.0
    return next((number for number in said if isinstance(number, float)), usual)


def noise(amount: float, seed: int) -> pd.DataFrame:
    """Noise on numbers in units of their spread, and as many categories drawn anew."""
    rng = np.random.default_rng(seed)
    made = TABLE.copy()
    for name in NUMBERS:
        made[name] += rng.normal(0, amount, len(TABLE)) * TABLE[name].std()
    for name in ("sex", "region", "education", "health"):
        drawn = rng.random(len(TABLE)) < amount / 2
        made.loc[drawn, name] = rng.choice(TABLE[name].dropna().unique(), drawn.sum())
    return made


@cache
def noisy(amount: float = 0.5, seed: int = 3) -> ReleasePair:
    return pair_of(TABLE, noise(amount, seed))


@cache
def anew(*, aligned: bool) -> ReleasePair:
    """The tables of noisy() in a database of their own."""
    return pair_of(TABLE, noise(0.5, 3), aligned=aligned)


@cache
def shuffled_records(*, together: bool) -> ReleasePair:
    order = np.random.default_rng(4).permutation(len(TABLE))
    return pair_of(TABLE.iloc[order] if together else TABLE, noise(0.5, 3).iloc[order], aligned=together)


@cache
def other_units() -> ReleasePair:
    tables = (TABLE, noise(0.5, 3), people(150, 99))
    original, candidate, holdout = (
        frame.assign(income=frame["income"] * 1024, spending=frame["spending"] / 64) for frame in tables
    )
    return pair_of(original, candidate, holdout=holdout)


@cache
def permuted(*, aligned: bool) -> ReleasePair:
    """Every column keeps its values, and what went with what is lost."""
    rng = np.random.default_rng(8)
    moved = TABLE.assign(
        **{name: rng.permutation(TABLE[name].to_numpy()) for name in ("income", "age", "health", "sex")}
    )
    return pair_of(TABLE, moved, aligned=aligned)


@cache
def unweighted() -> ReleasePair:
    original, candidate, holdout = (
        frame.drop(columns="weight") for frame in (TABLE, noise(0.5, 3), people(150, 99))
    )
    return pair_of(original, candidate, Roles.of(VARIABLES), holdout=holdout)


@every_measure
def test_identical_tables_have_the_best_value(name, options):
    assert value_of(name, options, noisy(0.0)) == pytest.approx(best_of(name), abs=1e-12)


@every_measure
def test_every_part_has_a_name_that_is_declared(name, options):
    parts = assess(name, noisy(), options, randomness=Randomness.from_seed(7)).outcome.parts
    assert [part for part in parts if not can_have(find_measure(name), part, ROLES.released)] == []


@every_measure
def test_the_order_of_records_does_not_matter(name, options):
    together = Need.ALIGNED in find_measure(name).needs
    plain = noisy() if together else anew(aligned=False)
    assert value_of(name, options, shuffled_records(together=together)) == pytest.approx(
        value_of(name, options, plain), rel=1e-7, abs=1e-12
    )


@every_measure
def test_the_unit_of_a_number_does_not_matter(name, options):
    assert value_of(name, options, other_units()) == pytest.approx(value_of(name, options, noisy()), rel=1e-7)


@every_measure
def test_the_same_seed_gives_the_same_value(name, options):
    assert value_of(name, options, noisy()) == value_of(name, options, anew(aligned=True))


@every_measure
def test_more_noise_never_improves_on_average(name, options):
    means = [
        np.mean([value_of(name, options, noisy(amount, seed)) for seed in range(3)])
        for amount in (0.0, 0.3, 1.5)
    ]
    assert not worse(name, means[0], than=means[1], by=1e-9)
    assert not worse(name, means[1], than=means[2], by=1e-9 + 0.05 * abs(means[0] - means[2]))


@pytest.mark.parametrize("name", MARGINAL)
def test_a_permuted_column_leaves_measures_of_margins(name):
    assert value_of(name, {}, permuted(aligned=False)) == pytest.approx(best_of(name), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "options"), DEPENDENCE, ids=[f"{name}{place}" for place, (name, _) in enumerate(DEPENDENCE)]
)
def test_a_permuted_column_worsens_measures_of_dependence(name, options):
    assert worse(
        name,
        value_of(name, options, permuted(aligned=False)),
        than=best_of(name),
        by=0.02 * max(abs(best_of(name)), 1),
    )


@every_measure
def test_a_permuted_column_improves_nothing(name, options):
    assert not worse(name, best_of(name), than=value_of(name, options, permuted(aligned=True)), by=1e-9)


@every_measure_without(Need.WEIGHT)
def test_weights_of_one_are_no_weights(name, options):
    found = assess(
        name,
        unweighted(),
        {key: value for key, value in options.items() if key != "weighted"},
        randomness=Randomness.from_seed(7),
    )
    assert found.value == pytest.approx(value_of(name, options, noisy()), rel=1e-9)


@pytest.mark.parametrize(("need", "few"), [(Need.WEIGHT, 0), (Need.ALIGNED, 3)])
def test_few_measures_are_left_out_for_a_need_and_have_no_value_without(need, few):
    """Without the weight; or with records that do not stand one for one."""
    lacking = {Need.WEIGHT: unweighted(), Need.ALIGNED: permuted(aligned=False)}[need]
    left_out = [name for name in UTILITY if need in find_measure(name).needs]
    assert len(left_out) == few
    for name in left_out:
        assert isinstance(assess(name, lacking, find_measure(name).example).outcome, NotAssessed)


def hollow(name: str, value: Any) -> pd.DataFrame:
    return TABLE.assign(**{name: pd.Series([value] * len(TABLE), dtype=TABLE[name].dtype)})


HARD = {
    "unequal sizes": lambda: (TABLE, people(170, 2)),
    "many missing": lambda: (TABLE, TABLE.mask(np.random.default_rng(1).random(TABLE.shape) < 0.7)),
    "a number all missing": lambda: (TABLE, hollow("income", np.nan)),
    "a number missing in the original": lambda: (hollow("income", np.nan), TABLE),
    "a constant number": lambda: (hollow("age", 40.0), hollow("age", 40.0)),
    "a number that became constant": lambda: (TABLE, hollow("age", 40.0)),
    "a constant that became a number": lambda: (hollow("age", 40.0), TABLE),
    "one level": lambda: (hollow("region", "East"), hollow("region", "East")),
    "a level of its own": lambda: (TABLE, hollow("region", "elsewhere")),
    "weights missing or not positive": lambda: (
        TABLE,
        TABLE.assign(weight=np.resize([1.0, np.nan, 0.0, -2.0, 3.0], len(TABLE))),
    ),
    "no weight at all": lambda: (TABLE, TABLE.assign(weight=np.nan)),
    "letters of all scripts": lambda: (
        TABLE.assign(region="Ü-日本"),
        TABLE.assign(region=np.resize(["Ü-日本", "о'Х", 'a"b'], len(TABLE))),
    ),
    "one record each": lambda: (TABLE.head(1), TABLE.tail(1)),
    "one record": lambda: (TABLE, TABLE.head(1)),
    "no records": lambda: (TABLE, TABLE.head(0)),
    "a column less": lambda: (TABLE, TABLE.drop(columns=["spending", "sex"])),
    "a recoded number": lambda: (
        TABLE,
        TABLE.assign(age=[f"{int(age) // 10 * 10}-{int(age) // 10 * 10 + 9}" for age in TABLE["age"]]),
    ),
    "labels nobody can read": lambda: (TABLE, TABLE.assign(age="grown up")),
    "far apart": lambda: (TABLE, TABLE.assign(income=TABLE["income"] + 1e9, spending=-TABLE["spending"])),
    "huge and tiny": lambda: (
        TABLE.assign(income=TABLE["income"] * 1e120),
        TABLE.assign(income=TABLE["income"] * 1e-120),
    ),
}


@cache
def hard(case: str) -> ReleasePair:
    return pair_of(*HARD[case]())


@pytest.mark.parametrize("case", HARD)
@every_measure
def test_hard_tables_give_a_value_or_a_reason_and_never_an_accident(name, options, case):
    found = assess(name, hard(case), options, randomness=Randomness.from_seed(7)).outcome
    assert isinstance(found, Measurement | NotAssessed)
    low, high = find_measure(name).bounds
    assert (
        low <= found.value <= high if isinstance(found, Measurement) else " failed: " not in found.reason
    ), found


@every_measure_without(Need.ALIGNED)
def test_no_part_is_the_p_value_of_a_test_between_dependent_tables(name, options):
    """The one p-value there is belongs to the paired test, and to aligned tables."""
    found = assess(name, permuted(aligned=False), options, randomness=Randomness.from_seed(7)).outcome
    assert isinstance(found, Measurement)
    assert not [part for part in found.parts if part.split(".")[0].endswith(("_p", "p_value", "pvalue"))]


@pytest.mark.parametrize("name", UTILITY)
def test_every_measure_says_which_p_values_hold(name):
    """In its docstring and in what the command shows of it."""
    shown = CliRunner().invoke(cli, ["catalogue", name])
    assert shown.exit_code == 0
    for text in (find_measure(name).function.__doc__ or "", shown.output):
        assert "p-value" in " ".join(text.split())
