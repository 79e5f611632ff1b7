"""Draws what changed between two runs: margins of the criteria, and parts of measurements that moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isclose, isfinite
from typing import Any

from sdc.catalogue.measurement import Assessment, Measurement
from sdc.gate.decision import Decision
from sdc.report import wording
from sdc.report.figures.dumbbells import Moved, dumbbells
from sdc.report.figures.parts import group_of
from sdc.report.views import Figure
from sdc.spelling import counted
from sdc.web.record_doubts import doubts

MOST_ROWS, MOST_FIGURES = 12, 6
WARNING = " ⚠"


def figures_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Figure, ...]:
    """From two sealed records: the margins first, then the measurements whose parts moved most."""
    margins = _margins(before, after)
    parts = sorted(_parts(before, after), key=lambda found: -found[0])[:MOST_FIGURES]
    return (*([margins] if margins else []), *(figure for _, figure in parts))


def _margins(before: Mapping[str, Any], after: Mapping[str, Any]) -> Figure | None:
    """How far every criterion of candidates that both runs have is from its limit, in shares of the limit."""
    first, second, doubted = dict(_judged(before)), dict(_judged(after)), _doubted(before, after)
    moved = [
        Moved(
            f"{criterion} of {name}{WARNING if (name, criterion) in doubted else ''}",
            first[name, criterion],
            second[name, criterion],
            f"{_percent(first[name, criterion])}, then {_percent(second[name, criterion])} of the limit",
        )
        for name, criterion in second
        if (name, criterion) in first
    ]
    if not moved:
        return None
    moved = sorted(moved, key=lambda each: each.after)
    shown = moved[:MOST_ROWS]
    left_out = "" if len(shown) == len(moved) else f" The {len(shown)} tightest of {len(moved)} are shown."
    fell = sum(each.after < each.before for each in moved)
    marked = any(each.name.endswith(WARNING) for each in moved)
    caption = (
        f"Distance from the limit as a share of it; below zero a criterion does not hold. Of"
        f" {counted(len(moved), 'margin')} {fell} fell.{left_out}"
        f"{f' The sign{WARNING} marks numbers that cannot be believed here.' if marked else ''}"
    )
    return Figure(
        "margins",
        "Margins before and after",
        caption,
        dumbbells(
            shown, "Margins of criteria before and after", axis="share of the limit", zero_is_limit=True
        ),
        ("criterion", "before", "after"),
        tuple((each.name, _percent(each.before), _percent(each.after)) for each in moved),
        wide=True,
    )


def _judged(record: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], float]]:
    for candidate in record["candidates"]:
        for finding in Decision.from_record(candidate["name"], candidate["findings"]).findings:
            if finding.family.measured and isfinite(finding.relative_margin):
                yield (candidate["name"], finding.criterion), finding.relative_margin


def _percent(share: float) -> str:
    return f"{wording.number(100 * share, 3)} %"


def _parts(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[float, Figure]]:
    """Measurements with parts by variable, and how much the part moved that moved most, by its own size."""
    first, second = dict(_measured(before)), dict(_measured(after))
    doubted = _doubted(before, after)
    for (name, alias), taken in second.items():
        earlier = first.get((name, alias))
        head, group = group_of(taken.value, taken.parts)
        if earlier is None or not group:
            continue
        known = {part: earlier.parts.get(f"{head}.{part}") for part in group}
        moved = [
            Moved(part, was, group[part], f"{wording.number(was)}, then {wording.number(group[part])}")
            for part, was in known.items()
            if was is not None and not isclose(was, group[part], rel_tol=1e-9, abs_tol=1e-12)
        ]
        if not moved:
            continue
        most = max(abs(value) for each in moved for value in (each.before, each.after))
        moved = sorted(moved, key=lambda each: -abs(each.after - each.before))
        figure = _figure(name, alias, head, moved, len(group))
        if reason := doubted.get((name, alias)):
            figure = replace(figure, caption=f"Cannot be believed here: {reason}. {figure.caption}")
        yield abs(moved[0].after - moved[0].before) / most, figure


def _doubted(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Why a number of one run or the other cannot be believed."""
    return {**doubts(before), **doubts(after)}


def _figure(name: str, alias: str, head: str, moved: list[Moved], parts: int) -> Figure:
    shown = moved[:MOST_ROWS]
    caption = (
        f"{len(moved)} of {counted(parts, 'part')} named {head} changed;"
        f" {moved[0].name} changed most: {moved[0].said}."
    )
    return Figure(
        wording.anchor("parts", name, alias),
        f"{alias} of {name}",
        caption,
        dumbbells(shown, f"Parts of {alias} before and after", axis=head),
        ("part", "before", "after"),
        tuple((each.name, wording.number(each.before), wording.number(each.after)) for each in moved),
        wide=True,
    )


def _measured(record: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Measurement]]:
    for candidate in record["candidates"]:
        for held in candidate["measurements"]:
            taken = Assessment.from_record(held, candidate["name"])
            if isinstance(taken.outcome, Measurement):
                yield (candidate["name"], taken.alias), taken.outcome
