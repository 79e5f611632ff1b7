"""Can an intruder tell from the candidate who was in the original?"""

from __future__ import annotations

import numpy as np

from sdc.catalogue import Better, Column, Family, Interval, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.attack import Attacks, by_record, counted, drawn
from sdc.measures.neighbours import neighbours, placed, shared_columns
from sdc.statistics.attribution.membership import area_under_curve, called_members
from sdc.statistics.estimates.rates import Rate, difference
from sdc.statistics.neighbours.space import Distance

FEWEST = 2


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0: guessing",
    bounds=(0, 1),
    needs=(Need.HOLDOUT,),
    alternatives=("singling_out",),
    parts=(
        "auc:lower:0..1 precision:lower:0..1 advantage:lower:-1..1 attack_rate:lower:0..1 control_rate"
        " baseline_advantage attacks control_attacks"
    ),
)
def membership_inference(
    pair: ReleasePair,
    *,
    rng: np.random.Generator,
    attacks: Attacks = 2000,
    distance: Distance = "gower",
    variables: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """The advantage of an attack that calls people near the candidate members: the upper end of its interval.

    The interval has a level of 95 %.

    advantage = share of members called members - share of others called members, from records of the original
    and of the holdout (the control), drawn at random. A person is called a member if the distance to the
    closest candidate record, on all analysed variables (or those named), is at most a threshold; each half of
    the people is judged by the threshold best for the other half, so that an intruder who knows nothing has
    advantage 0. The ends of the interval come from Wilson's for the two shares. precision is the share of
    members among those called, if members and others were as many, 0.5 where nobody is called; auc is the
    chance that a member is the nearer one. The naive attack calls those who are in the candidate word for
    word: baseline_advantage. A missing value is a category.

    Formula: advantage = P(d(member) ≤ c) − P(d(other) ≤ c); the value is the upper end of its interval, and
    pages show the advantage with it.

    Reference: Chen, Yu, Zhang, Fritz (2020), GAN-Leaks, doi:10.1145/3372297.3417238; Yeom, Giacomelli,
    Fredrikson, Jha (2018), doi:10.1109/CSF.2018.00027.
    """
    columns = shared_columns(pair, variables, Side.HOLDOUT)
    if isinstance(columns, NotAssessed):
        return columns
    if min(attacks, pair.original.rows, pair.table(Side.HOLDOUT).rows) < FEWEST:
        return NotAssessed("an attack needs two people of the original and two of the holdout")
    candidate = neighbours(pair, columns, Side.CANDIDATE, distance)
    chosen = {side: drawn(rng, pair.table(side).rows, attacks) for side in (Side.ORIGINAL, Side.HOLDOUT)}
    members, others = (
        candidate.nearest(placed(pair, columns, side)[:, rows])[:, 0] for side, rows in chosen.items()
    )
    called, called_wrongly = called_members(members, others, rng)
    hits, alarms = counted(called), counted(called_wrongly)
    advantage = difference(hits, alarms)
    parts = {
        "auc": area_under_curve(members, others),
        "precision": _precision(hits, alarms),
        "advantage": advantage.value,
        "attack_rate": hits.value,
        "control_rate": alarms.value,
        "baseline_advantage": (members == 0).mean() - (others == 0).mean(),
        "attacks": hits.trials,
        "control_attacks": alarms.trials,
    }
    upper = max(advantage.high, 0.0)
    records = by_record(pair.original.rows, chosen[Side.ORIGINAL], called)
    interval = Interval(min(advantage.low, upper), upper)
    return Measurement(upper, parts, interval, records, estimated=advantage.value)


def _precision(hits: Rate, alarms: Rate) -> float:
    called = hits.value + alarms.value
    return hits.value / called if called else 0.5
