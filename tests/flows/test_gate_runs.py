"""What the gate finds beside the original, in whole runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flows.orchestration.run_release import run_release
from sdc.gate.decision import Verdict
from tests.flows.small_release import small_people

pytestmark = [pytest.mark.usefixtures("server"), pytest.mark.usefixtures("home")]

JUDGED = "{measure: k_anonymity, at_least: 3, because: rule 1}"
CANARY = "Aurelia"


def test_a_release_judged_only_by_what_the_original_meets_is_withheld(
    release_files: Callable[..., Path],
) -> None:
    profile = release_files((JUDGED, "{measure: release_difference, at_most: 0.01, because: rule 1}"))
    outcome = run_release(profile, quiet=True)
    assert outcome.verdict is Verdict.WITHHELD
    (finding,) = [finding for finding in outcome.findings if not finding.holds]
    assert (finding.criterion, finding.value) == ("table.original_stopped", 0)
    assert (
        finding.reason
        == "the untouched original would meet every criterion of risk that can stop this candidate; judge a measure or a limit that it fails"
    )
    assert not list((profile.parent / "outbox").iterdir())


def test_a_name_under_another_name_does_not_leave_and_is_not_said(release_files: Callable[..., Path]) -> None:
    people = small_people().assign(code=lambda held: held["name"].str.upper())
    profile = release_files(("  health: sensitive\n", "  health: sensitive\n  code: other\n"), data=people)
    outcome = run_release(profile, quiet=True)
    assert outcome.verdict is Verdict.WITHHELD
    found = {finding.criterion: finding.reason for finding in outcome.findings if not finding.holds}
    assert (
        found["table.identifier_copies"]
        == "direct identifiers can be read off 1 released column: 'code' has the values of 'name'"
    )
    assert CANARY.casefold() not in str(found).casefold()
    assert not list((profile.parent / "outbox").iterdir())
