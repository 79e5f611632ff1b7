"""Of several syntheses that leave, the gate judges the worst, number by number and fact by fact."""

from __future__ import annotations

from dataclasses import replace

from sdc.catalogue.measurement import Assessment, Interval, Measurement
from sdc.gate.comparison_facts import COPIED_RECORDS, LONE_VALUES, ORIGINAL_STOPPED
from sdc.gate.copies import ComparisonFact
from sdc.gate.scorecard import readings
from sdc.gate.several_syntheses import worst_comparison, worst_facts
from sdc.gate.table_rules import limit
from sdc.profile import Profile


def profile(**criterion: object) -> Profile:
    return Profile.model_validate(
        {
            "name": "survey",
            "seed": 1,
            "source": {"path": "survey.csv"},
            "variables": {"region": "quasi_identifier"},
            "candidates": {"drawn": []},
            "risk": [{"measure": "k_anonymity", "because": "rule", **criterion}],
        }
    )


def assessed(*several: Measurement) -> Assessment:
    return Assessment(
        "k_anonymity", "k_anonymity", "drawn", replace(several[0], syntheses=several, synthesis=1)
    )


def test_a_part_is_judged_on_the_synthesis_where_it_is_worst() -> None:
    """The first has the worse value, the second the worse part: a criterion on the part sees the second."""
    held = assessed(Measurement(2.0, {"uniques": 1}), Measurement(5.0, {"uniques": 7}))
    found = readings(profile(part="uniques", at_most=3), "drawn", [held])["risk.k_anonymity.uniques"]
    assert (found.value, found.words) == (7, "uniques of synthesis 2 of 2")
    value = readings(profile(at_least=3), "drawn", [held])["risk.k_anonymity"]
    assert (value.value, value.words) == (2, "k_anonymity of synthesis 1 of 2")


def test_a_synthesis_without_the_part_has_no_number_and_shuts_the_gate() -> None:
    held = assessed(Measurement(2.0, {"uniques": 1}), Measurement(5.0))
    found = readings(profile(part="uniques", at_most=3), "drawn", [held])["risk.k_anonymity.uniques"]
    assert found.value is None
    assert found.words == "k_anonymity has no part uniques here of synthesis 2 of 2"


def test_facts_of_tables_are_those_of_the_worst() -> None:
    limits = [limit("rows", "", at_least=1), limit("false", "", at_least=0, at_most=0)]
    first, second = {"table.rows": 5, "table.false": 0}, {"table.rows": 0, "table.false": 2}
    assert worst_facts(limits, [first, second]) == second
    assert worst_facts(limits, [{**first, "table.false": None}, second])["table.false"] is None


def test_facts_beside_the_original_say_which_synthesis_they_are_of() -> None:
    facts = [
        {
            ORIGINAL_STOPPED.column: ComparisonFact(1),
            COPIED_RECORDS.column: ComparisonFact(copied),
            "table.contradicted_protection": ComparisonFact(0),
            LONE_VALUES.column: ComparisonFact(lone, "income" if lone else ""),
        }
        for copied, lone in ((4, 0), (9, 1))
    ]
    found = worst_comparison(profile(at_least=3), facts)
    assert found[LONE_VALUES.column] == ComparisonFact(1, "synthesis 2 of 2: income")
    assert found[COPIED_RECORDS.column].number == 9


def test_the_interval_that_is_shown_is_that_of_the_synthesis_whose_end_is_judged() -> None:
    """Between 2 and 9, the first (upper end 8, 1 within) is better off than the second (lower end 1, 1 below).

    The third is furthest in.
    """
    several = (
        Measurement(5.0, {}, Interval(3, 8)),
        Measurement(4.0, {}, Interval(1, 6)),
        Measurement(5.0, {}, Interval(4, 6)),
    )
    held = assessed(*several)
    found = readings(profile(at_least=2, at_most=9), "drawn", [held])["risk.k_anonymity"]
    assert (found.value, found.words) == (
        1,
        "the lower end of the 95% interval of k_anonymity of synthesis 2 of 3",
    )
    assert isinstance(held.outcome, Measurement)
    assert held.outcome.interval == Interval(3, 8)
    shown = held.outcome.judged_at(found.value)
    assert (shown.value, shown.interval, shown.synthesis) == (4.0, Interval(1, 6), 2)
    assert shown.syntheses == several
    assert held.outcome.judged_at(8) == held.outcome
    assert held.outcome.judged_at(None) == held.outcome
