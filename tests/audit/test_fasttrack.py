"""Is a run materially the one people approved? Compared on shapes alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from sdc.audit.fasttrack import Shape, compared, given_away
from sdc.audit.fasttrack_memo import Memo
from sdc.profile.plan import Fasttrack, Profile

ALLOWED = Fasttrack(drift=0.1, geography=("region",))
PLAN = Profile.model_validate(
    {
        "name": "survey",
        "seed": 1,
        "source": {"path": "survey.csv"},
        "variables": {
            "region": "quasi_identifier",
            "age": {"role": "quasi_identifier", "type": "numeric"},
            "home": "household",
            "income": {"role": "sensitive", "type": "numeric"},
        },
        "candidates": {"recoded": [{"method": "global_recode", "with": {"age": {"width": 10}}}]},
        "risk": [{"measure": "k_anonymity", "at_least": 3, "because": "rule 1"}],
        "utility": [{"measure": "ks_distance", "at_most": 0.1, "otherwise": "refer", "because": "rule 2"}],
        "approval": {"fasttrack": {"drift": 0.1, "geography": ["region"]}},
    }
).model_dump(mode="json", by_alias=True)
STEP = {"method": "global_recode", "options": {"age": {"width": 10}}}


def finding(
    criterion: str,
    family: str,
    value: float | None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> dict[str, Any]:
    holds = (
        value is not None
        and (at_least is None or value >= at_least)
        and (at_most is None or value <= at_most)
    )
    return {
        "criterion": criterion,
        "family": family,
        "holds": holds,
        "value": value,
        "at_least": at_least,
        "at_most": at_most,
    }


def rows(regions: str = "nnnnssss", **columns: list[Any]) -> pa.Table:
    held = {
        "region": list(regions),
        "age": ["20-29", "30-39"] * 4,
        "home": list("12345678"),
        "income": [1.5] * 8,
    }
    return pa.table({**held, **columns})


def shape(
    table: pa.Table | None = None,
    *,
    plan: dict[str, Any] = PLAN,
    k: float | None = 4,
    ks: float = 0.2,
    step: dict[str, Any] = STEP,
) -> Shape:
    findings = [
        finding("k_anonymity", "risk", k, at_least=3),
        finding("ks_distance", "utility", ks, at_most=0.1),
    ]
    record = {
        "profile": {"plan": plan},
        "chosen": "recoded",
        "candidates": [{"name": "recoded", "steps": [step], "findings": findings}],
    }
    return Shape.of(record, rows() if table is None else table)


def reasons(now: Shape, approved: Shape | None = None) -> tuple[str, ...]:
    return compared(approved or shape(), now, ALLOWED)[0]


def with_(plan: dict[str, Any], *place: str, value: Any) -> dict[str, Any]:
    head, *rest = place
    return {**plan, head: with_(plan[head], *rest, value=value) if rest else value}


def test_the_same_again_has_nothing_to_be_looked_at():
    assert reasons(shape()) == ()


def test_other_records_of_the_same_kind_have_nothing_to_be_looked_at():
    assert reasons(shape(rows("snsnsnsn", income=[2.5] * 8, home=list("abcdefgh")), k=4.3, ks=0.19)) == ()


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (shape(rows(age=["20-29", "40-49"] * 4)), "age has 1 category that was not in the approved release"),
        (shape(rows("nnneesss")), "region is finer: 3 areas, 2 were approved"),
        (shape(rows("nsssssss")), "the smallest area of region has 1 records, 4 were approved"),
        (shape(rows(age=[25, 35] * 4)), "age is released as numbers, approved were texts"),
        (shape(plan=with_(PLAN, "variables", "health", value=PLAN["variables"]["income"])), "health is a new variable"),
        (shape(plan=with_(PLAN, "variables", "income", "role", value="other")), "income has another role than was approved"),
        (shape(plan=with_(PLAN, "variables", "region", "values", value={"n": "South"})), "region has another values than was approved"),
        (shape(step={"method": "global_recode", "options": {"age": {"width": 5}}}), "step 1, global_recode, has other options than were approved"),
        (shape(step={"method": "rank_swap", "options": {}}), "its methods are rank_swap; approved were global_recode"),
        (shape(step={"method": "external_file", "options": {}}), "the candidate was made elsewhere, and how is not known here"),
        (shape(plan=with_(PLAN, "risk", value=[{**PLAN["risk"][0], "at_least": 2}])), "criteria of risk are not those approved: k_anonymity"),
        (shape(plan=with_(PLAN, "publish", "outbox", value="web")), "another outbox than was approved (where it goes)"),
        (shape(plan=with_(PLAN, "access", value="secure")), "another access than was approved (who may have it)"),
        (shape(plan=with_(PLAN, "approval", "fasttrack", "drift", value=0.9)), "another approval than was approved (when people decide, and who)"),
        (shape(k=2), "k_anonymity does not hold now, and it did when the release was approved"),
        (shape(k=4.5), "k_anonymity was 4 when approved and is 4.5: a drift of 0.125, 0.1 is allowed"),
        (shape(ks=0.15), "ks_distance was 0.2 when approved and is 0.15: a drift of 0.25, 0.1 is allowed"),
    ],
)  # fmt: skip
def test_what_is_not_as_it_was_approved_is_named(now, reason):
    assert reason in reasons(now)


def test_a_text_never_has_a_category_in_it():
    said = " ".join(reasons(shape(rows("nnnnssse", age=["20-29", "77-99"] * 4))))
    assert "77-99" not in said
    assert "'e'" not in said


def test_other_words_for_the_same_thing_are_no_change():
    plan = with_(PLAN, "variables", "income", "label", value="Yearly income")
    assert reasons(shape(plan=with_(plan, "risk", value=[{**PLAN["risk"][0], "because": "rule 1a"}]))) == ()


def test_a_criterion_that_was_not_judged_before_is_named():
    now = shape()
    more = replace(now, findings=[*now.findings, finding("l_diversity", "risk", 3, at_least=2)])
    assert "l_diversity was not judged in the approved run" in reasons(more)
    assert "l_diversity was judged in the approved run and is not now" in reasons(now, approved=more)


def test_drift_from_zero_is_a_share_of_the_limit_and_without_one_without_measure():
    def one(value: float, limit: float) -> Shape:
        return replace(shape(), findings=[finding("x", "risk", value, at_most=limit)])

    (drift,) = compared(one(0, 0.5), one(0.04, 0.5), ALLOWED)[1]
    assert drift.share == pytest.approx(0.08)
    assert any("without measure" in reason for reason in reasons(one(1, 0), approved=one(0, 0)))


def looked_back(*criteria: dict[str, Any], value: float | None = 0.0, **parts: float) -> dict[str, Any]:
    measured = {
        "measure": "release_difference",
        "as": "release_difference",
        "value": value,
        "parts": parts,
        "not_assessed": "gone",
    }
    return {
        "chosen": "recoded",
        "candidates": [
            {"name": "other", "measurements": []},
            {"name": "recoded", "measurements": [measured]},
        ],
        "profile": {"plan": {"risk": list(criteria)}},
    }


def test_what_a_release_gives_away_together_with_earlier_ones_is_measured_and_limited_or_reviewed():
    limit = {"measure": "release_difference", "at_most": 0.01, "part": None}
    assert not list(given_away(looked_back(newly_revealed_values=0)))
    assert "89 values were blank" in next(given_away(looked_back(limit, newly_revealed_values=89)))
    assert "7 values are blank now" in next(given_away(looked_back(limit, suppressed_in_vain=7)))
    assert "singled out together" in next(given_away(looked_back(value=0.04)))
    assert not list(given_away(looked_back(limit, value=0.004)))
    assert "singled out together" in next(given_away(looked_back({**limit, "for": ["other"]}, value=0.004)))
    assert not list(given_away(looked_back({**limit, "part": "suppressed_in_vain"}, suppressed_in_vain=7)))
    assert "not assessed: gone" in next(given_away(looked_back(limit, value=None)))
    nobody = looked_back()
    nobody["candidates"][1]["measurements"] = []
    assert "nobody measured" in next(given_away(nobody))


def test_a_memo_says_in_words_what_it_says_in_json():
    found, drifts = compared(shape(), shape(k=4.5), ALLOWED)
    memo = Memo("run-2", "run-1", ("anna (reviewer)",), 0.1, found, drifts)
    assert memo.as_json()["verdict"] == "review"
    assert f"- {found[0]}" in memo.as_markdown()
    assert "| k_anonymity | 4 | 4.5 | 0.125 |" in memo.as_markdown()
    assert Memo("run-2", "run-1", (), 0.1, (), ()).same
    assert not Memo("run-2", None, (), 0.1, (), ()).same
