"""Compares all candidates side by side: what they cost, what they risk, which would be published."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from prefect import State, flow

from flows.candidates import IMPOSSIBLE, each_candidate
from flows.orchestration.cluster import machines_for
from flows.release import candidate
from sdc.errors import SdcError, StepFailed
from sdc.gate import choose
from sdc.gate.judged import JudgedCandidate
from sdc.gate.pareto import MapAxis, axes, front
from sdc.profile import Profile
from sdc.profile.load import LoadedProfile, load_sources
from sdc.run.home import Home, Run
from sdc.run.progress_display import Progress
from sdc.run.scratch import scratch as private_place
from tasks.context import RunContext, open_context
from tasks.ingest import ingest


@dataclass(frozen=True)
class Compared:
    """The candidates as judged, the axes of their map, and which of them would be chosen."""

    profile: Profile
    judged: tuple[JudgedCandidate, ...]
    axes: tuple[MapAxis, MapAxis] | None
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
                        finding.as_json() for finding in each.decision.findings if finding.family.measured
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
    ingest(run)
    each_candidate(run, candidate)


def compare_candidates(
    profile_path: Path, ready: Callable[[], object], progress: Progress
) -> dict[str, Compared]:
    """Judge every candidate of the profile, on each of its sources; by what sets the sources apart."""
    found = {}
    for name, loaded in load_sources(profile_path).items():
        with scratch(loaded, ready, progress) as context:
            ended(compare(context.name, return_state=True))
            judged = [context.judged[each] for each in context.profile.candidates]
            found[name] = compared(context.profile, judged)
    return found


def compared(profile: Profile, judged: Sequence[JudgedCandidate]) -> Compared:
    chosen = choose(
        {each.name: each.decision for each in judged},
        {each.name: each.assessments for each in judged},
        profile.prefer,
    )
    return Compared(
        profile, tuple(judged), axes(profile, list(profile.candidates)), chosen.name, chosen.because
    )


@contextmanager
def scratch(loaded: LoadedProfile, ready: Callable[[], object], progress: Progress) -> Iterator[RunContext]:
    """A run in a home of its own that is forgotten afterwards."""
    with private_place(Home.find().scratch) as place:
        home = Home.at(place / "home")
        with (
            Run.start(home, loaded.profile.name) as run,
            open_context(home, run, loaded, progress) as context,
        ):
            context.history = Home.find()
            ready()
            context.machines = machines_for(context)
            yield context


def ended(state: State[None]) -> None:
    """The error a flow ended with, where it did."""
    if not state.is_completed():
        error = state.result(raise_on_failure=False)
        raise error if isinstance(error, SdcError) else StepFailed("the flow", type(error).__name__)
