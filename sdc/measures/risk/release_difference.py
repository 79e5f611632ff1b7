"""Who is singled out by this candidate together with what was released before?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import (
    Better,
    Column,
    Family,
    Measurement,
    Need,
    NotAssessed,
    Unit,
    composed,
    covered,
    measure,
    untrue,
)
from sdc.data.release_pair import EarlierRelease, ReleasePair
from sdc.data.roles import MissingRule
from sdc.data.table import Table
from sdc.measures.earlier_people import Located, blanks, located, places
from sdc.measures.repetition import averaged_cells, averaged_numbers
from sdc.statistics.counts.release_join import Before, Join, small_changes


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE_OF_ORIGINAL,
    against="0!: nobody",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS,),
    alternatives=("record_linkage", "class_attribution"),
    looks_back=True,
    parts=(
        "earlier_releases releases_left_out classes_below_k_in_join:lower:0.."
        " records_below_k_in_join:lower:0.. small_count_changes:lower:0.. averaged_releases"
        " cell_error_ratio:higher:0.. newly_revealed_values:lower:0.. suppressed_in_vain:lower:0.."
        " recovered_by_averaging:lower:0.. rmse_ratio:higher:0.. recovered_by_averaging.VARIABLE:lower:0.."
        " rmse_ratio.VARIABLE:higher:0.. summed_epsilon:lower:0.. summed_delta"
    ),
)
def release_difference(
    pair: ReleasePair,
    *,
    k: Annotated[int, Field(ge=2)] = 3,
    keys: list[Column] | None = None,
    missing: MissingRule | None = None,
    tolerance: Annotated[float, Field(ge=0, lt=1)] = 0.05,
    bins: Annotated[int, Field(ge=1)] = 10,
    variables: list[Column] | None = None,
    leave_out: bool = False,
) -> Measurement | NotAssessed:
    """The share of original records that the candidate and earlier releases single out only together.

    Where the keys are true, by the join: a person's class is made of the labels of the keys in the candidate
    and in every earlier release (20-29 now and 25-34 before leave those of 25 to 29). Counted are records
    that are alone in the join and in no release. The runs know who is who: by the record_key where there is
    one, else while the source is the very same file. Otherwise persons are linked as an outsider would link
    them: by the order of the records, by numbers of households that were kept, and by values that no step
    changed where these belong to one person in both tables. A person who cannot be linked is placed by the
    labels that hold the person's values. The candidate must be aligned. classes_below_k_in_join (and
    records_below_k_in_join): of fewer than k in the join and of k or more in every release alone.
    small_count_changes: classes, on the keys that have labels in common, which the candidate and an earlier
    release both show with counts that differ by less than k. A missing key is a category or, as a wildcard,
    matches every value. size_in_join is kept by record.

    Where the candidate's keys are perturbed or synthetic, by averaging: counts of each class (numbers in
    `bins` classes of equal frequency), scaled to the original's number of records, are averaged over the
    averaged_releases. Counted are records alone in their class in the original whose averaged count rounds to
    one, while that of no release alone does. cell_error_ratio: root mean squared error of the averaged counts
    over that of the candidate's; independent releases give 1 / sqrt(averaged_releases), and then some records
    are hit by chance.

    For an aligned candidate also: newly_revealed_values, blank in every earlier release of the person and
    shown now; suppressed_in_vain, blank now and shown before. Both are about the persons who are linked, and
    are given only where every earlier release links somebody. For numbers the candidate perturbs:
    recovered_by_averaging, records for which the average of a value over the releases comes within
    `tolerance` times its size and no release alone does; rmse_ratio, the error of that average over the
    candidate's, the smallest over variables; both also by variable. summed_epsilon and summed_delta: the
    budgets of candidate and earlier releases added, where each has a proof that covers every variable it
    shows, or those of the `variables` the promise is meant for. Releases with true keys cannot be combined
    with releases whose keys are not true: the measure is not assessed, unless they may be left out
    (`leave_out`) and are counted in releases_left_out. If it is no longer known how a release was made, it
    counts as made like the candidate. A part that does not apply is absent.

    Formula: (1 / n) Σ_i 1{J_i = 1 and f_i^r > 1 in every release r}, J_i the size of the class of i in the
    join.

    Reference: Ganta, Kasiviswanathan, Smith (2008), doi:10.1145/1401890.1401926; Hundepool et al. (2012),
    Statistical Disclosure Control, doi:10.1002/9781118348239, on differencing; Adam, Wortmann (1989),
    doi:10.1145/76894.76895, on averaging; Reiter, Raghunathan (2007), doi:10.1198/016214507000000932, on the
    mean over m syntheses; Dwork, Roth (2014), doi:10.1561/0400000042, on composition.
    """
    earlier = pair.earlier
    if isinstance(earlier, NotAssessed):
        return earlier
    if not pair.candidate.rows:
        return NotAssessed("the candidate has no records")
    chosen = [key for key in keys or pair.roles.quasi_identifiers if key in pair.candidate.columns]
    are_true = not untrue(pair.steps) & set(chosen)
    alike = [
        release
        for release in earlier
        if not release.steps or (not untrue(release.steps) & set(chosen)) == are_true
    ]
    apart = len(earlier) - len(alike)
    if apart and (not leave_out or not alike):
        return NotAssessed(
            f"{apart} of {len(earlier)} earlier releases cannot be combined: keys are true in"
            f" {'the candidate' if are_true else 'them'} only"
        )
    wildcard = (missing or pair.missing) is MissingRule.WILDCARD
    combined = (
        _joined(pair, chosen, alike, k, wildcard=wildcard)
        if are_true
        else _averaged(pair, chosen, alike, bins)
    )
    if isinstance(combined, NotAssessed):
        return combined
    further = {
        **(_of_persons(pair, earlier, tolerance) if pair.aligned else {}),
        **_summed_budget(pair, earlier, variables),
        "earlier_releases": len(earlier),
        "releases_left_out": apart,
    }
    return Measurement(combined.value, {**combined.parts, **further}, by_record=combined.by_record)


def _joined(
    pair: ReleasePair, keys: Sequence[str], earlier: Sequence[EarlierRelease], k: int, *, wildcard: bool
) -> Measurement | NotAssessed:
    if not pair.aligned or pair.original.rows != pair.candidate.rows:
        return NotAssessed(
            f"the original has {pair.original.rows} records and the candidate {pair.candidate.rows}: they are"
            " not aligned"
        )
    before: list[Located] = []
    for release in earlier:
        found = located(pair, release, keys)
        if isinstance(found, NotAssessed):
            return found
        before.append(found)
    now = [pair.candidate.codes(key)[0] for key in keys]
    tables = [
        Before(each.columns, each.joined, [each.table.codes(key)[0] for key in each.keys], each.places)
        for each in before
    ]
    join = Join.of(now, tables, wildcard=wildcard)
    below = join.below(k)
    parts = {
        "classes_below_k_in_join": join.classes(below),
        "records_below_k_in_join": int(below.sum()),
        "small_count_changes": sum(
            _small_changes(pair.candidate, each.table, each.keys, k) for each in before
        ),
    }
    return Measurement(join.below(2).mean(), parts, by_record={"size_in_join": join.together})


def _small_changes(candidate: Table, earlier: Table, keys: Sequence[str], k: int) -> int:
    columns: list[tuple[Array, Array]] = []
    for key in keys:
        (codes, levels), (before, labels) = candidate.codes(key), earlier.codes(key)
        if set(levels) & set(labels):
            position = {label: place for place, label in enumerate(dict.fromkeys([*levels, *labels]))}
            places = [np.array([*(position[label] for label in held), -1]) for held in (levels, labels)]
            columns.append((places[0][codes], places[1][before]))
    if not columns:
        return 0
    return small_changes(
        np.column_stack([mine for mine, _ in columns]), np.column_stack([theirs for _, theirs in columns]), k
    )


def _averaged(
    pair: ReleasePair, keys: Sequence[str], earlier: Sequence[EarlierRelease], bins: int
) -> Measurement | NotAssessed:
    cells = averaged_cells(pair, keys, earlier, bins)
    if isinstance(cells, NotAssessed):
        return cells
    if earlier and cells.releases == 1:
        return NotAssessed("no earlier release has classes of the keys in common with the candidate")
    parts = {
        "averaged_releases": cells.releases,
        **({} if cells.error_ratio is None else {"cell_error_ratio": cells.error_ratio}),
    }
    return Measurement(cells.singled_out.mean(), parts)


def _of_persons(pair: ReleasePair, earlier: Sequence[EarlierRelease], tolerance: float) -> dict[str, float]:
    """What follows from releases whose records are persons, side by side."""
    of_persons = [release for release in earlier if not any(step.invents_records for step in release.steps)]
    found = {release.name: places(pair, release) for release in of_persons}
    linked = [(release, at) for release in of_persons if (at := found[release.name]) is not None]
    side_by_side = [(release, at) for release, at in linked if release.places is not None or (at >= 0).all()]
    elsewhere = [release for release in of_persons if all(release is not known for known, _ in side_by_side)]
    return {
        **(_revealed(pair, linked) if len(linked) == len(of_persons) else {}),
        **averaged_numbers(pair, side_by_side, elsewhere, tolerance),
    }


def _revealed(pair: ReleasePair, before: Sequence[tuple[EarlierRelease, Array]]) -> dict[str, float]:
    """Values blank in every earlier release of the person and shown now, and values hidden in vain.

    The latter are blank now, but an earlier release shows them.
    """
    columns = [column for column in pair.roles.released if column in pair.candidate.columns]
    now = blanks(pair.candidate, columns)
    hidden, shown = np.zeros_like(now), np.zeros_like(now)
    for release, at in before:
        held = [place for place, column in enumerate(columns) if column in release.table.columns]
        then = blanks(release.table, [columns[place] for place in held])[np.maximum(at, 0)]
        there = (at >= 0)[:, np.newaxis]
        hidden[:, held] |= then & there
        shown[:, held] |= ~then & there
    return {
        "newly_revealed_values": int((hidden & ~shown & ~now).sum()),
        "suppressed_in_vain": int((now & shown).sum()),
    }


def _summed_budget(
    pair: ReleasePair, earlier: Sequence[EarlierRelease], variables: Sequence[str] | None
) -> dict[str, float]:
    """Sequential composition over the family: epsilons add, deltas add.

    It is empty where a release has no proof for all it shows.
    """
    spent = [
        (pair.candidate, composed(pair.steps), covered(pair.steps)),
        *((release.table, release.budget, release.covered) for release in earlier),
    ]
    proved = [
        budget
        for table, budget, covers in spent
        if budget is not None and covers.issuperset(_promised(table, variables))
    ]
    if len(proved) < len(spent):
        return {}
    return {
        "summed_epsilon": math.fsum(budget.epsilon for budget in proved),
        "summed_delta": math.fsum(budget.delta for budget in proved),
    }


def _promised(table: Table, variables: Sequence[str] | None) -> set[str]:
    return {column for column in table.columns if variables is None or column in variables}
