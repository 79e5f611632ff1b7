"""A small run, written by hand: every number in it is known."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement, NotAssessed
from sdc.catalogue.protection import Protection, Step
from sdc.gate.decision import Decision, Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.profile import Profile
from sdc.report import Provenance, RunFacts

PROFILE = {
    "name": "small_survey",
    "title": "Small survey <2025> & more",
    "access": "open",
    "seed": 987654321,
    "source": {"path": "vault/secret_source.csv"},
    "variables": {
        "person": "direct_identifier",
        "age": {"role": "quasi_identifier", "type": "numeric", "unit": "years"},
        "region": {"role": "quasi_identifier", "label": "Region of residence"},
        "income": {"role": "sensitive", "type": "numeric", "unit": "euros"},
        "weight": "weight",
    },
    "candidates": {"coarse": [], "fine": []},
    "risk": [
        {"measure": "k_anonymity", "at_least": 3, "because": "Rule 4.2"},
        {"measure": "k_anonymity", "as": "reported", "with": {"k": 5}},
    ],
    "utility": [
        {"measure": "ks_distance", "at_most": 0.1, "because": "User committee", "otherwise": "refer"},
        {"measure": "propensity_mse"},
    ],
    "prefer": {"measure": "ks_distance"},
}


def finding(candidate: str, criterion: str, value: float | None, **limits: object) -> Finding:
    at_least, at_most = limits.get("at_least"), limits.get("at_most")
    margins = [value - at_least] if at_least is not None and value is not None else []
    margins += [at_most - value] if at_most is not None and value is not None else []
    margin = min(margins) if margins else None
    family = "risk" if criterion == "k_anonymity" else "utility"
    otherwise = "refer" if criterion == "ks_distance" else "withhold"
    because = "Rule 4.2" if criterion == "k_anonymity" else "User committee"
    return Finding(
        criterion,
        family,
        candidate,
        margin is not None and margin >= 0,
        otherwise,
        value,
        at_least,
        at_most,
        margin,
        because,
        "a reason in words",
    )


def assessments(candidate: str, k: float, ks: float) -> tuple[Assessment, ...]:
    return (
        Assessment(
            "k_anonymity",
            "k_anonymity",
            candidate,
            Measurement(k, {"records_below_2": 4, "share_below_k": 0.001, "classes": 120}),
            {},
            0.25,
        ),
        Assessment("k_anonymity", "reported", candidate, Measurement(k), {"k": 5}, 0.25),
        Assessment(
            "ks_distance",
            "ks_distance",
            candidate,
            Measurement(
                ks, {"distance.age": 0.0123456, "distance.income": ks}, Interval(ks - 0.01, ks + 0.01)
            ),
            {},
            1.5,
        ),
        Assessment(
            "propensity_mse",
            "propensity_mse",
            candidate,
            NotAssessed("only 3 records have a complete row"),
            {"model": "logistic"},
            0.1,
        ),
    )


def candidate(name: str, k: float, ks: float) -> JudgedCandidate:
    steps = (
        Step(
            "global_recode",
            {
                "age": {"width": 10},
                "region": {"groups": {"North": ["Rarevillage", "Oslo"]}},
                "seed": 987654321,
            },
            Protection.NON_PERTURBATIVE,
            aligned=True,
            touched=frozenset({"age", "region"}),
            changed={"age": 1000, "region": 7, "income": 0},
            record={"levels_after": 9, "suppressed": {"age": 4}, "chosen": {"Rarevillage": "North"}},
        ),
    )
    findings = (finding(name, "k_anonymity", k, at_least=3), finding(name, "ks_distance", ks, at_most=0.1))
    return JudgedCandidate(
        name,
        Decision(name, findings),
        assessments(name, k, ks),
        Candidate(name, rows=1000, steps=steps),
        missing_added={"age": 3, "region": 12},
    )


@pytest.fixture(scope="session")
def profile() -> Profile:
    return Profile.model_validate(PROFILE)


@pytest.fixture(scope="session")
def published(profile: Profile) -> RunFacts:
    """Two candidates: "coarse" passes and is chosen, "fine" has k = 1."""
    return RunFacts(
        run="20250127T120000Z-small_survey-abc123",
        profile=profile,
        when=datetime(2025, 1, 27, 12, 0, tzinfo=UTC),
        verdict=Verdict.PUBLISHED,
        candidates=(candidate("coarse", 5, 0.0612345), candidate("fine", 1, 0.02)),
        chosen="coarse",
        choice="“coarse” is the only one of 2 candidates that passes.",
        rows={"original": 1000, "holdout": 100},
        provenance=Provenance("5" * 64, "6" * 64, "0.1.0+abc", {"duckdb": "1.5.5"}),
        notes=("an internal note",),
    )


@pytest.fixture(scope="session")
def withheld(published: RunFacts) -> RunFacts:
    """Two candidates, and neither may leave."""
    return replace(
        published,
        verdict=Verdict.WITHHELD,
        chosen=None,
        candidates=(candidate("coarse", 2, 0.0612345), candidate("fine", 1, 0.2)),
    )


@pytest.fixture(scope="session")
def referred(published: RunFacts) -> RunFacts:
    return replace(
        published, verdict=Verdict.REFERRED, chosen="coarse", candidates=(candidate("coarse", 5, 0.15),)
    )
