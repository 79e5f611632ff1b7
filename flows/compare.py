"""All candidates side by side: what they cost, what they risk, which would be published. Nothing is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows.candidate import IMPOSSIBLE, judge_candidates, tell, told
from flows.orchestration.runner import prepare
from sdc.errors import SdcError, StepFailed
from sdc.gate import choose
from sdc.gate.decision import CRITERIA
from sdc.gate.pareto import Axis, axes, front
from sdc.profile import Profile
from sdc.profile.load import load_profile
from sdc.run.home import Home, Run
from sdc.run.progress_display import Silent
from sdc.run.scratch import scratch as private_place
from tasks.ingest import ingest
from tasks.outcome import Judged
from tasks.workspace import open_workspace, workspace


@dataclass(frozen=True)
class Compared:
    """The candidates as judged, the axes of their map, and which of them would be chosen."""

    profile: Profile
    judged: tuple[Judged, ...]
    axes: tuple[Axis, Axis] | None
    chosen: str | None
    because: str = ""

    @cached_property
    def points(self) -> dict[str, tuple[float, float]]:
        """Where each candidate lies on the map, as measured."""
        if self.axes is None:
            return {}
        places = {
            each.name: tuple(axis.value(each.assessments) for axis in self.axes) for each in self.judged
        }
        return {
            name: (risk, utility)
            for name, (risk, utility) in places.items()
            if risk is not None and utility is not None
        }

    @cached_property
    def front(self) -> frozenset[str]:
        return self.front_of(self.points if self.axes else [each.name for each in self.judged])

    def front_of(self, names: Iterable[str]) -> frozenset[str]:
        """Those of some candidates that no other of them beats.

        On the map, or by their worst margins where there is no map.
        """
        if self.axes is None:
            margins = {
                each.name: (-each.decision.worst_margin("risk"), -each.decision.worst_margin("utility"))
                for each in self.judged
            }
            return front({name: margins[name] for name in names})
        risk, utility = self.axes
        points = {name: self.points[name] for name in names if name in self.points}
        return front(
            {name: (risk.badness(point[0]), utility.badness(point[1])) for name, point in points.items()}
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "profile": self.profile.name,
            "risk": self.axes[0].label if self.axes else None,
            "utility": self.axes[1].label if self.axes else None,
            "chosen": self.chosen,
            "because": self.because,
            "candidates": [
                {
                    "name": each.name,
                    "verdict": each.decision.verdict.of_candidate,
                    "risk": self.points.get(each.name, (None, None))[0],
                    "utility": self.points.get(each.name, (None, None))[1],
                    "on_front": each.name in self.front,
                    "worst_margin": _finite(each.decision.worst_margin()),
                    "does_not_hold": [finding.criterion for finding in each.decision.missed()],
                    "criteria": [
                        finding.as_json() for finding in each.decision.findings if finding.family in CRITERIA
                    ],
                    "cannot_be_made": next(
                        (
                            finding.reason
                            for finding in each.decision.findings
                            if finding.criterion == IMPOSSIBLE
                        ),
                        None,
                    ),
                    "measurements": [assessed.as_json() for assessed in each.assessments],
                }
                for each in self.judged
            ],
        }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


@flow(name="compare", validate_parameters=False, persist_result=False)
def compare(run: str) -> None:
    """Ingest, and judge every candidate."""
    told(run).stage("ingest")
    told(run).done("source", ingest(run).in_words)
    judge_candidates(run)


def compare_candidates(profile_path: Path, ready: Callable[[], object], progress: Silent) -> Compared:
    """Judge every candidate of the profile."""
    with scratch(profile_path, load_profile(profile_path), ready, progress) as run:
        ended(compare(run, return_state=True))
        space = workspace(run)
        return compared(space.profile, [space.judged[name] for name in space.profile.candidates])


def compared(profile: Profile, judged: Sequence[Judged]) -> Compared:
    chosen = choose(
        {each.name: each.decision for each in judged},
        {each.name: each.assessments for each in judged},
        profile.prefer,
    )
    return Compared(
        profile, tuple(judged), axes(profile, list(profile.candidates)), chosen.name, chosen.because
    )


@contextmanager
def scratch(
    profile_path: Path, profile: Profile, ready: Callable[[], object], progress: Silent
) -> Iterator[str]:
    """A run in a home of its own that is forgotten afterwards."""
    with private_place(Home.find().scratch) as place:
        home = Home.at(place / "home")
        with Run.start(home, profile.name) as run:
            space = open_workspace(home, run, profile_path)
            space.profile, space.history = profile, Home.find()
            try:
                ready()
                prepare(space)
                tell(str(run.directory), progress)
                yield str(run.directory)
            finally:
                space.close()


def ended(state: State[None]) -> None:
    """The error a flow ended with, where it did."""
    if not state.is_completed():
        error = state.result(raise_on_failure=False)
        raise error if isinstance(error, SdcError) else StepFailed("the flow", type(error).__name__)
