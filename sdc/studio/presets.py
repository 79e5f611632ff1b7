"""Limits to begin with, by who may have the release: each with its source, or the words that it has none.

They are a beginning. The rule of the agency stands in its place before anything is released.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sdc.catalogue.registry import Family, find_measure
from sdc.catalogue.units import Better
from sdc.profile.plan import Access
from sdc.spelling import limit_in_words
from sdc.studio.trial import why_not

if TYPE_CHECKING:
    from sdc.profile.plan import Profile
    from sdc.studio.profile_text import ProfileText

NO_STANDARD = "a beginning without a source: there is no standard (Reiter, after Raab, Nowok and Dibben 2024)"
"""doi:10.48550/arXiv.2406.16826 recommends the measure, and begins with the words that there is none."""
NOBODY_ALONE = "nobody stands alone; what sdcMicro's localSuppression and kAnon reach by default (k = 2)"
"""sdcMicro 5.7.8, help page of localSuppression: `localSuppression(obj, k = 2, ...)`."""


@dataclass(frozen=True)
class PresetLimit:
    """A measure with a limit; without a number it is the measure's usual one, with the source of that."""

    measure: str
    number: float | None = None
    source: str = NO_STANDARD
    options: Mapping[str, Any] = field(default_factory=dict)
    otherwise: str = ""
    instead_of: str = ""
    """A measure it stands in for, on candidates on which that one cannot be believed."""

    @property
    def limit(self) -> float:
        usual = find_measure(self.measure).usual
        return self.number if self.number is not None else float(usual.number) if usual else 0.0

    @property
    def because(self) -> str:
        usual = find_measure(self.measure).usual
        return usual.words if self.number is None and usual else self.source

    @property
    def side(self) -> str:
        return "at_least" if find_measure(self.measure).better is Better.HIGHER else "at_most"

    @property
    def in_words(self) -> str:
        ends = {"at_least": None, "at_most": None, self.side: self.limit}
        return limit_in_words(ends["at_least"], ends["at_most"])

    @property
    def family(self) -> Family:
        return find_measure(self.measure).family


@dataclass(frozen=True)
class Preset:
    """What is usually demanded of a release for one kind of access."""

    name: str
    access: Access
    words: str
    limits: tuple[PresetLimit, ...]


PRESETS = (
    Preset(
        "public",
        Access.OPEN,
        "Anybody may have the file, and nobody is bound by a contract.",
        (
            PresetLimit("k_anonymity"),
            PresetLimit("reidentification_risk"),
            PresetLimit("l_diversity"),
            PresetLimit("replicated_uniques", 1, instead_of="k_anonymity"),
            PresetLimit("privacy_budget"),
            PresetLimit("propensity_mse", otherwise="refer"),
        ),
    ),
    Preset(
        "scientific",
        Access.SAFEGUARDED,
        "Researchers under contract may have the file.",
        (
            PresetLimit("k_anonymity"),
            PresetLimit("replicated_uniques", 5, instead_of="k_anonymity"),
            PresetLimit("privacy_budget"),
            PresetLimit("propensity_mse", otherwise="refer"),
        ),
    ),
    Preset(
        "secure",
        Access.SECURE,
        "The file stays on the agency's machines, and outputs are checked.",
        (
            PresetLimit("k_anonymity", 2, NOBODY_ALONE),
            PresetLimit("replicated_uniques", 10, instead_of="k_anonymity"),
            PresetLimit("propensity_mse", otherwise="refer"),
        ),
    ),
)


@dataclass(frozen=True)
class OfferedLimit:
    """A limit of a preset for the profile at hand: for which candidates, or why for none."""

    limit: PresetLimit
    candidates: tuple[str, ...]
    reason: str
    is_for_all: bool


def offered(preset: Preset, profile: Profile) -> Iterator[OfferedLimit]:
    """Every limit of a preset, with the candidates on which it may be believed."""
    for limit in preset.limits:
        reasons = {name: _reason(limit, profile, name) for name in profile.candidates}
        fine = tuple(name for name, reason in reasons.items() if not reason)
        reason = next(iter(reasons.values()), "there is no candidate")
        yield OfferedLimit(limit, fine, "" if fine else reason, len(fine) == len(profile.candidates))


def _reason(limit: PresetLimit, profile: Profile, candidate: str) -> str:
    """Why a limit is not for a candidate; empty where it is."""
    if limit.instead_of and not why_not(profile, candidate, limit.instead_of):
        return f"{limit.instead_of} can be believed"
    return why_not(profile, candidate, limit.measure, dict(limit.options))


def take(text: ProfileText, preset: Preset, profile: Profile, *, expected: int) -> tuple[int, int]:
    """Write a preset into the profile: how many limits were written, and how many could not be believed."""
    chosen = list(offered(preset, profile))

    def change(draft: ProfileText, _revision: int) -> None:
        draft.set(("access",), preset.access.value, expected=draft.revision)
        for each in chosen:
            if each.candidates:
                _write(draft, each)

    text.edit(change, expected=expected, said=f"took the limits for {preset.name} access")
    written = sum(bool(each.candidates) for each in chosen)
    return written, len(chosen) - written


def _write(draft: ProfileText, offer: OfferedLimit) -> None:
    limit, family = offer.limit, offer.limit.family.value
    held = draft.at((family,))
    place = next(
        (
            position
            for position, each in enumerate(held if isinstance(held, list) else [])
            if isinstance(each, dict) and (each.get("as") or each.get("measure")) == limit.measure
        ),
        None,
    )
    told: dict[str, Any] = {limit.side: _whole(limit.limit), "because": limit.because}
    if limit.otherwise:
        told["otherwise"] = limit.otherwise
    if not offer.is_for_all:
        told["for"] = list(offer.candidates)
    if place is not None:
        for key, value in told.items():
            draft.set((family, place, key), value, expected=draft.revision)
        return
    options = {"with": dict(limit.options)} if limit.options else {}
    position = len(held) if isinstance(held, list) else 0
    criterion = {"measure": limit.measure, **options, **told}
    draft.insert((family,), position, criterion, expected=draft.revision)


def _whole(number: float) -> float | int:
    return int(number) if float(number).is_integer() else number
