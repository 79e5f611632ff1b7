from __future__ import annotations

from dataclasses import replace

import pytest

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement, NotAssessed
from sdc.catalogue.protection import Protection, Step
from sdc.cli.summary import print_comparison
from sdc.gate.decision import Decision
from sdc.gate.judged import JudgedCandidate
from sdc.profile import Criterion, Profile

pytestmark = pytest.mark.usefixtures("server")

REASON = "local_suppression: k is 900, but the table has fewer records"
PROFILE = Profile.model_validate(
    {
        "name": "small",
        "seed": 1,
        "source": {"path": "a.csv"},
        "variables": {"sex": "quasi_identifier"},
        "candidates": {"plain": [], "strict": []},
    }
)


def judged(name: str, criterion: str, reason: str) -> JudgedCandidate:
    return JudgedCandidate(
        name,
        Decision(name, (Finding(criterion, "risk", name, holds=False, otherwise="withhold", reason=reason),)),
    )


def test_a_candidate_that_passes_is_not_said_to_be_published(capsys: pytest.CaptureFixture[str]) -> None:
    from flows.compare import compared

    holds = Finding("k_anonymity", "risk", "plain", holds=True, otherwise="withhold", value=3.0, at_least=3.0)
    refers = Finding(
        "ks_distance", "utility", "strict", holds=False, otherwise="refer", value=0.2, at_most=0.1
    )
    found = compared(
        PROFILE,
        [
            JudgedCandidate("plain", Decision("plain", (holds,))),
            JudgedCandidate("strict", Decision("strict", (holds, refers))),
        ],
    )
    print_comparison(found)
    shown = capsys.readouterr().out
    assert "passes" in shown
    assert "would be referred" in shown
    assert "published" not in shown
    assert [row["verdict"] for row in found.as_json()["candidates"]] == ["passes", "would be referred"]


def test_why_a_candidate_cannot_be_made_is_in_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    from flows.candidates import IMPOSSIBLE
    from flows.compare import compared

    found = compared(
        PROFILE, [judged("plain", "k_anonymity", "1 is below 3"), judged("strict", IMPOSSIBLE, REASON)]
    )
    print_comparison(found)
    shown = " ".join(capsys.readouterr().out.split())
    assert f"cannot be made: {REASON}" in shown
    assert [row["cannot_be_made"] for row in found.as_json()["candidates"]] == [None, REASON]
    assert "k_anonymity" in shown


def found(name: str, k: float, share: float) -> JudgedCandidate:
    """A candidate that demands k of 3 and a share of at most 0.1 of."""
    risk = Finding(
        "k_anonymity", "risk", name, holds=k >= 3, otherwise="withhold", value=k, at_least=3, margin=k - 3
    )
    loss = Finding(
        "ks_distance",
        "utility",
        name,
        holds=share <= 0.1,
        otherwise="withhold",
        value=share,
        at_most=0.1,
        margin=0.1 - share,
    )
    return JudgedCandidate(name, Decision(name, (risk, loss)))


def test_every_criterion_stands_beside_every_candidate_and_what_is_only_reported_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.compare import compared

    reported = [
        Assessment("il1s", "il1s", "plain", Measurement(0.25)),
        Assessment("il1s", "il1s", "strict", NotAssessed("no numbers")),
    ]
    both = [replace(found("plain", 2, 0.05), assessments=(reported[0],)), found("strict", 4, 0.2)]
    print_comparison(compared(PROFILE, [both[0], replace(both[1], assessments=(reported[1],))]))
    lines = [" ".join(line.replace("│", " ").split()) for line in capsys.readouterr().out.splitlines()]
    assert "k_anonymity ≥ 3 ✗ 2 ✓ 4" in lines
    assert "ks_distance ≤ 0.1 ✓ 0.05 ✗ 0.2" in lines
    assert "il1s reported 0.25 not assessed" in lines
    monkeypatch.setenv("COLUMNS", "80")
    print_comparison(compared(PROFILE, both))
    assert "strict ✗ 0.2" in " ".join(capsys.readouterr().out.split())


