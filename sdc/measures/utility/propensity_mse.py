"""Can a model tell the candidate's records from the original's?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import (
    Better,
    Column,
    Family,
    Measurement,
    NotAssessed,
    Protection,
    Unit,
    drawn_parameters,
    measure,
)
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import candidate_records, comparable, each_feature, features
from sdc.statistics.distances.ordering import canonical_order
from sdc.statistics.neighbours.clusters import Clustering, Distance, Linkage, Scale
from sdc.statistics.regression.design import Feature, TermKind, term_blocks
from sdc.statistics.regression.propensity import (
    Null,
    chi_square_chance,
    formula_null,
    pairs_scale,
    permutation_scale,
    resampled_null,
    summarise_scores,
)
from sdc.statistics.regression.propensity_models import (
    Scored,
    Scorer,
    TreeRules,
    clustered_scorer,
    inference_scorer,
    logistic_scorer,
    tree_scorer,
)
from sdc.statistics.trees.classification import Criterion

Model = Literal["logistic", "cart", "ctree", "clustered_logistic"]
NullKind = Literal["formula", "independent", "permutation", "pairs", "none"]

TREES = ("cart", "ctree")
UNKNOWN = (
    "the tree has no split, and without a null it is not known whether it could have found one: use"
    " permutation"
)
BLIND = (
    "the model finds nothing in most tables that differ by chance alone, so its value has no null: lower"
    " `complexity`, or use another model"
)
MOST_COEFFICIENTS = 5_000
MOST_ENTRIES = 400_000_000
MOST_PAIRS = 45
WORKERS = 2


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.RATIO,
    against="0: nothing done; 1: a correct synthesis, on average",
    usual="10: Raab, Nowok and Dibben 2021",
    parts=(
        "pmse n_pmse expected standardised p_value degrees specks po50 rank_sum_u rank_sum_u_original"
        " rank_sum_share tree_gini leaves clusters average_linkage separated null.formula null.independent"
        " null.permutation null.pairs null.none null_scale null_valid_for_dependent"
    ),
    variants=(
        *(
            {"model": model, "permutations": 3, "complexity": 0.01, "clusters": 3}
            for model in ("cart", "ctree", "clustered_logistic")
        ),
        {"terms": "cubic", "variables": ["income", "spending", "sex"]},
    ),
)
def propensity_mse(
    pair: ReleasePair,
    *,
    model: Model = "logistic",
    terms: TermKind = TermKind.LINEAR,
    null: NullKind | None = None,
    criterion: Criterion = "misclassification",
    complexity: Annotated[float, Field(ge=0, lt=1)] = 0.001,
    min_split: Annotated[int, Field(ge=2)] = 15,
    min_leaf: Annotated[int, Field(ge=1)] = 5,
    alpha: Annotated[float, Field(gt=0, le=1)] = 1.0,
    clusters: Annotated[int, Field(ge=1, le=10_000)] = 20,
    linkage: Linkage = "average",
    distance: Distance = "euclidean",
    scale: Scale = "standard",
    permutations: Annotated[int, Field(ge=2, le=10_000)] = 50,
    variables: list[Column] | None = None,
    rng: np.random.Generator,
) -> Measurement | NotAssessed:
    """The ratio of pMSE, the mean of (score - c)², to what a correct candidate would have.

    A record's score is its fitted probability of being the candidate's, c the candidate's share of all
    records. A number with missing values is its value (0 where missing) and an indicator; a missing category
    is a level; a recoded variable is compared in the candidate's own categories. Identical tables give
    exactly 0. `n_pmse` is pMSE times the number of records of both tables: the sum over records. `rank_sum_u`
    is the candidate's.

    Models: `logistic` is unpenalised; coefficients that cannot be estimated are left out, and where the
    tables can be told apart without error the scores are the limits 0 and 1 and the part `separated` is 1.
    Its `terms` are linear; interactions (all products of two columns); quadratic (and squares); cubic (and
    cubes, and products of two squares), of numbers centred and scaled on both tables pooled.
    `clustered_logistic` fits the terms within `clusters`, made by average linkage (up to 20,000 records;
    beyond and with `linkage: kmeans` by k-means, and the part `average_linkage` is 0) on Euclidean distances
    or their squares (`distance`), numbers in units of their standard deviation or as they are (`scale`); a
    cluster of one table, or with under five records a coefficient, has its share.

    `cart` is a classification tree split by Gini impurity and pruned as rpart does: a branch must save more
    than `complexity` of the root's misclassified records for each split, or of its impurity with `criterion:
    gini`, which prunes much more. Nodes of at least `min_split` records are split, leaves have `min_leaf` or
    more: 15 and 5, as in synthpop, where rpart alone has 20 and 7. `ctree` is a conditional inference tree:
    it splits while a test, corrected for the number of variables, finds dependence at level `alpha`.
    `tree_gini` is the impurity left. A tree cuts one variable at a time: where all margins are kept exactly
    it finds no first cut and gives 0.

    Nulls: `formula` (the default of logistic models) takes for each degree of freedom the candidate's
    sampling variance, and the original's too for variables whose parameters the steps drew (proper syntheses,
    norm_draw): the steps say so. `independent` takes both for all. `permutation` (the default of trees)
    permutes who is the candidate's. `pairs` takes the pMSE between m >= 2 syntheses of one model. A correct
    synthesis averages 1. Trees and clusters see more than a synthesis was fitted to; to them it is an
    independent sample, and one that copies records of the original is below 1. Where the model finds nothing
    in most permutations there is no null and nothing is assessed. With `none` the value is the ratio to the
    null of one degree of freedom: it is never smaller than with a null. `null.formula` and so on is 1 for the
    null used; `null_scale` is its mean over that for two independent samples.

    `p_value` is the p-value of the chi-square test. It is given for linear terms, where every step is a
    synthesis (or `independent` was asked for), all parameters were drawn or none, and records are not in
    households. For tables masked record by record no null is a test: `null_valid_for_dependent` is 0.

    Formula: pMSE = (1 / N) Σ_i (p_i − c)², the value is pMSE / E_0[pMSE]; for a logistic model of k
    coefficients without the constant and one synthesis E_0 = k (1 − c)² c / N.

    Reference: Snoke, Raab, Nowok, Dibben and Slavkovic (2018), doi:10.1111/rssa.12358; Raab, Nowok and Dibben
    (2016), doi:10.29012/jpc.v7i3.407; Woo, Reiter, Oganian and Karr (2009), doi:10.29012/jpc.v1i1.568;
    Hothorn, Hornik and Zeileis (2006), doi:10.1198/106186006X133933.
    """
    columns = comparable(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    kind: NullKind = null or ("permutation" if model in TREES else "formula")
    if kind in ("formula", "independent") and model in TREES:
        return NotAssessed("a tree has no formula for its null: use permutation or pairs")
    rules = TreeRules(min_split, min_leaf, criterion, complexity)
    chosen = _Model(
        columns,
        model,
        terms,
        rules,
        alpha,
        Clustering(clusters, linkage, distance, scale),
        int(rng.integers(2**63)),
    )
    drawn = 1.0 if kind == "independent" or chosen.local else _drawn_share(pair, columns)
    order = (
        canonical_order([feature.codes for feature in each_feature(pair, columns)])
        if kind == "permutation"
        else None
    )
    scorer = chosen.scorer(pair)
    if isinstance(scorer, NotAssessed):
        return scorer
    is_candidate = candidate_records(pair)
    found = scorer(is_candidate)
    scores = summarise_scores(found.scores, is_candidate)
    c, records = scores.candidate_share, is_candidate.size
    if order is not None:
        expected = _resampled(
            _permuted(scorer, is_candidate, order, permutations, rng), permutation_scale(c, drawn)
        )
    elif kind == "pairs":
        expected = _between_syntheses(pair, chosen, c)
    elif kind == "none":
        expected = NotAssessed(UNKNOWN) if found.facts.get("leaves") == 1 else formula_null(1, c, records)
    else:
        expected = formula_null(found.degrees, c, records, drawn)
    if isinstance(expected, NotAssessed):
        return expected
    parts = {
        **scores.parts(),
        "n_pmse": records * scores.pmse,
        "degrees": found.degrees,
        **found.facts,
        f"null.{kind}": 1,
    }
    if kind != "none":
        parts |= {
            "expected": expected.mean,
            "standardised": expected.standardised(scores.pmse),
            "null_scale": permutation_scale(c, drawn),
            "null_valid_for_dependent": not pair.aligned,
        }
    if _is_chi_square(kind, pair, chosen, found, drawn):
        parts["p_value"] = chi_square_chance(scores.pmse, found.degrees, c, records, drawn=drawn == 1)
    return Measurement(expected.ratio(scores.pmse), parts)


@dataclass(frozen=True)
class _Model:
    """A model as it was asked for."""

    columns: tuple[str, ...]
    model: Model
    terms: TermKind
    rules: TreeRules
    alpha: float
    clustering: Clustering
    seed: int

    @property
    def local(self) -> bool:
        """Whether it looks into parts of the table, and so sees more than a synthesis was fitted to."""
        return self.model != "logistic"

    def scorer(self, pair: ReleasePair) -> Scorer | NotAssessed:
        """The model on the records of a pair, or why it is too large for them."""
        if self.local:
            return self._local_scorer(features(pair, self.columns))
        blocks = term_blocks(each_feature(pair, self.columns), self.terms)
        records = pair.original.rows + pair.candidate.rows
        if (needed := 1 + sum(block.width for block in blocks)) > MOST_COEFFICIENTS:
            return NotAssessed(
                f"the model needs {needed} coefficients, and {MOST_COEFFICIENTS} is the limit: name fewer"
                " variables or group their levels"
            )
        if records * (len(blocks) + 1) > MOST_ENTRIES:
            return NotAssessed(
                f"{len(blocks)} terms of {records} records do not fit in memory: name fewer variables"
            )
        return logistic_scorer(blocks, records)

    def _local_scorer(self, held: list[Feature]) -> Scorer:
        if self.model == "cart":
            return tree_scorer(held, self.rules)
        if self.model == "ctree":
            return inference_scorer(held, self.rules, self.alpha)
        return clustered_scorer(held, self.terms, self.clustering, np.random.default_rng(self.seed))


def _drawn_share(pair: ReleasePair, columns: tuple[str, ...]) -> float:
    """The share of the main effects' columns whose parameters the steps drew, not only estimated."""
    drawn = drawn_parameters(pair.steps)
    if not drawn.intersection(columns):
        return 0.0
    blocks = term_blocks(each_feature(pair, columns))
    widths = [block.width for block in blocks if columns[block.source] in drawn]
    return sum(widths) / (sum(block.width for block in blocks) or 1)


def _is_chi_square(kind: NullKind, pair: ReleasePair, chosen: _Model, found: Scored, drawn: float) -> bool:
    """Whether pMSE over its null for one degree of freedom is chi-square for a correct candidate."""
    synthetic = bool(pair.steps) and all(step.protection is Protection.SYNTHETIC for step in pair.steps)
    made_so = kind == "independent" or (kind == "formula" and synthetic and drawn in (0, 1))
    as_fitted = (
        chosen.model == "logistic"
        and chosen.terms is TermKind.LINEAR
        and found.degrees > 0
        and not found.facts["separated"]
    )
    return made_so and as_fitted and not pair.aligned and pair.roles.household not in pair.candidate.columns


def _resampled(pmse: list[float], scale: float = 1.0) -> Null | NotAssessed:
    null = resampled_null(pmse)
    return null.scaled(scale) if null else NotAssessed(BLIND)


def _permuted(
    scorer: Scorer, is_candidate: Array, order: Array, permutations: int, rng: np.random.Generator
) -> list[float]:
    """The pMSE of each relabelling of the records.

    Labels go to the records in an order of their values, not of the file, and are drawn before any is fitted,
    so that neither the file nor threads can change them.
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
        scorer = chosen.scorer(twins)
        if isinstance(scorer, NotAssessed):
            return scorer
        labels = candidate_records(twins)
        found.append(
            summarise_scores(scorer(labels).scores, labels).pmse
            * pairs_scale(first.rows, second.rows, c, records, local=chosen.local)
        )
    return _resampled(found)
