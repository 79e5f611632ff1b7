"""A name is never written in another way than its owner writes it.

Not at the beginning of a sentence, not in a heading, not in a table.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Measurement
from sdc.catalogue.protection import Protection, Step
from sdc.gate.decision import Decision, JudgedNumber, Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.gate.table_facts import table_limits
from sdc.profile import Profile
from sdc.profile.plan import VariablePlan
from sdc.report import Provenance, RunFacts, wording
from sdc.report.build import build
from sdc.report.edition import Edition
from sdc.report.figures.intervals import indicators
from sdc.report.render import render

NAMES = ("eMail_use", "net.income", "home_region")
ANY_SPELLING = re.compile(
    "|".join(re.escape(name).replace("_", "[_ ]").replace(r"\.", "(?:[., ]|, | × )") for name in NAMES),
    re.IGNORECASE,
)
PROFILE = Profile.model_validate(
    {
        "name": "odd_names",
        "seed": 1,
        "source": {"path": "a.csv"},
        "variables": {
            "house": "household",
            "eMail_use": {"role": "quasi_identifier", "allowed": ["yes", "no"], "missing": "forbidden"},
            "net.income": {"role": "sensitive", "type": "numeric", "at_least": 0},
            "home_region": {"role": "quasi_identifier", "per": "household", "allowed": ["n", "s"]},
        },
        "candidates": {"a": []},
        "risk": [{"measure": "k_anonymity", "at_least": 3, "because": "a rule"}],
        "utility": [{"measure": "ks_distance"}],
    }
)
STEP = Step(
    "global_recode",
    {"eMail_use": {"digits": 1}},
    Protection.NON_PERTURBATIVE,
    aligned=True,
    touched=frozenset({"eMail_use"}),
    changed={"eMail_use": 12},
    record={"eMail_use": {"levels_before": 9, "levels_after": 3}, "home_region": {"levels_after": 3}},
)
PARTS = {"distance.net.income": 0.2, "distance.net.income.home_region": 0.1, "distance.eMail_use": 0.3}


def misspelt(text: str) -> list[str]:
    return [found for found in ANY_SPELLING.findall(text) if found not in NAMES]


@pytest.fixture(scope="module")
def failed() -> tuple[Finding, ...]:
    """Every check of the table there is, none of which holds."""
    found = [limit.check("a", JudgedNumber(17.0)) for limit in table_limits(PROFILE, (STEP,))]
    return tuple(replace(each, holds=False, reason=each.reason or "it does not hold") for each in found)


@pytest.fixture(scope="module")
def facts(failed: tuple[Finding, ...]) -> RunFacts:
    measured = (Assessment("ks_distance", "ks_distance", "a", Measurement(0.3, PARTS), {}, 1.0),)
    return RunFacts(
        run="20250127T120000Z-odd_names-abc123",
        profile=PROFILE,
        when=datetime(2025, 1, 27, 12, 0, tzinfo=UTC),
        verdict=Verdict.WITHHELD,
        candidates=(
            JudgedCandidate("a", Decision("a", failed), measured, Candidate("a", rows=100, steps=(STEP,))),
        ),
        chosen=None,
        rows={"original": 100},
        provenance=Provenance("5" * 64, "6" * 64, "0.1.0", {}),
    )


def test_the_checks_of_a_table_begin_with_names_often_enough_to_be_of_use_here(failed: tuple[Finding, ...]):
    assert sum(found.reason.startswith(NAMES) for found in failed) >= 4


@pytest.mark.parametrize("edition", Edition)
def test_a_report_spells_every_name_as_it_is(facts: RunFacts, edition: Edition):
    page = render(build(facts, edition))
    assert all(name in page for name in NAMES)
    assert misspelt(re.sub(r'(?:id|href|aria-\w+)="[^"]*"', "", page)) == []


def test_a_sentence_has_a_capital_letter_unless_a_name_is_first():
    assert wording.sentence("the table is empty", "t_score") == "The table is empty"
    assert (
        wording.sentence("eMail_use is not of its declared type", "eMail_use")
        == "eMail_use is not of its declared type"
    )
    assert wording.check("table.outside_domain.home_region") == "outside domain, home_region"
    assert wording.check("table.rows_lost") == "rows lost"


def test_a_name_with_points_is_one_piece_of_a_part():
    assert wording.pieces("net.income.home_region", NAMES) == ["net.income", "home_region"]
    assert wording.pieces("mean.net.income", NAMES) == ["mean", "net.income"]
    assert wording.pieces("net.incomes.internet.income", NAMES) == ["net", "incomes", "internet", "income"]


def test_borders_of_a_class_and_labels_keep_their_decimals():
    name = "net.income=[1020.82, 12849.5), home_region=north.west"
    assert wording.pieces(name, NAMES) == [name]
    assert wording.pieces("rate.home_region.1.5 to 2.5", NAMES) == ["rate", "home_region", "1.5 to 2.5"]
    assert wording.pieces("10.5", NAMES) == ["10", "5"]


def test_a_figure_of_indicators_keeps_names_whole():
    parts = {"original.mean.net.income": 100.0, "value.mean.net.income": 110.0}
    figure = indicators(
        Assessment("indicator_change", "change", "a", Measurement(10, parts)),
        {name: VariablePlan() for name in NAMES},
    )
    assert "mean, net.income" in str(figure)
