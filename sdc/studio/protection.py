"""What the room of protection shows: candidates side by side, the steps of one, its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc.catalogue.external import EXTERNAL, makers
from sdc.report.wording import PROTECTIONS
from sdc.spelling import counted
from sdc.studio import candidate_edits, trials
from sdc.studio.forms import OptionField, new_variable, option_fields
from sdc.studio.trial_numbers import TrialNumber, TrialNumbers
from sdc.study.document import flow

if TYPE_CHECKING:
    from sdc.catalogue.registry import Method
    from sdc.studio.jobs import Job
    from sdc.studio.open_profile import OpenProfile
    from sdc.studio.remarks import Remark

SWEPT = (
    "It stands for several candidates, or for a file made elsewhere: it is edited in the text, and looked at"
    " in Search."
)


@dataclass(frozen=True)
class TriedCandidate:
    """One candidate: what is known of it, what is under way, or why it cannot be tried."""

    name: str
    position: int
    is_open: bool
    steps: int
    numbers: TrialNumbers | None
    job: Job | None
    problem: str = ""

    @property
    def is_under_way(self) -> bool:
        return self.job is not None and self.job.is_under_way

    @property
    def failed(self) -> str:
        """What a method said when it could not do it on these data."""
        return self.job.error if self.job is not None and not self.job.is_under_way else ""

    @property
    def standing(self) -> str:
        return self.numbers.standing if self.numbers is not None and not self.failed else ""

    @property
    def is_tried(self) -> bool:
        return self.numbers is not None and any(each.is_known for each in self.numbers.judged)

    def number(self, label: str) -> TrialNumber | None:
        many = (*self.numbers.judged, *self.numbers.loss) if self.numbers else ()
        return next((each for each in many if each.label == label), None)


@dataclass(frozen=True)
class WrittenStep:
    """One step of the open candidate."""

    position: int
    method: str
    entry: Method | None
    options: Mapping[str, Any]
    remarks: tuple[Remark, ...]
    is_open: bool
    fields: Sequence[OptionField] = ()
    fresh: Sequence[OptionField] = ()
    changed: str = ""

    @property
    def written(self) -> str:
        return flow(dict(self.options))[1:-1] if self.options else ""

    @property
    def summary(self) -> str:
        return self.entry.summary if self.entry else ""

    @property
    def deed(self) -> str:
        return PROTECTIONS[self.entry.protection] if self.entry else ""


@dataclass(frozen=True)
class ProtectionView:
    """The room as a whole."""

    opened: OpenProfile
    chosen: str
    step: int | None = None
    adding: str = ""

    @property
    def text(self) -> Any:
        return self.opened.workbench.profile_text

    @cached_property
    def names(self) -> list[str]:
        return candidate_edits.names(self.text)

    @cached_property
    def candidates(self) -> list[TriedCandidate]:
        return [self._candidate(position, name) for position, name in enumerate(self.names)]

    @property
    def open(self) -> TriedCandidate | None:
        return next((each for each in self.candidates if each.is_open), None)

    def _candidate(self, position: int, name: str) -> TriedCandidate:
        written = candidate_edits.steps(self.text, name)
        trial = self.opened.trial(name)
        problem = self.opened.problem
        if not problem and written is None:
            problem = SWEPT
        if not problem and trial is None:
            problem = "Its steps have faults; they are said below, and beside the text."
        return TriedCandidate(
            name,
            position,
            name == self.chosen,
            len(written or []),
            TrialNumbers(trial, tuple(self.text.before)) if trial else None,
            trials.trying(self.opened.workbench, trial) if trial else None,
            problem,
        )

    @property
    def labels(self) -> list[str]:
        """The numbers that candidates are put side by side on."""
        return list(
            dict.fromkeys(
                number.label
                for each in self.candidates
                if each.numbers is not None
                for number in (*each.numbers.judged, *each.numbers.loss)
            )
        )

    @cached_property
    def steps(self) -> list[WrittenStep]:
        held = candidate_edits.steps(self.text, self.chosen) or []
        return [self._step(position, step) for position, step in enumerate(held)]

    def _step(self, position: int, step: Any) -> WrittenStep:
        method = str(step.get("method", "")) if isinstance(step, dict) else str(step)
        entry = makers().get(method)
        options = step.get("with") if isinstance(step, dict) else None
        given = options if isinstance(options, dict) else {}
        is_open, roles = position == self.step, self.roles
        editable = is_open and entry is not None and roles is not None
        return WrittenStep(
            position,
            method,
            entry,
            given,
            self._remarks(position),
            is_open,
            option_fields(entry, given, roles) if editable and entry and roles else (),
            new_variable(entry, given, roles) if editable and entry and roles else (),
            self._changed(position),
        )

    def _remarks(self, position: int) -> tuple[Remark, ...]:
        place = ("candidates", self.chosen, position)
        return self.opened.workbench.faults().at(*place)

    def _changed(self, position: int) -> str:
        """How many values the step changed when the candidate was made."""
        trial = self.opened.trial(self.chosen)
        if trial is None or trial.planned.key not in trial.place.held:
            return ""
        made = trial.place.made(trial.profile, trial.planned).candidate.steps
        changed = made[position].changed if position < len(made) else {}
        many = {name: count for name, count in changed.items() if count}
        said = [f"{name} {count:,}" for name, count in sorted(many.items(), key=lambda pair: -pair[1])]
        more = f" and {counted(len(said) - 4, 'more variable')}" if len(said) > 4 else ""
        return f"changed: {', '.join(said[:4])}{more}" if said else ""

    @property
    def roles(self) -> Any:
        return self.opened.reading.profile.roles if self.opened.reading is not None else None

    @property
    def new_step(self) -> WrittenStep | None:
        """A step that is not in the profile yet: its form with nothing given."""
        entry, roles = makers().get(self.adding), self.roles
        if entry is None or roles is None or self.adding == EXTERNAL.name:
            return None
        return WrittenStep(
            len(self.steps),
            self.adding,
            entry,
            {},
            (),
            is_open=True,
            fields=option_fields(entry, {}, roles),
            fresh=new_variable(entry, {}, roles),
        )

    @property
    def catalogue(self) -> dict[str, list[Method]]:
        """Methods by what they do to records."""
        found: dict[str, list[Method]] = {}
        for entry in makers().values():
            if entry.name != EXTERNAL.name:
                found.setdefault(PROTECTIONS[entry.protection], []).append(entry)
        return found


def chosen_candidate(names: Sequence[str], asked: str) -> str:
    """The candidate that is open: by its name, by its place as `@2`, the last as `@last`, else the first."""
    if asked.startswith("@") and names:
        place = asked[1:]
        return names[min(int(place), len(names) - 1)] if place.isdigit() else names[-1]
    return asked if asked in names else (names[0] if names else "")
