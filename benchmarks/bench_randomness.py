"""Times what unpredictable random numbers cost: one release by ChaCha20, the same by PCG64."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import sdc.run.random_stream
from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType
from sdc.methods.protect import protect
from sdc.profile.plan import StepPlan
from sdc.run.randomness import Randomness

ROWS = 1_000_000
ROLES = Roles.of(
    [
        Variable("home", Role.HOUSEHOLD),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
        Variable("wealth", Role.SENSITIVE, VariableType.NUMERIC),
    ]
)
STEPS = (
    StepPlan(method="pram", **{"with": {"variables": ["region"]}}),
    StepPlan(method="additive_noise", **{"with": {"variables": ["income"], "level": 0.1}}),
    StepPlan(method="rank_swap", **{"with": {"variables": ["wealth"], "p": 0.05}}),
)
DRAWS: dict[str, Callable[[Any], object]] = {
    "random": lambda rng: rng.random(ROWS),
    "standard_normal": lambda rng: rng.standard_normal(ROWS),
    "permutation": lambda rng: rng.permutation(ROWS),
    "integers": lambda rng: rng.integers(1000, size=ROWS),
}


def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    homes = pd.Categorical((np.arange(ROWS) // 3).astype(str))
    region = pd.Categorical.from_codes(
        rng.integers(20, size=ROWS), categories=[f"r{place}" for place in range(20)]
    )
    return pd.DataFrame(
        {
            "home": homes,
            "region": region,
            "income": rng.lognormal(10, 1, ROWS),
            "wealth": rng.lognormal(11, 2, ROWS),
        }
    )


def seconds(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def main() -> None:
    table = people()

    def released() -> object:
        return protect(
            table,
            ROLES,
            STEPS,
            name="masked",
            randomness=Randomness.from_seed(1),
            missing=MissingRule.OWN_CATEGORY,
        )

    released()
    ours = seconds(released)
    drawn = {
        name: seconds(lambda draw=draw: draw(Randomness.from_seed(1).stream()))
        for name, draw in DRAWS.items()
    }
    chacha = sdc.run.random_stream.ChaCha
    sdc.run.random_stream.ChaCha = lambda key, rounds: np.random.PCG64(int(key[0]))  # noqa: ARG005
    try:
        floor = seconds(released)
        plain = {
            name: seconds(lambda draw=draw: draw(Randomness.from_seed(1).stream()))
            for name, draw in DRAWS.items()
        }
    finally:
        sdc.run.random_stream.ChaCha = chacha
    print(
        f"{ROWS:,} records, PRAM, noise, swaps, order: {ours:.2f} s by ChaCha20, {floor:.2f} s by PCG64,"
        f" ratio {ours / floor:.2f} (limit 2)"
    )
    for name in DRAWS:
        print(
            f"  {name}: {drawn[name] * 1000:.1f} ms, {plain[name] * 1000:.1f} ms, ratio"
            f" {drawn[name] / plain[name]:.2f}"
        )


if __name__ == "__main__":
    main()
