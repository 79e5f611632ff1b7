"""Which known name may a misspelt one be a slip for?"""

from __future__ import annotations

import pytest

from sdc.catalogue import registry
from sdc.catalogue.registry import measures, methods
from sdc.catalogue.units import Better, Unit
from sdc.spelling import nearest

ENTRIES = [*measures(), *methods()]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("k_anonimity", "k_anonymity"),
        ("l_divercity", "l_diversity"),
        ("t_closness", "t_closeness"),
        ("K_Anonymity", "k_anonymity"),
        ("micro_aggregation", "microaggregation"),
        ("local_supression", "local_suppression"),
        ("k_anon", "k_anonymity"),
        ("recode", "global_recode"),
    ],
)
def test_a_slip_is_answered_with_the_name_that_was_meant(written: str, meant: str) -> None:
    assert nearest(written, ENTRIES) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [("aeg", "age"), ("regoin", "region"), ("incom", "income"), ("Sex", "sex"), ("smok", "smoker")],
)
def test_a_slip_in_the_name_of_a_variable_is_answered_too(written: str, meant: str) -> None:
    assert nearest(written, ["age", "sex", "region", "income", "smoker"]) == meant


@pytest.mark.parametrize("written", ["nonsense", "hello", "foo", "x", "anonymous_data"])
def test_a_name_like_no_other_has_no_suggestion(written: str) -> None:
    assert nearest(written, ENTRIES) is None


@pytest.mark.parametrize("written", ["smoke", "wage_band", "town", "id"])
def test_a_variable_like_no_other_has_no_suggestion(written: str) -> None:
    assert nearest(written, ["age", "sex", "region", "income"]) is None


def test_a_measure_of_risk_that_looks_at_keys_must_say_when_it_may_be_believed():
    """Counts of keys say nothing of people once records are synthetic: no default may call them believable."""
    with pytest.raises(TypeError, match="valid_after must say"):

        @registry.measure(
            family=registry.Family.RISK,
            better=Better.LOWER,
            unit=Unit.SHARE,
            against="0: nothing done",
            examines=registry.Examines.KEYS,
        )
        def forgotten(pair: object) -> None:
            del pair

    assert "forgotten" not in measures()
