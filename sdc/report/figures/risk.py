"""How small the crowds are, and who is most at risk."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.data import sql
from sdc.data.release_pair import Side
from sdc.report import wording
from sdc.report.doubts import doubt_of_classes
from sdc.report.drawing import Drawing, line, rect, text
from sdc.report.figures.figure_registry import CROWDS, figure
from sdc.report.figures.plot import Plot, percent
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdc.data.classes import ClassSizes
    from sdc.data.release_pair import ReleasePair
    from sdc.report.figures.scene import Drawer, Scene

SIZE = (520, 240)
STEPS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))
MOST_COMBINATIONS = 10


def class_sizes(pair: ReleasePair, drawer: Drawer, doubt: str = "") -> Figure | None:
    """Shares of records by the size of their class; only the internal edition shows the original's.

    `doubt` says why they are no risk here.
    """
    keys = pair.roles.quasi_identifiers
    if not keys:
        return None
    sides = [
        (side, pair.class_sizes(keys, side))
        for side in (Side.ORIGINAL, Side.CANDIDATE)
        if side is Side.CANDIDATE or not drawer.public
    ]
    shares = {side: _by_step(held) for side, held in sides}
    plot = Plot.of(SIZE, (0, len(STEPS)), (0, max(max(held) for held in shares.values()) * 1.15))
    marks = plot.side("records", said=lambda share: percent(share, 0))
    width = plot.x(1) - plot.x(0)
    rows = []
    for place, (low, high) in enumerate(STEPS):
        label = f"{low} or more" if high is None else str(low) if low == high else f"{low} to {high}"
        for side, held in shares.items():
            x = plot.x(place) + width * (0.1 if side is Side.ORIGINAL or drawer.public else 0.5)
            y = plot.y(held[place])
            tip = f"classes of {label}: {percent(held[place])} of the records of the {side.value}"
            marks.append(
                rect(x, y, width * (0.8 if drawer.public else 0.38), plot.y.start - y, side.value, tip=tip)
            )
        marks.append(text(plot.x(place + 0.5), plot.y.start + 14, label, "tick middle"))
        rows.append((label, *(percent(held[place]) for held in shares.values())))
    demanded = None if doubt else demanded_k(drawer)
    if demanded is not None:
        x = plot.x(_place(demanded))
        marks += [
            line(x, plot.y.end, x, plot.y.start, "limit"),
            text(x + 4, plot.y.end + 8, f"k = {demanded:g} demanded", "tick"),
        ]
    marks += [
        line(plot.x.start, plot.y.start, plot.x.end, plot.y.start, "base"),
        text(SIZE[0] / 2, SIZE[1] - 4, "records in the class", "axis middle"),
    ]
    drawing = Drawing(*SIZE, tuple(marks), "Records by the size of their class on the quasi-identifiers")
    alone = (
        f"Cannot be believed as a risk here: {doubt}."
        if doubt
        else "A record in a class of one stands alone."
    )
    caption = (
        f"Classes on {wording.listed(list(keys))}."
        f" {alone}{'' if demanded is None else _below(demanded, pair, drawer)}"
    )
    heads = ("records in the class", *(side.value for side in shares))
    return Figure(
        "class-sizes",
        "Sizes of the classes",
        caption,
        drawing,
        heads,
        tuple(rows),
        wide=True,
        categories_of=(),
    )


def demanded_k(drawer: Drawer) -> float | None:
    """The size of class that a profile demands, the largest where it demands several."""
    asked = [
        each.at_least
        for each in drawer.profile.criteria
        if each.measure == "k_anonymity" and each.part is None and each.at_least is not None
    ]
    return max(asked, default=None)


def _place(size: float) -> float:
    """Where classes of a size begin on the axis."""
    place = next(place for place, (_, high) in enumerate(STEPS) if high is None or size <= high)
    low, high = STEPS[place]
    return place if high is None else place + max(size - low, 0) / (high + 1 - low)


def _below(demanded: float, pair: ReleasePair, drawer: Drawer) -> str:
    """How many records are in smaller classes than demanded, as k_anonymity measured it.

    The public edition does not say it.
    """
    counted = None if drawer.public else drawer.part("k_anonymity", f"records_below_{demanded:g}")
    if counted is None and not drawer.public:
        taken = [held.outcome for held in drawer.taken("k_anonymity") if held.options.get("k", 3) == demanded]
        shares = [outcome.parts.get("share_below_k") for outcome in taken if isinstance(outcome, Measurement)]
        counted = next((round(share * pair.candidate.rows) for share in shares if share is not None), None)
    if not counted:
        return "" if counted is None else f" Nobody is in a class of fewer than {demanded:g}."
    return (
        f" {counted:,.0f} {'record is' if counted == 1 else 'records are'} in classes of fewer than"
        f" {demanded:g}."
    )


def _by_step(held: ClassSizes) -> list[float]:
    total = max(held.total_records, 1)
    inside = [(held.size >= low) & (held.size <= (inf if high is None else high)) for low, high in STEPS]
    return [float(held.records[those].sum()) / total for those in inside]


def riskiest(pair: ReleasePair, drawer: Drawer) -> Figure | None:
    """The combinations of keys that fewest candidate records share, and the key that would help each most.

    Internal edition only.
    """
    keys = pair.roles.quasi_identifiers
    if drawer.public or not keys:
        return None
    found = pair.candidate.fetch(_riskiest(pair.candidate.name, keys))
    rows = tuple(
        (
            *(drawer.value(key, value) for key, value in zip(keys, row, strict=False)),
            f"{row[len(keys)]:,}",
            _helps(keys, row),
        )
        for row in found
    )
    held = pair.class_sizes(keys, Side.CANDIDATE)
    least = int(demanded_k(drawer) or 3)
    few = int((held.records[held.size < least] / held.size[held.size < least]).sum())
    caption = (
        "The combinations of quasi-identifiers fewest records of the candidate share, how many do, and the"
        " key without which most would."
    )
    of = (
        f" Shown are {min(len(rows), few)} of {few:,} with fewer than {least} records."
        if few
        else f" None has fewer than {least} records."
    )
    heads = (*keys, "records", "key to coarsen")
    return Figure(
        "riskiest",
        "Riskiest combinations",
        caption + of,
        None,
        heads,
        rows,
        wide=True,
        categories_of=tuple(keys),
    )


def _riskiest(table: str, keys: Sequence[str]) -> str:
    """The smallest classes: keys, records, and for each key how many records agree on all others."""
    names, held = sql.names(keys), sql.name(table)
    ordered = ", ".join(f"CAST({sql.name(key)} AS VARCHAR) NULLS LAST" for key in keys)
    top = (
        f'SELECT {names}, count(*) AS "records in it" FROM {held} GROUP BY {names} ORDER BY "records in it",'
        f" {ordered} LIMIT {MOST_COMBINATIONS}"
    )
    columns = [f'CAST(top.{sql.name(key)} AS VARCHAR) AS "key {place}"' for place, key in enumerate(keys)]
    for place, key in enumerate(keys):
        agree = [
            f"each.{sql.name(other)} IS NOT DISTINCT FROM top.{sql.name(other)}"
            for other in keys
            if other != key
        ] or ["true"]
        columns.append(
            f'(SELECT count(*) FROM {held} AS each WHERE {" AND ".join(agree)}) AS "without {place}"'
        )
    told = [*columns[: len(keys)], 'top."records in it"', *columns[len(keys) :]]
    again = ", ".join(f'"key {place}" NULLS LAST' for place in range(len(keys)))
    return f'WITH top AS ({top}) SELECT {", ".join(told)} FROM top ORDER BY top."records in it", {again}'


def _helps(keys: Sequence[str], row: Sequence[int]) -> str:
    """The key without which a combination is shared by most records."""
    without = dict(zip(keys, row[len(keys) + 1 :], strict=True))
    best = max(keys, key=lambda key: without[key])
    return f"{best}: {row[len(keys)]:,} → {without[best]:,}"


@figure(chapter=CROWDS, order=10, measures=("k_anonymity",), from_tables=True, public=True)
def sizes_of_classes(scene: Scene) -> Iterator[Figure | None]:
    """Sizes of classes; where keys are not true they are no risk, and the public edition leaves them out."""
    wrong = doubt_of_classes(scene.facts.focus, scene.drawer.profile)
    if not (wrong and scene.drawer.public):
        yield class_sizes(scene.pair, scene.drawer, wrong)


@figure(chapter=CROWDS, order=20, from_tables=True, public=True)
def riskiest_combinations(scene: Scene) -> Iterator[Figure | None]:
    """Risky combinations; where keys are not true, none is called risky."""
    if not doubt_of_classes(scene.facts.focus, scene.drawer.profile):
        yield riskiest(scene.pair, scene.drawer)
