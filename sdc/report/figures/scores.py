"""Propensity scores of both tables: which records a model can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.registry import find_measure
from sdc.measures.comparison import candidate_records, coded, comparable, each_feature, features
from sdc.report import wording
from sdc.report.drawing import Drawing, line, rect, text
from sdc.report.figures.figure_registry import MODELS, figure
from sdc.report.figures.plot import Plot, percent, said, whose
from sdc.report.views import Figure
from sdc.statistics.counts.histogram import shares
from sdc.statistics.regression.design import term_blocks
from sdc.statistics.regression.propensity_models import TreeRules, logistic_scorer, tree_scorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.catalogue.measurement import Assessment
    from sdc.data.release_pair import ReleasePair
    from sdc.report.figures.scene import Scene
    from sdc.statistics.regression.propensity_models import Scorer

MOST_ENTRIES, MOST_COEFFICIENTS = 20_000_000, 500
BINS = 40
GROUPS, MOST_GIVEAWAYS, NOTHING = 5, 3, 1e-12
SIZE = (520, 240)
SCORED_AGAIN = {"logistic": "a logistic model, {terms} terms", "cart": "a classification tree"}
"""Models whose scores use no randomness: drawn again they are those that were measured."""


def scores_of(pair: ReleasePair, assessment: Assessment) -> tuple[Any, Any] | None:
    """The scores of the very model a propensity_mse was measured with, and which records are the candidate's.

    None where the model uses randomness, or would be too large to be fitted once more.
    """
    options = find_measure("propensity_mse").arguments(assessment.options)
    columns = comparable(pair, options["variables"])
    if isinstance(columns, NotAssessed) or options["model"] not in SCORED_AGAIN:
        return None
    scorer = _scorer(pair, columns, options)
    is_candidate = candidate_records(pair)
    return (scorer(is_candidate).scores, is_candidate) if scorer else None


def _scorer(pair: ReleasePair, columns: tuple[str, ...], options: dict[str, Any]) -> Scorer | None:
    records = pair.original.rows + pair.candidate.rows
    if records * len(columns) > MOST_ENTRIES:
        return None
    if options["model"] == "cart":
        return tree_scorer(
            features(pair, columns),
            TreeRules(options["min_split"], options["min_leaf"], options["criterion"], options["complexity"]),
        )
    blocks = term_blocks(each_feature(pair, columns), options["terms"])
    if records * (len(blocks) + 1) > MOST_ENTRIES or sum(block.width for block in blocks) > MOST_COEFFICIENTS:
        return None
    return logistic_scorer(blocks, records)


def giveaways(pair: ReleasePair, assessment: Assessment, scores: Any, share: float) -> list[str]:
    """The variables by whose values the scores differ most from the share of the candidate, the worst first.

    Numbers in five groups.
    """
    import numpy as np

    columns = comparable(pair, find_measure("propensity_mse").arguments(assessment.options)["variables"])
    if isinstance(columns, NotAssessed):
        return []
    apart = {}
    for column in columns:
        held = coded(pair, column, GROUPS)
        codes = np.concatenate([held.original, held.candidate]) + 1
        counts = np.bincount(codes)
        means = np.bincount(codes, weights=scores) / np.maximum(counts, 1)
        apart[column] = float((counts * (means - share) ** 2).sum() / scores.size)
    return [
        column for column in sorted(apart, key=lambda name: (-apart[name], name)) if apart[column] > NOTHING
    ][:MOST_GIVEAWAYS]


def score_histogram(pair: ReleasePair, assessment: Assessment) -> Figure | None:
    """Scores of both tables under the model that was measured."""
    import numpy as np

    found = scores_of(pair, assessment)
    if found is None:
        return None
    scores, is_candidate = found
    edges = np.linspace(0, 1, BINS + 1)
    first, second = (shares(np.histogram(scores[those], edges)[0]) for those in (~is_candidate, is_candidate))
    plot = Plot.of(SIZE, (0, 1), (0, float(max(first.max(), second.max())) * 1.12))
    marks = plot.side("records", said=lambda share: percent(share, 0))
    rows = []
    for place, low in enumerate(edges[:-1].tolist()):
        x, width = plot.x(low), plot.x(float(edges[place + 1])) - plot.x(low)
        label = f"{low:.3f} to {edges[place + 1]:.3f}"
        for share, style in ((first[place], "original"), (second[place], "candidate")):
            marks.append(rect(x + 0.5, plot.y(share), width - 1, plot.y.start - plot.y(share), style))
        rows.append((label, percent(first[place]), percent(second[place])))
    share = float(is_candidate.mean())
    marks += [
        line(plot.x(share), plot.y.end, plot.x(share), plot.y.start, "same"),
        text(plot.x(share) + 5, plot.y.end + 8, "no difference", "tick"),
    ]
    marks += [
        *plot.bottom("score: fitted chance of being the candidate's"),
        *whose(plot.x.end - 4, plot.y.end + 8),
    ]
    drawing = Drawing(*SIZE, tuple(marks), "Propensity scores of original and candidate")
    anchor, heads = wording.anchor("scores", assessment.alias), ("score", "original", "candidate")
    caption = _caption(assessment, giveaways(pair, assessment, scores, share))
    return Figure(
        anchor,
        f"Propensity scores: {assessment.alias}",
        caption,
        drawing,
        heads,
        tuple(rows),
        wide=True,
        categories_of=(),
    )


def _caption(assessment: Assessment, told: list[str]) -> str:
    options = find_measure("propensity_mse").arguments(assessment.options)
    model = SCORED_AGAIN[options["model"]].format(terms=options["terms"].value)
    most = f" What gives the tables away most: {wording.listed(told)}." if told else ""
    return (
        "A model that cannot tell the tables apart gives every record the score at the dotted line. It is"
        f" {model}. {said(assessment)}{most}"
    )


@figure(chapter=MODELS, order=10, measures=("propensity_mse",))
def propensity_scores(scene: Scene) -> Iterator[Figure | None]:
    for held in scene.drawer.taken("propensity_mse"):
        yield score_histogram(scene.pair, held)
