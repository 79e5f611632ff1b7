"""A candidate that the gate would stop for its table does not pass in the workbench."""

from __future__ import annotations

import pandas as pd

from sdc.studio import candidate_edits
from sdc.studio.open_profile import OpenProfile
from sdc.studio.trial_numbers import TrialNumbers
from sdc.study.demonstration import demo_data


def tried(workbench, name="recoded"):
    trial = OpenProfile.of(workbench).trial(name)
    trial.carry_out(lambda _share, _said: None)
    return TrialNumbers(trial)


def test_a_candidate_passes_once_its_table_is_checked_too(workbench):
    trial = OpenProfile.of(workbench).trial("recoded")
    trial.measure(trial.asked, lambda _share, _said: None, "")
    assert TrialNumbers(trial).standing == "", "its criteria are measured, its table is not checked"
    assert not trial.is_complete
    trial.carry_out(lambda _share, _said: None)
    assert TrialNumbers(trial).standing == "passes"
    assert TrialNumbers(trial).missed_by_table == []


def test_values_that_one_household_alone_has_are_told(workbench, visitor):
    """Without the step that groups incomes, every income that one household alone has would leave."""
    text = workbench.profile_text
    steps = [step["method"] for step in text.at(("candidates", "recoded"))]
    candidate_edits.remove_step(text, "recoded", steps.index("microaggregation"), expected=text.revision)
    numbers = tried(workbench)
    people = pd.read_csv(demo_data())
    expected = {}
    for name in ("income", "equivalised_income", "spending", "wealth"):
        homes = people.groupby(name)["household_id"].nunique()
        expected[name] = int(people[name].isin(homes[homes == 1].index).sum())
    assert [each.holds for each in numbers.judged] == [True] * len(numbers.judged)
    assert numbers.standing == "would be withheld"
    (missed,) = numbers.missed_by_table
    assert missed.startswith("lone_values: ")
    assert all(f"{name!r}: {count:,} of" in missed for name, count in expected.items())
    page = visitor.get("/studio/protection?candidate=recoded").text
    assert "The gate would stop the table of recoded." in page
    assert "would be withheld" in page


def test_a_limit_that_the_original_meets_promises_nothing(workbench):
    text = workbench.profile_text
    text.set(("risk", 0, "at_least"), 1, expected=text.revision)
    assert any(each.startswith("original_stopped") for each in tried(workbench).missed_by_table)
