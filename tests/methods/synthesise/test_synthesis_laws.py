"""What holds of every synthesiser, whatever the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from methods.conftest import roles_of

from sdc.catalogue.protection import Protection
from sdc.catalogue.registry import methods
from sdc.catalogue.synthesis_models import models
from sdc.data.roles import Role

EDGES = {
    "age": [0, 30, 50, 90],
    "income": [0, 2000, 5000, 50_000],
    "born": [-30_000, 0, 20_000],
    "w": [0, 2, 4],
}
SYNTHETIC = {name: entry for name, entry in methods().items() if entry.protection is Protection.SYNTHETIC}
SYNTHESISERS = {name: entry.example for name, entry in SYNTHETIC.items() if entry.extra is None}
"""What needs packages of its own has laws of its own."""
UNASKED = [
    name
    for name, entry in models().items()
    if name != "cart" and not any(field.is_required() for field in entry.options.model_fields.values())
]
"""Models that can draw any variable without being told more."""
VARIANTS = list(SYNTHESISERS.items())
VARIANTS += [("sequential", {"model": name}) for name in (*UNASKED, "parametric")]
VARIANTS += [("sequential", {"smoothing": how}) for how in ("spline", "density")]
VARIANTS += [
    ("sequential", {"visit": "automatic", "proper": True}),
    ("sequential", {"strata": ["sex"]}),
    ("all_others", {"second_pass": True}),
]
VARIANTS += [("interpolation", {"kind": kind}) for kind in ("linear_one", "linear_two")]
NAMES = [f"{name} {options}" for name, options in VARIANTS]
OUTSIDE = {"moment_matched_normal", "parametric_margins"}


@pytest.fixture(params=VARIANTS, ids=NAMES)
def variant(request):
    return request.param


def made_by(protect, variant, table, seed=0, **given):
    name, options = variant
    known = {key: value for key, value in options.items() if key != "strata" or set(value) <= set(table)}
    return protect(name, table, {**known, **given}, seed=seed, roles=roles_of(table))


def test_columns_types_and_categories_are_those_of_the_original(protect, variant, mixed):
    before = mixed.copy(deep=True)
    made = made_by(protect, variant, mixed).table
    pd.testing.assert_frame_equal(mixed, before)
    assert list(made.columns) == list(mixed.columns)
    assert made.dtypes.equals(mixed.dtypes)
    assert len(made) == len(mixed)


def test_values_stay_in_the_observed_range(protect, variant, mixed):
    made = made_by(protect, variant, mixed).table
    if variant[0] in OUTSIDE or variant[1].get("kind") == "linear_one":
        return
    for name in ("age", "income", "born"):
        assert made[name].min() >= mixed[name].min()
        assert made[name].max() <= mixed[name].max()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(protect, variant, mixed):
    one, same, other = (made_by(protect, variant, mixed, seed) for seed in (5, 5, 6))
    pd.testing.assert_frame_equal(one.table, same.table, check_exact=True)
    assert one.record == same.record
    assert variant[1].get("model") == "constant" or not one.table.equals(other.table)


def test_the_unit_of_one_variable_changes_nothing_in_the_others(protect, variant, mixed):
    made = [
        made_by(protect, variant, mixed.assign(income=mixed["income"] * unit)).table.drop(columns="income")
        for unit in (1.0, 2.0**40, 2.0**-40)
    ]
    for other in made[1:]:
        pd.testing.assert_frame_equal(other, made[0], rtol=1e-6)


def test_missing_values_keep_about_their_share(protect, variant, mixed):
    """A tenth of 200: six standard errors and the variation of models."""
    made = made_by(protect, variant, mixed).table
    if variant[1].get("model") == "constant":
        return
    for name in mixed:
        assert made[name].isna().mean() == pytest.approx(mixed[name].isna().mean(), abs=0.15)


def test_one_variable_is_enough(protect, variant, mixed):
    for name in ("income", "sex", "born"):
        made = made_by(protect, variant, mixed[[name]]).table
        assert made.dtypes.equals(mixed[[name]].dtypes)


def test_one_record_is_enough(protect, variant, mixed):
    one = mixed.dropna().iloc[:1]
    made = made_by(protect, variant, one).table
    assert len(made) == 1
    assert made["sex"].iloc[0] == one["sex"].iloc[0]


def test_constant_and_all_missing_columns_stay_so(protect, variant, mixed):
    table = mixed.assign(
        age=7.0, income=np.nan, sex=pd.Categorical([None] * len(mixed), categories=["f", "m"])
    )
    made = made_by(protect, variant, table).table
    assert made["age"].to_numpy() == pytest.approx(np.full(len(mixed), 7.0))
    assert made["income"].isna().all()
    assert made["sex"].isna().all()
    assert made.dtypes.equals(table.dtypes)


def test_nothing_of_the_record_is_a_cell_value(protect, variant, mixed):
    """Names of variables, models and families, counts: never a label of a category."""
    labels = {"f", "m", "low", "middle", "high"}
    assert not labels & set(_texts(made_by(protect, variant, mixed).record))


def _texts(held):
    if isinstance(held, dict):
        return [text for key, value in held.items() for text in (key, *_texts(value))]
    if isinstance(held, (list, tuple)):
        return [text for value in held for text in _texts(value)]
    return [held] if isinstance(held, str) else []


def test_a_household_number_is_never_that_of_the_original(protect, variant, mixed):
    table = mixed.assign(h=pd.Categorical([f"secret {number // 2}" for number in range(len(mixed))]))
    name, options = variant
    made = protect(
        name,
        table,
        {key: value for key, value in options.items() if key != "strata"},
        roles=roles_of(table, h=Role.HOUSEHOLD),
    ).table
    assert not made["h"].astype(str).str.contains("secret").any()


@pytest.mark.parametrize("name", ["saturated_table", "ipf_tables"])
def test_private_tables_obey_the_same_laws(protect, mixed, name):
    edges = {key: value for key, value in EDGES.items() if key in mixed}
    made = protect(name, mixed, {"edges": edges, "epsilon": 100.0})
    assert made.table.dtypes.equals(mixed.dtypes)
    assert made.budget is not None
    again = protect(name, mixed, {"edges": edges, "epsilon": 100.0})
    pd.testing.assert_frame_equal(made.table, again.table, check_exact=True)


@pytest.mark.parametrize("name", models())
def test_a_model_cites_its_source_and_says_what_it_draws(name):
    entry = models()[name]
    assert entry.reference, entry.file
    assert entry.summary, entry.file
