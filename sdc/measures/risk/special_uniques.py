"""How many records are singled out by so few keys that they must be special?"""

from __future__ import annotations

from math import comb
from typing import Annotated

from pydantic import Field

from sdc.catalogue import (
    NON_PERTURBATIVE,
    Better,
    Column,
    Examines,
    Family,
    Measurement,
    Need,
    NotAssessed,
    Unit,
    measure,
)
from sdc.data.release_pair import ReleasePair
from sdc.statistics.uniqueness.special_uniques import disclosure_scores, unique_scores

MOST_SETS = 1 << 16


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE_OF_CANDIDATE,
    against="0: nobody",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS,),
    valid_after=NON_PERTURBATIVE,
    examines=Examines.KEYS,
    alternatives=("replicated_uniques", "record_linkage"),
    parts="largest_score:lower:0.. mean_score:lower:0.. contribution.VARIABLE",
)
def special_uniques(
    pair: ReleasePair,
    *,
    max_size: Annotated[int, Field(ge=1)] | None = None,
    dis_fraction: Annotated[float, Field(gt=0, lt=1)] = 0.01,
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.1,
    keys: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """SUDA2: the share of candidate records whose DIS score is above `threshold`.

    A minimal sample unique is a set of keys on which a record is unique and on no smaller part of which it
    is; of size s among m keys it scores (m - s)!, and a record's score sums those of its minimal sample
    uniques of up to `max_size` keys (all by default). The DIS score calibrates it with P records in classes
    of two, f = `dis_fraction`, Q = 1 + (8 - m)/20 and A the sum of score^-Q: 1/(1 + P (1 - f)/f / (score^Q
    A)). A missing key never belongs to a minimal sample unique. largest_score and mean_score are SUDA scores;
    contribution.KEY the percentage of all scores from sets with the key. Both scores are kept by record.

    Formula: (1 / n) Σ_i 1{DIS_i > threshold}, DIS_i = 1 / (1 + P (1 − f) / f / (score_i^Q A)), score_i =
    Σ_msu (m − |msu|)!.

    Reference: Elliot, Manning and Ford (2002), doi:10.1142/S0218488502001600; Manning, Haglin and Keane
    (2008), A recursive search algorithm for statistical disclosure assessment, doi:10.1007/s10618-007-0078-6;
    Elliot (2000), DIS: a new approach to the measurement of statistical disclosure risk.
    """
    chosen = list(keys or pair.roles.quasi_identifiers)
    largest = min(max_size or len(chosen), len(chosen))
    if sum(comb(len(chosen), size) for size in range(1, largest + 1)) > MOST_SETS:
        return NotAssessed(
            f"{len(chosen)} keys have more than {MOST_SETS} sets of up to {largest}: give a smaller max_size"
        )
    classes = pair.record_classes(chosen)
    if not classes.place.size:
        return NotAssessed("the candidate has no records")
    scores, contributions = unique_scores(classes.codes, classes.count, largest)
    dis = disclosure_scores(scores, classes.count, len(chosen), dis_fraction)
    # Who has a score is alone in the class: sums over classes are sums over records.
    total, records = float(scores.sum()), classes.place.size
    parts = {
        "largest_score": scores.max(),
        "mean_score": total / records,
        **{
            f"contribution.{key}": 100 * float(contributions[:, place].sum()) / total if total else 0.0
            for place, key in enumerate(chosen)
        },
    }
    value = float(classes.count[dis > threshold].sum()) / records
    return Measurement(
        value, parts, by_record={"score": scores[classes.place], "dis_score": dis[classes.place]}
    )
