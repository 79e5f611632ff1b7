"""A table that cannot be split into persons and households again is withheld before anyone approves it."""

from __future__ import annotations

import pandas as pd
import pytest
from test_judgement import VARIABLES, coarsened, facts_of, failed, frame, held, measured, profile

from sdc.gate.decision import Verdict
from sdc.gate.judgement import Judgement, judge
from sdc.gate.suites import build_suites
from sdc.profile import Profile

TOGETHER = "by_household of local_suppression blanks it for all members"
ALIKE = "household_consistency gives all members one value"


def judged(table: pd.DataFrame, steps=(), variables=VARIABLES) -> Judgement:
    plain = profile(variables=variables)
    source = {"path": "persons.csv", "key": "household", "households": {"path": "households.csv"}}
    linked = Profile.model_validate({**plain.model_dump(exclude={"source"}), "source": source})
    suites = build_suites(linked, "recoded", steps)
    return judge(linked, "recoded", [measured()], facts_of(linked, held(table), steps), suites)


def reasons(judgement: Judgement) -> dict[str, str]:
    return {name: found.reason for name, found in failed(judgement).items()}


def test_households_that_agree_pass() -> None:
    assert judged(frame()).decision.verdict is Verdict.PUBLISHED


@pytest.mark.parametrize("steps", [(), (coarsened("region"),)], ids=["from the source", "suppressed"])
def test_a_value_missing_for_some_members_is_withheld_with_its_remedies(steps) -> None:
    judgement = judged(frame(region=["north", None, "south", None]), steps)
    assert judgement.decision.verdict is Verdict.WITHHELD
    told = "region is missing for some members of 1 household and known for others"
    assert reasons(judgement) == {"table.household_gaps.region": f"{told}; {TOGETHER}; {ALIKE}"}


def test_members_who_differ_are_withheld_with_the_remedy() -> None:
    judgement = judged(frame(region=["north", "south", "south", None]))
    assert judgement.decision.verdict is Verdict.WITHHELD
    assert reasons(judgement) == {
        "table.household_conflicts.region": f"region differs within 1 household; {ALIKE}"
    }


@pytest.mark.parametrize("missing", ["forbidden", "allowed"])
def test_a_person_without_a_household_is_withheld(missing: str) -> None:
    variables = {**VARIABLES, "household": {"role": "household", "missing": missing}}
    judgement = judged(frame(household=["1", "1", None, "3"]), variables=variables)
    assert judgement.decision.verdict is Verdict.WITHHELD
    (told,) = reasons(judgement).values()
    assert told.startswith(
        "1 value of household missing"
        if missing == "forbidden"
        else "1 record without a number of the household (household)"
    )
