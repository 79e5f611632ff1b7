from __future__ import annotations

import pytest

from flows.summary import print_comparison
from sdc.gate import Decision, Finding
from sdc.profile import Profile
from tasks.workspace import Judged

pytestmark = pytest.mark.usefixtures("server")

REASON = "local_suppression: k is 900, but the table has fewer records"
PROFILE = Profile.model_validate(
    {"name": "small", "seed": 1, "source": {"path": "a.csv"}, "variables": {"sex": "quasi_identifier"}, "candidates": {"plain": [], "strict": []}}
)


def judged(name: str, criterion: str, reason: str) -> Judged:
    return Judged(name, Decision(name, (Finding(criterion, "risk", name, holds=False, otherwise="withhold", reason=reason),)))


def test_a_candidate_that_passes_is_not_said_to_be_published(capsys: pytest.CaptureFixture[str]) -> None:
    from flows.compare import compared

    holds = Finding("k_anonymity", "risk", "plain", holds=True, otherwise="withhold", value=3.0, at_least=3.0)
    refers = Finding("ks_distance", "utility", "strict", holds=False, otherwise="refer", value=0.2, at_most=0.1)
    found = compared(PROFILE, [Judged("plain", Decision("plain", (holds,))), Judged("strict", Decision("strict", (holds, refers)))])
    print_comparison(found)
    shown = capsys.readouterr().out
    assert "passes" in shown
    assert "would be referred" in shown
    assert "published" not in shown
    assert [row["verdict"] for row in found.as_json()["candidates"]] == ["published", "referred"], "of JSON the value stays"


def test_why_a_candidate_cannot_be_made_is_in_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    from flows.candidate import IMPOSSIBLE
    from flows.compare import compared

    found = compared(PROFILE, [judged("plain", "k_anonymity", "1 is below 3"), judged("strict", IMPOSSIBLE, REASON)])
    print_comparison(found)
    shown = " ".join(capsys.readouterr().out.split())
    assert f"cannot be made: {REASON}" in shown
    assert [row["cannot_be_made"] for row in found.as_json()["candidates"]] == [None, REASON]
    assert "k_anonymity" in shown
