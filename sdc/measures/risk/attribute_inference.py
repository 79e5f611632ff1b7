"""Can an intruder who knows someone's keys read the sensitive values off the candidate?"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Interval, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.attack import Attacks, by_record, counted, drawn, judged, rates
from sdc.measures.comparison import is_number
from sdc.measures.neighbours import placed, shared_columns, space
from sdc.statistics.estimates.rates import Rate


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0!: as for people who are not in the original",
    bounds=(0, 1),
    needs=(Need.HOLDOUT, Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    alternatives=("class_attribution", "attribute_disclosure"),
    parts=(
        "attack_rate:lower:0..1 control_rate baseline_rate attacks control_attacks value.VARIABLE:lower:0..1"
        " attack_rate.VARIABLE:lower:0..1 control_rate.VARIABLE baseline_rate.VARIABLE attacks.VARIABLE"
        " control_attacks.VARIABLE"
    ),
)
def attribute_inference(
    pair: ReleasePair,
    *,
    rng: np.random.Generator,
    attacks: Attacks = 2000,
    sensitive: list[Column] | None = None,
    keys: list[Column] | None = None,
    tolerance: Annotated[float, Field(ge=0)] = 0.05,
) -> Measurement | NotAssessed:
    """How much more often a sensitive value is guessed right for people in the original than for others.

    The value is that of the worst variable.

    The guess is the most frequent value (for numbers the median) among the candidate records nearest by
    Gower's distance on the keys, ties included. It is right when equal; for a number, within `tolerance` of
    the true value, as a share of it. Generalised values count as their label. attack_rate is the share
    guessed right of records of the original, control_rate of the holdout, both drawn at random among those
    with a value; value = (attack_rate - control_rate) / (1 - control_rate), 0 where negative, with an
    interval from Wilson's for the two rates. For several variables it is the largest value and ends, with the
    rates of the variable whose upper end is highest. baseline_rate: always guessing the candidate's most
    frequent value or median. A missing key follows the declared rule; a variable with a single value leaves
    nothing to infer.

    Formula: value = max(0, (a − c) / (1 − c)), with a the share guessed right of original records and c of
    the holdout.

    Reference: Giomi, Boenisch, Wehmeyer, Tasnádi (2023), doi:10.56553/popets-2023-0055; Article 29 Working
    Party (2014), Opinion 05/2014 on anonymisation techniques.
    """
    targets = tuple(sensitive or pair.roles.sensitive)
    known = tuple(key for key in keys or pair.roles.quasi_identifiers if key not in targets)
    if not known:
        return NotAssessed("every key is itself to be inferred")
    shared = shared_columns(pair, [*known, *targets], Side.HOLDOUT)
    if isinstance(shared, NotAssessed):
        return shared
    found: dict[str, Measurement] = {}
    for target in targets:
        outcome = _inferred(pair, known, target, attacks, tolerance, rng)
        if isinstance(outcome, NotAssessed):
            return outcome
        found[target] = outcome
    return _worst(found)


def _worst(found: dict[str, Measurement]) -> Measurement:
    intervals = {target: each.interval for target, each in found.items() if each.interval}
    worst = max(intervals, key=lambda target: (intervals[target].high, found[target].value))
    by_variable = {
        f"{part}.{target}": number
        for target, each in found.items()
        for part, number in {"value": each.value, **each.parts}.items()
    }
    ends = Interval(max(each.low for each in intervals.values()), intervals[worst].high)
    value = max(each.value for each in found.values())
    return Measurement(value, {**found[worst].parts, **by_variable}, ends, found[worst].by_record)


def _inferred(
    pair: ReleasePair,
    keys: tuple[str, ...],
    target: str,
    attacks: int,
    tolerance: float,
    rng: np.random.Generator,
) -> Measurement | NotAssessed:
    from sdc.statistics.neighbours.search import Neighbours

    number = is_number(pair, target)
    values = {
        side: _values(pair, target, side, number=number)
        for side in (Side.ORIGINAL, Side.HOLDOUT, Side.CANDIDATE)
    }
    held = {side: np.flatnonzero(~np.isnan(each)) for side, each in values.items()}
    empty = [side.value for side, rows in held.items() if not rows.size]
    if empty:
        return NotAssessed(f"{target} has no values in the {' and the '.join(empty)}")
    if (
        len(
            {
                *values[Side.ORIGINAL][held[Side.ORIGINAL]].tolist(),
                *values[Side.HOLDOUT][held[Side.HOLDOUT]].tolist(),
            }
        )
        == 1
    ):
        return Measurement(0.0, rates(Rate(0, 0), Rate(0, 0), 1.0), Interval(0.0, 0.0))
    donated = values[Side.CANDIDATE][held[Side.CANDIDATE]]
    levels = 0 if number else int(donated.max()) + 1
    donors = Neighbours(
        space(pair, keys, missing=pair.missing), placed(pair, keys, Side.CANDIDATE)[:, held[Side.CANDIDATE]]
    )
    chosen = {
        side: held[side][drawn(rng, held[side].size, attacks)] for side in (Side.ORIGINAL, Side.HOLDOUT)
    }
    right = {
        side: _right(
            donors.guesses(placed(pair, keys, side)[:, rows], donated, levels),
            values[side][rows],
            tolerance if number else 0.0,
        )
        for side, rows in chosen.items()
    }
    naive = (
        np.sort(donated)[(donated.size - 1) // 2]
        if number
        else np.bincount(donated.astype(np.int64)).argmax()
    )
    baseline = _right(naive, values[Side.ORIGINAL][chosen[Side.ORIGINAL]], tolerance if number else 0.0)
    records = by_record(pair.original.rows, chosen[Side.ORIGINAL], right[Side.ORIGINAL])
    return judged(
        counted(right[Side.ORIGINAL]), counted(right[Side.HOLDOUT]), counted(baseline).value, records
    )


def _values(pair: ReleasePair, target: str, side: Side, *, number: bool) -> Array:
    """Numbers, or codes; NaN where missing."""
    if number:
        numbers = pair.numbers(target, side)
        return np.where(np.isfinite(numbers), numbers, np.nan)
    codes = pair.places(target, side)
    return np.where(codes < 0, np.nan, codes)


def _right(guess: Any, truth: Array, tolerance: float) -> Array:
    made: Array = np.abs(guess - truth) <= tolerance * np.abs(truth)
    return made
