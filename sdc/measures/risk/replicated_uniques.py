"""How many records unique in the original are unique in the candidate as well?"""

from __future__ import annotations

from sdc.catalogue import ANY, Better, Column, Examines, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.classing import ClassEdges
from sdc.measures.key_matching import compared_by


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.PER_CENT_OF_ORIGINAL,
    against="unique_in_original: nothing done",
    bounds=(0, 100),
    needs=(Need.QUASI_IDENTIFIERS,),
    valid_after=ANY,
    examines=Examines.KEYS,
    parts=(
        "unique_in_original unique_in_candidate uniques_in_both_tables:lower:0..100 count_unique_in_original"
        " count_unique_in_candidate count_candidate_uniques_in_original:lower:0.. count_replicated:lower:0.."
    ),
)
def replicated_uniques(
    pair: ReleasePair, *, keys: list[Column] | None = None, edges: ClassEdges | None = None
) -> Measurement | NotAssessed:
    """Original records whose keys are unique in both tables (repU), in percent of original records.

    unique_in_original (UiO) and uniques_in_both_tables (UiOiS: unique in the original, occurring in the
    candidate) are in percent of original records, unique_in_candidate (UiS) of candidate records; the count_
    parts are the numbers themselves. Numbers are compared by value, or by the classes of the `edges` given;
    generalised keys by containment; a missing key is a value of its own.

    Formula: 100 / n × Σ_c 1{f_c = 1 and s_c = 1}, f original and s candidate counts by key.

    Reference: Raab, Nowok and Dibben (2024), Practical privacy metrics for synthetic data,
    doi:10.48550/arXiv.2406.16826.
    """
    compared = compared_by(pair, keys or pair.roles.quasi_identifiers, edges=edges)
    if isinstance(compared, NotAssessed):
        return compared
    originals, candidates = pair.original.rows, pair.candidate.rows
    if not originals or not candidates:
        return NotAssessed("one of the tables has no records")
    sizes = pair.paired_sizes(compared)

    def count(first: bool, second: bool) -> int:
        chosen = (sizes.first == 1 if first else sizes.first > 0) & (
            sizes.second == 1 if second else sizes.second > 0
        )
        return int(sizes.classes[chosen].sum())

    replicated = count(first=True, second=True)
    own, released = int(sizes.classes[sizes.first == 1].sum()), int(sizes.classes[sizes.second == 1].sum())
    parts = {
        "unique_in_original": 100 * own / originals,
        "unique_in_candidate": 100 * released / candidates,
        "uniques_in_both_tables": 100 * count(first=True, second=False) / originals,
        "count_unique_in_original": own,
        "count_unique_in_candidate": released,
        "count_candidate_uniques_in_original": count(first=False, second=True),
        "count_replicated": replicated,
    }
    return Measurement(100 * replicated / originals, parts)
