"""The share of each table in every cluster of like records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, line, rect, text
from sdc.report.figures.figure_registry import MODELS, figure
from sdc.report.figures.plot import Scale, percent, said
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.catalogue.measurement import Assessment
    from sdc.report.figures.scene import Scene

ROW, LEFT, RIGHT, TOP = 20, 84, 470, 40
WIDTH = 600


def clusters(assessment: Assessment) -> Figure | None:
    """A bar for each cluster, cut where the original's records end and the candidate's begin.

    It is drawn from parts named TABLE.cluster_N.
    """
    found = counts(assessment.outcome.parts) if isinstance(assessment.outcome, Measurement) else []
    if len(found) < 2:
        return None
    even = sum(original for original, _ in found) / sum(original + candidate for original, candidate in found)
    scale = Scale(0, 1, LEFT, RIGHT)
    foot = TOP + ROW * len(found)
    marks: list[Mark] = [
        text(LEFT, 12, "original", "strong original"),
        text(RIGHT, 12, "candidate", "end strong candidate"),
    ]
    marks.append(text(RIGHT + 12, 12, "records of both", "axis"))
    rows = []
    for place, (original, candidate) in enumerate(found):
        share, y = original / (original + candidate), TOP + place * ROW
        tip = (
            f"cluster {place + 1}: {percent(share)} original, {percent(1 - share)} candidate,"
            f" {original + candidate:,} records"
        )
        marks += [
            text(LEFT - 8, y + 13, f"cluster {place + 1}", "tick end"),
            rect(LEFT, y + 3, scale(share) - LEFT, ROW - 6, "original", tip=tip),
            rect(scale(share), y + 3, RIGHT - scale(share), ROW - 6, "candidate", tip=tip),
            text(RIGHT + 12, y + 13, f"{original + candidate:,}", "tick"),
        ]
        rows.append((f"cluster {place + 1}", f"{original:,}", f"{candidate:,}", percent(share)))
    marks += [
        line(scale(even), TOP - 6, scale(even), foot + 4, "same"),
        text(scale(even), TOP - 10, "no difference", "tick middle"),
    ]
    drawing = Drawing(
        WIDTH, foot + 10, tuple(marks), "Shares of original and candidate in clusters of like records"
    )
    heads = ("cluster", "original records", "candidate records", "share of the original")
    return Figure(
        wording.anchor("clusters", assessment.alias),
        "Cluster shares",
        f"{_caption(found, even)} {said(assessment)}",
        drawing,
        heads,
        tuple(rows),
        wide=True,
        categories_of=(),
    )


def counts(parts: Mapping[str, float]) -> list[tuple[int, int]]:
    """Records of original and candidate in each cluster, in the order of the measurement."""
    found: list[tuple[int, int]] = []
    while f"original.cluster_{len(found) + 1}" in parts:
        name = f"cluster_{len(found) + 1}"
        found.append((int(parts[f"original.{name}"]), int(parts[f"candidate.{name}"])))
    return found


def _caption(found: list[tuple[int, int]], even: float) -> str:
    off = [
        (original + candidate) * (original / (original + candidate) - even) ** 2
        for original, candidate in found
    ]
    worst = off.index(max(off))
    original, candidate = found[worst]
    share = percent(original / (original + candidate))
    return (
        "Records of both tables, put into clusters of like records, the largest first. Where the tables say"
        f" the same, every bar is cut at the dotted line ({percent(even)} original). Cluster {worst + 1}"
        f" counts most, with {share} original."
    )


@figure(chapter=MODELS, order=20, measures=("cluster_utility",))
def cluster_shares(scene: Scene) -> Iterator[Figure | None]:
    yield from map(clusters, scene.drawer.taken("cluster_utility"))
