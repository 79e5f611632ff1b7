"""Does the candidate tell an intruder which records of two other files belong to the same person?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.attack import Attacks, by_record, counted, drawn, judged
from sdc.measures.neighbours import neighbours, placed, shared_columns


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0!: as for people who are not in the original",
    bounds=(0, 1),
    needs=(Need.HOLDOUT,),
    alternatives=("membership_inference",),
    parts="attack_rate:lower:0..1 control_rate baseline_rate attacks control_attacks",
)
def linkability(
    pair: ReleasePair,
    *,
    rng: np.random.Generator,
    attacks: Attacks = 2000,
    auxiliary: list[Column] | None = None,
    k: Annotated[int, Field(ge=1)] = 1,
) -> Measurement | NotAssessed:
    """How much more often the two halves of a record are linked for people in the original than for others.

    One file of the intruder has the `auxiliary` variables (the quasi-identifiers where none are named),
    another the remaining analysed ones. The halves of a person are linked through the candidate when a
    candidate record is among the nearest, by Gower's distance, to both: no farther than the nearest (or the
    k-th), ties included. attack_rate is the share linked of records of the original, control_rate of the
    holdout, both drawn at random; value = (attack_rate - control_rate) / (1 - control_rate), 0 where
    negative, with an interval from Wilson's for the two rates. baseline_rate: how often the halves of two
    different people are linked. A missing value follows the declared rule.

    Formula: value = max(0, (a − c) / (1 − c)), with a the share of linked original records and c of the
    holdout.

    Reference: Giomi, Boenisch, Wehmeyer, Tasnádi (2023), doi:10.56553/popets-2023-0055; Article 29 Working
    Party (2014), Opinion 05/2014 on anonymisation techniques.
    """
    columns = shared_columns(pair, None, Side.HOLDOUT)
    if isinstance(columns, NotAssessed):
        return columns
    known = tuple(name for name in columns if name in (auxiliary or pair.roles.quasi_identifiers))
    rest = tuple(name for name in columns if name not in known)
    if not (known and rest):
        return NotAssessed(
            "the variables cannot be divided between two files: name some, and not all, as auxiliary"
        )
    chosen = {side: drawn(rng, pair.table(side).rows, attacks) for side in (Side.ORIGINAL, Side.HOLDOUT)}
    linked = {side: _linked(pair, known, rest, side, rows, k) for side, rows in chosen.items()}
    shuffled = _linked(pair, known, rest, Side.ORIGINAL, chosen[Side.ORIGINAL], k, shift=1)
    records = by_record(pair.original.rows, chosen[Side.ORIGINAL], linked[Side.ORIGINAL])
    return judged(
        counted(linked[Side.ORIGINAL]), counted(linked[Side.HOLDOUT]), counted(shuffled).value, records
    )


def _linked(
    pair: ReleasePair,
    known: tuple[str, ...],
    rest: tuple[str, ...],
    side: Side,
    rows: Array,
    number: int,
    shift: int = 0,
) -> Array:
    """Whether the two halves of each person are linked.

    With a `shift`, the first half of a person is compared with the second half of the next.
    """
    halves, reach = [], []
    number = min(number, pair.candidate.rows)
    for columns in (known, rest):
        halves.append(placed(pair, columns, side)[:, rows])
        reach.append(neighbours(pair, columns, missing=pair.missing).nearest(halves[-1], number)[:, -1])
    halves[1], reach[1] = np.roll(halves[1], shift, axis=1), np.roll(reach[1], shift)
    candidate = neighbours(pair, (*known, *rest), missing=pair.missing)
    return candidate.meet(np.vstack(halves), len(known), np.column_stack(reach))
