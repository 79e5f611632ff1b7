"""Laws over every registered measure and method, by name: a new one is covered, or fails."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import Assessment, Measurement, NotAssessed
from sdc.catalogue.protection import Protected
from sdc.catalogue.registry import CatalogueEntry, Need, measures, methods
from sdc.catalogue.validity import BUDGET_MEASURE, touched
from sdc.cli.unit_pages import page, plainly
from sdc.data import sql
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.roles import Roles
from sdc.measures.assess import assess
from sdc.methods.protect import looked_at
from sdc.profile import StepPlan
from sdc.profile.parts import can_have, judged_number
from sdc.run.randomness import Randomness

TESTS = Path(__file__).parents[1]
MEASURES, METHODS = measures(), methods()
ENTRIES: dict[str, CatalogueEntry] = {**MEASURES, **METHODS}

WITHOUT_A_VALUE = {
    **{(BUDGET_MEASURE, aligned): "no step made these tables" for aligned in (True, False)},
    **{
        (name, aligned): "nothing was released earlier from these tables"
        for name, entry in MEASURES.items()
        for aligned in (True, False)
        if entry.looks_back
    },
    **{
        (name, False): "records must stand one for one"
        for name, entry in MEASURES.items()
        if Need.ALIGNED in entry.needs
    },
    ("estimator_error", False): "the median of household_size has no error in the original",
}
"""Measures and the pair, aligned or not, they cannot be taken on."""

MEASURED = [
    (name, aligned)
    for name in MEASURES
    for aligned in (True, False)
    if (name, aligned) not in WITHOUT_A_VALUE
]
every_value = pytest.mark.parametrize(
    ("name", "aligned"),
    MEASURED,
    ids=[f"{name}-{'aligned' if aligned else 'not_aligned'}" for name, aligned in MEASURED],
)

NOT_SEEDED = {"dp_marginals": "the library draws the noise itself, as its proof demands"}
SEEDED = [name for name in METHODS if name not in NOT_SEEDED]
ALIGNED = [name for name, entry in METHODS.items() if entry.aligned]


@pytest.fixture(scope="session")
def tables(households: pd.DataFrame, household_roles: Roles) -> dict[str, pd.DataFrame]:
    """600 records, the same with noise and some cells blank, 500 others, a holdout and a population file."""
    shuffled = (
        households[list(household_roles.released)].sample(frac=1, random_state=3).reset_index(drop=True)
    )
    original = shuffled[:600].reset_index(drop=True)
    masked = original.copy()
    rng = np.random.default_rng(8)
    for name in ("income", "spending", "wealth", "equivalised_income"):
        masked[name] = (masked[name] * rng.normal(1, 0.05, 600)).round(2)
    masked.loc[rng.random(600) < 0.05, "marital_status"] = None
    population = pd.read_csv(TESTS.parent / "profiles" / "demo" / "population.csv").drop(
        columns=["person_id", "name"]
    )
    return {
        "original": original,
        "masked": masked,
        "others": shuffled[600:1100].reset_index(drop=True),
        "holdout": shuffled[1100:1400].reset_index(drop=True),
        "population": population[:4000],
    }


def pair_of(tables: dict[str, pd.DataFrame], roles: Roles, *, aligned: bool) -> ReleasePair:
    candidate = tables["masked" if aligned else "others"]
    return ReleasePair.from_frames(
        tables["original"],
        candidate,
        roles,
        holdout=tables["holdout"],
        population=tables["population"],
        aligned=aligned,
    )


@pytest.fixture(scope="session")
def pairs(tables: dict[str, pd.DataFrame], household_roles: Roles) -> dict[bool, ReleasePair]:
    return {aligned: pair_of(tables, household_roles, aligned=aligned) for aligned in (True, False)}


@pytest.fixture(params=[True, False], ids=["aligned", "not_aligned"])
def pair(request: pytest.FixtureRequest, pairs: dict[bool, ReleasePair]) -> ReleasePair:
    return pairs[request.param]


@pytest.fixture(scope="session")
def assessed() -> Any:
    """Each measure once on each pair."""
    held: dict[tuple[str, bool], Assessment] = {}

    def once(name: str, pair: ReleasePair) -> Assessment:
        if (name, pair.aligned) not in held:
            held[name, pair.aligned] = assess(
                name, pair, MEASURES[name].example, randomness=Randomness.from_seed(11)
            )
        return held[name, pair.aligned]

    return once


@pytest.fixture(scope="session")
def measured(pairs: dict[bool, ReleasePair], assessed: Any) -> Any:
    """What a measure gave on a pair, which must be a value."""

    def on(name: str, aligned: bool) -> Measurement:
        found = assessed(name, pairs[aligned])
        assert isinstance(found.outcome, Measurement), found.not_assessed
        return found.outcome

    return on


def same(first: Measurement | NotAssessed, second: Measurement | NotAssessed, tolerance: float = 0.0) -> bool:
    if isinstance(first, NotAssessed) or isinstance(second, NotAssessed):
        return first == second
    if first.parts.keys() != second.parts.keys():
        return False
    pairs = [(first.value, second.value), *((first.parts[name], second.parts[name]) for name in first.parts)]
    return all(math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance) for one, other in pairs)


@pytest.mark.parametrize("name", ENTRIES)
def test_the_file_is_called_like_the_function(name):
    module = ENTRIES[name].function.__module__
    assert module.rsplit(".", 1)[-1] == name
    assert module.startswith(f"sdc.measures.{MEASURES[name].family}." if name in MEASURES else "sdc.methods.")


@pytest.mark.parametrize("name", ENTRIES)
def test_a_test_file_exists(name):
    folder = Path(*ENTRIES[name].function.__module__.split(".")[1:-1])
    assert (TESTS / folder / f"test_{name}.py").is_file()


@pytest.mark.parametrize("name", ENTRIES)
def test_the_module_says_in_one_sentence_what_the_unit_answers(name):
    sentence = (sys.modules[ENTRIES[name].function.__module__].__doc__ or "").strip()
    assert len(sentence.splitlines()) == 1
    assert sentence.endswith(("?", "."))


@pytest.mark.parametrize("name", ENTRIES)
def test_the_docstring_defines_and_cites(name):
    entry = ENTRIES[name]
    assert len(entry.definition.splitlines()[0]) > 20
    assert any(character.isdigit() for character in entry.reference), "a reference has a year"
    assert "Args:" not in entry.definition


@pytest.mark.parametrize("name", ENTRIES)
def test_the_docstring_has_a_formula_that_its_page_shows(name):
    entry = ENTRIES[name]
    assert any(sign in entry.formula for sign in "=Σ~≤∝/⌊−∫"), "write a paragraph 'Formula: ...'"
    assert entry.formula.endswith(".")
    assert "Formula:" not in entry.definition
    assert f"> {plainly(entry.formula)}" in list(page(entry))


@pytest.mark.parametrize("name", ENTRIES)
def test_options_have_defaults_or_are_explained(name):
    for option, field in ENTRIES[name].options.model_fields.items():
        assert not field.is_required() or option in ENTRIES[name].definition, f"option {option!r}"


@pytest.mark.parametrize("name", ENTRIES)
def test_the_example_of_a_unit_holds_its_options(name):
    """Options without a default are in it, and every option is one the unit takes."""
    entry = ENTRIES[name]
    for options in ({}, *getattr(entry, "variants", ())):
        given = {**entry.example, **options}
        assert given.keys() <= entry.arguments(given).keys()


@pytest.mark.parametrize("name", MEASURES)
def test_alternatives_are_measures_that_exist(name):
    assert set(MEASURES[name].alternatives) <= set(MEASURES)


@pytest.mark.parametrize(("name", "aligned"), WITHOUT_A_VALUE)
def test_only_what_these_pairs_cannot_give_has_no_value(name, aligned, pairs, assessed):
    assert len(MEASURED) > len(MEASURES), "most measures have a value on both pairs"
    assert isinstance(assessed(name, pairs[aligned]).outcome, NotAssessed)


@every_value
def test_the_value_lies_within_the_declared_bounds(name, aligned, measured):
    low, high = MEASURES[name].bounds
    assert low - 1e-12 <= measured(name, aligned).value <= high + 1e-12


@every_value
def test_every_part_has_a_name_that_is_declared(name, aligned, measured, household_roles):
    parts = measured(name, aligned).parts
    assert [part for part in parts if not can_have(MEASURES[name], part, household_roles.released)] == []


@every_value
def test_every_part_lies_where_it_is_declared_to(name, aligned, measured):
    parts = measured(name, aligned).parts
    bounds = {part: judged_number(MEASURES[name], part).bounds for part in parts}
    assert [
        part
        for part, value in parts.items()
        if not bounds[part][0] - 1e-12 <= value <= bounds[part][1] + 1e-12
    ] == []


@pytest.mark.parametrize("name", MEASURES)
def test_what_is_not_assessed_has_a_reason_and_did_not_break(name, pair, assessed):
    reason = assessed(name, pair).not_assessed
    assert reason is None or (len(reason) > 10 and " failed: " not in reason)


@every_value
def test_values_of_records_have_one_for_each_record(name, aligned, measured, pairs):
    """Of the original or of the candidate; most measures have none."""
    lengths = {len(values) for values in (measured(name, aligned).by_record or {}).values()}
    assert lengths in (set(), {pairs[aligned].original.rows}, {pairs[aligned].candidate.rows})


@pytest.mark.slow
def test_some_measures_have_values_of_records(measured):
    assert {"individual_risk", "record_linkage", "special_uniques"} <= {
        name for name, aligned in MEASURED if aligned and measured(name, aligned).by_record
    }


def _fingerprints(pair: ReleasePair) -> list[Any]:
    held = (pair.original, pair.candidate, pair.holdout, pair.population)
    return [
        table.fetch(f'SELECT count(*), sum(hash("t")) FROM {sql.name(table.name)} AS "t"')
        for table in held
        if table is not None
    ]


@pytest.fixture(scope="session")
def untouched(tables: dict[str, pd.DataFrame], household_roles: Roles) -> dict[bool, list[Any]]:
    return {
        aligned: _fingerprints(pair_of(tables, household_roles, aligned=aligned)) for aligned in (True, False)
    }


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_leaves_the_tables_as_they_were(name, pair, assessed, untouched):
    assessed(name, pair)
    assert _fingerprints(pair) == untouched[pair.aligned]


@pytest.fixture(scope="session")
def same_pairs(tables: dict[str, pd.DataFrame], household_roles: Roles) -> dict[bool, ReleasePair]:
    """The same tables in a database of their own."""
    return {aligned: pair_of(tables, household_roles, aligned=aligned) for aligned in (True, False)}


@pytest.mark.parametrize("name", MEASURES)
def test_the_same_seed_gives_the_same_value(name, pair, assessed, same_pairs):
    again = assess(
        name, same_pairs[pair.aligned], MEASURES[name].example, randomness=Randomness.from_seed(11)
    )
    assert same(again.outcome, assessed(name, pair).outcome)


@pytest.fixture(scope="session")
def shuffled_pairs(tables: dict[str, pd.DataFrame], household_roles: Roles) -> dict[bool, ReleasePair]:
    """The same records in another order, those of an original and its masked file in the same."""
    rng = np.random.default_rng(4)
    shuffle = rng.permutation(600)
    orders = {
        "original": shuffle,
        "masked": shuffle,
        "others": rng.permutation(500),
        "holdout": rng.permutation(300),
        "population": slice(None, None, -1),
    }
    shuffled = {table: frame.iloc[orders[table]].reset_index(drop=True) for table, frame in tables.items()}
    return {aligned: pair_of(shuffled, household_roles, aligned=aligned) for aligned in (True, False)}


@pytest.mark.parametrize("name", MEASURES)
def test_the_order_of_records_is_irrelevant(name, pair, assessed, shuffled_pairs):
    if MEASURES[name].takes_rng:
        pytest.skip("draws records by their place")
    again = assess(
        name, shuffled_pairs[pair.aligned], MEASURES[name].example, randomness=Randomness.from_seed(11)
    )
    assert same(again.outcome, assessed(name, pair).outcome, 1e-9)


@pytest.fixture(scope="session")
def pairs_in_other_units(tables: dict[str, pd.DataFrame], household_roles: Roles) -> dict[bool, ReleasePair]:
    """Wealth in small coins, spending in millions."""
    units = {"wealth": 2.0**40, "spending": 2.0**-40}
    other = {
        table: frame.assign(
            **{column: frame[column] * unit for column, unit in units.items() if column in frame}
        )
        for table, frame in tables.items()
    }
    return {aligned: pair_of(other, household_roles, aligned=aligned) for aligned in (True, False)}


@pytest.mark.parametrize("name", MEASURES)
def test_the_units_of_numbers_are_irrelevant(name, pair, assessed, pairs_in_other_units):
    """No number goes under beside another."""
    again = assess(
        name, pairs_in_other_units[pair.aligned], MEASURES[name].example, randomness=Randomness.from_seed(11)
    )
    before = assessed(name, pair)
    assert again.not_assessed == before.not_assessed
    assert before.value is None or again.value == pytest.approx(before.value, rel=1e-6)


@pytest.fixture(scope="session")
def typed(tables: dict[str, pd.DataFrame], household_roles: Roles) -> Any:
    """The original as a method gets it, and the roles of its columns."""
    pair = pair_of(tables, household_roles, aligned=True)

    def given(name: str) -> tuple[pd.DataFrame, Roles]:
        extra = METHODS[name].extra
        if extra and extra.missing:
            pytest.skip(extra.lack)
        columns = METHODS[name].example_variables or household_roles.released
        return pair.frame(columns, Side.ORIGINAL), Roles.of(household_roles[column] for column in columns)

    return given


@pytest.fixture(scope="session")
def protected(typed: Any) -> Any:
    """What a method made, and its input afterwards, each attempt once."""
    held: dict[tuple[str, int], tuple[Protected, pd.DataFrame]] = {}

    def run(name: str, attempt: int = 1) -> tuple[Protected, pd.DataFrame]:
        if (name, attempt) not in held:
            table, roles = typed(name)
            arguments = METHODS[name].arguments(METHODS[name].example)
            held[name, attempt] = (
                METHODS[name].function(table, roles, Randomness.from_seed(5).stream(name), **arguments),
                table,
            )
        return held[name, attempt]

    return run


@pytest.mark.parametrize("name", METHODS)
def test_a_method_leaves_its_input_as_it_was(name, typed, protected):
    pd.testing.assert_frame_equal(protected(name)[1], typed(name)[0])


@pytest.mark.parametrize("name", [name for name, entry in METHODS.items() if entry.columnwise])
def test_a_method_on_columns_needs_no_other_column(name, typed, protected):
    (table, roles), (made, _) = typed(name), protected(name)
    needed = list(
        looked_at([StepPlan.model_validate({"method": name, "with": METHODS[name].example})], roles)
    )
    alone = METHODS[name].function(
        table[needed],
        Roles.of(roles[column] for column in needed),
        Randomness.from_seed(5).stream(name),
        **METHODS[name].arguments(METHODS[name].example),
    )
    assert 0 < len(needed) < table.shape[1]
    pd.testing.assert_frame_equal(alone.table, made.table[needed])
    assert (alone.record, alone.sealed, alone.labels) == (made.record, made.sealed, made.labels)
    others = [column for column in table.columns if column not in needed]
    pd.testing.assert_frame_equal(made.table[others], table[others])


def test_laws_of_some_methods_say_whom_they_leave_out():
    assert {*METHODS} - {*SEEDED} == {*NOT_SEEDED}
    assert {METHODS[name].aligned for name in {*METHODS} - {*ALIGNED}} == {False}
    assert len(ALIGNED) > len(METHODS) / 2


@pytest.mark.parametrize("name", SEEDED)
def test_a_method_gives_the_same_table_for_the_same_seed(name, protected):
    pd.testing.assert_frame_equal(protected(name, 1)[0].table, protected(name, 2)[0].table)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_keeps_the_columns_and_where_aligned_the_rows(name, protected):
    made, given = protected(name)
    assert list(made.table.columns) == list(given.columns)
    assert len(made.table) == len(given) or name not in ALIGNED


@pytest.mark.parametrize("name", ALIGNED)
def test_what_an_aligned_method_does_not_name_stays_the_same(name, protected, household_roles):
    made, given = protected(name)
    changing = touched(METHODS[name], METHODS[name].example, household_roles)
    kept = [column for column in given.columns if column not in changing]
    pd.testing.assert_frame_equal(made.table[kept], given[kept])


@pytest.mark.parametrize("name", METHODS)
def test_columns_are_numbers_dates_or_categories(name, protected):
    for column in protected(name)[0].table:
        kind = protected(name)[0].table[column].dtype
        assert kind.kind in "fM" or isinstance(kind, pd.CategoricalDtype), f"column {column!r} is {kind}"


@pytest.mark.parametrize("name", METHODS)
def test_a_budget_is_given_only_where_a_method_proves_one(name, protected):
    assert protected(name)[0].budget is None or METHODS[name].proves_budget
