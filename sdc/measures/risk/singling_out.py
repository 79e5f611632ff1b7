"""Can an intruder who reads the candidate describe exactly one person of the original?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Interval, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.sharing import shared
from sdc.measures.attack import Attacks, counted, judged
from sdc.measures.neighbours import placed, shared_columns, space
from sdc.statistics.estimates.rates import Rate
from sdc.statistics.uniqueness.predicates import Ordered, Predicates, mixed, multivariate, univariate


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
def singling_out(
    pair: ReleasePair,
    *,
    rng: np.random.Generator,
    attacks: Attacks = 2000,
    mode: Literal["both", "univariate", "multivariate"] = "both",
    variables: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """How much more often a description of one candidate record singles out a person in the original.

    The comparison is with people who are not in it. both: by single variables and by several, and the worse
    of the two. univariate: a value that only one candidate record has, or the end of a number's range that
    one record holds. multivariate: variables of a candidate record in random order, a number as its value or,
    in half of the descriptions, as at least (above the median) or at most its value, until no other candidate
    record is meant. attack_rate is the share of descriptions that hold for exactly one original record.
    control_rate is the same if one of the n original records were replaced by one of the h of the holdout,
    and that one singled out: the mean over descriptions of (n [no original record meant] + [one meant]) x
    holdout records meant / h. Where the candidate has nothing from the original it has the same expectation
    as the attack's rate, whatever the sizes; it is worth attacks x h / n trials, at most as many as the
    attack. value = (attack_rate - control_rate) / (1 - control_rate), 0 where negative, with an interval from
    Wilson's for the two rates. baseline_rate: descriptions put together from different records, one for each
    variable. Where no description is unique there is nothing to attack with: 0. A missing value is a value.

    Formula: value = max(0, (a − c) / (1 − c)), with a the share of descriptions that hold for one original
    record and c its expectation for people outside.

    Reference: Giomi, Boenisch, Wehmeyer, Tasnádi (2023), doi:10.56553/popets-2023-0055; Cohen, Nissim (2020),
    doi:10.1073/pnas.1914598117; Article 29 Working Party (2014), Opinion 05/2014 on anonymisation techniques.
    """
    columns = shared_columns(pair, variables, Side.HOLDOUT)
    if isinstance(columns, NotAssessed):
        return columns
    found = [
        _attacked(pair, columns, each, attacks, rng)
        for each in (("multivariate", "univariate") if mode == "both" else (mode,))
    ]
    return max(found, key=_worse)


def _worse(found: Measurement) -> tuple[float, float]:
    """The worse of the two by the upper end of the interval, which the gate judges."""
    return (found.interval.high if found.interval else found.value), found.value


def _attacked(
    pair: ReleasePair, columns: tuple[str, ...], mode: str, attacks: int, rng: np.random.Generator
) -> Measurement:
    candidate, kinds = _ordered(pair, columns, Side.CANDIDATE), space(pair, columns).kinds
    described = _described(candidate, kinds, mode, attacks, rng)
    if not len(described):
        return Measurement(
            0.0,
            {"attack_rate": 0.0, "control_rate": 0.0, "baseline_rate": 0.0, "attacks": 0},
            Interval(0.0, 0.0),
        )
    original = _ordered(pair, columns, Side.ORIGINAL)
    meant, who = described.matches(original)
    baseline, _ = mixed(described, candidate.points, kinds, rng).matches(original)
    control = _control(described, meant, pair.original.rows, _ordered(pair, columns, Side.HOLDOUT))
    return judged(
        counted(meant == 1),
        control,
        counted(baseline == 1).value,
        {"found": _flagged(pair.original.rows, who[meant == 1])},
    )


@shared
def _ordered(pair: ReleasePair, columns: Sequence[str], side: Side) -> Ordered:
    return Ordered.of(placed(pair, columns, side))


def _described(
    candidate: Ordered, kinds: Array, mode: str, attacks: int, rng: np.random.Generator
) -> Predicates:
    if mode == "univariate":
        found = univariate(candidate.points, kinds)
        return found.at(np.sort(rng.choice(len(found), size=min(attacks, len(found)), replace=False)))
    records = candidate.points.shape[1]
    rounds = -(-attacks // records)
    rows = np.concatenate([rng.permutation(records) for _ in range(rounds)])[:attacks]
    return multivariate(candidate, kinds, rows, rng)


def _control(described: Predicates, meant: Array, records: int, holdout: Ordered) -> Rate:
    held = holdout.points.shape[1]
    others, _ = described.matches(holdout, enough=held + 1)
    share = others / held
    rate = min(float((np.where(meant == 0, records, np.where(meant == 1, 1, 0)) * share).mean()), 1.0)
    trials = len(described) * min(held / records, 1.0)
    return Rate(rate * trials, trials)


def _flagged(records: int, found: Array) -> Array:
    flags = np.zeros(records, dtype=bool)
    flags[found] = True
    return flags
