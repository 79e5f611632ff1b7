"""Runs as the pages show them, written by hand: every number in them is known."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from typing import Any

from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import CandidateRecord, RunRecord, write_record
from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Measurement, NotAssessed
from sdc.catalogue.protection import Protection, Step
from sdc.gate.decision import Decision
from sdc.profile import Profile
from sdc.run import digest
from sdc.run.home import Home, Run

with warnings.catch_warnings():
    # It asks for another package than the one Prefect brings.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

__all__ = ["TestClient"]

PORT = 8321
SEED = 987654321
PLAN: dict[str, Any] = {
    "name": "survey",
    "title": "Survey <2025> & more",
    "access": "open",
    "seed": SEED,
    "source": {"path": "vault/secret_source.csv"},
    "variables": {
        "age": {"role": "quasi_identifier", "type": "numeric"},
        "region": "quasi_identifier",
        "income": {"role": "sensitive", "type": "numeric"},
    },
    "candidates": {"coarse": [{"method": "global_recode", "with": {"age": {"width": 10}}}]},
    "risk": [{"measure": "k_anonymity", "at_least": 3, "because": "Rule 4.2"}],
    "utility": [
        {"measure": "ks_distance", "at_most": 0.1, "because": "User committee", "otherwise": "refer"},
        {"measure": "propensity_mse"},
    ],
    "approval": {"required": "when_referred", "roles": ["reviewer", "approver"]},
}
STEP = Step(
    "global_recode",
    {"age": {"width": 10}, "seed": SEED},
    Protection.NON_PERTURBATIVE,
    aligned=True,
    touched=frozenset({"age"}),
    changed={"age": 900, "region": 12},
)
REPORT = '<!DOCTYPE html><html lang="en"><title>A report</title><main><h1>The report of this run</h1></main></html>'


def candidate(k: float = 5, ks: float = 0.06, steps: tuple[Step, ...] = (STEP,)) -> CandidateRecord:
    findings = (
        Finding(
            "k_anonymity",
            "risk",
            "coarse",
            k >= 3,
            "withhold",
            k,
            at_least=3,
            margin=k - 3,
            because="Rule 4.2",
            reason="" if k >= 3 else "too few",
        ),
        Finding(
            "ks_distance",
            "utility",
            "coarse",
            ks <= 0.1,
            "refer",
            ks,
            at_most=0.1,
            margin=0.1 - ks,
            because="User committee",
            reason="" if ks <= 0.1 else "too far",
        ),
        Finding(
            "table.rows",
            "table",
            "coarse",
            holds=True,
            otherwise="withhold",
            value=1000,
            at_least=1,
            margin=999,
        ),
    )
    measured = (
        Assessment("k_anonymity", "k_anonymity", "coarse", Measurement(k, {"records_below_3": 0}), {}, 0.1),
        Assessment("ks_distance", "ks_distance", "coarse", Measurement(ks), {}, 0.1),
        Assessment(
            "propensity_mse",
            "propensity_mse",
            "coarse",
            NotAssessed("only 3 records have a complete row"),
            {},
            0.1,
        ),
    )
    return CandidateRecord(
        "coarse",
        "c" * 64,
        1000,
        steps,
        [{"matrix": [[0.123456, 0.5]]}],
        measured,
        Decision("coarse", findings),
    )


def record(
    outcome: str, made: CandidateRecord, plan: dict[str, Any] | None = None, **changes: Any
) -> RunRecord:
    source = {"sha256": "b" * 64, "rows": 4321, "holdout_rows": 400, "population_rows": None}
    chosen = None if outcome == "withheld" else "coarse"
    held = RunRecord(
        Profile.model_validate(PLAN | (plan or {})),
        "a" * 64,
        outcome,
        source=source,
        candidates=[made],
        chosen=chosen,
    )
    return replace(held, **changes)


MADE = {"published": candidate(), "referred": candidate(ks=0.2), "withheld": candidate(k=1)}


def finish(
    home: Home,
    outcome: str = "published",
    held: RunRecord | None = None,
    producer: str = "paula",
    profile: str = "survey",
) -> str:
    """A run that has ended as told, in the ledger and with its directory; its id."""
    ledger = Ledger(home.ledger)
    with Run.start(home, profile) as run:
        ledger.append(
            run.id,
            profile,
            Event.STARTED,
            {"outbox": "/srv/outbox", "producer": producer, "profile_sha256": "a" * 64},
        )
        if outcome in MADE:
            (run.directory.path / "report.html").write_text(REPORT)
            vouched = {"report.html": digest.of_bytes(REPORT.encode())}
            sealed = write_record(run, held or record(outcome, MADE[outcome], files=vouched))
            bundle = (
                {"bundle": "survey-1", "outputs": {"survey.csv": "d" * 64}} if outcome == "published" else {}
            )
            ledger.append(run.id, profile, Event(outcome), {**sealed.public_facts, **bundle})
        elif outcome != "running":
            ledger.append(
                run.id,
                profile,
                Event(outcome),
                {"error": "2 faults in the data: /srv/vault/people.csv: column age"},
            )
        (run.directory.path / "warehouse.duckdb").write_text("CONFIDENTIAL ROWS")
        return run.id


def form_token(page: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
    assert found
    return found[1]
