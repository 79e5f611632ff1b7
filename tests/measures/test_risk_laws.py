"""Laws over the measures of risk: what must hold whatever the data."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.catalogue.registry import Family, measures
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.run.randomness import Randomness

RISK = [name for name, entry in measures().items() if entry.family is Family.RISK]
KEYS = ["region", "sex", "marital_status", "education", "household_size"]


@pytest.fixture(scope="module")
def roles(household_roles: Roles) -> Roles:
    kept = [*KEYS, "income", "spending", "health", "weight", "household_id"]
    return Roles.of(variable for variable in household_roles if variable.name in kept)


@pytest.fixture(scope="module")
def records(households: pd.DataFrame, roles: Roles) -> pd.DataFrame:
    return (
        households[[variable.name for variable in roles]].sample(400, random_state=2).reset_index(drop=True)
    )


@pytest.fixture(scope="module")
def itself(records: pd.DataFrame, roles: Roles) -> ReleasePair:
    return ReleasePair.from_frames(records, records, roles, aligned=True)


def outcome(name: str, pair: ReleasePair, **options: Any) -> Any:
    given = {**measures()[name].example, **options}
    return assess(name, pair, given, randomness=Randomness.from_seed(3)).outcome


# The original released as it is: the value a measure must then have, from its own parts.
EXTREMES = {
    "class_attribution": lambda parts: parts["p_original"],
    "correct_attribution": lambda parts: parts["original"],
    "attribution_surface": lambda parts: parts["p_original.10.10"],
    "attribute_disclosure": lambda parts: parts["in_original_disclosive"],
    "replicated_uniques": lambda parts: parts["unique_in_original"],
    "interval_disclosure": lambda _parts: 1.0,
}


@pytest.mark.parametrize("name", EXTREMES)
def test_the_original_released_as_it_is_has_the_known_extreme(name, itself):
    found = outcome(name, itself)
    assert found.value == pytest.approx(EXTREMES[name](found.parts), rel=1e-12)


def test_the_original_released_as_it_is_gains_nothing(itself):
    parts = outcome("class_attribution", itself).parts
    assert (parts["gain"], parts["worst_gain"], parts["best_gain"], parts["matched_share"]) == (0, 0, 0, 1)


def test_the_original_released_as_it_is_shows_every_key(itself):
    assert outcome("attribute_disclosure", itself).parts["keys_in_candidate"] == 100
    assert outcome("correct_attribution", itself).parts["matched_share"] == 1


# With missing keys as wildcards a suppressed cell only ever adds matches.
K_BASED = {
    "k_anonymity": lambda found: -found.value,
    "unique_entries": lambda found: found.parts["share_of_records"],
    "reidentification_risk": lambda found: found.value,
    "risky_cells": lambda found: found.value,
    "l_diversity": lambda found: -found.value,
    "individual_risk": lambda found: found.value,
}


@pytest.fixture(scope="module")
def ever_more_suppressed(records: pd.DataFrame, roles: Roles) -> list[ReleasePair]:
    """Four keys suppressed cell by cell, to the last; equal weights."""
    order = np.random.default_rng(1).permutation(len(records) * 4)
    pairs = []
    for suppressed in (0, 40, 160, 480, 1000, 1600):
        kept = np.ones(len(records) * 4, dtype=bool)
        kept[order[:suppressed]] = False
        masked = records.assign(
            weight=8.0, **{key: records[key].where(kept[place::4]) for place, key in enumerate(KEYS[:4])}
        )
        pairs.append(ReleasePair.from_frames(records, masked, roles, missing=MissingRule.WILDCARD))
    return pairs


@pytest.mark.parametrize("name", K_BASED)
def test_more_suppression_never_raises_risk_based_on_class_sizes(name, ever_more_suppressed):
    risks = [K_BASED[name](outcome(name, pair)) for pair in ever_more_suppressed]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(risks))
    assert risks[-1] < risks[0]


COUNTS_KEYS = {
    "special_uniques": "scores are factorials of the number of keys",
    "record_linkage": "distances are means over all keys",
}
WITHOUT_A_VALUE = {
    "privacy_budget": "no step made the candidate",
    "release_difference": "nothing was released earlier",
}
COUNTING = [
    name for name in RISK if name not in {*COUNTS_KEYS, *WITHOUT_A_VALUE} and not measures()[name].takes_rng
]


@pytest.mark.parametrize("name", WITHOUT_A_VALUE)
def test_what_is_left_out_has_no_value_on_a_table_and_itself(name, itself):
    assert len(COUNTING) > len(RISK) / 2
    assert isinstance(outcome(name, itself), NotAssessed)


@pytest.fixture(scope="module")
def with_a_constant_key(records: pd.DataFrame, roles: Roles) -> ReleasePair:
    wider = Roles.of([*roles, Variable("country", Role.QUASI_IDENTIFIER)])
    constant = records.assign(country="here")
    return ReleasePair.from_frames(constant, constant, wider, aligned=True)


@pytest.mark.parametrize("name", COUNTING)
def test_a_constant_key_changes_nothing(name, itself, with_a_constant_key):
    found, expected = outcome(name, with_a_constant_key), outcome(name, itself)
    assert isinstance(expected, Measurement)
    assert found.value == pytest.approx(expected.value, rel=1e-9)


def whole(found: Any, name: str) -> bool:
    """A value within bounds, or a reason that is not a breakdown."""
    low, high = measures()[name].bounds
    return (
        low - 1e-12 <= found.value <= high + 1e-12
        if isinstance(found, Measurement)
        else " failed: " not in found.reason
    )


@pytest.fixture(scope="module")
def hard_pair(records: pd.DataFrame, roles: Roles) -> Any:
    """Tables that are hard to measure, made once for all measures."""
    no_keys = records.assign(
        **{key: pd.Series([None] * len(records), dtype=object) for key in KEYS if key != "household_size"},
        household_size=np.nan,
    )
    no_sensitive = records.assign(
        health=pd.Series([None] * len(records), dtype=object), income=np.nan, spending=np.nan
    )
    first = {"holdout": records[:50], "population": records}
    tables: dict[str, tuple[pd.DataFrame, pd.DataFrame, dict[str, pd.DataFrame]]] = {
        "one record": (records[:1], records[:1], {"holdout": records[1:2], "population": records[:3]}),
        "no record": (records, records[:0], {"holdout": records[:5], "population": records}),
        "no keys in the candidate": (records, no_keys, first),
        "no keys": (no_keys, no_keys, first),
        "nothing sensitive": (
            no_sensitive,
            no_sensitive,
            {"holdout": no_sensitive[:50], "population": records},
        ),
    }

    @cache
    def made(case: str, rule: MissingRule) -> ReleasePair:
        original, candidate, further = tables[case]
        return ReleasePair.from_frames(
            original, candidate, roles, aligned=case != "no record", missing=rule, **further
        )

    return made


@pytest.mark.parametrize("rule", list(MissingRule))
@pytest.mark.parametrize("name", RISK)
def test_single_records_give_the_limit_or_a_reason(name, rule, hard_pair):
    assert whole(outcome(name, hard_pair("one record", rule)), name)


@pytest.mark.parametrize("rule", list(MissingRule))
@pytest.mark.parametrize("name", RISK)
def test_an_empty_candidate_gives_a_reason(name, rule, hard_pair):
    assert whole(outcome(name, hard_pair("no record", rule)), name)


@pytest.mark.parametrize("rule", list(MissingRule))
@pytest.mark.parametrize("name", RISK)
def test_missing_keys_everywhere_give_the_limit_or_a_reason(name, rule, hard_pair):
    for case in ("no keys in the candidate", "no keys"):
        assert whole(outcome(name, hard_pair(case, rule)), name)


@pytest.mark.parametrize("rule", list(MissingRule))
@pytest.mark.parametrize("name", RISK)
def test_missing_sensitive_values_everywhere_give_the_limit_or_a_reason(name, rule, hard_pair):
    assert whole(outcome(name, hard_pair("nothing sensitive", rule)), name)


def test_keys_missing_everywhere_are_one_class_under_both_rules(records, roles):
    blank = records.assign(
        **{key: pd.Series([None] * len(records), dtype=object) for key in KEYS if key != "household_size"},
        household_size=np.nan,
    )
    for rule in MissingRule:
        pair = ReleasePair.from_frames(records, blank, roles, missing=rule)
        assert outcome("k_anonymity", pair).value == len(records)
        assert outcome("unique_entries", pair).value == 0
        assert outcome("reidentification_risk", pair).value == pytest.approx(1 / len(records))


def test_columns_named_like_keywords_or_with_quotes_are_counted():
    names = ("select", 'a "quoted" key', "it's")
    frame = pd.DataFrame({name: ["x", "y", "x"] for name in names}).assign(target=["é", "'", '"'])
    variables = [
        *(Variable(name, Role.QUASI_IDENTIFIER) for name in names),
        Variable("target", Role.SENSITIVE, VariableType.CATEGORICAL),
    ]
    pair = ReleasePair.from_frames(frame, frame, Roles.of(variables))
    for name in (
        "k_anonymity",
        "l_diversity",
        "t_closeness",
        "class_attribution",
        "correct_attribution",
        "attribute_disclosure",
        "special_uniques",
    ):
        assert isinstance(outcome(name, pair), Measurement)