def test_a_measurement_with_an_interval_stands_with_it_and_with_the_end_that_was_judged(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Singling out is 0.32 of 0.09 to 0.76; where it is judged the upper end counts."""
    from flows.compare import compared

    taken = Measurement(0.32, {}, Interval(0.09, 0.76))
    risk = Finding("singling_out", "risk", "plain", False, "withhold", 0.76, None, 0.5, -0.26)
    criterion = Criterion(measure="singling_out", at_most=0.5)
    profile = PROFILE.model_copy(update={"risk": (criterion,)})
    assessed = (
        Assessment("singling_out", "singling_out", "plain", taken),
        Assessment("linkability", "linkability", "plain", taken),
    )
    monkeypatch.setenv("COLUMNS", "160")
    print_comparison(compared(profile, [JudgedCandidate("plain", Decision("plain", (risk,)), assessed)]))
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "0.32 (95 % 0.09 to 0.76), judged at 0.76" in shown
    assert "linkability reported 0.32 (95 % 0.09 to 0.76)" in shown


def test_what_is_chosen_among_the_referred_is_not_said_to_be_released(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from flows.compare import compared

    holds = Finding("k_anonymity", "risk", "plain", holds=True, otherwise="withhold", value=3.0, at_least=3.0)
    refers = Finding(
        "ks_distance", "utility", "plain", holds=False, otherwise="refer", value=0.2, at_most=0.1
    )
    print_comparison(compared(PROFILE, [JudgedCandidate("plain", Decision("plain", (holds, refers)))]))
    shown = capsys.readouterr().out
    assert "chosen: plain, which would be referred" in shown
    assert "“plain” misses 1 criterion, 0 of risk, and is the only one that people may approve." in shown


def test_the_nearest_miss_has_the_best_worst_margin_and_the_front_is_reported() -> None:
    """Of three that miss one criterion each, by 2/3 of the limit, by 1/3 and by 9 times the limit, the second is nearest."""
    from flows.compare import compared
    from flows.plan import Planned

    tried = compared(PROFILE, [found("plain", 1, 0.05), found("strict", 2, 0.01), found("lossy", 5, 1.0)])
    planned = Planned(tried, 3, 60.0)
    assert (
        planned.in_words[-1]
        == "None passes; the nearest by its worst margin, strict, misses 1: k_anonymity 2 (≥ 3)."
    )
    assert planned.front == {"strict", "lossy"}, "plain is beaten by strict in both; lossy has the best risk"
    assert planned.as_json()["front"] == ["lossy", "strict"]


def test_the_search_goes_by_the_worst_margin_while_none_passes() -> None:
    from flows.plan import promising

    assert promising(
        PROFILE, [found("plain", 1, 0.05), found("strict", 2, 0.01), found("lossy", 5, 1.0)]
    ) == ["strict"]
    assert promising(PROFILE, []) == []


def test_a_place_on_the_map_that_cannot_be_believed_is_marked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """“drawn” has its only key from a model: counts of equal keys are no risk there."""
    from flows.compare import compared

    monkeypatch.setenv("COLUMNS", "200")
    profile = PROFILE.model_copy(
        update={
            "risk": (Criterion.model_validate({"measure": "k_anonymity"}),),
            "utility": (Criterion.model_validate({"measure": "ks_distance"}),),
        }
    )
    step = Step("sequential", {}, Protection.SYNTHETIC, aligned=False, touched=frozenset({"sex"}))
    candidates = [
        JudgedCandidate(
            name,
            Decision(name, ()),
            (
                Assessment("k_anonymity", "k_anonymity", name, Measurement(k)),
                Assessment("ks_distance", "ks_distance", name, Measurement(0.05)),
            ),
            Candidate(name, steps=steps),
        )
        for name, k, steps in (("plain", 7, ()), ("strict", 9, (step,)))
    ]
    print_comparison(compared(profile, candidates))
    first, _, second = capsys.readouterr().out.partition("Criteria")
    for shown in (first, second):
        assert "9 (cannot be believed)" in shown
        assert "7 (cannot be believed)" not in shown


def test_a_plan_says_its_numbers_with_their_intervals_and_counts_in_good_english() -> None:
    """“strict” has less risk and as much use: it alone is not beaten."""
    from flows.compare import compared
    from flows.plan import Planned

    profile = PROFILE.model_copy(
        update={
            "risk": (Criterion.model_validate({"measure": "singling_out"}),),
            "utility": (Criterion.model_validate({"measure": "ks_distance"}),),
        }
    )
    candidates = [
        JudgedCandidate(
            name,
            Decision(name, (Finding("singling_out", "risk", name, True, "withhold", 0.76, None, 0.9, 0.14),)),
            (
                Assessment("singling_out", "singling_out", name, Measurement(risk, {}, Interval(0.09, 0.76))),
                Assessment("ks_distance", "ks_distance", name, Measurement(0.05)),
            ),
        )
        for name, risk in (("plain", 0.5), ("strict", 0.32))
    ]
    said = Planned(compared(profile, candidates), 2, 60.0).in_words
    assert said[1:] == [
        "Recommended: strict, with singling_out 0.32 (95 % 0.09 to 0.76) and ks_distance 0.05.",
        "1 of those that pass is beaten by no other on singling_out and ks_distance, 1 is.",
    ]
