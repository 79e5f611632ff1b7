"""Can a model tell the candidate's records from the original's?"""

from __future__ import annotations

from typing import Literal

from sdc.catalogue import Better, Column, Family, measure
from sdc.comparison import candidate_records, comparable, features
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair
from sdc.statistics.design import Terms, design, term_blocks
from sdc.statistics.logistic import fit_logistic
from sdc.statistics.propensity import null_deviation, null_mean, summarise_scores

MOST_COLUMNS = 5_000


@measure(family=Family.UTILITY, better=Better.LOWER)
def propensity_mse(
    pair: ReleasePair, *, model: Literal["logistic"] = "logistic", terms: Literal["linear"] = "linear", variables: list[Column] | None = None
) -> Measurement | NotAssessed:
    """The ratio of pMSE, the mean of (score - c)², to what it would be for a candidate drawn from the original's own law.

    A record's score is its fitted probability of being the candidate's, c the candidate's share of all records. A
    number with missing values is its value (0 where missing) and an indicator; a missing category is a level.
    Coefficients that cannot be estimated are left out; where the tables can be told apart without error the scores are
    the limits 0 and 1 and the part `separated` is 1. Identical tables give exactly 0.

    The expectation is degrees (1 - c)² c / N: the candidate is dependent on the original and this is the null that
    takes it so. It holds for synthetic tables; for tables masked record by record the ratio is a scale, not a test.
    `rank_sum_u` is the candidate's.

    Reference: Snoke, Raab, Nowok, Dibben and Slavkovic (2018), doi:10.1111/rssa.12358; Woo, Reiter, Oganian and Karr
    (2009), doi:10.29012/jpc.v1i1.568.
    """
    columns = comparable(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    is_candidate = candidate_records(pair)
    blocks = term_blocks(features(pair, columns), Terms(terms))
    if (needed := 1 + sum(block.width for block in blocks)) > MOST_COLUMNS:
        return NotAssessed(f"the model needs {needed} coefficients, and {MOST_COLUMNS} is the limit: name fewer variables or group their levels")
    fit = fit_logistic(design(blocks, is_candidate.size), is_candidate)
    scores = summarise_scores(fit.scores, is_candidate)
    degrees, c = fit.rank - 1, scores.candidate_share
    expected, deviation = null_mean(degrees, c, is_candidate.size), null_deviation(degrees, c, is_candidate.size)
    parts = {
        **scores.parts(),
        "expected": expected,
        "standardised": (scores.pmse - expected) / deviation if degrees else 0.0,
        "degrees": degrees,
        "separated": fit.separated,
    }
    return Measurement(scores.pmse / expected if degrees else 0.0, parts)
