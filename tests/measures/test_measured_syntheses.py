"""Of several syntheses that leave, each is measured and the worst counts; some measures combine them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import Assessment, Interval, Measurement, NotAssessed
from sdc.catalogue.protection import Protection, Step
from sdc.catalogue.registry import find_measure, measures
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess, worst

ROLES = Roles.of(
    [
        Variable("key", Role.QUASI_IDENTIFIER, VariableType.CATEGORICAL),
        Variable("y", Role.SENSITIVE, VariableType.NUMERIC),
    ]
)
DRAWN = (Step("sequential", {}, Protection.SYNTHETIC, aligned=False, touched=frozenset({"key", "y"})),)
PARTIAL = (Step("partial_synthesis", {}, Protection.PERTURBATIVE, aligned=True, touched=frozenset({"y"})),)


def table(values: list[float], keys: str = "abcd") -> pd.DataFrame:
    return pd.DataFrame({"key": list(keys), "y": np.array(values, dtype=float)})


def pair_of(*tables: pd.DataFrame, steps=DRAWN) -> ReleasePair:
    return ReleasePair.from_frames(
        table([1, 2, 3, 4]), tables[0], ROLES, syntheses=tables if len(tables) > 1 else (), steps=steps
    )


def test_the_worst_synthesis_counts_and_all_are_kept() -> None:
    """KS distances to 1, 2, 3, 4 by hand: 0, then 1/4 (one value moved above), then 1 (all above)."""
    found = assess("ks_distance", pair_of(table([1, 2, 3, 4]), table([9, 2, 3, 4]), table([9, 9, 9, 9])))
    assert isinstance(found.outcome, Measurement)
    assert found.value == 1
    assert found.outcome.synthesis == 3
    assert [each.value for each in found.outcome.syntheses] == [0, 0.25, 1]
    assert found.outcome.parts == found.outcome.syntheses[2].parts


def test_equal_syntheses_measure_as_one_also_with_random_numbers() -> None:
    rng = np.random.default_rng(8)
    people, drawn = (
        pd.DataFrame({"key": rng.choice(list("abc"), 300), "y": rng.normal(size=300)}) for _ in range(2)
    )
    one, three = (
        ReleasePair.from_frames(people, drawn, ROLES, syntheses=[drawn] * m, steps=DRAWN) for m in (1, 3)
    )
    options = {"model": "logistic", "null": "permutation", "permutations": 5}
    alone, several = (assess("propensity_mse", pair, options) for pair in (one, three))
    assert alone.value is not None
    assert alone.value == several.value


def test_one_synthesis_that_cannot_be_assessed_leaves_none_assessed() -> None:
    found = worst([Measurement(1.0), NotAssessed("no key")], find_measure("ks_distance"))
    assert found == NotAssessed("synthesis 2 of 2: no key")


def test_the_worse_end_of_intervals_says_which_is_worst() -> None:
    wide, high = Measurement(1.0, interval=Interval(0, 5)), Measurement(2.0, interval=Interval(1, 3))
    lower, higher = find_measure("ks_distance"), find_measure("k_anonymity")
    assert worst([high, wide], lower).synthesis == 2
    assert worst([high, wide], higher).synthesis == 2
    assert worst([wide, high], lower).synthesis == 1


def test_a_measurement_of_several_syntheses_survives_its_record() -> None:
    found = assess("ks_distance", pair_of(table([1, 2, 3, 4]), table([9, 2, 3, 4]))).without_records()
    assert Assessment.from_record(found.as_record(), "candidate") == found
    single = assess("ks_distance", pair_of(table([1, 2, 3, 4])))
    assert not {"synthesis", "syntheses"} & single.as_record().keys()


def test_indicators_are_means_over_syntheses_with_the_variance_of_their_rule() -> None:
    """Means 2.5, 4.5, 6.5 of three syntheses; their own bootstrap variances are equal, and b = 4."""
    shifted = [table([value + shift for value in (1, 2, 3, 4)]) for shift in (0, 2, 4)]
    options = {"indicators": ["mean"], "bootstraps": 200}
    single = assess("indicator_change", pair_of(shifted[0]), options)
    assert isinstance(single.outcome, Measurement)
    own = single.outcome.parts["variance.mean.y"]
    for rule, variance in (
        ("simple", own * (1 + 1 / 3)),
        ("proper", own * (1 + 2 / 3)),
        ("partial", own + 4 / 3),
        ("full", 4 * 4 / 3 - own),
    ):
        found = assess("indicator_change", pair_of(*shifted), {**options, "rule": rule})
        assert isinstance(found.outcome, Measurement), found.not_assessed
        assert found.outcome.parts["value.mean.y"] == 4.5
        assert found.value == pytest.approx(80)
        assert found.outcome.parts["variance.mean.y"] == pytest.approx(variance, rel=1e-9)
        assert found.outcome.parts["syntheses"] == 3
    by_steps = assess("indicator_change", pair_of(*shifted, steps=PARTIAL), options)
    assert isinstance(by_steps.outcome, Measurement)
    assert by_steps.outcome.parts["rule.partial"] == 1


def test_a_rule_that_is_named_holds_for_one_synthesis_too() -> None:
    """With m = 1 and k = n, simple is v (1 + 1) and proper v (1 + 2); the other rules need two."""
    options = {"indicators": ["mean"], "bootstraps": 200}
    drawn = pair_of(table([1, 2, 3, 4]))
    own = assess("indicator_change", drawn, options).outcome
    assert isinstance(own, Measurement)
    for rule, times in (("simple", 2), ("proper", 3)):
        found = assess("indicator_change", drawn, {**options, "rule": rule}).outcome
        assert isinstance(found, Measurement)
        assert found.parts["variance.mean.y"] == pytest.approx(times * own.parts["variance.mean.y"])
        assert found.parts[f"rule.{rule}"] == 1
    for rule in ("partial", "full"):
        refused = assess("indicator_change", drawn, {**options, "rule": rule})
        assert refused.not_assessed == f"the rule for {rule} syntheses needs two that leave, and there is one"


def test_intervals_of_coefficients_follow_the_rule() -> None:
    rng = np.random.default_rng(4)
    tables = [
        pd.DataFrame({"key": rng.choice(list("ab"), 400), "y": rng.normal(10, 2, 400)}) for _ in range(4)
    ]
    pair = ReleasePair.from_frames(tables[0], tables[1], ROLES, syntheses=tables[1:], steps=DRAWN)
    model = {"models": ["y ~ key"]}
    parts = {
        errors: assess("interval_overlap", pair, {**model, "errors": errors}).outcome.parts  # type: ignore[union-attr]
        for errors in ("own", "simple", "synthetic", "proper", "partial", "full")
    }

    def half(errors: str) -> float:
        found = parts[errors]
        return (found["candidate.high.1.key"] - found["candidate.low.1.key"]) / 2

    assert half("simple") == pytest.approx(half("own") * np.sqrt(1 + 1 / 3))
    assert half("synthetic") == half("simple")
    assert half("proper") == pytest.approx(half("own") * np.sqrt(1 + 2 / 3))
    assert "expected" not in parts["partial"]
    assert parts["full"]["rule.full"] == 1
    alone = ReleasePair.from_frames(tables[0], tables[1], ROLES, steps=DRAWN)
    refused = assess("interval_overlap", alone, {**model, "errors": "partial"})
    assert refused.not_assessed == "the rule for partial syntheses needs two that leave, and there is one"


def test_only_measures_with_a_rule_combine() -> None:
    assert {name for name, entry in measures().items() if entry.combines} == {
        "interval_overlap",
        "indicator_change",
    }
