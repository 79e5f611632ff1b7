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

from sdc.catalogue import MissingValues, OfRecords, Protection
from sdc.catalogue.registry import methods
from sdc.catalogue.validity import touched
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadOption, CannotProtect, SdcError
from sdc.profile.options import marks_of, with_marks

CANARY = "canary of a cell"
EDUCATION = ("none", "primary", "secondary")
REGIONS = ["East", "South", "West"]

ROLES = Roles.of(
    [
        Variable("household_id", Role.HOUSEHOLD),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("urbanisation", Role.QUASI_IDENTIFIER),
        Variable("sex", Role.QUASI_IDENTIFIER),
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("education", Role.QUASI_IDENTIFIER, VariableType.ORDINAL, EDUCATION),
        Variable("born", Role.OTHER, VariableType.DATE),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
        Variable("wealth", Role.SENSITIVE, VariableType.NUMERIC),
        Variable("health", Role.SENSITIVE),
        Variable("weight", Role.WEIGHT, VariableType.NUMERIC),
    ]
)
EXAMINED = ["sex", "age", "education", "born", "income", "wealth", "health"]
"""Columns in which values may be missing."""


def survey(records=240, missing=0.1, seed=0):
    rng = np.random.default_rng(seed)
    home = np.sort(rng.integers(0, max(1, records // 2), records))
    region = rng.integers(0, 3, home.max(initial=0) + 1)[home] if records else home
    table = pd.DataFrame(
        {
            "household_id": pd.Categorical(home.astype(str)),
            "region": pd.Categorical([REGIONS[code] for code in region], REGIONS),
            "urbanisation": pd.Categorical(
                [f"r{code}t{number % 2}" for code, number in zip(region, home, strict=True)]
            ),
            "sex": pd.Categorical(rng.choice(["f", "m"], records)),
            "age": rng.integers(0, 100, records).astype(float),
            "education": pd.Categorical(rng.choice(EDUCATION, records), EDUCATION, ordered=True),
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
        table, ROLES, np.random.default_rng(seed), **entry.arguments({**entry.example, **more})
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


ALIGNED = [name for name in EVERY if methods()[name].aligned]
TRUTHFUL = [name for name in ALIGNED if methods()[name].protection is Protection.NON_PERTURBATIVE]


def test_laws_of_some_methods_say_whom_they_leave_out():
    assert {methods()[name].aligned for name in {*EVERY} - {*ALIGNED}} == {False}
    assert {methods()[name].protection for name in {*ALIGNED} - {*TRUTHFUL}} == {Protection.PERTURBATIVE}
    assert len(ALIGNED) > len(EVERY) / 2
    assert {"global_recode", "local_suppression"} <= {*TRUTHFUL}


def asks_for_records(name: str) -> bool:
    """Does an option ask for so many records, that there may be too few?"""
    fields = methods()[name].options.model_fields.values()
    return any(marks_of(with_marks(field), OfRecords) for field in fields)


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


def test_every_method_can_be_called_with_its_defaults_or_its_example():
    for name in EVERY:
        entry = methods()[name]
        assert entry.example.keys() <= entry.arguments(entry.example).keys()


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
def test_another_seed_gives_another_table_where_randomness_is_used(name, table, results):
    """A method that never uses its generator calls it `_rng`."""
    same = digest(apply(name, table, seed=1).table) == digest(results(name).table)
    assert same == (not methods()[name].takes_rng)


@pytest.mark.parametrize("name", EVERY)
def test_columns_stay_in_their_order_and_rows_in_theirs(name, table, results):
    made = results(name).table
    assert list(made.columns) == list(table.columns)
    assert made.index.equals(pd.RangeIndex(len(made)))
    if methods()[name].aligned:
        assert len(made) == len(table)


def coarser(name: str) -> frozenset[str]:
    """The columns whose values a method may replace by labels of several values."""
    entry = methods()[name]
    if entry.protection is Protection.NON_PERTURBATIVE:
        return touched(entry, entry.example, ROLES)
    return frozenset()


@pytest.mark.parametrize("name", EVERY)
def test_types_and_domains_are_kept_unless_values_become_coarser(name, table, results):
    made = results(name).table
    for column in table.columns.drop("household_id"):
        labelled = column in coarser(name) and isinstance(made[column].dtype, pd.CategoricalDtype)
        assert labelled or made[column].dtype == table[column].dtype, f"column {column!r}"
    assert isinstance(made["household_id"].dtype, pd.CategoricalDtype)


@pytest.mark.parametrize("name", EVERY)
def test_ordered_categories_stay_ordered(name, results):
    education = results(name).table["education"]
    assert education.cat.ordered
    assert list(education.cat.categories) in ([*EDUCATION], ["low", "secondary"], ["*"])


@pytest.mark.parametrize("name", ALIGNED)
def test_what_a_method_does_not_say_it_touches_is_identical(name, table, results):
    entry = methods()[name]
    kept = table.columns.difference(list(touched(entry, entry.example, ROLES)))
    pd.testing.assert_frame_equal(results(name).table[kept], table[kept])


ONE_UNIT = {"coordinate_grid": "its cells are as long as they are wide"}


@pytest.mark.parametrize("name", [name for name in EVERY if name not in ONE_UNIT])
def test_the_unit_of_one_variable_changes_nothing_in_the_others(name, table, results):
    """Wealth in a currency of small coins: noise on ages must not go under beside it."""
    others = table.columns.drop("wealth")
    made = apply(name, table.assign(wealth=table["wealth"] * 2.0**40)).table
    pd.testing.assert_frame_equal(made[others], results(name).table[others], rtol=1e-9)


@pytest.mark.parametrize("name", ALIGNED)
def test_missing_stays_missing_unless_the_method_says_otherwise(name, table, results):
    made, does = results(name), methods()[name].missing
    for column in table:
        before, after = table[column].isna(), made.table[column].isna()
        # A blank that became a label of several values is told by the labels.
        labelled = made.table[column].astype(object) == "*"
        filled = does is MissingValues.FILLED
        assert (before | ~after if filled else after | ~before | labelled).all(), f"column {column!r}"
        assert filled or does is MissingValues.ADDED or after.equals(before), f"column {column!r}"


@pytest.mark.parametrize("name", TRUTHFUL)
def test_values_that_may_not_be_false_are_not(name, table, results):
    """Non-perturbative methods show a value, a label that holds it, or nothing."""
    made = results(name)
    for column in table.columns:
        shown = made.table[column].notna() & table[column].notna()
        before, after = table[column][shown].astype(object), made.table[column][shown].astype(object)
        same = before.to_numpy() == after.to_numpy()
        if column in made.labels:
            same |= before.astype(str).map(made.labels[column]).to_numpy() == after.to_numpy()
        if made.table[column].dtype.kind == "f":
            # Beyond a bound everybody has the bound.
            same |= after.isin([after.min(), after.max()]).to_numpy()
        banded = column in coarser(name) and made.table[column].dtype.kind != table[column].dtype.kind
        assert banded or same.all(), f"column {column!r}"


@pytest.mark.parametrize("name", EVERY)
def test_one_record_is_protected_or_refused(name):
    table = survey(1, missing=0)
    try:
        made = apply(name, table).table
    except CannotProtect:
        made = None
    assert (made is None) == asks_for_records(name)
    assert made is None or list(made.columns) == list(table.columns)
    assert made is None or len(made) <= 1 or name not in ALIGNED


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
    if methods()[name].missing is not MissingValues.FILLED:
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


@pytest.mark.parametrize("name", [name for name in EVERY if asks_for_records(name)])
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
