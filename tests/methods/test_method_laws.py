"""What must hold for every masking method of the catalogue, whatever it does."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.protection import Protection
from sdc.catalogue.registry import methods
from sdc.catalogue.validity import touched
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadOption, CannotProtect, SdcError

GIVEN = {
    "global_recode": {
        "age": {"width": 10},
        "region": {"groups": {"north": ["r0", "r1"]}},
        "school": {"groups": {"low": ["none", "some"]}},
    },
    "gaussian_noise": {"epsilon": 2.0, "delta": 1e-5, "income": [0, 100_000]},
    "laplace_noise": {"epsilon": 1.0, "income": [0, 100_000], "age": [0, 110]},
    "pram": {"variables": ["sex", "health"]},
    "record_swap": {"variables": ["region", "town"], "similar": ["sex"]},
    "rounding": {"income": {"to": 100, "how": "random"}, "age": {"to": 5}},
    "subsample": {"share": 0.5},
    "top_bottom_code": {"income": {"top_share": 0.05}, "age": {"top": 85}},
    "shuffle": {"variables": ["income", "wealth"], "given": ["age", "school"]},
    "household_consistency": {"variables": ["income", "school"]},
}
RECODES = {"global_recode", "k_anonymise"}
HIDES = {"local_suppression", "k_anonymise", "household_consistency", "top_bottom_code"}
FILLS = {"laplace_noise", "gaussian_noise"}
NEEDS_K = {"local_suppression", "k_anonymise", "microaggregation", "noisy_microaggregation"}
DRAWS_NO_LOTS = {
    "global_recode",
    "household_consistency",
    "k_anonymise",
    "local_suppression",
    "microaggregation",
    "top_bottom_code",
}
CANARY = "canary of a cell"

ROLES = Roles.of(
    [
        Variable("home", Role.HOUSEHOLD),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("town", Role.QUASI_IDENTIFIER),
        Variable("sex", Role.QUASI_IDENTIFIER),
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("school", Role.QUASI_IDENTIFIER, VariableType.ORDINAL, ("none", "some", "much")),
        Variable("born", Role.OTHER, VariableType.DATE),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
        Variable("wealth", Role.SENSITIVE, VariableType.NUMERIC),
        Variable("health", Role.SENSITIVE),
        Variable("weight", Role.WEIGHT, VariableType.NUMERIC),
    ]
)
EXAMINED = ["sex", "age", "school", "born", "income", "wealth", "health"]
"""Columns in which values may be missing."""


def survey(records=240, missing=0.1, seed=0):
    rng = np.random.default_rng(seed)
    home = np.sort(rng.integers(0, max(1, records // 2), records))
    region = rng.integers(0, 3, home.max(initial=0) + 1)[home] if records else home
    table = pd.DataFrame(
        {
            "home": pd.Categorical(home.astype(str)),
            "region": pd.Categorical([f"r{code}" for code in region], [f"r{code}" for code in range(3)]),
            "town": pd.Categorical(
                [f"r{code}t{number % 2}" for code, number in zip(region, home, strict=True)]
            ),
            "sex": pd.Categorical(rng.choice(["f", "m"], records)),
            "age": rng.integers(0, 100, records).astype(float),
            "school": pd.Categorical(
                rng.choice(["none", "some", "much"], records), ["none", "some", "much"], ordered=True
            ),
            "born": pd.to_datetime("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, records), "D"),
            "income": rng.gamma(2.0, 10_000, records),
            "wealth": np.where(rng.random(records) < 0.3, 0.0, rng.normal(0, 1e6, records)),
            "health": pd.Categorical(rng.choice(["good", "bad", CANARY], records)),
            "weight": rng.uniform(1, 9, records),
        }
    )
    for name in EXAMINED:
        table[name] = table[name].mask(rng.random(records) < missing)
    return table


def apply(name, table, seed=0, **more):
    entry = methods()[name]
    return entry.function(
        table, ROLES, np.random.default_rng(seed), **entry.arguments({**GIVEN.get(name, {}), **more})
    )


def digest(table):
    """Every value and type of a table."""
    told = hashlib.sha256()
    for name in table:
        told.update(f"{name} {table[name].dtype}".encode())
        told.update(pd.util.hash_pandas_object(table[name], index=True).to_numpy().tobytes())
    return told.hexdigest()


EVERY = sorted(
    name
    for name, entry in methods().items()
    if entry.function.__module__.startswith("sdc.methods.anonymise.")
)


@pytest.fixture(scope="module")
def table():
    return survey()


@pytest.fixture(scope="module")
def results(table):
    made = {}

    def once(name):
        if name not in made:
            made[name] = apply(name, table)
        return made[name]

    return once


def test_every_method_can_be_called_with_its_defaults_or_the_options_given_here():
    for name in EVERY:
        methods()[name].arguments(GIVEN.get(name, {}))


@pytest.mark.parametrize("name", EVERY)
def test_the_input_is_left_as_it_was(name):
    table = survey(seed=5)
    before, kept = digest(table), table.copy(deep=True)
    apply(name, table)
    assert digest(table) == before
    pd.testing.assert_frame_equal(table, kept)


@pytest.mark.parametrize("name", EVERY)
def test_the_same_seed_gives_the_same_bytes(name, table, results):
    assert digest(apply(name, table).table) == digest(results(name).table)


@pytest.mark.parametrize("name", EVERY)
def test_another_seed_gives_another_table_where_lots_are_drawn(name, table, results):
    same = digest(apply(name, table, seed=1).table) == digest(results(name).table)
    assert same == (name in DRAWS_NO_LOTS)
    assert same or methods()[name].takes_rng, "what draws lots says so"


def test_methods_that_never_draw_lots_are_said_not_to():
    assert {name for name in EVERY if not methods()[name].takes_rng} == DRAWS_NO_LOTS - {
        "household_consistency"
    }, "which draws with take: any"


@pytest.mark.parametrize("name", EVERY)
def test_columns_stay_in_their_order_and_rows_in_theirs(name, table, results):
    made = results(name).table
    assert list(made.columns) == list(table.columns)
    assert made.index.equals(pd.RangeIndex(len(made)))
    if methods()[name].aligned:
        assert len(made) == len(table)


@pytest.mark.parametrize("name", EVERY)
def test_types_and_domains_are_kept_unless_values_become_coarser(name, table, results):
    made = results(name).table
    for column in table.columns.drop("home"):
        if name in RECODES:
            assert made[column].dtype.kind in "fM" or isinstance(made[column].dtype, pd.CategoricalDtype)
        else:
            assert made[column].dtype == table[column].dtype
    assert isinstance(made["home"].dtype, pd.CategoricalDtype)


@pytest.mark.parametrize("name", EVERY)
def test_ordered_categories_stay_ordered(name, results):
    school = results(name).table["school"]
    assert school.cat.ordered
    assert list(school.cat.categories) in (["none", "some", "much"], ["low", "much"], ["*"])


@pytest.mark.parametrize("name", EVERY)
def test_what_a_method_does_not_say_it_touches_is_identical(name, table, results):
    entry = methods()[name]
    if entry.aligned:
        for column in set(table.columns) - touched(entry, GIVEN.get(name, {}), ROLES):
            pd.testing.assert_series_equal(results(name).table[column], table[column])


@pytest.mark.parametrize("name", [name for name in EVERY if methods()[name].aligned])
def test_missing_stays_missing_unless_the_method_says_otherwise(name, table, results):
    before, after = table.isna(), results(name).table.isna()
    if name in FILLS:
        assert (before | ~after).all().all()
    elif name == "k_anonymise":
        assert (after | ~before | (results(name).table.astype(object) == "*")).all().all()
    else:
        assert (after | ~before).all().all()
        assert name in HIDES or after.equals(before)


@pytest.mark.parametrize("name", EVERY)
def test_values_that_may_not_be_false_are_not(name, table, results):
    """Non-perturbative methods show a value, a label that holds it, or nothing."""
    entry = methods()[name]
    if entry.protection is not Protection.NON_PERTURBATIVE or not entry.aligned:
        return
    made = results(name)
    for column in table.columns:
        shown = made.table[column].notna() & table[column].notna()
        before, after = table[column][shown].astype(object), made.table[column][shown].astype(object)
        same = before.to_numpy() == after.to_numpy()
        if column in made.labels:
            same |= before.astype(str).map(made.labels[column]).to_numpy() == after.to_numpy()
        if name not in RECODES | {"top_bottom_code"}:
            assert same.all()


@pytest.mark.parametrize("name", EVERY)
def test_one_record_is_protected_or_refused(name):
    table = survey(1, missing=0)
    try:
        made = apply(name, table)
    except CannotProtect:
        assert name in NEEDS_K
    else:
        assert name not in NEEDS_K
        assert list(made.table.columns) == list(table.columns)
        assert len(made.table) <= 1 or not methods()[name].aligned


@pytest.mark.parametrize("name", EVERY)
def test_no_record_is_protected_or_refused(name):
    table = survey(0)
    with contextlib.suppress(CannotProtect):
        assert len(apply(name, table).table) == 0


@pytest.mark.parametrize("name", EVERY)
def test_columns_without_values_and_columns_of_one_value_are_no_obstacle(name):
    table = survey(60, missing=0)
    table["income"], table["health"], table["age"] = (
        np.nan,
        table["health"].mask(table["health"].notna()),
        np.nan,
    )
    table["sex"] = pd.Categorical(["f"] * 60)
    table["wealth"] = 7.0
    table["born"] = pd.Series(pd.NaT, index=table.index).astype(table["born"].dtype)
    made = apply(name, table).table
    assert list(made.columns) == list(table.columns)
    if name not in FILLS:
        assert made["income"].isna().all()
        assert made["health"].isna().all()


@pytest.mark.parametrize("name", EVERY)
def test_what_goes_on_record_is_plain_and_holds_no_value_of_a_sensitive_variable(name, results):
    record = json.dumps(dict(results(name).record))
    assert CANARY not in record
    assert "NaN" not in record


@pytest.mark.parametrize(
    "name", [name for name in EVERY if "variables" in methods()[name].options.model_fields]
)
def test_an_unknown_variable_is_refused_by_name(name, table):
    with pytest.raises(BadOption, match=r"no variable is called 'incom'; did you mean 'income'"):
        apply(name, table, variables=["incom"])


@pytest.mark.parametrize("name", ["additive_noise", "noisy_microaggregation", "resampling"])
def test_a_numeric_method_on_text_is_refused_by_name(name, table):
    with pytest.raises(BadOption, match="health does not hold numbers"):
        apply(name, table, variables=["health"])


@pytest.mark.parametrize("name", [name for name in EVERY if "by" in methods()[name].options.model_fields])
def test_classes_named_in_by_exist_or_are_refused(name, table):
    with pytest.raises(BadOption, match="no variable is called 'regio'"):
        apply(name, table, by=["regio"])


@pytest.mark.parametrize("name", sorted(NEEDS_K))
def test_more_than_there_are_is_refused_and_no_value_told(name, table):
    with pytest.raises(SdcError) as refused:
        apply(name, table, k=len(table) + 1)
    assert isinstance(refused.value, CannotProtect)
    assert str(len(table) + 1) in str(refused.value)
    assert CANARY not in str(refused.value)


@pytest.mark.slow
def test_the_number_of_threads_changes_no_byte():
    """Digests of all results in processes of their own, with one thread and with four."""
    program = (
        "from tests.methods.test_method_laws import EVERY, apply, digest, survey\n"
        "table = survey(3000)\n"
        "print(*(f'{name} {digest(apply(name, table).table)}' for name in EVERY), sep='\\n')"
    )
    told = []
    for threads in ("1", "4"):
        limits = dict.fromkeys(
            ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), threads
        )
        ran = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **limits},
            capture_output=True,
            text=True,
            check=True,
        )
        told.append(ran.stdout.splitlines())
    assert len(told[0]) == len(EVERY)
    assert told[0] == told[1]
