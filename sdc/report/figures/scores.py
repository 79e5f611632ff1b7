"""Which records can a model tell apart? Scores of both tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.comparison import candidate_records, comparable, features
from sdc.measurement import NotAssessed
from sdc.report.drawing import Drawing, line, rect, text
from sdc.report.figures.plot import Plot, percent, whose
from sdc.report.views import Figure
from sdc.statistics.design import term_blocks
from sdc.statistics.histogram import shares
from sdc.statistics.propensity_models import logistic_scorer

if TYPE_CHECKING:
    from sdc.release_pair import ReleasePair

MOST_ENTRIES, MOST_COEFFICIENTS = 20_000_000, 500
BINS = 40
SIZE = (520, 240)


def score_histogram(pair: ReleasePair) -> Figure | None:
    """Scores of a logistic model with linear terms; none where the model would be too large to be fitted for a drawing."""
    import numpy as np

    columns = comparable(pair)
    if isinstance(columns, NotAssessed):
        return None
    records = pair.original.rows + pair.candidate.rows
    blocks = term_blocks(features(pair, columns))
    if records * (len(blocks) + 1) > MOST_ENTRIES or sum(block.width for block in blocks) > MOST_COEFFICIENTS:
        return None
    is_candidate = candidate_records(pair)
    scores = logistic_scorer(blocks, records)(is_candidate).scores
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
    marks += [line(plot.x(share), plot.y.end, plot.x(share), plot.y.start, "same"), text(plot.x(share) + 5, plot.y.end + 8, "no difference", "tick")]
    marks += [*plot.bottom("score: fitted chance of being the candidate's"), *whose(plot.x.end - 4, plot.y.end + 8)]
    caption = "A model that cannot tell the tables apart gives every record the score at the dotted line. Logistic, linear terms."
    drawing = Drawing(*SIZE, tuple(marks), "Propensity scores of original and candidate")
    return Figure(
        "propensity-scores", "Propensity scores", caption, drawing, ("score", "original", "candidate"), tuple(rows), wide=True, categories_of=()
    )
