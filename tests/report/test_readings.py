"""How numbers are read: units, drivers, yardsticks, counts, and what is worth a look."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sdc.catalogue.measurement import Assessment, Interval, Measurement, NotAssessed
from sdc.catalogue.units import Unit
from sdc.profile import Profile
from sdc.report import Edition, RunFacts, build
from sdc.report.edition import Rules
from sdc.report.findings import readings
from sdc.report.readings import Held, after, told, worth_a_look

INTERNAL, PUBLIC = (
    Rules(edition, frozenset({"age", "region", "income"})) for edition in (Edition.INTERNAL, Edition.PUBLIC)
)


def held(
    facts: RunFacts,
    measure: str,
    value: float,
    rules: Rules = INTERNAL,
    interval: Interval | None = None,
    **parts: float,
) -> Held:
    named = {name.replace("__", "."): part for name, part in parts.items()}
    found = Held.of(
        facts,
        facts.candidates[0],
        Assessment(measure, measure, "coarse", Measurement(value, named, interval)),
        rules,
    )
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("number", "unit", "said"),
    [
        ("0.12", Unit.SHARE, "0.12"),
        ("12", Unit.PER_CENT, "12 %"),
        ("987", Unit.PER_MILLE, "987 ‰"),
        ("0.05", Unit.SHARE_OF_ORIGINAL, "0.05 of the original's records"),
        ("2", Unit.RECORDS_IN_CLASS, "2 records in the class"),
        ("1", Unit.RECORDS_IN_CLASS, "1 record in the class"),
        ("at most 10", Unit.RATIO, "at most 10 times"),
    ],
)
def test_a_number_has_its_unit_behind_it(number: str, unit: Unit, said: str):
    assert after(number, unit) == said


def test_the_variable_whose_part_is_the_value_is_responsible(published: RunFacts):
    assert (
        held(published, "ks_distance", 0.143, distance__age=0.01, distance__income=0.143).driver == "income"
    )
    assert held(published, "dependence_change", 0.3, correlation__age__income=-0.3).driver == "age × income"
    assert (
        held(
            published, "table_fit", 7.0, **{"standardised__age+region": 7.0, "standardised__age+income": 3.0}
        ).driver
        == "age × region"
    )
    # No part is the value itself: the worst of those that say it by variable.
    assert held(published, "class_attribution", 0.5, value__age=0.2, value__income=0.7).driver == "income"


def test_nothing_is_responsible_where_nothing_is_wrong_or_several_are(published: RunFacts):
    assert held(published, "ks_distance", 0.0, distance__age=0.0).driver == ""
    assert held(published, "ks_distance", 0.1, distance__age=0.1, distance__income=0.1).driver == ""
    assert held(published, "interval_overlap", 0.7, overlap__1=0.7, overlap__1__age=0.6).driver == ""


def test_a_value_is_held_against_what_its_own_parts_say(published: RunFacts):
    read = held(
        published, "ks_distance", 0.143, distance__income=0.143, critical_if_independent__income=0.027
    )
    assert told(read, INTERNAL).against == (
        "nothing done: 0",
        "a fresh sample, 95 times in 100 at most: 0.027",
    )
    assert told(held(published, "k_anonymity", 2), INTERNAL).against == (
        "somebody stands alone: 1",
        "usual: at least 3 (Benschop, Machingauta and Welch 2019)",
    )


def test_a_share_of_records_stands_for_so_many(published: RunFacts):
    """The original of the run has 1,000 records."""
    assert told(held(published, "record_linkage", 0.05), INTERNAL).records == "50 records"
    assert told(held(published, "replicated_uniques", 0.4), INTERNAL).records == "4 records"
    assert told(held(published, "replicated_uniques", 40.0), PUBLIC).records == "", (
        "a count of people at risk is not for the public"
    )
    assert (
        told(
            held(published, "records_changed", 0.004, PUBLIC, share__age=0.004, count__age=4), PUBLIC
        ).records
        == ""
    )
    assert (
        told(held(published, "records_changed", 0.5, PUBLIC, share__age=0.5, count__age=511), PUBLIC).records
        == "511 records"
    )
    assert (
        told(held(published, "records_changed", 0.5, share__age=0.5, count__age=511), INTERNAL).records
        == "511 records"
    )
    assert told(held(published, "ks_distance", 0.5), INTERNAL).records == ""


def test_the_public_is_not_told_what_drives_a_risk(published: RunFacts):
    assert held(published, "class_attribution", 0.5, PUBLIC, value__age=0.2, value__income=0.5).driver == ""
    assert held(published, "ks_distance", 0.143, PUBLIC, distance__income=0.143).driver == "income"


def looked_at(facts: RunFacts, *assessments: Assessment, **profile: object) -> tuple[str, ...]:
    plan = Profile.model_validate({**facts.profile.model_dump(by_alias=True), **profile})
    candidate = replace(facts.candidates[0], assessments=assessments)
    return worth_a_look(replace(facts, profile=plan), candidate, INTERNAL)


def test_what_nobody_judges_and_looks_bad_is_worth_a_look(published: RunFacts):
    found = looked_at(
        published,
        Assessment("propensity_mse", "propensity_mse", "coarse", Measurement(23.0)),
        Assessment("singling_out", "singled", "coarse", Measurement(0.2, {}, Interval(0.1, 0.3))),
        Assessment("linkability", "linked", "coarse", Measurement(0.1, {}, Interval(0.0, 0.3))),
        Assessment("table_fit", "fit", "coarse", Measurement(9.0)),
        Assessment("t_closeness", "close", "coarse", NotAssessed("no")),
    )
    assert found == (
        "propensity_mse is 23 times; usual is at most 10 (Raab, Nowok and Dibben 2021)",
        "singled is 0.20 (95 % 0.10 to 0.30); as for people who are not in the original: 0",
        "close has no value",
    )


def test_what_is_judged_or_cannot_be_believed_is_not_named_once_more(published: RunFacts):
    assert (
        looked_at(
            published,
            Assessment("ks_distance", "ks_distance", "coarse", Measurement(0.5, {"distance.age": 0.5})),
        )
        == ()
    )
    drawn = replace(
        published.candidates[0].steps[0], method="sequential", protection="synthetic", aligned=False
    )
    candidate = replace(
        published.candidates[0],
        made=replace(published.candidates[0].made, steps=(drawn,)),
        assessments=(Assessment("k_anonymity", "reported", "coarse", Measurement(1.0), {"k": 5}),),
    )
    assert worth_a_look(published, candidate, INTERNAL) == ()


def test_the_page_says_units_and_counts_with_criteria(withheld: RunFacts):
    view = build(withheld, Edition.INTERNAL)
    (k,) = [found for found in view.focus.findings if found.name == "k_anonymity"]
    assert (k.told.unit, k.limit) == ("records in the class", "at least 3 records in the class")
    assert any("must rise from 2 to at least 3 records in the class" in change for change in view.changes)


def test_the_terminal_and_json_are_told_unit_interval_and_driver(published: RunFacts):
    """Of ks_distance the part of income is the value; the interval reaches 0.01 to either side."""
    assert readings(published.candidates[0], published.profile) == {
        "k_anonymity": "5 records in the class",
        "ks_distance": "0.061 (95 % 0.051 to 0.071), driven by income",
    }
