"""Choose among the candidates of a run, and say what is known of it so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.audit.software import code_digest, versions
from sdc.errors import redacted
from sdc.gate import Choice
from sdc.gate import choose as choose_candidate
from sdc.gate.decision import Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.ingest import Ingested
from sdc.profile import Profile
from sdc.report import Provenance, RunFacts
from tasks.context import run_context


@task(name="choose", tags={"gate"}, cache_policy=NO_CACHE, persist_result=False)
def choose(run: str, ingested: Ingested, judged: Sequence[JudgedCandidate]) -> RunFacts:
    """The facts of the run with the candidate the gate would take, and what becomes of it."""
    context = run_context(run)
    context.progress.stage("publish")
    context.keep_candidates([each.made for each in judged if each.made])
    with redacted("choosing a candidate"):
        chosen = choose_candidate(
            {each.name: each.decision for each in judged},
            {each.name: each.assessments for each in judged},
            context.profile.prefer,
        )
    verdict, chosen = _verdict(context.profile, judged, chosen)
    return RunFacts(
        run=context.run.id,
        profile=context.profile,
        when=datetime.now(UTC),
        verdict=verdict,
        candidates=tuple(judged),
        chosen=chosen.name,
        choice=chosen.because,
        rows={
            "original": ingested.rows,
            "holdout": ingested.holdout_rows,
            "population": ingested.population_rows,
        },
        provenance=Provenance(ingested.sha256, context.profile_sha256, code_digest(), versions()),
        notes=tuple(ingested.notes),
    )


def _verdict(profile: Profile, judged: Sequence[JudgedCandidate], chosen: Choice) -> tuple[Verdict, Choice]:
    """What the gate says of the chosen candidate, unless people decide on every release of the profile."""
    if chosen.name is None:
        return Verdict.WITHHELD, chosen
    verdict = next(each.decision.verdict for each in judged if each.name == chosen.name)
    if verdict is Verdict.WITHHELD or profile.approval.required != "always":
        return verdict, chosen
    always = "People decide on every release of this profile (approval.required: always)."
    return Verdict.REFERRED, replace(chosen, because=f"{chosen.because} {always}")
