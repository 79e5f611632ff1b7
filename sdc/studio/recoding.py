"""Edits of one recoding: borders moved, added or taken out, categories joined or parted.

Each function takes the recoding as the profile holds it and gives the one it is to hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sdc.errors import SdcError
from sdc.statistics.coarsening.bands import number_text
from sdc.statistics.coarsening.recoding import WAYS, CannotRecode
from sdc.studio.value_counts import ValueCounts

if TYPE_CHECKING:
    from collections.abc import Iterable

Option = dict[str, Any]
MOST_BORDERS = 40
"""Bands beyond this are told by their width, not one by one."""


class NoSuchRecoding(SdcError):
    """What was asked for makes no recoding of this variable."""


def way_of(option: Mapping[str, Any]) -> str:
    """The way a recoding goes; empty where it has none yet."""
    return next((way for way in WAYS if option.get(way) is not None), "")


def borders(option: Mapping[str, Any], found: ValueCounts) -> list[float]:
    """The borders between bands, whether they are written one by one, as labels or as a width."""
    way = way_of(option)
    if way == "bands" and all(isinstance(edge, (int, float)) for edge in option["bands"]):
        return [float(edge) for edge in option["bands"]]
    if way not in ("bands", "width") or not found.domain.numeric:
        return []
    coarser, _ = found.recoded(dict(option))
    values = found.domain.values
    begins = [float(values[coarser.codes == place].min()) for place in range(len(coarser.labels))]
    if way == "bands":
        return begins[1:]
    width, start = float(option["width"]), float(option.get("start", 0))
    ends = [option[end] for end in ("bottom", "top") if option.get(end) is not None]
    low, high = float(values.min()), float(values.max())
    first = int((low - start) // width) + 1
    last = int((high - start) // width)
    if last - first > MOST_BORDERS:
        return []
    between = {start + number * width for number in range(first, last + 1)}
    bottom = float(option["bottom"]) if option.get("bottom") is not None else float("-inf")
    top = float(option["top"]) if option.get("top") is not None else float("inf")
    return sorted({*map(float, ends), *(edge for edge in between if bottom < edge < top)})


def with_borders(edges: Iterable[float]) -> Option:
    """Bands between these borders, each once and in order."""
    made = sorted(set(edges))
    if not made:
        raise NoSuchRecoding("one border at least must stay: without one all values are one band")
    return {"bands": [int(edge) if float(edge).is_integer() else edge for edge in made]}


def moved(edges: Sequence[float], number: int, to: float) -> Option:
    """One border elsewhere; where it meets another the band between them is gone."""
    _require(edges, number)
    return with_borders([to if place == number else edge for place, edge in enumerate(edges)])


def added(edges: Sequence[float], at: float) -> Option:
    return with_borders([*edges, at])


def taken_out(edges: Sequence[float], number: int) -> Option:
    _require(edges, number)
    return with_borders([edge for place, edge in enumerate(edges) if place != number])


def _require(edges: Sequence[float], number: int) -> None:
    if not 0 <= number < len(edges):
        raise NoSuchRecoding("there is no such border; look at the page as it is now")


def joined(option: Mapping[str, Any], found: ValueCounts, labels: Sequence[str], name: str) -> Option:
    """Categories under one name; those that were joined already come along."""
    if len(labels) < 2:
        raise NoSuchRecoding("choose two categories or more to join them")
    groups = {new: list(old) for new, old in (option.get("groups") or {}).items()}
    named = name.strip() or " or ".join(labels)
    members = [old for label in labels for old in groups.pop(label, [label])]
    unknown = [old for old in members if old not in found.texts]
    if unknown:
        raise NoSuchRecoding(f"{len(unknown)} of the chosen categories are not among the values")
    if named in groups or (named in found.texts and named not in members):
        raise NoSuchRecoding("another category has this name already; give another, or join that one too")
    order = {text: place for place, text in enumerate(found.texts)}
    others = {"others": option["others"]} if option.get("others") is not None else {}
    return {"groups": {**groups, named: sorted(members, key=order.__getitem__)}, **others}


def parted(option: Mapping[str, Any], label: str) -> Option:
    """One group taken apart again; nothing where it was the last."""
    groups = {new: list(old) for new, old in (option.get("groups") or {}).items() if new != label}
    if not groups:
        return {}
    others = {"others": option["others"]} if option.get("others") is not None else {}
    return {"groups": groups, **others}


def hierarchy_of(text: str, found: ValueCounts) -> dict[str, list[str]]:
    """Lines `value: parent, grandparent` as a hierarchy; NoSuchRecoding where a value has no line."""
    made: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        value, colon, rest = line.partition(":")
        above = [each.strip() for each in rest.split(",") if each.strip()]
        if not colon or not above:
            raise NoSuchRecoding(f"line {number} is not of the form value: parent, grandparent")
        made[value.strip()] = above
    lacking = [value for value in found.texts if value not in made]
    if lacking:
        raise NoSuchRecoding(f"{len(lacking)} of {len(found.texts)} values have no line in the hierarchy")
    if len({len(above) for above in made.values()}) > 1:
        raise NoSuchRecoding("every line must have as many ancestors as the others")
    return made


def as_lines(hierarchy: Mapping[str, Sequence[str]] | str | None, found: ValueCounts) -> str:
    """A hierarchy as it is typed; of values that have none, a line to begin with."""
    if isinstance(hierarchy, str):
        return ""
    known = hierarchy or {}
    return "\n".join(f"{value}: {', '.join(known.get(value, ()))}".rstrip() for value in found.texts)


def number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise NoSuchRecoding(f"{what} must be a number") from None
    if value in (float("inf"), float("-inf")) or value != value:  # noqa: PLR0124 - NaN alone differs from itself
        raise NoSuchRecoding(f"{what} must be a finite number")
    return value


def checked(option: Option, found: ValueCounts) -> Option:
    """The recoding, if the values of the variable allow it."""
    try:
        found.recoded(option)
    except CannotRecode as problem:
        raise NoSuchRecoding(f"{found.variable}: {problem}") from None
    return option


def said(edge: float) -> str:
    return number_text(edge)
