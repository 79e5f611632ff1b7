"""Attacks on people of the original and of a control, and the success that the release adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from sdc.catalogue.measurement import Interval, Measurement
from sdc.statistics.estimates.rates import Rate, beyond_control

if TYPE_CHECKING:
    import numpy as np

    from sdc.arrays import Array
    from sdc.statistics.estimates.rates import Estimate


Attacks = Annotated[int, Field(ge=1)]
"""How many records are attacked; all where there are fewer."""


def drawn(rng: np.random.Generator, records: int, attacks: int) -> Array:
    """The places of the records attacked, in order: a draw without replacement."""
    import numpy as np

    return np.sort(rng.choice(records, size=min(attacks, records), replace=False))


def counted(successes: Array) -> Rate:
    """The rate of attacks that succeeded."""
    return Rate(int(successes.sum()), successes.size)


def by_record(records: int, attacked: Array, found: Array) -> dict[str, Array]:
    """For each record of the original, whether it was attacked, and whether the attack succeeded."""
    import numpy as np

    flags = {"attacked": np.zeros(records, dtype=bool), "found": np.zeros(records, dtype=bool)}
    flags["attacked"][attacked] = True
    flags["found"][attacked[found]] = True
    return flags


def rates(attack: Rate, control: Rate, baseline: float) -> dict[str, float]:
    """The parts every attack reports."""
    return {
        "attack_rate": attack.value,
        "control_rate": control.value,
        "baseline_rate": baseline,
        "attacks": attack.trials,
        "control_attacks": control.trials,
    }


def judged(
    attack: Rate, control: Rate, baseline: float, records: Mapping[str, Array] | None = None
) -> Measurement:
    """Success beyond control with its interval, and the rates it comes from."""
    found: Estimate = beyond_control(attack, control)
    return Measurement(
        found.value, rates(attack, control, baseline), Interval(found.low, found.high), records
    )
