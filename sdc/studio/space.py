"""A space to search around a candidate: which options to try at which values, written under `space:`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from sdc.catalogue.registry import methods
from sdc.profile.sweep import MOST
from sdc.studio.candidate_edits import CANDIDATES, BadCandidate, names, steps
from sdc.studio.form_reading import NotThat, field_value, yaml_value
from sdc.studio.forms import AskedOption, FieldKind, OptionField, option_fields, typed

if TYPE_CHECKING:
    from sdc.catalogue.registry import Method
    from sdc.data.roles import Roles
    from sdc.studio.profile_text import ProfileText

SPACE = "space"
RECOMMENDED = "recommended"
SWEPT = (FieldKind.WHOLE, FieldKind.NUMBER, FieldKind.CHOICE, FieldKind.YES_NO)


@dataclass(frozen=True)
class SweptOption:
    """An option of a step that a search may vary: what it is now and what could be tried."""

    step: int
    method: str
    option: str
    within: str
    """The key in the value of a variable, as `width` of `age: {width: 10}`; empty for an option by itself."""
    now: str
    proposed: str
    field: OptionField

    @property
    def name(self) -> str:
        return f"sweep/{self.step}/{self.option}/{self.within}"

    @property
    def label(self) -> str:
        return f"{self.within} of {self.option}" if self.within else self.option


def sweepable(text: ProfileText, candidate: str, roles: Roles) -> list[SweptOption]:
    """Every option of a candidate's steps that has a number, a choice, or a yes and no."""
    found = []
    for position, step in enumerate(steps(text, candidate) or []):
        entry = methods().get(str(step.get("method"))) if isinstance(step, dict) else None
        given = step.get("with") if isinstance(step, dict) else None
        if entry is not None:
            found += list(_of_step(position, entry, given if isinstance(given, dict) else {}, roles))
    return found


def _of_step(position: int, entry: Method, given: Mapping[str, Any], roles: Roles) -> Iterator[SweptOption]:
    for each in option_fields(entry, given, roles):
        if each.asked.kind in SWEPT:
            now = each.value or each.default
            yield SweptOption(position, entry.name, each.label, "", now, _proposed(each.asked, now), each)
        elif each.removable:
            for inner in each.inside:
                if inner.asked.kind in SWEPT and inner.value:
                    proposal = _proposed(inner.asked, inner.value)
                    yield SweptOption(
                        position, entry.name, each.label, inner.label, inner.value, proposal, inner
                    )


def _proposed(asked: AskedOption, now: str) -> str:
    """Half, as it is, and twice; for words, all of them."""
    if asked.kind in (FieldKind.CHOICE, FieldKind.YES_NO):
        return ", ".join(asked.choices or ("true", "false"))
    try:
        value = float(now)
    except ValueError:
        return ""
    low = asked.least if asked.least is not None else float("-inf")
    high = asked.most if asked.most is not None else float("inf")
    whole = asked.kind is FieldKind.WHOLE
    tried = [round(value / 2) if whole else value / 2, value, 2 * value]
    kept = sorted({min(max(number, low), high) for number in tried})
    return ", ".join(typed(int(number) if whole else float(number)) for number in kept)


def write_space(
    text: ProfileText, candidate: str, roles: Roles, told: Mapping[str, str], *, expected: int
) -> int:
    """Write the space around a candidate; how many candidates it comes to."""
    axes: dict[int, dict[str, list[Any]]] = {}
    for option in sweepable(text, candidate, roles):
        values = _values(option, told.get(option.name, ""))
        if values:
            swept = axes.setdefault(option.step, {})
            swept[option.option] = (
                _within(text, candidate, option, values, swept.get(option.option))
                if option.within
                else values
            )
    if not axes:
        raise BadCandidate("say values for one option at least: several, with commas between them")
    total = prod(len(values) for swept in axes.values() for values in swept.values())
    if total > MOST:
        raise BadCandidate(f"these come to {total:,} candidates, and {MOST:,} are the most; say fewer values")
    planned = [_swept(step, axes.get(place)) for place, step in enumerate(steps(text, candidate) or [])]
    text.set((SPACE,), {f"{candidate}_tried": planned}, expected=expected, said=f"a space around {candidate}")
    return total


def _within(
    text: ProfileText, candidate: str, option: SweptOption, values: list[Any], before: list[Any] | None
) -> list[Any]:
    """The value of a variable with one key varied; with each of those that vary another key already."""
    given = text.at((CANDIDATES, candidate, option.step, "with", option.option))
    return [{**held, option.within: value} for held in (before or [given]) for value in values]


def _swept(step: Any, swept: Mapping[str, list[Any]] | None) -> Any:
    """A step with the options that vary taken out of `with`."""
    if not swept:
        return step
    fixed = {key: held for key, held in (step.get("with") or {}).items() if key not in swept}
    return {"method": step["method"], **({"with": fixed} if fixed else {}), "sweep": dict(swept)}


def _values(option: SweptOption, typed_in: str) -> list[Any]:
    """The values typed for an option, each as its field reads it."""
    texts = typed_in.strip()
    if not texts:
        return []
    try:
        listed = yaml_value(texts if texts.startswith("[") else f"[{texts}]")
        values = [field_value(option.field, [typed(value)]) for value in listed]
    except NotThat as problem:
        raise BadCandidate(f"{option.label} of {option.method}: {problem}") from None
    return list(dict.fromkeys(values))


def take_point(
    text: ProfileText,
    planned: Sequence[Mapping[str, Any]],
    covered: Sequence[tuple[str, int]],
    *,
    expected: int,
) -> None:
    """The steps of a point as the candidate `recommended`, and its name in the criteria that cover it."""

    def change(draft: ProfileText, _revision: int) -> None:
        draft.set((CANDIDATES, RECOMMENDED), [dict(step) for step in planned], expected=draft.revision)
        for family, place in covered:
            named = draft.at((family, place, "for"))
            if isinstance(named, list) and RECOMMENDED not in named:
                draft.set((family, place, "for"), [*named, RECOMMENDED], expected=draft.revision)

    said = "replaced recommended" if RECOMMENDED in names(text) else "took a candidate of the search"
    text.edit(change, expected=expected, said=said)
