"""Draws all figures of a report, for one edition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdc.report.build import Drawn, Figures
from sdc.report.edition import THRESHOLD, Edition
from sdc.report.figures import figure_registry
from sdc.report.figures.figure_registry import CHAPTERS, MAP, MULTIPLES, Chapter
from sdc.report.figures.scene import Drawer, Scene, shared
from sdc.report.forbidden import Forbidden

if TYPE_CHECKING:
    from sdc.data.release_pair import ReleasePair
    from sdc.report.facts import RunFacts
    from sdc.report.views import Figure

FEW = 10
MOST_DRAWN = 200
"""Variables with drawings of their own: more would take minutes and nobody would look at them."""


def draw(
    facts: RunFacts,
    pair: ReleasePair,
    edition: Edition,
    *,
    others: Mapping[str, ReleasePair] | None = None,
    threshold: int = THRESHOLD,
    forbidden: Forbidden | None = None,
) -> Figures:
    """All drawings of the candidate the report is about.

    `pair` is that candidate's, `others` those beside it. For a small file the public edition shows single
    variables only.
    """
    drawer = Drawer(
        edition,
        facts.profile,
        forbidden or Forbidden.of(pair, threshold=threshold),
        threshold,
        facts.focus.assessments if facts.focus else (),
    )
    drawn = variable_figures(pair, drawer)
    undrawn = len(shared(pair)) - len(drawn)
    if drawer.public and min(pair.original.rows, pair.candidate.rows) < FEW * threshold:
        return Figures(drawn, undrawn=undrawn)
    scene = Scene(facts, pair, drawer, others or {})
    sections = [chapter.section(_drawn(scene, chapter), public=drawer.public) for chapter in CHAPTERS]
    return Figures(
        drawn,
        next(iter(_drawn(scene, MAP)), None),
        tuple(section for section in sections if section.figures),
        undrawn,
        next(iter(_drawn(scene, MULTIPLES)), None),
    )


def _drawn(scene: Scene, chapter: Chapter) -> list[Figure]:
    wanted = scene.facts.profile.figures.draw
    return [
        made
        for name, each in figure_registry.figures().items()
        if each.chapter is chapter and (not wanted or name in wanted)
        for made in each.drawn(scene)
    ]


def variable_figures(pair: ReleasePair, drawer: Drawer) -> dict[str, Drawn]:
    """Drawings of the analysed variables both tables have.

    For a wide file they are those that steps changed in most records; or those that the profile names.
    """
    if named := drawer.profile.figures.variables:
        return {name: _of_variable(pair, name, drawer) for name in shared(pair) if name in named}
    changed: Counter[str] = Counter()
    for step in pair.steps:
        changed.update(step.changed)
    names = shared(pair)
    chosen = set(sorted(names, key=lambda name: -changed[name])[:MOST_DRAWN])
    return {name: _of_variable(pair, name, drawer) for name in names if name in chosen}


def _of_variable(pair: ReleasePair, name: str, drawer: Drawer) -> Drawn:
    tried = (each.drawn(pair, name, drawer) for each in figure_registry.variable_figures().values())
    return next((drawn for drawn in tried if drawn is not None), Drawn())
