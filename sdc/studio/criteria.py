"""What the room of criteria shows: what is demanded, what could be, what cannot be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc.catalogue.registry import Family, find_measure, measures
from sdc.catalogue.validity import believable
from sdc.profile.plan import Criterion
from sdc.profile.reading import FAMILIES
from sdc.report import wording
from sdc.report.gauges import gauge
from sdc.studio.criterion_limits import OnCandidate, Slider, on_candidate, readings, slider
from sdc.studio.forms import OptionField, option_fields
from sdc.studio.presets import PRESETS, OfferedLimit, Preset, offered
from sdc.studio.trial import Trial, why_not
from sdc.study.document import flow

if TYPE_CHECKING:
    from sdc.catalogue.registry import Measure
    from sdc.report.views import Gauge
    from sdc.studio.open_profile import OpenProfile
    from sdc.studio.remarks import Remark


@dataclass(frozen=True)
class CriterionView:
    """One criterion of the profile."""

    family: str
    position: int
    criterion: Criterion
    measure: Measure
    found: tuple[OnCandidate, ...]
    bar: Gauge | None
    slider: Slider
    remarks: tuple[Remark, ...]
    doubt: str
    fields: Sequence[OptionField] = ()

    @property
    def label(self) -> str:
        part = f".{self.criterion.part}" if self.criterion.part else ""
        return f"{self.criterion.alias}{part}"

    @property
    def key(self) -> str:
        return f"{self.family}.{self.position}"

    @property
    def limit(self) -> str:
        return wording.limit(self.criterion.at_least, self.criterion.at_most)

    @property
    def written(self) -> str:
        return flow(dict(self.criterion.options))[1:-1] if self.criterion.options else ""

    @property
    def state(self) -> str:
        held = [each.holds for each in self.found if each.holds is not None]
        return "" if not held or not self.criterion.is_judged else "holds" if all(held) else "missed"

    @property
    def readings(self) -> tuple[str, ...]:
        return readings(self.measure)


@dataclass(frozen=True)
class OfferedMeasure:
    """A measure of the catalogue: free to be added, or greyed with the reason."""

    measure: Measure
    reason: str
    alternatives: tuple[str, ...]
    is_taken: bool

    @property
    def readings(self) -> str:
        return "; ".join(readings(self.measure))

    @property
    def must_be_told(self) -> tuple[str, ...]:
        """Options without a default."""
        return tuple(name for name, info in self.measure.options.model_fields.items() if info.is_required())


@dataclass(frozen=True)
class CriteriaView:
    """The room as a whole, for the candidate that is looked at."""

    opened: OpenProfile
    chosen: str
    open_key: str = ""
    adding: str = ""

    @property
    def text(self) -> Any:
        return self.opened.workbench.profile_text

    @cached_property
    def trials(self) -> dict[str, Trial]:
        reading = self.opened.reading
        names = reading.understood if reading is not None else ()
        return {name: trial for name in names if (trial := self.opened.trial(name)) is not None}

    @cached_property
    def criteria(self) -> list[CriterionView]:
        if self.opened.reading is None:
            return []
        remarks = self.opened.workbench.faults()
        return [
            self._criterion(str(place[0]), int(place[1]), criterion, remarks.at(*place))
            for place, criterion in self.opened.reading.criteria()
            if criterion.measure in measures()
        ]

    def _criterion(
        self, family: str, position: int, criterion: Criterion, remarks: tuple[Remark, ...]
    ) -> CriterionView:
        measure = find_measure(criterion.measure)
        found, bar = [], None
        for name, trial in self.trials.items():
            if criterion.covers(name):
                on, finding, taken = on_candidate(trial, criterion)
                found.append(on)
                if name == self.chosen and finding is not None:
                    taken = taken.judged_at(finding.value) if taken else None
                    interval = taken.interval if taken and criterion.part is None else None
                    bar = gauge(finding, measure, criterion.part, interval, taken)
        open_here = self.open_key == f"{family}.{position}"
        roles = self.opened.reading.profile.roles if self.opened.reading else None
        return CriterionView(
            family,
            position,
            criterion,
            measure,
            tuple(found),
            bar,
            slider(measure, criterion, [each.value for each in found if each.value is not None]),
            remarks,
            self._doubt(criterion),
            option_fields(measure, criterion.options, roles) if open_here and roles else (),
        )

    def _doubt(self, criterion: Criterion) -> str:
        trial = self.trials.get(self.chosen)
        if trial is None or not criterion.covers(self.chosen):
            return ""
        profile = trial.profile
        answer = believable(
            find_measure(criterion.measure),
            criterion.options,
            profile.candidates[self.chosen],
            profile.roles,
            criterion.part,
        )
        return "" if answer.valid else answer.reason

    @property
    def families(self) -> Mapping[str, list[CriterionView]]:
        return {family: [each for each in self.criteria if each.family == family] for family in FAMILIES}

    @cached_property
    def catalogue(self) -> dict[str, list[OfferedMeasure]]:
        """All measures by family; those that make sense on the candidate first."""
        if self.opened.reading is None:
            return {}
        profile = self.opened.reading.profile
        taken = {each.measure for each in profile.criteria}
        found: dict[str, list[OfferedMeasure]] = {family.value: [] for family in Family}
        for name, measure in measures().items():
            reason, others = "", tuple[str, ...]()
            if self.chosen in profile.candidates and self.chosen in self.opened.reading.understood:
                reason = why_not(profile, self.chosen, name)
                steps = profile.candidates[self.chosen]
                others = believable(measure, {}, steps, profile.roles).alternatives if reason else ()
            offer = OfferedMeasure(measure, reason, others, name in taken)
            found[measure.family.value].append(offer)
        return {family: sorted(many, key=lambda each: bool(each.reason)) for family, many in found.items()}

    @property
    def new_measure(self) -> tuple[Measure, Sequence[OptionField]] | None:
        entry = measures().get(self.adding)
        if entry is None or self.opened.reading is None:
            return None
        return entry, option_fields(entry, {}, self.opened.reading.profile.roles)

    @property
    def presets(self) -> list[tuple[Preset, list[OfferedLimit]]]:
        if self.opened.reading is None:
            return []
        profile = self.opened.reading.profile
        known = profile.model_copy(
            update={"candidates": {name: profile.candidates[name] for name in self.opened.reading.understood}}
        )
        return [(preset, list(offered(preset, known))) for preset in PRESETS]
