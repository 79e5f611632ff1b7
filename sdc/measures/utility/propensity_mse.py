"""Can a model tell the candidate's records from the original's?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Better, Column, Family, measure
from sdc.comparison import candidate_records, comparable, features
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair
from sdc.statistics.design import Feature, Terms, term_blocks
from sdc.statistics.ordering import canonical_order
from sdc.statistics.propensity import Null, formula_null, pairs_scale, permutation_scale, resampled_null, summarise_scores
from sdc.statistics.propensity_models import Scorer, clustered_scorer, logistic_scorer, tree_scorer

Array = np.ndarray[Any, Any]
Model = Literal["logistic", "cart", "clustered_logistic"]
NullKind = Literal["formula", "permutation", "pairs"]

MOST_COEFFICIENTS = 5_000
MOST_ENTRIES = 400_000_000
MOST_PAIRS = 45
WORKERS = 2


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    parts="pmse expected standardised degrees specks po50 rank_sum_u rank_sum_u_original rank_sum_share tree_gini leaves clusters "
    "separated null_valid_for_dependent",
)
def propensity_mse(
    pair: ReleasePair,
    *,
    model: Model = "logistic",
    terms: Terms = Terms.LINEAR,
    null: NullKind | None = None,
    complexity: Annotated[float, Field(ge=0, lt=1)] = 0.001,
    clusters: Annotated[int, Field(ge=1, le=10_000)] = 20,
    permutations: Annotated[int, Field(ge=2, le=10_000)] = 50,
    variables: list[Column] | None = None,
    rng: np.random.Generator,
) -> Measurement | NotAssessed:
    """The ratio of pMSE, the mean of (score - c)², to what it would be for a candidate drawn from the original's own law.

    A record's score is its fitted probability of being the candidate's, c the candidate's share of all records. A
    number with missing values is its value (0 where missing) and an indicator; a missing category is a level; a recoded
    variable is compared in the candidate's own categories. Identical tables give exactly 0. `rank_sum_u` is the
    candidate's.

    Models: `logistic` is unpenalised; coefficients that cannot be estimated are left out, and where the tables can be
    told apart without error the scores are the limits 0 and 1 and the part `separated` is 1. Its `terms` are linear;
    interactions (all products of two columns); quadratic (and squares); cubic (and cubes, and products of two squares),
    of numbers centred and scaled on both tables pooled. `cart` is a classification tree: a split must decrease the Gini
    impurity, and by more than `complexity` of the root's; `tree_gini` is the impurity left. It cuts one variable at a
    time: where all margins are kept exactly it finds no first cut and gives 0. `clustered_logistic` fits the terms
    within `clusters` made by k-means; a cluster of one table, or with under five records a coefficient, has its share.

    Nulls, each on the scale of a candidate drawn from the original, whether that makes the tables dependent or not:
    `formula` (logistic models) is degrees (1 - c)² c / N and holds for synthetic tables, which are so drawn. `pairs`
    takes the pMSE between m >= 2 syntheses of one model and holds for them. `permutation` (the default for cart)
    permutes who is the candidate's, as if the tables were independent; brought to scale by 1 - c it is a yardstick
    only. For tables masked record by record none is a test; no p-value is given. `null_valid_for_dependent` says so with 1 or 0. Where a
    null finds nothing at all its mean is that of one degree of freedom.

    Reference: Snoke, Raab, Nowok, Dibben and Slavkovic (2018), doi:10.1111/rssa.12358; Woo, Reiter, Oganian and Karr
    (2009), doi:10.29012/jpc.v1i1.568.
    """
    columns = comparable(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    kind = null or ("permutation" if model == "cart" else "formula")
    if kind == "formula" and model == "cart":
        return NotAssessed("a tree has no formula for its null: use permutation or pairs")
    chosen = _Model(columns, model, terms, complexity, clusters, int(rng.integers(2**63)))
    held = features(pair, columns)
    scorer = chosen.scorer(pair, held)
    if isinstance(scorer, NotAssessed):
        return scorer
    is_candidate = candidate_records(pair)
    found = scorer(is_candidate)
    scores = summarise_scores(found.scores, is_candidate)
    c, records = scores.candidate_share, is_candidate.size
    if kind == "formula":
        expected: Null | NotAssessed = formula_null(found.degrees, c, records)
    elif kind == "permutation":
        order = canonical_order([feature.codes for feature in held])
        expected = resampled_null(_permuted(scorer, is_candidate, order, permutations, rng), permutation_scale(c), c, records)
    else:
        expected = _between_syntheses(pair, chosen, c)
    if isinstance(expected, NotAssessed):
        return expected
    parts = {
        **scores.parts(),
        "expected": expected.mean,
        "standardised": expected.standardised(scores.pmse),
        "degrees": found.degrees,
        "null_valid_for_dependent": kind != "permutation" and not pair.aligned,
        **found.facts,
    }
    return Measurement(expected.ratio(scores.pmse), parts)


@dataclass(frozen=True)
class _Model:
    """A model as it was asked for."""

    columns: tuple[str, ...]
    model: Model
    terms: Terms
    complexity: float
    clusters: int
    seed: int

    def scorer(self, pair: ReleasePair, held: list[Feature]) -> Scorer | NotAssessed:
        """The model on the records of a pair, held as features, or why it is too large for them."""
        if self.model == "cart":
            return tree_scorer(held, self.complexity)
        if self.model == "clustered_logistic":
            return clustered_scorer(held, self.terms, self.clusters, np.random.default_rng(self.seed))
        blocks = term_blocks(held, self.terms)
        records = pair.original.rows + pair.candidate.rows
        if (needed := 1 + sum(block.width for block in blocks)) > MOST_COEFFICIENTS:
            return NotAssessed(
                f"the model needs {needed} coefficients, and {MOST_COEFFICIENTS} is the limit: name fewer variables or group their levels"
            )
        if records * (len(blocks) + 1) > MOST_ENTRIES:
            return NotAssessed(f"{len(blocks)} terms of {records} records do not fit in memory: name fewer variables")
        return logistic_scorer(blocks, records)


def _permuted(scorer: Scorer, is_candidate: Array, order: Array, permutations: int, rng: np.random.Generator) -> list[float]:
    """The pMSE of each relabelling.

    Labels go to the records in an order of their values, not of the file, and are drawn before any is fitted, so that
    neither the file nor threads can change them.
    """
    labels = np.empty((permutations, order.size), dtype=bool)
    for drawn in labels:
        drawn[order] = rng.permutation(is_candidate)
    with ThreadPoolExecutor(WORKERS) as workers:
        return list(workers.map(lambda drawn: summarise_scores(scorer(drawn).scores, drawn).pmse, labels))


def _between_syntheses(pair: ReleasePair, chosen: _Model, c: float) -> Null | NotAssessed:
    """The null from every two syntheses, up to ten of them."""
    if len(pair.syntheses) < 2:
        return NotAssessed("the null from pairs needs two syntheses or more, and this release has one")
    found = []
    records = pair.original.rows + pair.candidate.rows
    for first, second in list(combinations(pair.syntheses, 2))[:MOST_PAIRS]:
        twins = ReleasePair(first, second, pair.roles)
        scorer = chosen.scorer(twins, features(twins, chosen.columns))
        if isinstance(scorer, NotAssessed):
            return scorer
        labels = candidate_records(twins)
        found.append(summarise_scores(scorer(labels).scores, labels).pmse * pairs_scale(first.rows, second.rows, c, records))
    return resampled_null(found, 1.0, c, records)
