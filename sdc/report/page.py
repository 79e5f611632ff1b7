"""Draws and renders one page for one run and one edition, and searches a public one for leaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Assessment, Measurement
from sdc.data import sql
from sdc.errors import PageLeaks
from sdc.report.build import Figures, build
from sdc.report.edition import THRESHOLD, Edition
from sdc.report.figures.draw import draw
from sdc.report.forbidden import Forbidden, known_words
from sdc.report.leaks import refuse_leaks
from sdc.report.producer_words import as_page, word_hits, written
from sdc.report.render import render

if TYPE_CHECKING:
    from sdc.data.release_pair import ReleasePair
    from sdc.data.table import Table
    from sdc.report.facts import RunFacts


def page(
    facts: RunFacts,
    edition: Edition,
    pair: ReleasePair | None = None,
    *,
    others: Mapping[str, ReleasePair] | None = None,
    identifiers: Mapping[str, Iterable[object]] | None = None,
    threshold: int = THRESHOLD,
    refused: Callable[[str], object] = lambda _: None,
) -> str:
    """The report as HTML. `pair` is that of the candidate the report is about (`facts.focus`).

    Without it nothing is drawn. `others` are the pairs of other candidates, drawn beside it in the internal
    edition.

    A public page that would disclose something is refused (PageLeaks) and given to `refused`, which keeps it
    from others. So is one whose profile would: its words leave in other files of the bundle too.
    `identifiers` are values of direct identifiers by variable, where the caller still has them; each is read
    once, and only those on the page are held. The drawings of a public page belong to a released candidate: a
    run that released none has none.
    """
    declared = facts.profile.variables
    forbidden = (
        Forbidden.of(pair, threshold=threshold, declared=declared)
        if pair is not None and edition is Edition.PUBLIC
        else Forbidden(threshold=threshold)
    )
    drawable = pair is not None and (edition is Edition.INTERNAL or facts.chosen is not None)
    figures = (
        draw(
            of_first_synthesis(facts), pair, edition, others=others, threshold=threshold, forbidden=forbidden
        )
        if pair is not None and drawable
        else Figures()
    )
    facts = facts if pair is None else with_missing(_noting_syntheses(facts, pair), pair)
    html = render(build(facts, edition, figures=figures, threshold=threshold))
    if edition is Edition.PUBLIC:
        texts = written(facts.profile, pair)
        named = forbidden.naming(
            html + as_page(facts.profile, texts), identifiers or {}, partial(known_words, facts.profile, pair)
        )
        try:
            refuse_leaks(
                html,
                named,
                [f"{place} of the profile: {what}" for place, what in word_hits(facts.profile, named, texts)],
            )
        except PageLeaks:
            refused(html)
            raise
    return html


def of_first_synthesis(facts: RunFacts) -> RunFacts:
    """The facts with what was measured on the first of several syntheses, which is the one that is drawn."""

    def first(assessment: Assessment) -> Assessment:
        outcome = assessment.outcome
        several = outcome.syntheses if isinstance(outcome, Measurement) else ()
        return replace(assessment, outcome=several[0]) if several else assessment

    candidates = tuple(
        replace(each, assessments=tuple(map(first, each.assessments))) for each in facts.candidates
    )
    return replace(facts, candidates=candidates)


def _noting_syntheses(facts: RunFacts, pair: ReleasePair) -> RunFacts:
    if len(pair.leaving) == 1:
        return facts
    note = f"Figures and their captions are about the first of {len(pair.leaving)} syntheses."
    return replace(facts, notes=(*facts.notes, note))


def with_missing(facts: RunFacts, pair: ReleasePair) -> RunFacts:
    """The facts with the missing values each variable gained.

    They are counted only where rows are aligned and nobody has counted them yet.
    """
    focus = facts.focus
    if focus is None or focus.missing_added or not pair.aligned:
        return facts
    names = [name for name in pair.original.columns if name in pair.candidate.columns]
    before, after = (_missing(table, names) for table in (pair.original, pair.candidate))
    counted = replace(focus, missing_added={name: max(after[name] - before[name], 0) for name in names})
    return replace(
        facts, candidates=tuple(counted if each.name == focus.name else each for each in facts.candidates)
    )


def _missing(table: Table, names: list[str]) -> dict[str, int]:
    counts = ", ".join(
        f"count(*) - count({sql.comparable(sql.name(name), table.types[name])})" for name in names
    )
    return dict(
        zip(names, map(int, table.fetch(f"SELECT {counts} FROM {sql.name(table.name)}")[0]), strict=True)
    )
