"""Every judged number of a family of releases over time, with its limit and its margin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.audit.subjects import leaving
from sdc.gate.decision import Decision
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, circle, path, rect, text
from sdc.report.figures.plot import Plot
from sdc.report.findings import margin, state
from sdc.web.criteria import INTERNAL, reading_of
from sdc.web.listing import Line, family_of, line
from sdc.web.record_doubts import MARK, doubts
from sdc.web.run_page import run_view

if TYPE_CHECKING:
    from sdc.audit.ledger import RunRow
    from sdc.catalogue.finding import Finding
    from sdc.run.home import Home
    from sdc.web.ledger_state import Book

MOST = 40
"""So many releases are shown, the last ones."""
SIZE = (560, 190)


@dataclass(frozen=True)
class SeriesPoint:
    """One criterion in one run, of the candidate that left or was chosen."""

    line: Line
    candidate: str
    value: str
    limit: str
    margin: str
    state: str
    finding: Finding
    doubt: str = ""
    """Why the number cannot be believed; empty where it can."""


@dataclass(frozen=True)
class Course:
    """A criterion over the runs of a family."""

    criterion: str
    points: tuple[SeriesPoint, ...]
    drawing: Drawing | None

    @property
    def sentence(self) -> str:
        """How the last one stands, and how it stood before."""
        last = self.points[-1]
        said = f"{last.value or 'no value'} in the last run, {last.limit} is demanded"
        said += f"; it {MARK}" if last.doubt else ""
        known = [each.finding.margin for each in self.points if each.finding.margin is not None]
        if len(known) < 2:
            return said
        went = "fell" if known[-1] < known[-2] else "grew" if known[-1] > known[-2] else "is the same"
        return f"{said}; the margin {went}"


@dataclass(frozen=True)
class Series:
    """A family of releases: its runs in the order of time, and each criterion over them."""

    family: str
    runs: tuple[Line, ...]
    courses: tuple[Course, ...]
    without_record: int


def families(book: Book) -> tuple[str, ...]:
    """Families with two runs or more."""
    names = [family_of(row) for row in book.rows.values()]
    return tuple(sorted({name for name in names if names.count(name) > 1}))


def series(home: Home, book: Book, family: str) -> Series | None:
    """The last runs of a family that came to an end; None where the ledger has none of this name."""
    rows = sorted(
        (row for row in book.rows.values() if family_of(row) == family and row.state != "running"),
        key=lambda row: (row.started, row.run),
    )[-MOST:]
    if not rows:
        return None
    points: dict[str, list[SeriesPoint]] = {}
    without = 0
    for row in rows:
        found = list(_points(home, book, row))
        without += not found
        for point in found:
            points.setdefault(point.finding.criterion, []).append(point)
    courses = tuple(Course(name, tuple(held), _drawn(name, held)) for name, held in points.items())
    return Series(family, tuple(line(row, book) for row in rows), courses, without)


def _points(home: Home, book: Book, row: RunRow) -> Iterator[SeriesPoint]:
    view = run_view(home, book, row.run)
    record = (view.record if view else None) or {}
    chosen = (leaving(view) if view else None) or record.get("chosen")
    held = next((each for each in record.get("candidates", ()) if each["name"] == chosen), None)
    if held is None:
        return
    doubted = doubts(record)
    for finding in Decision.from_record(held["name"], held["findings"]).findings:
        if finding.family.measured:
            yield SeriesPoint(
                line(row, book),
                held["name"],
                reading_of(finding, held["measurements"]),
                wording.limit(finding.at_least, finding.at_most),
                "" if finding.margin is None else margin(finding, INTERNAL),
                state(finding),
                finding,
                doubted.get((held["name"], finding.criterion), ""),
            )


def _drawn(name: str, points: Sequence[SeriesPoint]) -> Drawing | None:
    """Values as points in the order of the runs, the range that is demanded of each behind it."""
    known = [(place, each) for place, each in enumerate(points) if each.finding.value is not None]
    if len(known) < 2:
        return None
    numbers = [
        number
        for _, each in known
        for number in (each.finding.value, each.finding.at_least, each.finding.at_most)
        if number is not None
    ]
    low, high = min(numbers), max(numbers)
    room = (high - low or abs(high) or 1.0) * 0.08
    # Numbers of which none is below zero do not get an axis that is.
    foot = low - room if low < 0 else max(low - room, 0.0)
    plot = Plot.of(SIZE, (-0.5, len(points) - 0.5), (foot, high + room), left=52)
    places = [(plot.x(place), plot.y(each.finding.value or 0.0)) for place, each in known]
    marks: list[Mark] = []
    for place, each in enumerate(points):
        top = plot.y(each.finding.at_most) if each.finding.at_most is not None else plot.y.end
        foot = plot.y(each.finding.at_least) if each.finding.at_least is not None else plot.y.start
        left, right = plot.x(place - 0.5), plot.x(place + 0.5)
        marks.append(rect(left, top, right - left, foot - top, "demanded", tip=f"demanded: {each.limit}"))
    marks += plot.side("")
    marks.append(path(places, "course"))
    for (x, y), (_, each) in zip(places, known, strict=True):
        tip = f"{each.line.started}: {each.value} ({each.state})"
        marks.append(circle(x, y, 4, "point" if each.finding.holds else "point missed", tip=tip))
    ends = [(0, "start"), (len(points) - 1, "end")]
    marks += [
        text(plot.x(at), SIZE[1] - 12, began, f"tick {where}")
        for (at, where), began in zip(ends, _ends(points), strict=True)
    ]
    said = ", ".join(f"{each.value} ({each.state})" for _, each in known)
    return Drawing(*SIZE, tuple(marks), f"{name} over {len(points)} runs: {said}")


def _ends(points: Sequence[SeriesPoint]) -> tuple[str, str]:
    """When the first and the last run began: the days, or the times where it was one day."""
    first, last = points[0].line.started, points[-1].line.started
    days = first.partition(",")[0], last.partition(",")[0]
    return days if days[0] != days[1] else (first, last)
