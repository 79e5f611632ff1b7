"""Runs the candidates of a profile side by side, and takes their measures on the machines of the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

from prefect import Flow, State

from flows.orchestration.machines import ClusterFailed
from sdc.catalogue.candidate import Candidate
from sdc.catalogue.finding import Concerns, Finding, Otherwise
from sdc.catalogue.measurement import Assessment
from sdc.errors import SdcError, SharedUnusable, StepFailed
from sdc.gate.decision import Decision
from sdc.gate.judged import JudgedCandidate
from sdc.profile import Criterion
from sdc.run.pace import Pace, remember, remembered
from sdc.spelling import number
from tasks.context import RunContext, run_context

IMPOSSIBLE = "candidate"
"""The criterion that a candidate which cannot be made does not hold."""

CandidateFlow = Flow[[str, str], None]
"""The flow that protects, measures and judges one candidate: it takes a run and the candidate's name."""


def each_candidate(run: str, flow: CandidateFlow) -> list[JudgedCandidate]:
    """All candidates of the profile. One that cannot be made is withheld.

    If none can, the first error stands.
    """
    context = run_context(run)
    names = list(context.profile.candidates)
    pace = pace_of(context, names)
    context.progress.stage("assess", pace)
    with context.timed("candidates"):
        errors = some_candidates(run, flow, names)
    remember(context.history or context.home, context.profile.name, context.source["rows"], pace.took)
    if len(errors) == len(names):
        raise next(iter(errors.values()))
    return [context.judged[name] for name in names]


def some_candidates(run: str, flow: CandidateFlow, names: Sequence[str]) -> dict[str, SdcError]:
    """Some candidates, a few at a time; what came of each is kept with the run.

    The errors of those that could not be made.
    """
    context = run_context(run)
    with ThreadPoolExecutor(max_workers=context.machines.at_once) as pool:
        ran = {name: pool.submit(copy_context().run, _state, context, flow, name) for name in names}
    states = {name: pending.result() for name, pending in ran.items()}
    failed = {name: state for name, state in states.items() if not state.is_completed()}
    errors = {name: _error(name, state) for name, state in failed.items()}
    context.judged |= {name: JudgedCandidate(name, impossible(name, errors[name])) for name in errors}
    return errors


def pace_of(context: RunContext, names: Sequence[str]) -> Pace:
    """What is to be done on some candidates: to make, measure and judge each."""
    parts = [
        part
        for name in names
        for part in (
            f"protect {name}",
            *(f"{each.alias} of {name}" for each in context.profile.measurements(name)),
            f"gate {name}",
        )
    ]
    home = context.history or context.home
    return Pace(parts, remembered(home, context.profile.name, context.source["rows"]))


def _state(context: RunContext, flow: CandidateFlow, name: str) -> State[Any]:
    judging = flow.with_options(task_runner=context.machines.runner)
    return judging(context.name, name, return_state=True)


def _error(name: str, state: State[Any]) -> SdcError:
    """Why a candidate could not be made; what is wrong with the machines is no fault of a candidate."""
    error = state.result(raise_on_failure=False)
    if isinstance(error, (ClusterFailed, SharedUnusable)):
        raise error
    return error if isinstance(error, SdcError) else StepFailed(f"candidate {name}", type(error).__name__)


def impossible(name: str, error: SdcError) -> Decision:
    """What is said of a candidate that could not be made."""
    return Decision(
        name,
        (
            Finding(
                IMPOSSIBLE, Concerns.RISK, name, holds=False, otherwise=Otherwise.WITHHOLD, reason=str(error)
            ),
        ),
    )


def protect(run: str, name: str) -> Candidate:
    """Make a candidate, on this machine or on a worker."""
    return run_context(run).machines.protect(name)


@contextmanager
def measuring(run: str, made: Candidate) -> Iterator[None]:
    """Measures of a candidate are taken within; the machines let go of it afterwards."""
    try:
        yield
    finally:
        run_context(run).machines.let_go(made)


def assess_risk(run: str, made: Candidate) -> Iterator[Assessment]:
    """Begin every measure the profile asks of this candidate under risk; they come in its order."""
    context = run_context(run)
    planned = context.profile.measurements(made.name)
    return _begun(context, made, [each for each in planned if each in context.profile.risk])


def assess_utility(run: str, made: Candidate) -> Iterator[Assessment]:
    """Begin every measure asked under utility alone; those of risk go on meanwhile."""
    context = run_context(run)
    planned = context.profile.measurements(made.name)
    return _begun(context, made, [each for each in planned if each not in context.profile.risk])


def _begun(context: RunContext, made: Candidate, planned: Sequence[Criterion]) -> Iterator[Assessment]:
    taken = context.machines.begin(made, planned)

    def collected() -> Iterator[Assessment]:
        found: dict[str, Assessment] = {}
        for each in taken:
            found[each.alias] = each
            outcome = each.not_assessed or number(each.value)
            context.progress.done(f"{each.alias} of {made.name}", outcome, each.seconds)
        yield from (found[criterion.alias] for criterion in planned)

    return collected()
