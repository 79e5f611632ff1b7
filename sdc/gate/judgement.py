"""Judges a candidate by its suites, and checks that Great Expectations agrees with plain arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sdc.catalogue.finding import Concerns, Finding, Otherwise
from sdc.catalogue.measurement import Assessment
from sdc.gate.decision import Decision, JudgedNumber, Limit
from sdc.gate.scorecard import readings, scorecard, scorecard_limits
from sdc.gate.suites import SCORECARD, TABLE_FACTS, Suites, limits_of
from sdc.gate.validation import place_of, validate

if TYPE_CHECKING:
    import pandas as pd

    from sdc.profile import Profile

AGREEMENT = "gate.agreement"


@dataclass(frozen=True)
class Judgement:
    """A decision with all it depends on: suites, the numbers they were given, and their results.

    Results are BOOLEAN_ONLY, and everything is JSON. `judge_again(suites, scorecard, facts)` gives the same
    verdict.
    """

    decision: Decision
    suites: Suites
    results: Mapping[str, Any]
    scorecard: list[dict[str, float | None]]
    facts: Mapping[str, int | None]


def judge(
    profile: Profile,
    candidate: str,
    assessments: Iterable[Assessment],
    facts: Mapping[str, int | None],
    suites: Suites,
    words: Mapping[str, str] = MappingProxyType({}),
) -> Judgement:
    """Judge a candidate by its measurements and the facts of its table.

    `words` say more about some of the facts.
    """
    held = list(assessments)
    said = {column: JudgedNumber(None, told) for column, told in words.items()} | readings(
        profile, candidate, held
    )
    judgement = _judge(candidate, suites, scorecard(profile, candidate, held), facts, said)
    if limits_of(suites.scorecard) == scorecard_limits(profile, candidate):
        return judgement
    strange = _gate_finding(
        AGREEMENT, candidate, "the suite over the scorecard is not the one the profile asks for"
    )
    decision = Decision(candidate, (*judgement.decision.findings, strange))
    return Judgement(decision, suites, judgement.results, judgement.scorecard, judgement.facts)


def judge_again(suites: Suites, scorecard: pd.DataFrame, facts: Mapping[str, int | None]) -> Judgement:
    """The verdict once more, from what was saved with the run alone."""
    return _judge(suites.scorecard["meta"]["candidate"], suites, scorecard, facts, {})


def _judge(
    candidate: str,
    suites: Suites,
    scores: pd.DataFrame,
    facts: Mapping[str, int | None],
    words: Mapping[str, JudgedNumber],
) -> Judgement:
    import pandas as pd

    counts = pd.DataFrame([dict(facts)])
    by_score, said_of_scores = _findings(candidate, SCORECARD, suites.scorecard, scores, words)
    by_count, said_of_counts = _findings(candidate, TABLE_FACTS, suites.candidate, counts, words)
    rows = [
        dict(zip(map(str, scores.columns), map(_number, row), strict=True))
        for row in scores.itertuples(index=False, name=None)
    ]
    decision = Decision(candidate, (*by_score, *by_count))
    return Judgement(
        decision, suites, {"scorecard": said_of_scores, "candidate": said_of_counts}, rows, dict(facts)
    )


def _findings(
    candidate: str,
    name: str,
    suite: Mapping[str, Any],
    frame: pd.DataFrame,
    words: Mapping[str, JudgedNumber],
) -> tuple[list[Finding], dict[str, Any]]:
    """Every limit of a suite, checked twice: by Great Expectations and by us; it holds only if both agree."""
    limits, said = limits_of(suite), validate(suite, frame)
    answers = _by_column(suite, said)
    numbers = _numbers(frame)
    own = {limit.column: limit.check(candidate, _reading(numbers, limit, words)) for limit in limits}
    own[name] = _shape(candidate, name, frame, limits)
    found = [_confirmed(finding, answers.get(column, [])) for column, finding in own.items()]
    differing = [
        column for column, finding in own.items() if finding.holds is not _passed(answers.get(column, []))
    ]
    differing += sorted(set(answers) - set(own))
    if said["success"] is not all(_passed(answered) for answered in answers.values()):
        differing.append(name)
    if differing:
        found.append(
            _gate_finding(
                AGREEMENT,
                candidate,
                f"Great Expectations and our own arithmetic differ on {', '.join(differing)}",
            )
        )
    return [finding for finding in found if finding.family is not Concerns.GATE or not finding.holds], said


def _by_column(suite: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, list[dict[str, Any] | None]]:
    """What was answered about each column; None for an expectation without exactly one answer."""
    answers: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for answer in said["results"]:
        answers.setdefault((answer["column"], answer["checks"]), []).append(answer)
    asked = Counter(place_of(expectation) for expectation in suite["expectations"])
    held: dict[str, list[dict[str, Any] | None]] = {}
    for place in [*asked, *(place for place in answers if place not in asked)]:
        given = answers.get(place, [])
        held.setdefault(place[0], []).append(given[0] if len(given) == 1 and asked[place] == 1 else None)
    return held


def _passed(answered: list[dict[str, Any] | None]) -> bool:
    return bool(answered) and all(
        answer is not None and answer["success"] and not answer["raised"] for answer in answered
    )


def _confirmed(finding: Finding, answered: list[dict[str, Any] | None]) -> Finding:
    """A finding holds only when Great Expectations says so too.

    If that broke or gave no answer, the finding does not hold.
    """
    if not answered or any(answer is None or answer["raised"] for answer in answered):
        return finding.shut(finding.reason or "Great Expectations could not check this")
    return (
        finding
        if _passed(answered) or not finding.holds
        else finding.shut("Great Expectations does not let this pass")
    )


def _numbers(frame: pd.DataFrame) -> dict[str, float | None]:
    """The one number of each column.

    It is None for a column that occurs twice, and for a frame that does not have exactly one row.
    """
    if len(frame) != 1:
        return {}
    named = Counter(frame.columns)
    row = next(frame.itertuples(index=False, name=None))
    return {
        str(column): _number(value)
        for column, value in zip(frame.columns, row, strict=True)
        if named[column] == 1
    }


def _reading(
    numbers: Mapping[str, float | None], limit: Limit, words: Mapping[str, JudgedNumber]
) -> JudgedNumber:
    """The number of a limit's column, or none."""
    told = words.get(limit.column, JudgedNumber(None)).words
    if limit.column not in numbers:
        return JudgedNumber(None, told)
    value = numbers[limit.column]
    return JudgedNumber(
        value,
        told
        or ("could not be counted on this table" if limit.family is Concerns.TABLE and value is None else ""),
    )


def _number(value: Any) -> float | None:
    """A finite number, or nothing."""
    import numpy as np

    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return float(value) if is_number and np.isfinite(value) else None


def _shape(candidate: str, name: str, frame: pd.DataFrame, limits: Iterable[Limit]) -> Finding:
    whole = len(frame) == 1 and sorted(map(str, frame.columns)) == sorted(limit.column for limit in limits)
    return Finding(
        name,
        Concerns.GATE,
        candidate,
        whole,
        Otherwise.WITHHOLD,
        reason="" if whole else "not one row with exactly the numbers that are judged",
    )


def _gate_finding(name: str, candidate: str, reason: str) -> Finding:
    return Finding(name, Concerns.GATE, candidate, holds=False, otherwise=Otherwise.WITHHOLD, reason=reason)
