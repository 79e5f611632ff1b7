"""Try what would let the candidate in focus meet its criteria: one change of its steps at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.external import external_of
from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment
from sdc.data.release_pair import ReleasePair
from sdc.errors import SdcError, redacted
from sdc.gate.changes import StepChange, TriedChange, proposed
from sdc.gate.judged import JudgedCandidate
from sdc.gate.scorecard import judged, read
from sdc.publish.candidates import make
from sdc.report import RunFacts
from tasks.context import RunContext, run_context
from tasks.measure import measured

SECONDS, SHARE = 60.0, 0.1
"""How long changes may be tried, and for what share of the time that is left of a run's."""
TRIED = "tried-change"
"""What a candidate is called while it is tried: a name that no candidate of a profile can have."""


@task(name="try_changes", tags={"gate"}, cache_policy=NO_CACHE, persist_result=False)
def try_changes(run: str, facts: RunFacts) -> RunFacts:
    """The facts with what was tried: nothing where all holds, or where one trial would take too long.

    What goes wrong with a trial changes nothing of the run.
    """
    with suppress(SdcError), redacted("trying changes"):
        return replace(facts, trials=_trials(run_context(run), facts))
    return facts


def _trials(context: RunContext, facts: RunFacts) -> tuple[TriedChange, ...]:
    focus = facts.focus
    if focus is None or focus.made is None:
        return ()
    steps = tuple(facts.profile.candidates[focus.name])
    missed = [finding for finding in focus.decision.missed() if finding.family.measured]
    changes = [] if external_of(steps) else proposed(facts.profile, steps, missed)
    if not changes:
        return ()
    spent = math.fsum(context.timings.values())
    allowed = allowed_seconds(context.profile.limits.minutes, spent)
    longest = one_takes(focus, context.timings["candidates"], len(facts.candidates), context.machines.at_once)
    with context.timed("trials"):
        return tuple(_in_time(context, focus, changes, allowed, longest))


def allowed_seconds(minutes: float | None, spent: float) -> float:
    """How long trials may take, of a run that has so many minutes and has spent so many seconds."""
    return SECONDS if minutes is None else min(SECONDS, SHARE * (60 * minutes - spent))


def one_takes(focus: JudgedCandidate, seconds: float, candidates: int, at_once: int) -> float:
    """How long a trial will take at least: it is made and measured here, one measure after another.

    All candidates took so many seconds, some of them at once, and their measures on other machines perhaps.
    """
    return max(
        seconds * min(at_once, candidates) / candidates, math.fsum(held.seconds for held in focus.assessments)
    )


def _in_time(
    context: RunContext,
    focus: JudgedCandidate,
    changes: Sequence[StepChange],
    allowed: float,
    longest: float,
) -> Iterator[TriedChange]:
    """As many trials as end in time, if each takes as long as the longest so far."""
    started = time.monotonic()
    for change in changes:
        began = time.monotonic()
        if began + longest > started + allowed:
            return
        yield tried(context, focus, change)
        longest = max(longest, time.monotonic() - began)


def tried(context: RunContext, focus: JudgedCandidate, change: StepChange) -> TriedChange:
    """Make the candidate and measure what is judged on the one in focus; its records are then forgotten.

    No finding where that fails, for whatever reason.
    """
    profile = context.profile.model_copy(
        update={"candidates": {**context.profile.candidates, TRIED: change.steps}}
    )
    try:
        with redacted("trying a change"):
            made = make(profile, context.base, context.warehouse, TRIED, context.randomness)
            taken = _measured(context, focus.name, context.pair(made))
            return TriedChange.of(change, _findings(context, focus.name, taken), taken)
    except SdcError:
        return TriedChange.of(change)
    finally:
        _forget(context)


def _forget(context: RunContext) -> None:
    """Whatever there is of a trial, also of one that was not made to its end."""
    further = list(context.directory.candidates.glob(f"{TRIED}_*"))
    with suppress(SdcError), redacted("forgetting a change"):
        context.forget(Candidate(TRIED, syntheses=1 + len(further)))


def _measured(context: RunContext, name: str, pair: ReleasePair) -> list[Assessment]:
    """What is judged of the candidate in focus, on another pair."""
    asked = {criterion.alias for _, criterion in judged(context.profile, name)}
    return [
        measured(context, pair, criterion, name)
        for criterion in context.profile.measurements(name)
        if criterion.alias in asked
    ]


def _findings(context: RunContext, name: str, taken: Sequence[Assessment]) -> Iterator[Finding]:
    for limit, criterion in judged(context.profile, name):
        yield limit.check(name, read(limit, criterion, name, taken))
