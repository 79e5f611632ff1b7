"""One candidate: protected, assessed and judged, in a flow of its own."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run

from flows.orchestration.runner import ClusterFailed, machines, prepare
from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment
from sdc.errors import SdcError, SharedUnusable, StepFailed
from sdc.gate.decision import Decision
from sdc.run.progress import heard_by
from sdc.run.progress_display import Progress, Silent
from sdc.spelling import counted, number
from tasks.gate import gate
from tasks.outcome import Candidate, Judged
from tasks.protect import protect
from tasks.workspace import workspace

SIDE_BY_SIDE = 2
"""How many candidates are held in memory at a time."""

IMPOSSIBLE = "candidate"
"""The criterion that a candidate which cannot be made does not hold."""

_told: dict[str, Progress] = {}


def tell(run: str, progress: Progress) -> None:
    """Whom the flows of this run report their progress to."""
    _told[run] = progress


def told(run: str) -> Progress:
    return _told.get(run, Silent())


def _name() -> str:
    return str(flow_run.parameters["name"])


@flow(name="candidate", flow_run_name=_name, validate_parameters=False, persist_result=False)
def candidate(run: str, name: str) -> None:
    """Protect, assess, judge; what came of it is kept with the run."""
    with heard_by(partial(told(run).under_way, f"protect {name}")):
        made = protect(run, name)
    told(run).done(f"protect {name}", counted(made.rows, "record"))
    assessments = assess(run, made)
    decision = gate(run, made, assessments)
    told(run).done(f"gate {name}", decision.verdict.of_candidate)
    workspace(run).judged[name] = Judged(name, decision, made, tuple(assessments))


def assess(run: str, made: Candidate) -> list[Assessment]:
    """Every measure the profile asks of this candidate, risk and utility side by side."""
    planned = workspace(run).profile.measurements(made.name)
    assessed: dict[str, Assessment] = {}
    for each in machines(run).measured(made, planned):
        assessed[each.alias] = each
        told(run).done(f"{each.alias} of {made.name}", each.not_assessed or number(each.value))
    return [assessed[criterion.alias] for criterion in planned]


def judge_candidates(run: str) -> list[Judged]:
    """All candidates of the profile. One that cannot be made is withheld.

    If none can, the first error stands.
    """
    space = workspace(run)
    names = list(space.profile.candidates)
    told(run).stage("assess", sum(2 + len(space.profile.measurements(name)) for name in names))
    errors = judge_some(run, names)
    if len(errors) == len(names):
        raise next(iter(errors.values()))
    return [space.judged[name] for name in names]


def judge_some(run: str, names: Sequence[str]) -> dict[str, SdcError]:
    """Some candidates, a few at a time; what came of each is kept with the run.

    The errors of those that could not be made.
    """
    space = workspace(run)
    prepare(space)
    with ThreadPoolExecutor(max_workers=SIDE_BY_SIDE) as pool:
        states = {name: pool.submit(copy_context().run, _ran, run, name) for name in names}
    errors: dict[str, SdcError] = {}
    for name, pending in states.items():
        state = pending.result()
        if not state.is_completed():
            error = state.result(raise_on_failure=False)
            if isinstance(error, (ClusterFailed, SharedUnusable)):
                raise error
            errors[name] = (
                error
                if isinstance(error, SdcError)
                else StepFailed(f"candidate {name}", type(error).__name__)
            )
            space.judged[name] = Judged(name, _impossible(name, errors[name]))
    return errors


def _ran(run: str, name: str) -> State[Any]:
    judging = candidate.with_options(task_runner=machines(run).runner)
    return judging(run, name, return_state=True)


def _impossible(name: str, error: SdcError) -> Decision:
    return Decision(
        name, (Finding(IMPOSSIBLE, "risk", name, holds=False, otherwise="withhold", reason=str(error)),)
    )
